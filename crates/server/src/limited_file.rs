//! Reads files of the configuration, which have a maximum size.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Result};

/// Reads an open file from its start. `path` is its name in errors.
///
/// # Errors
/// If the file cannot be read, or has more than `bytes_max` bytes. It is never cut.
pub fn read_limited_file(file: &File, path: &Path, bytes_max: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than the maximum shows that the file is too large.
    let read = file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes);
    let count = read.map_err(Error::file_error(path))?;
    if count as u64 > bytes_max {
        return Err(Error::refused(format!(
            "the file `{}` has more than {bytes_max} bytes; name a smaller file",
            path.display()
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_above_maximum_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345678").unwrap();
        let read = |bytes_max| read_limited_file(&File::open(&path).unwrap(), &path, bytes_max);
        assert_eq!(read(8).unwrap(), b"12345678");
        let error = read(7).unwrap_err().to_string();
        let expected = format!("the file `{}` has more than 7 bytes", path.display());
        assert!(error.starts_with(&expected), "{error}");
    }
}
