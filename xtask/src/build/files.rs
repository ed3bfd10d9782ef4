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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_variants_are_smaller_and_decompress() {
        let long = "abc ".repeat(500).into_bytes();
        let mut files = [("a.js", long.clone()), ("b.js", b"x".to_vec()), ("c.png", long.clone())]
            .map(|(name, content)| (name.to_owned(), content))
            .into();
        compress(&mut files).unwrap();
        let names: Vec<_> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["a.js", "a.js.br", "a.js.gz", "b.js", "c.png"]);
        let (mut brotli, mut gzip) = (Vec::new(), Vec::new());
        ::brotli::Decompressor::new(&*files["a.js.br"], 4096).read_to_end(&mut brotli).unwrap();
        flate2::read::GzDecoder::new(&*files["a.js.gz"]).read_to_end(&mut gzip).unwrap();
        assert!(brotli == long && gzip == long);
    }
}
