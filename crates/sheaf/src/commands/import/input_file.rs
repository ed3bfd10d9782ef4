//! The file to import, as UTF-8 and readable several times.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use sha2::{Digest as _, Sha256};
use std::fs::{File, Metadata};
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _};
use std::path::Path;

use super::encoding::{Detected, Detector, InvalidSequences, encoding_by_name, transcode};
use super::file_kind;
use super::progress::group_thousands;
use crate::error::{Error, Result};

const BUFFER_BYTES: usize = 64 * 1024;

/// A regular file: the named one or a temporary copy.
pub(crate) struct Input(File);

/// Expected format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputFormat {
    Csv,
    Ndjson,
}

/// Result of reading a whole file once.
pub(super) struct InputSummary {
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
            return copy_to_temp(&mut io::stdin().lock(), directory);
        }
        let mut file = File::open(path).map_err(Error::file(path))?;
        let kind = file.metadata().map_err(Error::file(path))?.file_type();
        if kind.is_dir() {
            let name = path.display();
            return Err(Error::invalid(format!("`{name}` is a directory; name a file")));
        }
        if kind.is_file() { Ok(Self(file)) } else { copy_to_temp(&mut file, directory) }
    }

    /// Reads the file once, and returns it as UTF-8: the file itself, or an unnamed temporary copy
    /// in `directory`. `encoding_name_arg` is the name of its encoding.
    ///
    /// # Errors
    /// A file that cannot be read or has another format, not enough disk space for the copy, or
    /// bytes that are invalid in the encoding.
    pub(super) fn into_utf_8(
        self,
        format: InputFormat,
        encoding_name_arg: Option<&str>,
        directory: &Path,
    ) -> Result<(Self, InputSummary)> {
        let encoding_name_arg = encoding_name_arg.map(encoding_by_name).transpose()?;
        let (hash, found) = self.examine()?;
        file_kind::reject_other_formats(&found.head, format == InputFormat::Csv)?;
        let encoding = encoding_name_arg.unwrap_or(found.encoding);
        let is_utf_8 = encoding == UTF_8;
        // JSON is Unicode, so a line of NDJSON in another encoding is rejected with its number.
        let is_unchanged = match format {
            InputFormat::Csv => is_utf_8 && found.invalid.count == 0,
            InputFormat::Ndjson => {
                encoding_name_arg.is_none() && encoding != UTF_16LE && encoding != UTF_16BE
            }
        };
        let mut description = encoding_name(encoding).to_owned();
        let mut note = None;
        if found.invalid.count > 0 && encoding_name_arg.is_none() {
            if is_utf_8 {
                note = Some(replaced_note(found.invalid));
            } else {
                description =
                    format!("{description} (line {} is not UTF-8)", found.invalid.first_line);
            }
        }
        let replaces = encoding_name_arg.is_none() && is_utf_8;
        let input =
            if is_unchanged { self } else { self.transcode_copy(encoding, replaces, directory)? };
        let bytes = input.0.metadata().map_or(0, |file| file.len());
        Ok((input, InputSummary { hash, bytes, encoding: description, note }))
    }

    fn examine(&self) -> Result<([u8; 32], Detected)> {
        let mut hash = Sha256::new();
        let mut detector = Detector::new();
        let mut file = self.reader()?;
        loop {
            let chunk = file.fill_buf().map_err(Error::io("cannot read the file"))?;
            let count = chunk.len();
            if count == 0 {
                return Ok((hash.finalize().into(), detector.finish()));
            }
            hash.update(chunk);
            detector.feed(chunk);
            file.consume(count);
        }
    }

    fn transcode_copy(
        &self,
        from: &'static Encoding,
        replaces: bool,
        directory: &Path,
    ) -> Result<Self> {
        let copy = tempfile::tempfile_in(directory);
        let copy = copy.map_err(Error::io("cannot write a temporary copy of the file"))?;
        transcode(from, self.reader()?, replaces, &mut BufWriter::new(&copy))?;
        Ok(Self(copy))
    }

    /// Returns the metadata of the file, to detect changes.
    ///
    /// # Errors
    /// Metadata that cannot be read.
    pub(super) fn metadata(&self) -> Result<Metadata> {
        self.0.metadata().map_err(Error::io("cannot read the file"))
    }

    /// Whether the file has the same size and modification time as before.
    pub(super) fn is_unchanged(&self, before: &Metadata) -> bool {
        let signature = |state: &Metadata| (state.len(), state.modified().ok());
        self.0.metadata().is_ok_and(|now| signature(&now) == signature(before))
    }

    /// Returns another handle of the file.
    ///
    /// # Errors
    /// A handle that cannot be duplicated.
    pub(super) fn duplicate(&self) -> Result<Self> {
        self.random_access().map(Self)
    }

    /// Returns the file for random access.
    ///
    /// # Errors
    /// A handle that cannot be duplicated.
    pub(super) fn random_access(&self) -> Result<File> {
        self.0.try_clone().map_err(Error::io("cannot read the file a second time"))
    }

    /// Returns the file from its start. All handles share one position, so readers that were
    /// returned before must not be used any more.
    ///
    /// # Errors
    /// A file that cannot be read again.
    pub(crate) fn reader(&self) -> Result<BufReader<File>> {
        let reopen = || {
            let mut file = self.0.try_clone()?;
            file.rewind()?;
            Ok(BufReader::with_capacity(BUFFER_BYTES, file))
        };
        reopen().map_err(Error::io("cannot read the file a second time"))
    }
}

/// Describes the bytes that are not UTF-8.
fn replaced_note(wrong: InvalidSequences) -> String {
    let line = wrong.first_line;
    match wrong.count {
        1 => format!("note: a character on line {line} is not UTF-8; it becomes `\u{fffd}`"),
        count => format!(
            "note: {} characters are not UTF-8, the first on line {line}; each becomes `\u{fffd}`",
            group_thousands(count)
        ),
    }
}

/// Returns the common name of an encoding.
fn encoding_name(encoding: &'static Encoding) -> &'static str {
    if encoding == encoding_rs::WINDOWS_1252 { "Windows-1252" } else { encoding.name() }
}

fn copy_to_temp(from: &mut impl io::Read, directory: &Path) -> Result<Input> {
    let mut copied = || {
        let mut copy = tempfile::tempfile_in(directory)?;
        io::copy(from, &mut copy)?;
        Ok(Input(copy))
    };
    copied().map_err(Error::io("cannot write a temporary copy of the file"))
}
