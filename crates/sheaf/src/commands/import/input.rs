//! The file to import, as UTF-8 and readable several times.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use sha2::{Digest as _, Sha256};
use std::fs::{File, Metadata};
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _};
use std::path::Path;

use super::encoding::{Detected, Detector, Wrong, named, transcode};
use super::file_kind;
use super::progress::grouped;
use crate::error::{Error, Result};

const BUFFER_BYTES: usize = 64 * 1024;

/// A regular file: the named one or a temporary copy.
pub(crate) struct Input(File);

/// Expected format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Ndjson,
}

/// Result of reading a whole file once.
pub(super) struct Content {
    /// SHA-256 of the file.
    pub(super) hash: [u8; 32],
    /// Size as UTF-8, in bytes.
    pub(super) bytes: u64,
    /// Description of the encoding.
    pub(super) encoding: String,
    /// Note about replaced bytes.
    pub(super) note: Option<String>,
}

impl Input {
    /// Opens a file. Standard input (`-`) and other files that can be read only once are first
    /// copied to an unnamed temporary file in `directory`.
    ///
    /// # Errors
    /// A file that cannot be read, or not enough disk space for the copy.
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

    /// Reads the file once, and returns it as UTF-8: the file itself, or an unnamed temporary copy
    /// in `directory`. `wanted` is the name of its encoding.
    ///
    /// # Errors
    /// A file that cannot be read or has another format, not enough disk space for the copy, or
    /// bytes that are invalid in the encoding.
    pub(super) fn understood(
        self,
        format: Format,
        wanted: Option<&str>,
        directory: &Path,
    ) -> Result<(Self, Content)> {
        let wanted = wanted.map(named).transpose()?;
        let (hash, found) = self.examine()?;
        file_kind::check(&found.head, format == Format::Csv)?;
        let encoding = wanted.unwrap_or(found.encoding);
        let is_utf_8 = encoding == UTF_8;
        // JSON is Unicode, so a line of NDJSON in another encoding is rejected with its number.
        let is_kept = match format {
            Format::Csv => is_utf_8 && found.wrong.count == 0,
            Format::Ndjson => wanted.is_none() && encoding != UTF_16LE && encoding != UTF_16BE,
        };
        let (mut words, mut note) = (name(encoding).to_owned(), None);
        if found.wrong.count > 0 && wanted.is_none() {
            if is_utf_8 {
                note = Some(replaced(found.wrong));
            } else {
                words = format!("{words} (line {} is not UTF-8)", found.wrong.first_line);
            }
        }
        let replaces = wanted.is_none() && is_utf_8;
        let input = if is_kept { self } else { self.transcoded(encoding, replaces, directory)? };
        let bytes = input.0.metadata().map_or(0, |file| file.len());
        Ok((input, Content { hash, bytes, encoding: words, note }))
    }

    fn examine(&self) -> Result<([u8; 32], Detected)> {
        let (mut hash, mut detector) = (Sha256::new(), Detector::new());
        let mut file = self.rewound()?;
        loop {
            let chunk = file.fill_buf().map_err(Error::io("cannot read the file"))?;
            let count = chunk.len();
            if count == 0 {
                return Ok((hash.finalize().into(), detector.finish()));
            }
            hash.update(chunk);
            detector.note(chunk);
            file.consume(count);
        }
    }

    fn transcoded(
        &self,
        from: &'static Encoding,
        replaces: bool,
        directory: &Path,
    ) -> Result<Self> {
        let copy = tempfile::tempfile_in(directory);
        let copy = copy.map_err(Error::io("cannot write a temporary copy of the file"))?;
        transcode(from, self.rewound()?, replaces, &mut BufWriter::new(&copy))?;
        Ok(Self(copy))
    }

    /// Returns the metadata of the file, to detect changes.
    ///
    /// # Errors
    /// Metadata that cannot be read.
    pub(super) fn state(&self) -> Result<Metadata> {
        self.0.metadata().map_err(Error::io("cannot read the file"))
    }

    /// Whether the file has the same size and modification time as before.
    pub(super) fn is_still(&self, before: &Metadata) -> bool {
        let told = |state: &Metadata| (state.len(), state.modified().ok());
        self.0.metadata().is_ok_and(|now| told(&now) == told(before))
    }

    /// Returns another handle of the file.
    ///
    /// # Errors
    /// A handle that cannot be duplicated.
    pub(super) fn clone_of(&self) -> Result<Self> {
        self.anywhere().map(Self)
    }

    /// Returns the file for random access.
    ///
    /// # Errors
    /// A handle that cannot be duplicated.
    pub(super) fn anywhere(&self) -> Result<File> {
        self.0.try_clone().map_err(Error::io("cannot read the file a second time"))
    }

    /// Returns the file from its start. All handles share one position, so readers that were
    /// returned before must not be used any more.
    ///
    /// # Errors
    /// A file that cannot be read again.
    pub(crate) fn rewound(&self) -> Result<BufReader<File>> {
        let again = || {
            let mut file = self.0.try_clone()?;
            file.rewind()?;
            Ok(BufReader::with_capacity(BUFFER_BYTES, file))
        };
        again().map_err(Error::io("cannot read the file a second time"))
    }
}

/// Describes the bytes that are not UTF-8.
fn replaced(wrong: Wrong) -> String {
    let line = wrong.first_line;
    match wrong.count {
        1 => format!("note: a character on line {line} is not UTF-8; it becomes `\u{fffd}`"),
        count => format!(
            "note: {} characters are not UTF-8, the first on line {line}; each becomes `\u{fffd}`",
            grouped(count)
        ),
    }
}

/// Returns the common name of an encoding.
fn name(encoding: &'static Encoding) -> &'static str {
    if encoding == encoding_rs::WINDOWS_1252 { "Windows-1252" } else { encoding.name() }
}

fn spool(from: &mut impl io::Read, directory: &Path) -> Result<Input> {
    let mut copied = || {
        let mut copy = tempfile::tempfile_in(directory)?;
        io::copy(from, &mut copy)?;
        Ok(Input(copy))
    };
    copied().map_err(Error::io("cannot write a temporary copy of the file"))
}
