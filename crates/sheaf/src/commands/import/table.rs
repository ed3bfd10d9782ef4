//! Rows of a CSV file with their line numbers. The length of a row is limited.
//!
//! The parser's own line numbers are one too low for CRLF line ends. Lines are therefore counted
//! here, while the bytes are read.

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use crate::error::{Error, Result};

/// Maximum length of a row, in bytes, including quotes and line breaks. Prevents a quote that is
/// never closed from reading the whole file into memory.
pub(super) const ROW_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Separator of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// `,`
    Comma,
    /// `;`, in languages with a decimal comma.
    Semicolon,
    /// Tab.
    Tab,
    /// `|`
    Pipe,
    /// Another character, set by a first line such as `sep=^`.
    Other(u8),
}

impl Delimiter {
    /// Delimiters that are detected, the most common first.
    pub(super) const ALL: [(&str, Self); 4] = [
        ("comma", Self::Comma),
        ("semicolon", Self::Semicolon),
        ("tab", Self::Tab),
        ("pipe", Self::Pipe),
    ];

    /// Returns the delimiter for a character; `None` for a quote and other invalid characters.
    pub(super) fn from_char(sign: char) -> Option<Self> {
        let byte = u8::try_from(sign).ok()?;
        let is_sign = byte == b'\t' || byte.is_ascii_punctuation() && byte != b'"';
        let delimiter = Self::ALL
            .into_iter()
            .map(|(_, delimiter)| delimiter)
            .find(|delimiter| delimiter.byte() == byte);
        is_sign.then(|| delimiter.unwrap_or(Self::Other(byte)))
    }

    fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Pipe => b'|',
            Self::Other(byte) => byte,
        }
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::ALL.into_iter().find(|(_, delimiter)| delimiter == self) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "`{}`", char::from(self.byte())),
        }
    }
}

impl FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entry = Self::ALL.into_iter().find(|(name, _)| *name == text);
        entry.map(|(_, delimiter)| delimiter).ok_or_else(|| {
            format!("must be `comma`, `semicolon`, `tab` or `pipe`, but is `{text}`")
        })
    }
}

/// Rows of a CSV file.
pub(super) struct Table<R> {
    reader: Reader<CountingReader<R>>,
    /// The last row that was read.
    pub(super) row: ByteRecord,
    /// Number of lines that end before the next row.
    passed: u64,
}

impl<R: Read> Table<R> {
    pub(super) fn new(input: R, delimiter: Delimiter) -> Self {
        let ends = LineEndTracker { line_end: None, offsets: VecDeque::new(), is_behind_cr: false };
        let counted = CountingReader { input, left: 0, read: 0, ends, end: END_MARKER };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter.byte());
        let reader = builder.from_reader(counted);
        Self { reader, row: ByteRecord::new(), passed: 0 }
    }

    /// Reads the next row, and returns the line number of its start; `None` at the end of the file.
    ///
    /// # Errors
    /// A row that does not end, or a file that cannot be read.
    pub(super) fn next_row(&mut self) -> Result<Option<u64>> {
        self.reader.get_mut().left = ROW_BYTES_MAX;
        match self.reader.read_byte_record(&mut self.row) {
            Ok(true) if !self.is_behind_marker() => Ok(Some(self.row_line())),
            Ok(true) if self.row.as_slice() == END_MARKER_CELL => Ok(None),
            // A quote was open at the end of the file, so [`END_MARKER`] became part of this row.
            Ok(true) => {
                let wrong = "a quote is left open in this row; close it, or check whether the file \
                             is complete";
                // The first LF of [`END_MARKER`] is not in the file.
                let sign = self.reader.get_ref().ends.line_end;
                let line = self.row_line() + u64::from(sign != Some(b'\r'));
                Err(Error::at_line(line, wrong))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(match error.into_kind() {
                ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    Error::at_line(
                        self.next_line(),
                        "the row does not end; check whether a quote is left open",
                    )
                }
                ErrorKind::Io(error) => Error::io("cannot read the file")(error),
                other => Error::at_line(self.next_line(), format!("is not CSV: {other:?}")),
            }),
        }
    }

    /// Returns whether the last row ends with [`END_MARKER`]. A row of the file can contain the
    /// same bytes.
    fn is_behind_marker(&self) -> bool {
        self.reader.position().byte() == self.reader.get_ref().read + END_MARKER.len() as u64
    }

    /// Returns the number of bytes read from the file.
    pub(super) fn bytes_read(&self) -> u64 {
        // `END_MARKER` is not part of the file.
        self.reader.position().byte().min(self.reader.get_ref().read)
    }

    /// Returns the line number of the start of the last row.
    fn row_line(&mut self) -> u64 {
        let end = self.reader.position().byte();
        let ends = &mut self.reader.get_mut().ends;
        let mut last = None;
        while let Some(at) = ends.offsets.pop_front_if(|at| *at < end) {
            self.passed += 1;
            last = Some(at);
        }
        // The parser is at the end of the row: subtract the line ends within the row, and its own.
        let sign = ends.line_end.unwrap_or(b'\n');
        let within = self.row.as_slice().split(|byte| *byte == sign).count() - 1;
        let end_bytes = u64::from(last.is_some_and(|at| at + 1 == end));
        (1 + self.passed).saturating_sub(end_bytes + within as u64)
    }

    /// Returns the line number of the start of the next row. The LF of a CRLF may still be unread.
    fn next_line(&mut self) -> u64 {
        let end = self.reader.position().byte();
        let is_left = self.reader.get_mut().ends.offsets.front() == Some(&end);
        1 + self.passed + u64::from(is_left)
    }
}

