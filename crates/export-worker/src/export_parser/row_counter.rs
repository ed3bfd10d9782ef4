//! Counts the rows of a file from the server while it is received: CSV by its quotes, JSON by its
//! nesting depth. Memory use is constant.

use contract::ExportFormat;

/// Row counter of a file.
#[derive(Debug)]
pub enum RowCounter {
    /// Counter for CSV.
    Csv(CsvRowCounter),
    /// Counter for JSON.
    Json(JsonRowCounter),
}

impl RowCounter {
    /// Returns a counter for a new file.
    pub fn for_format(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Csv => Self::Csv(CsvRowCounter::default()),
            ExportFormat::Json => Self::Json(JsonRowCounter::default()),
        }
    }

    /// Reads received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Csv(rows) => rows.push(bytes),
            Self::Json(rows) => bytes.iter().for_each(|byte| rows.push(*byte)),
        }
    }

    /// Returns the number of rows; `None` if it is unknown.
    pub fn row_count(&self) -> Option<u64> {
        match self {
            Self::Csv(rows) => rows.row_count(),
            Self::Json(rows) => rows.rows.or(rows.trailer_count),
        }
    }

    /// Returns whether the file is complete, as far as its content shows.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Csv(rows) => rows.row_count().is_some(),
            Self::Json(rows) => rows.is_whole(),
        }
    }
}

/// Row counter for CSV: counts line ends outside of quotes.
#[derive(Debug, Default)]
pub struct CsvRowCounter {
    in_quotes: bool,
    ends: u64,
    is_midway: bool,
}

impl CsvRowCounter {
    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'"' => self.in_quotes = !self.in_quotes,
                b'\n' if !self.in_quotes => self.ends += 1,
                _ => {}
            }
            self.is_midway = *byte != b'\n' || self.in_quotes;
        }
    }

    /// Returns the number of rows below the header; `None` if the file is empty or ends inside of
    /// quotes.
    fn row_count(&self) -> Option<u64> {
        let lines = self.ends + u64::from(self.is_midway);
        if self.in_quotes { None } else { lines.checked_sub(1) }
    }
}

/// Row counter for JSON. The specification does not define its shape (section 4.4): rows are the
/// objects of an array that is the document itself or its `data` member. If the document has a
/// trailer like our server's, `"export":{"count":…}`, a higher count means that rows are missing.
#[expect(clippy::struct_excessive_bools, reason = "independent flags of the parser state")]
#[derive(Debug, Default)]
pub struct JsonRowCounter {
    depth: u64,
    in_text: bool,
    is_escaped: bool,
    is_begun: bool,
    is_object: bool,
    /// Whether there is content after the end, or an end without a beginning.
    is_malformed: bool,
    text: NamePrefix,
    /// Names of the members that contain the current position, at the depths 1 and 2.
    members: [NamePrefix; 2],
    /// Depth of the elements in the array of rows, while inside of it.
    rows_depth: Option<u64>,
    rows: Option<u64>,
    /// Number of rows according to the trailer.
    trailer_count: Option<u64>,
}

impl JsonRowCounter {
    fn push(&mut self, byte: u8) {
        if self.in_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_text = false,
                _ => self.text.push(byte),
            }
            return;
        }
        match byte {
            b'"' => (self.in_text, self.text) = (true, NamePrefix::default()),
            b':' if self.depth == 1 => self.members = [self.text, NamePrefix::default()],
            b':' if self.depth == 2 => self.members[1] = self.text,
            b'{' | b'[' => self.open(byte == b'{'),
            b'}' | b']' => self.close(),
            b'0'..=b'9' if self.is_in_count() => {
                let count = self.trailer_count.unwrap_or_default();
                self.trailer_count =
                    Some(count.saturating_mul(10).saturating_add(u64::from(byte - b'0')));
            }
            _ => {}
        }
    }

    fn open(&mut self, is_object: bool) {
        if self.depth == 0 {
            self.is_malformed |= self.is_begun;
            (self.is_begun, self.is_object) = (true, is_object);
        }
        // The array of rows is the document itself or the `data` member of a top-level object.
        let is_rows = match self.depth {
            0 => true,
            1 => self.is_object && self.members[0].equals(b"data"),
            _ => false,
        };
        if is_rows && !is_object {
            (self.rows_depth, self.rows) = (Some(self.depth + 1), Some(0));
        } else if is_object && self.rows_depth == Some(self.depth) {
            self.rows = self.rows.map(|rows| rows + 1);
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.is_malformed |= self.depth == 0;
        self.depth = self.depth.saturating_sub(1);
        self.rows_depth = self.rows_depth.filter(|depth| self.depth >= *depth);
    }

    fn is_in_count(&self) -> bool {
        let [outer, inner] = &self.members;
        self.depth == 2 && self.is_object && outer.equals(b"export") && inner.equals(b"count")
    }

    fn is_whole(&self) -> bool {
        let is_closed = self.is_begun && self.depth == 0 && !self.in_text && !self.is_malformed;
        let has_rows = |count| self.rows.is_none_or(|rows| rows >= count);
        is_closed && self.trailer_count.is_none_or(has_rows)
    }
}

