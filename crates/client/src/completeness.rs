//! Completeness check of an export, from its bytes as they are received. No row is buffered.
//!
//! A JSON export declares its number of submissions at the end. A CSV export does not, so a CSV
//! that is cut between two rows counts as complete.

use contract::ExportFormat;
use serde::Deserialize;

/// Maximum length of the end of a JSON export that is kept, in bytes. The identifiers of many
/// fields fit in it.
const TAIL_BYTES_MAX: usize = 1024 * 1024;

/// State of the completeness check.
#[derive(Debug)]
pub(crate) enum CompletenessCheck {
    Csv(CsvCheck),
    Json(JsonCheck),
}

impl CompletenessCheck {
    pub(crate) fn new(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Csv => Self::Csv(CsvCheck::default()),
            ExportFormat::Json => Self::Json(JsonCheck::default()),
        }
    }

    /// Processes the next bytes.
    pub(crate) fn process(&mut self, bytes: &[u8]) {
        match self {
            Self::Csv(check) => check.process(bytes),
            Self::Json(check) => bytes.iter().for_each(|byte| check.process_byte(*byte)),
        }
    }

    /// Returns a description of the missing part, or `None` if the export is complete.
    pub(crate) fn missing_part(&self) -> Option<&'static str> {
        match self {
            Self::Csv(check) => check.missing_part(),
            Self::Json(check) => check.missing_part(),
        }
    }
}

/// CSV check: the export ends with a line break outside of quotes.
#[derive(Debug, Default)]
pub(crate) struct CsvCheck {
    /// Whether the bytes so far end inside of quotes.
    is_quoted: bool,
    /// The last byte.
    last: Option<u8>,
}

impl CsvCheck {
    fn process(&mut self, bytes: &[u8]) {
        // Quotes inside of quoted text are doubled, so the parity of their number is enough.
        self.is_quoted ^= memchr::memchr_iter(b'"', bytes).count() % 2 == 1;
        self.last = bytes.last().copied().or(self.last);
    }

    fn missing_part(&self) -> Option<&'static str> {
        match (self.is_quoted, self.last) {
            (true, _) => Some("a quote is not closed"),
            (false, Some(b'\n')) => None,
            _ => Some("the last row is incomplete"),
        }
    }
}

/// JSON check: the top-level value is closed, and has the number of submissions that the trailer
/// declares, if it declares one.
#[derive(Debug, Default)]
pub(crate) struct JsonCheck {
    /// Number of open brackets.
    depth: usize,
    /// Whether the next byte is inside of a string.
    is_text: bool,
    /// Whether the next byte of the string follows a backslash.
    is_escaped: bool,
    is_closed: bool,
    /// Last bracket that was opened at depth 1.
    member_bracket: u8,
    /// Number of complete submissions: objects in a list of the top-level object, at depth 2.
    count: u64,
    /// Bytes after the first such list, once it is closed.
    tail: Option<Vec<u8>>,
}

/// End of an export, as our server writes it, parsed as an object of its own.
#[derive(Deserialize)]
struct Tail {
    export: Trailer,
}

#[derive(Deserialize)]
struct Trailer {
    count: u64,
}

impl JsonCheck {
    fn process_byte(&mut self, byte: u8) {
        if self.is_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_text = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.is_text = true,
                b'{' | b'[' => self.open_bracket(byte),
                b'}' | b']' => self.close_bracket(byte),
                _ => {}
            }
        }
        match &mut self.tail {
            Some(tail) if tail.len() < TAIL_BYTES_MAX => tail.push(byte),
            None if !self.is_text && byte == b']' && self.depth == 1 => self.tail = Some(vec![]),
            _ => {}
        }
    }

    fn open_bracket(&mut self, byte: u8) {
        self.depth += 1;
        if self.depth == 2 {
            self.member_bracket = byte;
        }
    }

    fn close_bracket(&mut self, byte: u8) {
        self.depth = self.depth.saturating_sub(1);
        if byte == b'}' && self.depth == 2 && self.member_bracket == b'[' {
            self.count += 1;
        }
        self.is_closed |= self.depth == 0;
    }

    fn missing_part(&self) -> Option<&'static str> {
        if !self.is_closed {
            return Some("the JSON is incomplete");
        }
        let tail = self.tail.as_deref().unwrap_or_default();
        // The tail ends with the bracket that closes the top-level object, so it needs one that
        // opens.
        let tail = [b"{", tail.strip_prefix(b",").unwrap_or(tail)].concat();
        // Other servers may end the export differently, or send no count.
        let declared_count = serde_json::from_slice::<Tail>(&tail).ok()?.export.count;
        (self.count < declared_count).then_some("submissions are missing")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CSV: &str = "a,b\r\n1,\"x\r\n\"\"y\"\"\"\r\n2,z\r\n";
    const JSON: &str = r#"{"data":[{"id":"sub_1","answers":{"a":"}]\"{","b":[1,{}]},"metadata":{}},{"id":"sub_2","answers":{}}],"export":{"form_id":"frm_1","fields":["fld_1"],"count":2}}"#;

    fn missing_part(format: ExportFormat, pieces: &[&[u8]]) -> Option<&'static str> {
        let mut check = CompletenessCheck::new(format);
        for piece in pieces {
            check.process(piece);
        }
        check.missing_part()
    }

    #[test]
    fn complete_export_is_accepted_in_any_chunks() {
        for (format, text) in [(ExportFormat::Csv, CSV), (ExportFormat::Json, JSON)] {
            let bytes = text.as_bytes();
            assert_eq!(missing_part(format, &[bytes]), None);
            for at in 0..bytes.len() {
                assert_eq!(missing_part(format, &[&bytes[..at], &bytes[at..]]), None);
            }
        }
        assert_eq!(missing_part(ExportFormat::Csv, &[b"a\n"]), None);
        let foreign = br#"[{"id":"sub_1"}]"#;
        assert_eq!(missing_part(ExportFormat::Json, &[foreign]), None);
    }

    #[test]
    fn truncated_json_is_detected_at_every_byte() {
        for at in 0..JSON.len() {
            assert!(missing_part(ExportFormat::Json, &[&JSON.as_bytes()[..at]]).is_some(), "{at}");
        }
    }

    #[test]
    fn csv_truncated_within_row_is_detected() {
        for at in 0..CSV.len() {
            let at_row = matches!(at, 5 | 19);
            let cut = &CSV.as_bytes()[..at];
            assert_eq!(missing_part(ExportFormat::Csv, &[cut]).is_none(), at_row, "{at}");
        }
    }

    #[test]
    fn missing_rows_are_detected_by_count() {
        let check = |count: &str, missing: Option<&str>| {
            let text = JSON.replace("\"count\":2", count);
            assert_eq!(missing_part(ExportFormat::Json, &[text.as_bytes()]), missing, "{count}");
        };
        check("\"count\":3", Some("submissions are missing"));
        // Objects of the trailer are no submissions.
        check("\"form\":{\"a\":{}},\"count\":3", Some("submissions are missing"));
        check("\"count\":1", None);
    }

    proptest! {
        #[test]
        fn chunking_keeps_result(pieces in proptest::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let whole = pieces.concat();
            for format in [ExportFormat::Csv, ExportFormat::Json] {
                prop_assert_eq!(missing_part(format, &pieces), missing_part(format, &[&whole]));
            }
        }
    }
}
