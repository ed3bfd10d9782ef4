//! Files that contain one secret: a key, a password, or a URL with a password.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::error::{Error, Result};

/// Maximum size of a file, in bytes.
const FILE_BYTES_MAX: u64 = 4096;

/// Reads the text of a file, and trims it.
///
/// # Errors
/// A file that cannot be read, or that is accessible to all users.
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
    let mut text = String::new();
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(Error::file(path))?;
    Ok(text.trim().to_owned())
}
