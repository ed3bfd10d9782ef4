//! A consistent copy in a new file. Readers and writers go on meanwhile.
//!
//! The copy has a name of its own until it is whole, checked and on disk: what bears the name that
//! was asked for is never half a copy, whatever happens on the way.

use super::super::row::database;
use super::super::{Result, StoreError};
use super::{check, connect};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What stands behind the name of a copy that is not whole yet.
const PART: &str = ".part";

/// Writes the copy, and returns once it is on disk. What was deleted is not in it, nor is the room
/// that it left.
pub(super) fn backup(from: &Path, to: &Path) -> Result<()> {
    let name = to.to_str().ok_or_else(|| {
        connect::unfit(format!("the file name `{}` is not Unicode; name another", to.display()))
    })?;
    if to.symlink_metadata().is_ok() {
        return Err(StoreError::Exists(format!("`{name}`")));
    }
    let part = PathBuf::from(format!("{name}{PART}"));
    let locks = begin(&part)?;
    let copied = copy(from, &part).and_then(|()| put(&part, to, name));
    if copied.is_err() {
        // Of no use, but harmless: the next backup of this name writes it anew.
        let _ = std::fs::remove_file(&part);
    }
    drop(locks);
    copied
}

/// Creates the unfinished file, and locks it. The file of a backup that was killed is deleted
/// first; a file that another backup writes is refused.
///
/// The file is always a new one. Another user who may write to the folder could have put a link
/// there, or a file that stays readable for them.
fn begin(part: &Path) -> Result<(File, Option<File>)> {
    let name = part.display();
    let cannot = |error| connect::unfit(format!("cannot create `{name}`: {error}"));
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    let left = match options.open(part) {
        Ok(left) => Some(left),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(cannot(error)),
    };
    if let Some(left) = &left {
        lock(left, part)?;
        std::fs::remove_file(part).map_err(cannot)?;
    }
    let file = options.create_new(true).mode(0o600).open(part).map_err(cannot)?;
    lock(&file, part)?;
    // Both locks are held until the end: another backup may have opened the old file meanwhile.
    Ok((file, left))
}

fn lock(file: &File, part: &Path) -> Result<()> {
    let name = part.display();
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => connect::unfit(format!(
            "`{name}` is being written by another backup; wait for it to end"
        )),
        TryLockError::Error(error) => connect::unfit(format!("cannot lock `{name}`: {error}")),
    })
}

fn copy(from: &Path, part: &Path) -> Result<()> {
    let to = part.to_str().unwrap_or_default();
    connect::writer(from)?.execute("VACUUM INTO ?", [to]).map_err(database)?;
    let damage = check::quick(part)?;
    if let Some(damage) = damage {
        let path = part.display();
        return Err(connect::unfit(format!("the copy `{path}` came out damaged: {damage}")));
    }
    File::open(part).and_then(|file| file.sync_all()).map_err(database)
}

/// Gives the copy its name, which must still be free.
fn put(part: &Path, to: &Path, name: &str) -> Result<()> {
    match renameat_with(CWD, part, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => {}
        Err(Errno::EXIST) => return Err(StoreError::Exists(format!("`{name}`"))),
        // A file system that cannot refuse: it was free a moment ago.
        Err(Errno::INVAL | Errno::NOSYS) => std::fs::rename(part, to).map_err(database)?,
        Err(error) => return Err(database(error)),
    }
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))
        .and_then(|folder| folder.sync_all())
        .map_err(database)
}
