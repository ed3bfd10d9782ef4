//! Files of a site in memory: read, written and compressed.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    path::Path,
};

use anyhow::Result;
use fs_err as fs;

use crate::paths;

/// Files of a site by their path below its root.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// File extensions that are compressed.
const COMPRESSIBLE: [&str; 7] = ["css", "html", "js", "json", "svg", "txt", "wasm"];

/// File name of the main module.
pub(crate) const MAIN: &str = "dashboard_bg.wasm";

/// Name of the export worker.
pub(crate) const WORKER: &str = "exporter";

/// Reads all files below `folder`.
pub(crate) fn read_files(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    for path in paths::files_below(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        files.insert(name, fs::read(&path)?);
    }
    Ok(files)
}

/// Replaces `folder` by exactly these files.
pub(crate) fn write_files(files: &Files, folder: &Path) -> Result<()> {
    paths::empty_folder(folder)?;
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, content)?;
    }
    Ok(())
}

/// Adds a `.br` and a `.gz` variant for each file that gets smaller.
pub(crate) fn compress(files: &mut Files) -> Result<()> {
    let mut variants = Files::new();
    let is_compressible = |name: &str| COMPRESSIBLE.iter().any(|kind| is_kind(name, kind));
    for (name, content) in files.iter().filter(|(name, _)| is_compressible(name)) {
        let mut brotli = Vec::new();
        ::brotli::CompressorReader::new(&**content, 1 << 16, 11, 22).read_to_end(&mut brotli)?;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(content)?;
        for (ending, small) in [("br", brotli), ("gz", gzip.finish()?)] {
            if small.len() < content.len() {
                variants.insert(format!("{name}.{ending}"), small);
            }
        }
    }
    files.append(&mut variants);
    Ok(())
}

/// Returns whether a file name has this extension.
pub(crate) fn is_kind(name: &str, kind: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending == kind)
}
