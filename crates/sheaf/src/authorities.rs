//! Certificate authorities that are trusted for other servers, read from a file at the start.

use gateway::upstream::Trust;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Result};

/// Maximum size of a certificate file, in bytes. All public authorities need less.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Reads the trusted certificates. Without a file, the public authorities are trusted.
///
/// # Errors
/// A file that cannot be read, or that contains no CA certificate.
pub(crate) fn read_trust(path: Option<&Path>) -> Result<Trust> {
    let Some(path) = path else { return Ok(Trust::public_roots()) };
    let mut pem = Vec::new();
    let mut file = File::open(path).map_err(Error::file(path))?.take(FILE_BYTES_MAX);
    file.read_to_end(&mut pem).map_err(Error::file(path))?;
    Trust::from_pem(&pem)
        .map_err(|why| Error::invalid(format!("the file `{}` {why}", path.display())))
}
