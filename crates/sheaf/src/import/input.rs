//! The file to import, readable twice: once to check it all, once to insert it.

use std::fs::File;
use std::io::{self, BufReader, Seek as _};
use std::path::Path;

use crate::error::{Error, Result};

/// A regular file, named or of our own.
pub(crate) struct Input(File);

impl Input {
    /// Opens a file. Standard input (`-`) and whatever else can be read only once is copied first,
    /// to a file without a name in `directory`, which ends with this process.
    ///
    /// # Errors
    /// A file that cannot be read, or no room for the copy.
    pub(crate) fn open(path: &Path, directory: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return spool(&mut io::stdin().lock(), directory);
        }
        let mut file = File::open(path).map_err(Error::file(path))?;
        let kind = file.metadata().map_err(Error::file(path))?.file_type();
        if kind.is_dir() {
            let name = path.display();
            return Err(Error::refused(format!("`{name}` is a directory; name a file")));
        }
        if kind.is_file() { Ok(Self(file)) } else { spool(&mut file, directory) }
    }

    /// Returns the file from its beginning.
    ///
    /// # Errors
    /// A file that cannot be read again.
    pub(crate) fn rewound(&self) -> Result<BufReader<File>> {
        let again = || {
            let mut file = self.0.try_clone()?;
            file.rewind()?;
            Ok(BufReader::with_capacity(64 * 1024, file))
        };
        again().map_err(Error::io("cannot read the file a second time"))
    }
}

fn spool(from: &mut impl io::Read, directory: &Path) -> Result<Input> {
    let mut copied = || {
        let mut copy = tempfile::tempfile_in(directory)?;
        io::copy(from, &mut copy)?;
        Ok(Input(copy))
    };
    copied().map_err(Error::io("cannot keep what is imported"))
}