/// A reader that records line ends, and fails after it has read more than `left` bytes.
struct CountingReader<R> {
    input: R,
    left: usize,
    read: u64,
    ends: LineEndTracker,
    /// Rest of [`END_MARKER`] still to be read.
    end: &'static [u8],
}

/// A last row that is appended to the file. If the file ends within quotes, it becomes part of the
/// last cell.
const END_MARKER: &[u8] = b"\n\0end of the file\0";
const END_MARKER_CELL: &[u8] = b"\0end of the file\0";

/// Line ends: each LF, or each CR if the first CR has no LF after it.
struct LineEndTracker {
    line_end: Option<u8>,
    offsets: VecDeque<u64>,
    /// Whether the bytes so far end with the first CR, so that the next byte decides.
    is_behind_cr: bool,
}

impl LineEndTracker {
    fn record(&mut self, bytes: &[u8], first: u64) {
        let sign = match self.line_end {
            Some(sign) => sign,
            None if self.is_behind_cr => {
                let Some(next) = bytes.first() else { return };
                let sign = if *next == b'\n' { b'\n' } else { b'\r' };
                if sign == b'\r' {
                    self.offsets.push_back(first - 1);
                }
                *self.line_end.insert(sign)
            }
            None => match bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
                None => return,
                Some(at) if bytes[at] == b'\r' && at + 1 == bytes.len() => {
                    self.is_behind_cr = true;
                    return;
                }
                Some(at) if bytes[at] == b'\r' && bytes[at + 1] != b'\n' => {
                    *self.line_end.insert(b'\r')
                }
                Some(_) => *self.line_end.insert(b'\n'),
            },
        };
        let ends = (first..).zip(bytes).filter(|(_, byte)| **byte == sign);
        self.offsets.extend(ends.map(|(at, _)| at));
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let count = self.input.read(buffer)?;
        if count == 0 {
            return self.end.read(buffer);
        }
        self.ends.record(&buffer[..count], self.read);
        self.read += count as u64;
        self.left = self.left.saturating_sub(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_lines(file: &str, lines: &[u64]) {
        let mut table = Table::new(file.as_bytes(), Delimiter::Comma);
        let mut found = Vec::new();
        while let Some(line) = table.next_row().unwrap() {
            found.push(line);
        }
        assert_eq!(found, lines, "{file:?}");
    }

    #[test]
    fn open_quote_is_an_error() {
        let check = |file: &str, line: u64| {
            let mut table = Table::new(file.as_bytes(), Delimiter::Comma);
            let error = loop {
                match table.next_row() {
                    Ok(line) => assert!(line.is_some(), "{file:?} was accepted"),
                    Err(error) => break error.to_string(),
                }
            };
            assert!(error.contains("a quote is left open"), "{error}");
            assert!(error.contains(&format!("line {line}")), "{error}");
        };
        check("a,b\n1,\"cut o", 2);
        check("a,b\n1,\"2\n3,4\n5,6\n", 2);
        check("a,b\r1,2\r3,\"4\r", 3);
        check("\"a", 1);
    }

    /// A reader that returns one byte at a time.
    struct OneByteReader<'a>(&'a [u8]);

    impl Read for OneByteReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn line_end_split_between_reads() {
        for file in ["a\r\nb\r\nc", "a\rb\rc"] {
            let mut table = Table::new(OneByteReader(file.as_bytes()), Delimiter::Comma);
            let lines: Vec<_> = std::iter::from_fn(|| table.next_row().unwrap()).collect();
            assert_eq!(lines, [1, 2, 3], "{file:?}");
        }
    }

    #[test]
    fn row_line_numbers_are_correct() {
        for end in ["\n", "\r\n", "\r"] {
            let with = |text: &str| text.replace('\n', end);
            check_lines(&with("a\nb\nc\n"), &[1, 2, 3]);
            check_lines(&with("a\nb\nc"), &[1, 2, 3]);
            check_lines(&with("\n\na\n\nb\n\n"), &[3, 5]);
            check_lines(&with("\u{feff}a,\"x\ny\n\"\nb,\"\n\"\nc,"), &[1, 4, 6]);
        }
        let rows = "a\r\n".repeat(20_000);
        check_lines(&rows, &(1..=20_000).collect::<Vec<_>>());
        check_lines("", &[]);
        // The bytes of the end marker, as cells of the file.
        let marker = "\0end of the file\0";
        check_lines(&format!("a\n{marker}\nb,\"\n{marker}\"\nc\n"), &[1, 2, 3, 5]);
        check_lines(&format!("a\n{marker}"), &[1, 2]);
    }
}
