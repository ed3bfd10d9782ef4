//! A file that has its name only when it is whole and on disk: a backup, an archive, a restored
//! database.

use super::columns::database;
use super::{Result, StoreError};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The end of the name of an unfinished file.
const PART: &str = ".part";

/// A file that is being written, readable by its owner alone. Dropped, it is deleted.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    /// The file of a writer that was killed. Its lock is held until the end: another writer may
    /// have opened it meanwhile.
    _left: Option<File>,
    part: PathBuf,
    to: PathBuf,
    is_kept: bool,
}

impl PartFile {
    /// Creates the unfinished file, and locks it. The file of a writer that was killed is deleted
    /// first.
    ///
    /// The file is always a new one. Another user who may write to the folder could have put a link
    /// there, or a file that stays readable for them.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where the name is taken; [`StoreError::Unfit`] for a name that is not
    /// Unicode, a file that another process writes, and one that cannot be created.
    pub fn begin(to: &Path) -> Result<Self> {
        let Some(name) = to.to_str() else {
            return Err(unfit(format!(
                "the file name `{}` is not Unicode; name another",
                to.display()
            )));
        };
        if to.symlink_metadata().is_ok() {
            return Err(StoreError::Exists(format!("`{name}`")));
        }
        let part = PathBuf::from(format!("{name}{PART}"));
        let cannot = |error| unfit(format!("cannot create `{}`: {error}", part.display()));
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let left = match options.open(&part) {
            Ok(left) => Some(left),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(cannot(error)),
        };
        if let Some(left) = &left {
            lock(left, &part)?;
            std::fs::remove_file(&part).map_err(cannot)?;
        }
        let file = options.create_new(true).mode(0o600).open(&part).map_err(cannot)?;
        lock(&file, &part)?;
        Ok(Self { file, _left: left, part, to: to.to_owned(), is_kept: false })
    }

    /// Returns the name that it has until it is whole.
    pub fn path(&self) -> &Path {
        &self.part
    }

    /// Returns what writes to it.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Brings it to disk and gives it its name.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where the name was taken meanwhile, and a disk that fails.
    pub fn keep(mut self) -> Result<()> {
        File::open(&self.part).and_then(|file| file.sync_all()).map_err(database)?;
        match renameat_with(CWD, &self.part, CWD, &self.to, RenameFlags::NOREPLACE) {
            Ok(()) => {}
            Err(Errno::EXIST) => {
                return Err(StoreError::Exists(format!("`{}`", self.to.display())));
            }
            // A file system without this flag: a link refuses a name that is taken, too.
            Err(Errno::INVAL | Errno::NOSYS) => {
                std::fs::hard_link(&self.part, &self.to).map_err(database)?;
                std::fs::remove_file(&self.part).map_err(database)?;
            }
            Err(error) => return Err(database(error)),
        }
        self.is_kept = true;
        let folder = self.to.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))
            .and_then(|folder| folder.sync_all())
            .map_err(database)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // If it stays, the next writer of this name deletes it.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

fn unfit(why: String) -> StoreError {
    StoreError::Unfit(why)
}

fn lock(file: &File, part: &Path) -> Result<()> {
    let name = part.display();
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => {
            unfit(format!("`{name}` is being written by another process; wait for it to end"))
        }
        TryLockError::Error(error) => unfit(format!("cannot lock `{name}`: {error}")),
    })
}
