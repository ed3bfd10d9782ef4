//! Files that contain one secret: a key, a password, or a URL with a password.

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::error::{Error, Result};

/// Maximum size of a file, in bytes.
const FILE_BYTES_MAX: u64 = 4096;

/// Reads the text of a file, and trims it.
///
/// # Errors
/// A file that cannot be read, that is accessible to all users, or that has more than
/// [`FILE_BYTES_MAX`] bytes.
pub(crate) fn read_secret_file(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(Error::file(path))?;
    let mode = file.metadata().map_err(Error::file(path))?.permissions().mode();
    // Any permission of others is wrong, not only reading.
    if mode & 0o007 != 0 {
        return Err(Error::invalid(format!(
            "every user of this machine can use the secret in `{}`; `chmod 600` it",
            path.display()
        )));
    }
    let bytes = server::read_limited_file(&file, path, FILE_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::invalid(format!("the file `{}` must be text in UTF-8", path.display()))
    })?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};

    #[test]
    fn large_file_and_other_encoding_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            read_secret_file(&path).map_err(|error| error.to_string())
        };
        assert_eq!(read(&[b'x'; 4096]), Ok("x".repeat(4096)));
        let large = read(&[b'x'; 4097]).unwrap_err();
        assert!(large.contains("secret` has more than 4096 bytes"), "{large}");
        let latin = read(b"caf\xe9").unwrap_err();
        assert!(latin.ends_with("secret` must be text in UTF-8"), "{latin}");
    }
}
