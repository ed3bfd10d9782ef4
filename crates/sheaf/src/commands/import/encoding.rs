//! Detects the encoding of a file, and converts it to UTF-8.
//!
//! No byte is replaced silently. In a file that is otherwise UTF-8, invalid bytes become U+FFFD and
//! are reported. In other encodings, invalid bytes reject the file.

use encoding_rs::{CoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::io::{BufRead, Write};

use crate::error::{Error, Result};

/// Bytes that are inspected to detect UTF-16 without a byte order mark.
const HEAD_BYTES: usize = 4096;
/// In UTF-16, at least one of this many characters has a zero byte: delimiters and line ends do.
const CHARS_PER_ZERO_MAX: usize = 50;

/// Detects the encoding of a file from its chunks.
pub(super) struct Detector {
    head: Vec<u8>,
    /// Incomplete character at the end of the last chunk.
    incomplete: Vec<u8>,
    lines: u64,
    /// Number of multibyte UTF-8 characters.
    multibyte_chars: u64,
    invalid: InvalidSequences,
}

/// Sequences that are not UTF-8.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct InvalidSequences {
    /// Number of sequences.
    pub(super) count: u64,
    /// Line of the first sequence.
    pub(super) first_line: u64,
}

/// Detected encoding of a file.
#[derive(Debug, Clone)]
pub(super) struct Detected {
    pub(super) encoding: &'static Encoding,
    /// First bytes of the file.
    pub(super) head: Vec<u8>,
    pub(super) invalid: InvalidSequences,
}

impl Detector {
    pub(super) fn new() -> Self {
        Self {
            head: Vec::new(),
            incomplete: Vec::new(),
            lines: 1,
            multibyte_chars: 0,
            invalid: InvalidSequences::default(),
        }
    }

    /// Processes the next bytes.
    pub(super) fn feed(&mut self, chunk: &[u8]) {
        let free = HEAD_BYTES.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(&chunk[..free]);
        let joined;
        let mut bytes = chunk;
        if !self.incomplete.is_empty() {
            joined = [self.incomplete.as_slice(), chunk].concat();
            bytes = &joined;
        }
        loop {
            let error = std::str::from_utf8(bytes).err();
            let (good, rest) =
                bytes.split_at(error.map_or(bytes.len(), |wrong| wrong.valid_up_to()));
            self.lines += line_feeds(good);
            self.multibyte_chars += good.iter().filter(|byte| **byte >= 0xC0).count() as u64;
            let Some(length) = error.and_then(|error| error.error_len()) else {
                self.incomplete = rest.to_vec();
                return;
            };
            self.count_invalid();
            bytes = &rest[length..];
        }
    }

    fn count_invalid(&mut self) {
        if self.invalid.count == 0 {
            self.invalid.first_line = self.lines;
        }
        self.invalid.count += 1;
    }

    /// Returns the encoding and the sequences that are not UTF-8.
    pub(super) fn finish(mut self) -> Detected {
        if !self.incomplete.is_empty() {
            self.count_invalid();
        }
        let marked = Encoding::for_bom(&self.head).map(|(marked, _)| marked);
        if let Some(encoding) = marked.filter(|marked| *marked != UTF_8).or_else(|| self.utf_16()) {
            return Detected { encoding, head: self.head, invalid: InvalidSequences::default() };
        }
        // Text in Windows-1252 rarely contains bytes that look like a UTF-8 character.
        let is_utf_8 = self.invalid.count == 0
            || marked.is_some()
            || self.multibyte_chars > self.invalid.count;
        let encoding = if is_utf_8 { UTF_8 } else { WINDOWS_1252 };
        Detected { encoding, head: self.head, invalid: self.invalid }
    }

    /// Detects UTF-16 without a byte order mark: the zeros of its delimiters are all the first or
    /// all the second byte of a character.
    fn utf_16(&self) -> Option<&'static Encoding> {
        let zeros = |first: usize| {
            self.head.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count()
        };
        let even = zeros(0);
        let odd = zeros(1);
        let most = even.max(odd);
        let least = even.min(odd);
        let characters = self.head.len() / 2;
        let is_utf_16 = most >= 2 && most * CHARS_PER_ZERO_MAX >= characters && least * 8 <= most;
        is_utf_16.then_some(if odd > even { UTF_16LE } else { UTF_16BE })
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Finds an encoding by one of its common names.
///
/// # Errors
/// An unknown name.
pub(super) fn encoding_by_name(label: &str) -> Result<&'static Encoding> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        Error::invalid(format!(
            "`--encoding` must be an encoding such as `utf-8`, `windows-1252`, `utf-16le` or \
             `shift_jis`, but is `{label}`"
        ))
    })
}

