//! A consistent copy in a new file. Readers and writers go on meanwhile.

use super::super::row::database;
use super::super::{Result, StoreError};
use super::connect;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writes the copy, and returns once it is on disk. What was deleted is not in it, nor is the room
/// that it left.
pub(super) fn backup(from: &Path, to: &Path) -> Result<()> {
    let name = to.to_str().ok_or_else(|| {
        connect::unfit(format!("the file name `{}` is not Unicode; name another", to.display()))
    })?;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(to).map_err(|e| {
        match e.kind() {
            ErrorKind::AlreadyExists => StoreError::Exists(format!("`{name}`")),
            _ => connect::unfit(format!("cannot create `{name}`: {e}")),
        }
    })?;
    let copied = copy(from, to, name);
    if copied.is_err() {
        // Half a copy looks like a whole one. That it cannot be removed is the lesser trouble.
        let _ = std::fs::remove_file(to);
    }
    copied
}

fn copy(from: &Path, to: &Path, name: &str) -> Result<()> {
    connect::writer(from)?.execute("VACUUM INTO ?", [name]).map_err(database)?;
    File::open(to).and_then(|file| file.sync_all()).map_err(database)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))
        .and_then(|folder| folder.sync_all())
        .map_err(database)
}
