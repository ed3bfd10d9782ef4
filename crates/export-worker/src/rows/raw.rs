//! Counts the rows of a file that a server wrote, while it goes by: by the quotes of a CSV, by the
//! depth of a JSON. Of either it keeps some numbers, however large the file is.

use contract::ExportFormat;

/// The rows of a file so far.
#[derive(Debug)]
pub enum RawRows {
    /// Of a CSV.
    Csv(CsvRows),
    /// Of a JSON.
    Json(JsonRows),
}

impl RawRows {
    /// Returns those of a file that begins.
    pub fn of(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Csv => Self::Csv(CsvRows::default()),
            ExportFormat::Json => Self::Json(JsonRows::default()),
        }
    }

    /// Looks at bytes as they came.
    pub fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Csv(rows) => rows.push(bytes),
            Self::Json(rows) => bytes.iter().for_each(|byte| rows.push(*byte)),
        }
    }

    /// Returns the rows; `None` where they cannot be told.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Csv(rows) => rows.count(),
            Self::Json(rows) => rows.rows.or(rows.told),
        }
    }

    /// Whether the file is not cut, as far as it can be seen from the file.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Csv(rows) => rows.count().is_some(),
            Self::Json(rows) => rows.is_whole(),
        }
    }
}

/// Those of a CSV, by the quotes around ends of line.
#[derive(Debug, Default)]
pub struct CsvRows {
    in_quotes: bool,
    ends: u64,
    is_midway: bool,
}

impl CsvRows {
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

    /// Returns the rows below the header; `None` where the end is missing.
    fn count(&self) -> Option<u64> {
        let lines = self.ends + u64::from(self.is_midway);
        if self.in_quotes { None } else { lines.checked_sub(1) }
    }
}

/// Those of a JSON. The specification does not say what shape it has (§4.4): rows are the objects
/// of an array that is the whole, or stands in the `data` of the whole. A trailer like our
/// server's, `"export":{"count":…}`, must say the same.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of the bytes so far")]
#[derive(Debug, Default)]
pub struct JsonRows {
    depth: u64,
    in_text: bool,
    is_escaped: bool,
    is_begun: bool,
    is_object: bool,
    /// Something stands behind the end, or ends that never began.
    is_odd: bool,
    text: Name,
    /// The members of the whole, and of what stands in one of them, that the present bytes are in.
    members: [Name; 2],
    /// The depth of what is in the array of the rows, while that goes by.
    rows_depth: Option<u64>,
    rows: Option<u64>,
    /// How many the trailer says.
    told: Option<u64>,
}

impl JsonRows {
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
            b'"' => (self.in_text, self.text) = (true, Name::default()),
            b':' if self.depth == 1 => self.members = [self.text, Name::default()],
            b':' if self.depth == 2 => self.members[1] = self.text,
            b'{' | b'[' => self.open(byte == b'{'),
            b'}' | b']' => self.close(),
            b'0'..=b'9' if self.is_in_count() => {
                let told = self.told.unwrap_or_default();
                self.told = Some(told.saturating_mul(10).saturating_add(u64::from(byte - b'0')));
            }
            _ => {}
        }
    }

    fn open(&mut self, is_object: bool) {
        if self.depth == 0 {
            self.is_odd |= self.is_begun;
            (self.is_begun, self.is_object) = (true, is_object);
        }
        let is_rows = match self.depth {
            0 => true,
            1 => self.is_object && self.members[0].is(b"data"),
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
        self.is_odd |= self.depth == 0;
        self.depth = self.depth.saturating_sub(1);
        self.rows_depth = self.rows_depth.filter(|depth| self.depth >= *depth);
    }

    fn is_in_count(&self) -> bool {
        let [outer, inner] = &self.members;
        self.depth == 2 && self.is_object && outer.is(b"export") && inner.is(b"count")
    }

    fn is_whole(&self) -> bool {
        let is_closed = self.is_begun && self.depth == 0 && !self.in_text && !self.is_odd;
        let agrees = |told| self.rows.is_none_or(|rows| rows == told);
        is_closed && self.told.is_none_or(agrees)
    }
}

/// The beginning of a text: enough to know the names that are looked for.
#[derive(Debug, Default, Clone, Copy)]
struct Name {
    bytes: [u8; 6],
    /// How long the text is; no name that is looked for is longer than what is kept.
    length: usize,
}

impl Name {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
        }
        self.length = self.length.saturating_add(1);
    }

    fn is(&self, name: &[u8]) -> bool {
        self.bytes.get(..self.length) == Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(format: ExportFormat, pieces: &[&[u8]]) -> (Option<u64>, bool) {
        let mut rows = RawRows::of(format);
        for bytes in pieces {
            rows.push(bytes);
        }
        (rows.count(), rows.is_whole())
    }

    /// Three rows in each of the shapes, with texts that look like more.
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
    fn rows_of_a_json_are_counted_wherever_it_is_parted_and_no_cut_goes_unseen() {
        for shape in shapes() {
            let (bytes, end) = (shape.as_bytes(), shape.trim_end().len());
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
    fn what_cannot_be_counted_is_not() {
        let json = |text: &str| read(ExportFormat::Json, &[text.as_bytes()]);
        assert_eq!(json(r#"{"rows":[{},{}]}"#), (None, true));
        assert_eq!(json(r#"{"data":{"rows":[{},{}]}}"#), (None, true));
        assert_eq!(json("[]"), (Some(0), true));
        assert_eq!(json(r#"{"rows":[{},{}],"export":{"count":2}}"#), (Some(2), true));
        // A trailer that says more than there is tells of a loss on the way.
        assert_eq!(json(r#"{"data":[{},{}],"export":{"count":3}}"#), (Some(2), false));
        for odd in ["", "<html>", "{}{}", "[]]", r#"{"a":"}"#] {
            assert!(!json(odd).1, "{odd}");
        }
    }

    proptest! {
        #[test]
        fn any_json_is_counted(
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
        fn rows_of_a_csv_are_counted(
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
    fn a_csv_without_its_last_end_of_line_counts_and_one_cut_in_a_cell_does_not() {
        let csv = |text: &str| read(ExportFormat::Csv, &[text.as_bytes()]);
        assert_eq!(csv("a,b\n1,2\n3,4"), (Some(2), true));
        assert_eq!(csv("a,b\r\n1,\"2\r\n"), (None, false));
        assert_eq!(csv(""), (None, false));
    }
}