/// Beginning of a string, long enough to recognise the relevant member names.
#[derive(Debug, Default, Clone, Copy)]
struct NamePrefix {
    bytes: [u8; 6],
    /// Length of the whole string. All relevant names fit into `bytes`.
    length: usize,
}

impl NamePrefix {
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte;
        }
        self.length = self.length.saturating_add(1);
    }

    fn equals(&self, name: &[u8]) -> bool {
        self.bytes.get(..self.length) == Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(format: ExportFormat, pieces: &[&[u8]]) -> (Option<u64>, bool) {
        let mut rows = RowCounter::for_format(format);
        for bytes in pieces {
            rows.push(bytes);
        }
        (rows.row_count(), rows.is_whole())
    }

    /// Three rows with texts that look like further structure.
    const ROWS: &str = r#"{"id":"a","answers":{"data":[{"x":1},{}],"t":"]}\",{\"data\":[{"}},
        {"id":"\\","m":{"n":[[{}]],"export":{"count":9}}},{"id":"{é"}"#;

    fn shapes() -> [String; 4] {
        [
            format!("[{ROWS}]\n"),
            format!(r#"{{"data":[{ROWS}],"export":{{"form_id":"f","count":3,"fields":[7]}}}}"#),
            format!(r#"{{"pagination":{{"total":8}}, "data" : [ {ROWS} ]}} "#),
            format!(r#"{{"export":{{"of":{{"count":5}},"count":3}},"data":[{ROWS}]}}"#),
        ]
    }

    #[test]
    fn json_rows_are_counted_and_cuts_detected() {
        for shape in shapes() {
            let bytes = shape.as_bytes();
            let end = shape.trim_end().len();
            for at in 0..bytes.len() {
                let (before, behind) = bytes.split_at(at);
                let parted = read(ExportFormat::Json, &[before, behind]);
                assert_eq!(parted, (Some(3), true), "{shape} at {at}");
                let (_, is_whole) = read(ExportFormat::Json, &[before]);
                assert_eq!(is_whole, at >= end, "{shape} cut at {at}");
            }
        }
    }

    #[test]
    fn unknown_json_shapes_are_not_counted() {
        let json = |text: &str| read(ExportFormat::Json, &[text.as_bytes()]);
        assert_eq!(json(r#"{"rows":[{},{}]}"#), (None, true));
        assert_eq!(json(r#"{"data":{"rows":[{},{}]}}"#), (None, true));
        assert_eq!(json("[]"), (Some(0), true));
        assert_eq!(json(r#"{"rows":[{},{}],"export":{"count":2}}"#), (Some(2), true));
        // Only a trailer with a higher count means that rows were lost.
        assert_eq!(json(r#"{"data":[{},{}],"export":{"count":3}}"#), (Some(2), false));
        assert_eq!(json(r#"{"data":[{},{}],"export":{"count":1}}"#), (Some(2), true));
        for text in ["", "<html>", "{}{}", "[]]", r#"{"a":"}"#] {
            assert!(!json(text).1, "{text}");
        }
    }

    proptest! {
        #[test]
        fn json_data_rows_are_counted(
            texts in proptest::collection::vec("[\\PC\r\n\t\"\\\\\\],{}]{0,20}", 0..6),
            piece in 1_usize..50,
        ) {
            let row = |text: &String| serde_json::json!({ text.clone(): [text, { "data": [{}] }] });
            let rows: Vec<_> = texts.iter().map(row).collect();
            let text = serde_json::json!({ "a": rows, "data": rows, "z": rows }).to_string();
            let pieces: Vec<_> = text.as_bytes().chunks(piece).collect();
            prop_assert_eq!(read(ExportFormat::Json, &pieces), (Some(texts.len() as u64), true));
        }

        #[test]
        fn csv_rows_are_counted(
            cells in proptest::collection::vec("[a\r\n\",]{0,6}", 0..8), piece in 1_usize..9,
        ) {
            let mut text = "head\r\n".to_owned();
            for cell in &cells {
                text.push('"');
                text.push_str(&cell.replace('"', "\"\""));
                text.push_str("\"\r\n");
            }
            let pieces: Vec<_> = text.as_bytes().chunks(piece).collect();
            prop_assert_eq!(read(ExportFormat::Csv, &pieces), (Some(cells.len() as u64), true));
        }
    }

    #[test]
    fn csv_cut_inside_quotes_is_incomplete() {
        let csv = |text: &str| read(ExportFormat::Csv, &[text.as_bytes()]);
        assert_eq!(csv("a,b\n1,2\n3,4"), (Some(2), true));
        assert_eq!(csv("a,b\r\n1,\"2\r\n"), (None, false));
        assert_eq!(csv(""), (None, false));
    }
}
