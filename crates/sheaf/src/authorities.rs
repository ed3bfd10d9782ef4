//! The authorities that vouch for other servers, read from a file once at the start.

use gateway::upstream::Trust;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Result};

/// Longest file of certificates, in bytes: more than all public authorities need.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Reads the certificates of those who are believed; without a file, the public authorities are.
///
/// # Errors
/// A file that cannot be read, or holds no certificate of an authority.
pub(crate) fn read(path: Option<&Path>) -> Result<Trust> {
    let Some(path) = path else { return Ok(Trust::public()) };
    let mut pem = Vec::new();
    let mut file = File::open(path).map_err(Error::file(path))?.take(FILE_BYTES_MAX);
    file.read_to_end(&mut pem).map_err(Error::file(path))?;
    Trust::only(&pem).map_err(|why| Error::refused(format!("the file `{}` {why}", path.display())))
}
