//! Public keys of an issuer in a file, which may be replaced while the server runs.

use bytes::Bytes;
use gateway::identity::{FetchFuture, JwksError, JwksSource, SET_BYTES_MAX};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Path of a key file.
pub(super) struct KeyFile(PathBuf);

impl KeyFile {
    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl JwksSource for KeyFile {
    fn fetch(&self) -> FetchFuture {
        let path = self.0.clone();
        Box::pin(async move { tokio::task::spawn_blocking(move || read_key_set(&path)).await? })
    }
}

fn read_key_set(path: &Path) -> Result<Bytes, JwksError> {
    let mut text = Vec::new();
    let longest = u64::try_from(SET_BYTES_MAX).unwrap_or(u64::MAX);
    // One byte more than the maximum shows that the file is too large.
    File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut text)?;
    if text.len() > SET_BYTES_MAX {
        return Err(format!("the file has more than {SET_BYTES_MAX} bytes").into());
    }
    Ok(Bytes::from(text))
}