/// Converts the input to UTF-8. With `replaces`, invalid bytes become U+FFFD.
///
/// # Errors
/// Invalid bytes, with their line, unless `replaces` is set; an input or output that fails.
pub(super) fn transcode(
    from: &'static Encoding,
    mut input: impl BufRead,
    replaces: bool,
    out: &mut impl Write,
) -> Result<()> {
    let mut decoder = from.new_decoder_with_bom_removal();
    let mut text = vec![0_u8; 64 * 1024];
    let mut line = 1;
    let failed = || Error::io("cannot write a temporary copy of the file");
    loop {
        let chunk = input.fill_buf().map_err(Error::io("cannot read the file"))?;
        let last = chunk.is_empty();
        let (result, read, written, has_replaced) = decoder.decode_to_utf8(chunk, &mut text, last);
        line += line_feeds(&text[..written]);
        if has_replaced && !replaces {
            let name = from.name();
            return Err(Error::invalid(format!(
                "line {line} or one shortly before it is not {name}; set the file's encoding with \
                 `--encoding`"
            )));
        }
        out.write_all(&text[..written]).map_err(failed())?;
        input.consume(read);
        if last && result == CoderResult::InputEmpty {
            return out.flush().map_err(failed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect_encoding(bytes: &[u8], size: usize) -> Detected {
        let mut detector = Detector::new();
        bytes.chunks(size).for_each(|chunk| detector.feed(chunk));
        detector.finish()
    }

    #[track_caller]
    fn check(bytes: &[u8], name: &str, line: u64, text: &str) {
        for size in [1, 2, 3, 1000] {
            let result = detect_encoding(bytes, size);
            let wrong_line = result.invalid.first_line;
            assert_eq!((result.encoding.name(), wrong_line), (name, line), "{bytes:?} by {size}");
        }
        let encoding = encoding_by_name(name).unwrap();
        let mut out = Vec::new();
        transcode(encoding, bytes, true, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn each_encoding_is_detected_and_converted() {
        check("a,ü\n€".as_bytes(), "UTF-8", 0, "a,ü\n€");
        check("\u{feff}a".as_bytes(), "UTF-8", 0, "a");
        check(b"", "UTF-8", 0, "");
        check(b"a,\0\nb", "UTF-8", 0, "a,\0\nb");
        check(b"a\nM\xfcller \x93x\x94", "windows-1252", 2, "a\nMüller “x”");
        check(b"caf\xe9", "windows-1252", 1, "café");
        check(b"\xff\xfea\0\n\0\xac\x20", "UTF-16LE", 0, "a\n€");
        check(b"\xfe\xff\0a\x20\xac", "UTF-16BE", 0, "a€");
        check(b"a\0b\0,\0", "UTF-16LE", 0, "ab,");
        check(b"\0a\0b\0,", "UTF-16BE", 0, "ab,");
        // Letters of other scripts have no zero bytes, but the delimiters between them do.
        let text = "タイムスタンプ,お名前\n二〇二六年,山田\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&little, "UTF-16LE", 0, text);
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&big, "UTF-16BE", 0, text);
    }

    #[test]
    fn single_invalid_byte_is_replaced() {
        check(b"J\xc3\xbcrgen\nZo\xc3\xab \xf0\x9f\x98", "UTF-8", 2, "Jürgen\nZoë \u{fffd}");
        check(b"\xc3\xbc\nx\xff\xc3\xa9\n", "UTF-8", 2, "ü\nx\u{fffd}é\n");
        check(b"\xef\xbb\xbfx\xff\n", "UTF-8", 1, "x\u{fffd}\n");
        let result = detect_encoding(b"\xc3\xbc\xff\xc3\xbc\n\xff\xc3\xbc", 2);
        assert_eq!(result.invalid, InvalidSequences { count: 2, first_line: 1 });
    }

    #[test]
    fn named_encoding_rejects_invalid_bytes() {
        let error = |name: &str, bytes: &[u8]| {
            let done =
                transcode(encoding_by_name(name).unwrap(), bytes, false, &mut std::io::sink());
            done.unwrap_err().to_string()
        };
        assert!(error("utf-8", b"a\n\xff").starts_with("line 2 or"));
        assert!(error("utf-16le", b"a\0\0\xd8b\0").contains("is not UTF-16LE"));
        assert!(error("utf-16le", b"a\0b").contains("UTF-16LE"));
        assert!(encoding_by_name("klingon").unwrap_err().to_string().contains("`klingon`"));
    }
}
