//! The rows of a CSV file with the lines on which they begin, each of bounded length.
//!
//! The parser's own line numbers are one too low where lines end with CRLF, so lines are counted
//! here, as the bytes pass by.

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use crate::error::{Error, Result};

/// Longest row, in bytes, quotes and line breaks included: a quote that is never closed must not
/// pull a whole file into memory.
pub(super) const ROW_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What stands between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// `,`
    Comma,
    /// `;`, where the comma divides whole numbers from decimals.
    Semicolon,
    /// The tab.
    Tab,
    /// `|`
    Pipe,
    /// Another sign, which a first line such as `sep=^` names.
    Other(u8),
}

impl Delimiter {
    /// Every one that is looked for, the usual first.
    pub(super) const ALL: [(&str, Self); 4] = [
        ("comma", Self::Comma),
        ("semicolon", Self::Semicolon),
        ("tab", Self::Tab),
        ("pipe", Self::Pipe),
    ];

    /// Returns the delimiter that a character is. A quote cannot be one.
    pub(super) fn of(sign: char) -> Option<Self> {
        let byte = u8::try_from(sign).ok()?;
        let is_sign = byte == b'\t' || byte.is_ascii_punctuation() && byte != b'"';
        let known =
            Self::ALL.into_iter().map(|(_, known)| known).find(|known| known.byte() == byte);
        is_sign.then(|| known.unwrap_or(Self::Other(byte)))
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
        match Self::ALL.into_iter().find(|(_, known)| known == self) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "`{}`", char::from(self.byte())),
        }
    }
}

impl FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|(name, _)| *name == text);
        named.map(|(_, known)| known).ok_or_else(|| {
            format!("a delimiter is `comma`, `semicolon`, `tab` or `pipe`, but this is `{text}`")
        })
    }
}

/// The rows of a table.
pub(super) struct Table<R> {
    reader: Reader<Watched<R>>,
    /// The row that was read last.
    pub(super) row: ByteRecord,
    /// How many lines end before the next row.
    passed: u64,
}

impl<R: Read> Table<R> {
    pub(super) fn new(input: R, delimiter: Delimiter) -> Self {
        let ends = LineEnds { sign: None, places: VecDeque::new(), is_behind_cr: false };
        let watched = Watched { input, left: 0, read: 0, ends, end: END };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter.byte());
        let reader = builder.from_reader(watched);
        Self { reader, row: ByteRecord::new(), passed: 0 }
    }

    /// Reads the next row and returns the line on which it begins; `None` behind the last.
    ///
    /// # Errors
    /// A row that does not end, or a file that cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<u64>> {
        self.reader.get_mut().left = ROW_BYTES_MAX;
        match self.reader.read_byte_record(&mut self.row) {
            Ok(true) if self.row.as_slice() == END_CELL => Ok(None),
            // The row of the end became a part of this one.
            Ok(true) if self.row.as_slice().ends_with(END) => {
                let wrong = "a quote is left open in this row: close it, or is the file cut off?";
                // The LF before the end is not one of the file's.
                let sign = self.reader.get_ref().ends.sign;
                let line = self.line() + u64::from(sign != Some(b'\r'));
                Err(Error::at_line(line, wrong))
            }
            Ok(true) => Ok(Some(self.line())),
            Ok(false) => Ok(None),
            Err(error) => Err(match error.into_kind() {
                ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    Error::at_line(self.next_line(), "the row does not end; is a quote left open?")
                }
                ErrorKind::Io(error) => Error::io("cannot read the file")(error),
                other => Error::at_line(self.next_line(), format!("is no CSV: {other:?}")),
            }),
        }
    }

    /// How many bytes of the file were read so far.
    pub(super) fn bytes(&self) -> u64 {
        // `END` is no part of the file.
        self.reader.position().byte().min(self.reader.get_ref().read)
    }

    /// The line on which the row that was just read begins.
    fn line(&mut self) -> u64 {
        let end = self.reader.position().byte();
        let ends = &mut self.reader.get_mut().ends;
        let mut last = None;
        while let Some(at) = ends.places.pop_front_if(|at| *at < end) {
            self.passed += 1;
            last = Some(at);
        }
        let sign = ends.sign.unwrap_or(b'\n');
        let within = self.row.as_slice().split(|byte| *byte == sign).count() - 1;
        let own = u64::from(last.is_some_and(|at| at + 1 == end));
        (1 + self.passed).saturating_sub(own + within as u64)
    }

    /// The line on which the next row begins. A CR that ended a row may have left its LF.
    fn next_line(&mut self) -> u64 {
        let end = self.reader.position().byte();
        let is_left = self.reader.get_mut().ends.places.front() == Some(&end);
        1 + self.passed + u64::from(is_left)
    }
}

