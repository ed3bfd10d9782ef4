//! Files of a site in memory: read, written and compressed.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    path::Path,
};

use regex::Regex;

use crate::paths;
use crate::run::{Error, Result, io_at};

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
        files.insert(name, fs::read(&path).map_err(io_at("read", &path))?);
    }
    Ok(files)
}

/// Replaces `folder` by exactly these files.
pub(crate) fn write_files(files: &Files, folder: &Path) -> Result {
    paths::empty_folder(folder)?;
    for (name, content) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(io_at("create", parent))?;
        fs::write(&path, content).map_err(io_at("write", &path))?;
    }
    Ok(())
}

/// Adds a `.br` and a `.gz` variant for each file that gets smaller.
pub(crate) fn compress(files: &mut Files) -> Result {
    let mut variants = Files::new();
    let is_compressible = |name: &str| COMPRESSIBLE.iter().any(|kind| is_kind(name, kind));
    for (name, content) in files.iter().filter(|(name, _)| is_compressible(name)) {
        for (ending, small) in [("br", brotli(content)), ("gz", gzip(content))] {
            let small =
                small.map_err(|error| Error::new(format!("cannot compress `{name}`: {error}")))?;
            if small.len() < content.len() {
                variants.insert(format!("{name}.{ending}"), small);
            }
        }
    }
    files.append(&mut variants);
    Ok(())
}

/// Compiles a pattern for a page or script.
pub(crate) fn regex(pattern: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|error| Error::new(format!("invalid pattern: {error}")))
}

/// Returns whether a file name has this extension.
pub(crate) fn is_kind(name: &str, kind: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending == kind)
}

fn brotli(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut small = Vec::new();
    ::brotli::CompressorReader::new(content, 1 << 16, 11, 22).read_to_end(&mut small)?;
    Ok(small)
}

fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_variants_are_smaller_and_decompress() {
        let long = "abc ".repeat(500);
        let mut files = Files::from([
            ("a.js".to_owned(), long.clone().into_bytes()),
            ("b.js".to_owned(), b"x".to_vec()),
            ("c.png".to_owned(), long.clone().into_bytes()),
        ]);
        compress(&mut files).unwrap();
        let names: Vec<_> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["a.js", "a.js.br", "a.js.gz", "b.js", "c.png"]);
        let mut back = String::new();
        ::brotli::Decompressor::new(&*files["a.js.br"], 4096).read_to_string(&mut back).unwrap();
        assert_eq!(back, long);
        back.clear();
        flate2::read::GzDecoder::new(&*files["a.js.gz"]).read_to_string(&mut back).unwrap();
        assert_eq!(back, long);
    }

    #[test]
    fn write_replaces_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        write_files(&Files::from([("old.js".to_owned(), vec![1])]), folder.path()).unwrap();
        let new = Files::from([("a/b.js".to_owned(), vec![2]), ("c.js".to_owned(), vec![3])]);
        write_files(&new, folder.path()).unwrap();
        assert_eq!(read_files(folder.path()).unwrap(), new);
    }
}
