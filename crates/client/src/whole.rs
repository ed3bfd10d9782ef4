//! Whether an export is whole, seen by its bytes alone as they pass. It keeps none of the rows.

use contract::ExportFormat;
use serde::Deserialize;

/// Longest end of a JSON export that is looked at, in bytes: the ids of many fields fit in.
const TAIL_BYTES_MAX: usize = 1024 * 1024;

/// What has passed of an export.
#[derive(Debug)]
pub(crate) enum Watch {
    Csv(CsvWatch),
    Json(JsonWatch),
}

impl Watch {
    pub(crate) fn new(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Csv => Self::Csv(CsvWatch::default()),
            ExportFormat::Json => Self::Json(JsonWatch::default()),
        }
    }

    /// Looks at the next bytes.
    pub(crate) fn pass(&mut self, bytes: &[u8]) {
        match self {
            Self::Csv(watch) => watch.pass(bytes),
            Self::Json(watch) => bytes.iter().for_each(|byte| watch.pass(*byte)),
        }
    }

    /// Says what is missing where the end is no end.
    pub(crate) fn missing(&self) -> Option<&'static str> {
        match self {
            Self::Csv(watch) => watch.missing(),
            Self::Json(watch) => watch.missing(),
        }
    }
}

/// Rows end with a line break outside of quotes.
#[derive(Debug, Default)]
pub(crate) struct CsvWatch {
    is_quoted: bool,
    last: Option<u8>,
}

impl CsvWatch {
    fn pass(&mut self, bytes: &[u8]) {
        // A quote within quotes is doubled, so parity tells.
        self.is_quoted ^= memchr::memchr_iter(b'"', bytes).count() % 2 == 1;
        self.last = bytes.last().copied().or(self.last);
    }

    fn missing(&self) -> Option<&'static str> {
        match (self.is_quoted, self.last) {
            (true, _) => Some("a quote is open"),
            (false, Some(b'\n')) => None,
            _ => Some("the last row has no end"),
        }
    }
}

/// The one object closes, and tells how many submissions there were.
#[derive(Debug, Default)]
pub(crate) struct JsonWatch {
    depth: usize,
    is_text: bool,
    is_escaped: bool,
    is_closed: bool,
    /// Submissions that have closed: objects in a list of the one object.
    count: u64,
    /// What stands behind that list, once it has closed.
    tail: Option<Vec<u8>>,
}

/// The end of an export, as ours writes it.
#[derive(Deserialize)]
struct Tail {
    export: Trailer,
}

#[derive(Deserialize)]
struct Trailer {
    count: u64,
}

impl JsonWatch {
    fn pass(&mut self, byte: u8) {
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
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.close(byte),
                _ => {}
            }
        }
        match &mut self.tail {
            Some(tail) if tail.len() < TAIL_BYTES_MAX => tail.push(byte),
            None if !self.is_text && byte == b']' && self.depth == 1 => self.tail = Some(vec![]),
            _ => {}
        }
    }

    fn close(&mut self, byte: u8) {
        self.depth = self.depth.saturating_sub(1);
        if byte == b'}' && self.depth == 2 {
            self.count += 1;
        }
        self.is_closed |= self.depth == 0;
    }

    fn missing(&self) -> Option<&'static str> {
        if !self.is_closed {
            return Some("the JSON has no end");
        }
        let tail = self.tail.as_deref().unwrap_or_default();
        let tail = [b"{", tail.strip_prefix(b",").unwrap_or(tail)].concat();
        // Other servers of the specification may end in another way, or not tell.
        let told = serde_json::from_slice::<Tail>(&tail).ok()?.export.count;
        (told != self.count).then_some("fewer submissions came than it says")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CSV: &str = "a,b\r\n1,\"x\r\n\"\"y\"\"\"\r\n2,z\r\n";
    const JSON: &str = r#"{"data":[{"id":"sub_1","answers":{"a":"}]\"{","b":[1,{}]},"metadata":{}},{"id":"sub_2","answers":{}}],"export":{"form_id":"frm_1","fields":["fld_1"],"count":2}}"#;

    fn missing(format: ExportFormat, pieces: &[&[u8]]) -> Option<&'static str> {
        let mut watch = Watch::new(format);
        for piece in pieces {
            watch.pass(piece);
        }
        watch.missing()
    }

    #[test]
    fn a_whole_file_is_whole_however_it_comes() {
        for (format, text) in [(ExportFormat::Csv, CSV), (ExportFormat::Json, JSON)] {
            let bytes = text.as_bytes();
            assert_eq!(missing(format, &[bytes]), None);
            for at in 0..bytes.len() {
                assert_eq!(missing(format, &[&bytes[..at], &bytes[at..]]), None);
            }
        }
        assert_eq!(missing(ExportFormat::Csv, &[b"a\n"]), None);
        let foreign = br#"[{"id":"sub_1"}]"#;
        assert_eq!(missing(ExportFormat::Json, &[foreign]), None);
    }

    #[test]
    fn a_cut_json_is_seen_at_every_byte() {
        for at in 0..JSON.len() {
            assert!(missing(ExportFormat::Json, &[&JSON.as_bytes()[..at]]).is_some(), "{at}");
        }
    }

    #[test]
    fn a_cut_csv_is_seen_within_a_row() {
        for at in 0..CSV.len() {
            let at_row = matches!(at, 5 | 19);
            let cut = &CSV.as_bytes()[..at];
            assert_eq!(missing(ExportFormat::Csv, &[cut]).is_none(), at_row, "{at}");
        }
    }

    #[test]
    fn rows_that_are_missing_in_the_middle_are_seen() {
        let one = JSON.replace("\"count\":2", "\"count\":3");
        let told = missing(ExportFormat::Json, &[one.as_bytes()]);
        assert_eq!(told, Some("fewer submissions came than it says"));
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_watch(pieces in proptest::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let whole = pieces.concat();
            for format in [ExportFormat::Csv, ExportFormat::Json] {
                prop_assert_eq!(missing(format, &pieces), missing(format, &[&whole]));
            }
        }
    }
}