/// A reader that notes where lines end, and fails once it has read more than is left.
struct Watched<R> {
    input: R,
    left: usize,
    read: u64,
    ends: LineEnds,
    /// The rest of [`END`] that is still to be read.
    end: &'static [u8],
}

/// A last row behind the file. If the file ends within quotes, it becomes a part of the last cell.
const END: &[u8] = b"\n\0end of the file\0";
const END_CELL: &[u8] = b"\0end of the file\0";

/// Where lines end: at each LF, or at each CR if the first one has no LF behind it.
struct LineEnds {
    sign: Option<u8>,
    places: VecDeque<u64>,
    /// Whether the bytes so far end with the first CR.
    is_behind_cr: bool,
}

impl LineEnds {
    fn note(&mut self, bytes: &[u8], first: u64) {
        let sign = match self.sign {
            Some(sign) => sign,
            None if self.is_behind_cr => {
                let Some(next) = bytes.first() else { return };
                let sign = if *next == b'\n' { b'\n' } else { b'\r' };
                if sign == b'\r' {
                    self.places.push_back(first - 1);
                }
                *self.sign.insert(sign)
            }
            None => match bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
                None => return,
                Some(at) if bytes[at] == b'\r' && at + 1 == bytes.len() => {
                    self.is_behind_cr = true;
                    return;
                }
                Some(at) if bytes[at] == b'\r' && bytes[at + 1] != b'\n' => {
                    *self.sign.insert(b'\r')
                }
                Some(_) => *self.sign.insert(b'\n'),
            },
        };
        let ends = (first..).zip(bytes).filter(|(_, byte)| **byte == sign);
        self.places.extend(ends.map(|(at, _)| at));
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let count = self.input.read(buffer)?;
        if count == 0 {
            return self.end.read(buffer);
        }
        self.ends.note(&buffer[..count], self.read);
        self.read += count as u64;
        self.left = self.left.saturating_sub(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, lines: &[u64]) {
        let mut table = Table::new(file.as_bytes(), Delimiter::Comma);
        let mut found = Vec::new();
        while let Some(line) = table.next().unwrap() {
            found.push(line);
        }
        assert_eq!(found, lines, "{file:?}");
    }

    #[test]
    fn a_quote_that_is_left_open_is_an_error() {
        let check = |file: &str, line: u64| {
            let mut table = Table::new(file.as_bytes(), Delimiter::Comma);
            let error = loop {
                match table.next() {
                    Ok(line) => assert!(line.is_some(), "{file:?} was taken"),
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

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn a_line_end_may_come_in_two_reads() {
        for file in ["a\r\nb\r\nc", "a\rb\rc"] {
            let mut table = Table::new(Slow(file.as_bytes()), Delimiter::Comma);
            let lines: Vec<_> = std::iter::from_fn(|| table.next().unwrap()).collect();
            assert_eq!(lines, [1, 2, 3], "{file:?}");
        }
    }

    #[test]
    fn a_row_knows_its_line() {
        for end in ["\n", "\r\n", "\r"] {
            let with = |text: &str| text.replace('\n', end);
            check(&with("a\nb\nc\n"), &[1, 2, 3]);
            check(&with("a\nb\nc"), &[1, 2, 3]);
            check(&with("\n\na\n\nb\n\n"), &[3, 5]);
            check(&with("\u{feff}a,\"x\ny\n\"\nb,\"\n\"\nc,"), &[1, 4, 6]);
        }
        let many = "a\r\n".repeat(20_000);
        check(&many, &(1..=20_000).collect::<Vec<_>>());
        check("", &[]);
    }
}
