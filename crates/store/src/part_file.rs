//! A file that is written under a temporary name, and renamed once it is complete and on disk:
//! backups, archives, restored databases.

use super::columns::database_error;
use super::{Result, StoreError};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Suffix of an unfinished file.
const SUFFIX: &str = ".part";

/// An unfinished file that only its owner can read. Dropping it deletes the file.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    /// The locked file of a killed writer. Its lock is released last, because another writer may
    /// have opened that file meanwhile.
    _abandoned: Option<File>,
    part: PathBuf,
    to: PathBuf,
    is_committed: bool,
}

impl PartFile {
    /// Creates and locks the unfinished file. Deletes the unfinished file of a killed writer first.
    ///
    /// Never reuses an existing file: another user with write access to the folder could have
    /// created a link there, or a file that stays readable for them.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the name is taken; [`StoreError::Unusable`] if the name is not
    /// Unicode, if another process writes the file, or if it cannot be created.
    pub fn create(to: &Path) -> Result<Self> {
        let Some(name) = to.to_str() else {
            return Err(unusable(format!(
                "the file name `{}` is not Unicode; name another",
                to.display()
            )));
        };
        if to.symlink_metadata().is_ok() {
            return Err(StoreError::Exists(format!("`{name}`")));
        }
        let part = PathBuf::from(format!("{name}{SUFFIX}"));
        let cannot = |error| unusable(format!("cannot create `{}`: {error}", part.display()));
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let leftover = match options.open(&part) {
            Ok(leftover) => Some(leftover),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(cannot(error)),
        };
        if let Some(leftover) = &leftover {
            lock_part(leftover, &part)?;
            std::fs::remove_file(&part).map_err(cannot)?;
        }
        let file = options.create_new(true).mode(0o600).open(&part).map_err(cannot)?;
        lock_part(&file, &part)?;
        Ok(Self { file, _abandoned: leftover, part, to: to.to_owned(), is_committed: false })
    }

    /// Returns the temporary path.
    pub fn path(&self) -> &Path {
        &self.part
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Syncs the file to disk and renames it to its final name.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the name has been taken meanwhile; errors of the disk.
    pub fn commit(mut self) -> Result<()> {
        // Sync before the rename: the final name must never refer to incomplete data.
        File::open(&self.part).and_then(|file| file.sync_all()).map_err(database_error)?;
        match renameat_with(CWD, &self.part, CWD, &self.to, RenameFlags::NOREPLACE) {
            Ok(()) => {}
            Err(Errno::EXIST) => {
                return Err(StoreError::Exists(format!("`{}`", self.to.display())));
            }
            // The file system lacks this flag. A hard link also fails if the name is taken.
            Err(Errno::INVAL | Errno::NOSYS) => {
                std::fs::hard_link(&self.part, &self.to).map_err(database_error)?;
                std::fs::remove_file(&self.part).map_err(database_error)?;
            }
            Err(error) => return Err(database_error(error)),
        }
        self.is_committed = true;
        // The rename is durable only after a sync of the folder.
        let folder = self.to.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))
            .and_then(|folder| folder.sync_all())
            .map_err(database_error)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.is_committed {
            // If the deletion fails, the next writer of this name deletes the file.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

fn unusable(why: String) -> StoreError {
    StoreError::Unusable(why)
}

fn lock_part(file: &File, part: &Path) -> Result<()> {
    let name = part.display();
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => {
            unusable(format!("`{name}` is being written by another process; wait for it to end"))
        }
        TryLockError::Error(error) => unusable(format!("cannot lock `{name}`: {error}")),
    })
}
