//! The bytes of a file as UTF-8: which encoding they are in, and the same text in ours.
//!
//! Nothing is replaced silently: bytes that mean nothing in an encoding refuse the file.

use encoding_rs::{CoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::io::{BufRead, Write};

use crate::error::{Error, Result};

/// How much is looked at to tell UTF-16 without a byte order mark.
const HEAD_BYTES: usize = 64;

/// Looks at a whole file, chunk by chunk.
pub(super) struct Detector {
    head: Vec<u8>,
    /// What ended a chunk in the middle of a character.
    rest: Vec<u8>,
    lines: u64,
    wrong: Option<u64>,
}

impl Detector {
    pub(super) fn new() -> Self {
        Self { head: Vec::new(), rest: Vec::new(), lines: 1, wrong: None }
    }

    /// Notes the next bytes.
    pub(super) fn note(&mut self, chunk: &[u8]) {
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(&chunk[..room]);
        if self.wrong.is_some() {
            return;
        }
        let joined;
        let bytes = if self.rest.is_empty() {
            chunk
        } else {
            joined = [self.rest.as_slice(), chunk].concat();
            &joined
        };
        let (good, rest) = match std::str::from_utf8(bytes) {
            Ok(_) => (bytes, &[][..]),
            Err(error) => {
                let (good, rest) = bytes.split_at(error.valid_up_to());
                if error.error_len().is_some() {
                    self.wrong = Some(self.lines + line_feeds(good));
                }
                (good, rest)
            }
        };
        self.lines += line_feeds(good);
        self.rest = rest.to_vec();
    }

    /// Returns the encoding, and the first line that is not UTF-8 where it is not.
    pub(super) fn finish(self) -> (&'static Encoding, Option<u64>) {
        if let Some((marked, _)) = Encoding::for_bom(&self.head) {
            return (marked, None);
        }
        match self.head.as_slice() {
            [a, 0, b, 0, ..] if *a != 0 && *b != 0 => return (UTF_16LE, None),
            [0, a, 0, b, ..] if *a != 0 && *b != 0 => return (UTF_16BE, None),
            _ => {}
        }
        let cut = (!self.rest.is_empty()).then_some(self.lines);
        match self.wrong.or(cut) {
            None => (UTF_8, None),
            wrong => (WINDOWS_1252, wrong),
        }
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Finds an encoding by one of its usual names.
///
/// # Errors
/// A name that is none.
pub(super) fn named(label: &str) -> Result<&'static Encoding> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        Error::refused(format!(
            "`--encoding` must be one such as `utf-8`, `windows-1252`, `utf-16le` or `shift_jis`, \
             but is `{label}`"
        ))
    })
}

/// Writes the same text as UTF-8.
///
/// # Errors
/// Bytes that mean nothing in the encoding, by the line on which they stand; a file or an output
/// that fails.
pub(super) fn transcode(
    from: &'static Encoding,
    mut input: impl BufRead,
    out: &mut impl Write,
) -> Result<()> {
    let mut decoder = from.new_decoder_with_bom_removal();
    let (mut text, mut line) = (vec![0_u8; 64 * 1024], 1);
    let failed = || Error::io("cannot keep what is imported");
    loop {
        let chunk = input.fill_buf().map_err(Error::io("cannot read the file"))?;
        let last = chunk.is_empty();
        let (result, read, written, replaced) = decoder.decode_to_utf8(chunk, &mut text, last);
        line += line_feeds(&text[..written]);
        if replaced {
            let name = from.name();
            return Err(Error::refused(format!(
                "line {line} or one soon before it is not {name}; name the file's encoding with \
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

    #[track_caller]
    fn check(bytes: &[u8], name: &str, line: Option<u64>, text: &str) {
        for size in [1, 2, 3, 1000] {
            let mut detector = Detector::new();
            bytes.chunks(size).for_each(|chunk| detector.note(chunk));
            let (found, wrong) = detector.finish();
            assert_eq!((found.name(), wrong), (name, line), "{bytes:?} by {size}");
        }
        let encoding = named(name).unwrap();
        let mut out = Vec::new();
        transcode(encoding, bytes, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn each_encoding_is_told_and_read() {
        check("a,ü\n€".as_bytes(), "UTF-8", None, "a,ü\n€");
        check("\u{feff}a".as_bytes(), "UTF-8", None, "a");
        check(b"", "UTF-8", None, "");
        check(b"a\nM\xfcller \x93x\x94", "windows-1252", Some(2), "a\nMüller “x”");
        check(b"caf\xe9", "windows-1252", Some(1), "café");
        check(b"\xff\xfea\0\n\0\xac\x20", "UTF-16LE", None, "a\n€");
        check(b"\xfe\xff\0a\x20\xac", "UTF-16BE", None, "a€");
        check(b"a\0b\0,\0", "UTF-16LE", None, "ab,");
        check(b"\0a\0b\0,", "UTF-16BE", None, "ab,");
    }

    #[test]
    fn nothing_is_replaced() {
        let error = |name: &str, bytes: &[u8]| {
            let done = transcode(named(name).unwrap(), bytes, &mut std::io::sink());
            done.unwrap_err().to_string()
        };
        assert!(error("utf-8", b"a\n\xff").starts_with("line 2 or"));
        assert!(error("utf-16le", b"a\0\0\xd8b\0").contains("is not UTF-16LE"));
        assert!(error("utf-16le", b"a\0b").contains("UTF-16LE"));
        assert!(named("klingon").unwrap_err().to_string().contains("`klingon`"));
    }
}
