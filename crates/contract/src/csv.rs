//! CSV exports: RFC 4180, UTF-8 without a byte order mark, CRLF (specification, section 4.4).
//!
//! The server writes stored JSON with [`StoredCsvWriter`], the browser writes submissions with
//! [`CsvWriter`]. Tests check that both produce the same bytes. Data are not changed, unless the
//! caller asks for a file that is safe to open in a spreadsheet.

use crate::columns::Cell;
use crate::fold::is_invisible;
use crate::{Column, Columns, Submission};
use std::borrow::Cow;
use std::io;

mod from_json;

pub use from_json::StoredCsvWriter;

/// Writes submissions as CSV rows.
pub struct CsvWriter<W: io::Write> {
    columns: Columns,
    safe: bool,
    out: csv::Writer<W>,
}

impl<W: io::Write> CsvWriter<W> {
    /// Creates a writer and writes the header row. With `safe`, text that a spreadsheet would run
    /// as a formula is prefixed with `'`.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new(columns: Columns, safe: bool, out: W) -> io::Result<Self> {
        let mut out = rfc_4180_writer(out);
        out.write_record(columns.iter().map(|column| {
            let head = Cow::Borrowed(column.header.as_str());
            if safe { disarm_formulas(head).into_owned() } else { head.into_owned() }
        }))?;
        Ok(Self { columns, safe, out })
    }

    /// Creates a writer without a header row.
    pub fn without_header(columns: Columns, safe: bool, out: W) -> Self {
        Self { columns, safe, out: rfc_4180_writer(out) }
    }

    /// Writes one row.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn write_row(&mut self, submission: &Submission) -> io::Result<()> {
        self.write_row_with(submission, |_, cell| cell)
    }

    /// Writes one row. `edit` gets each cell and returns the cell to write.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn write_row_with<'a>(
        &mut self,
        submission: &'a Submission,
        mut edit: impl FnMut(&Column, Cell<'a>) -> Cell<'a>,
    ) -> io::Result<()> {
        for column in self.columns.iter() {
            let cell = edit(column, column.cell(submission));
            let disarmed =
                if self.safe && cell.is_text { disarm_formulas(cell.text) } else { cell.text };
            self.out.write_field(disarmed.as_bytes())?;
        }
        self.out.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// Flushes the buffer and returns the output.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(self) -> io::Result<W> {
        into_output(self.out)
    }
}

impl CsvWriter<Vec<u8>> {
    /// Returns the output since the last call, and continues with an empty buffer.
    ///
    /// # Errors
    /// Does not fail in practice, because the output is in memory.
    pub fn take_output(&mut self) -> io::Result<Vec<u8>> {
        into_output(std::mem::replace(&mut self.out, rfc_4180_writer(Vec::new())))
    }
}

/// Creates a writer with the line ends of RFC 4180.
pub(crate) fn rfc_4180_writer<W: io::Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out)
}

/// Flushes a writer and returns its output.
fn into_output<W: io::Write>(out: csv::Writer<W>) -> io::Result<W> {
    out.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Inserts a `'` before each formula of a text.
///
/// A formula begins with a sign at the start of the text, or at a position where a spreadsheet may
/// start a cell. With `;` or tab as the separator, spreadsheets also split lines inside of quoted
/// text. Plain numbers and telephone numbers are not changed.
pub(crate) fn disarm_formulas(text: Cow<'_, str>) -> Cow<'_, str> {
    match try_disarm_formulas(text.as_bytes()) {
        Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None => text,
    }
}

/// Returns the text with a `'` before each formula, or `None` if it has no formula.
fn try_disarm_formulas(text: &[u8]) -> Option<Vec<u8>> {
    if is_plain_number(text) || is_phone_number(text) {
        return None;
    }
    let mut safe = Vec::new();
    let mut copied = 0;
    // `start` is where a cell may begin; `may_begin_blank` says whether a tab or CR there belongs
    // to it.
    let mut start = 0;
    let mut may_begin_blank = true;
    loop {
        if is_formula(&text[start..], may_begin_blank) {
            safe.extend_from_slice(&text[copied..start]);
            safe.push(b'\'');
            copied = start;
        }
        let is_break = |byte: &u8| matches!(byte, b';' | b'\t' | b'\n' | b'\r');
        let Some(length) = text[start..].iter().position(is_break) else { break };
        let end = start + length;
        may_begin_blank = text[end] == b';';
        start = end + if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    if safe.is_empty() {
        return None;
    }
    safe.extend_from_slice(&text[copied..]);
    Some(safe)
}

/// Characters that begin a formula. Japanese and Chinese spreadsheets also accept them in full
/// width.
const FORMULA_SIGNS: [char; 8] =
    ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Returns whether spreadsheets may skip a character at the start of a cell. A quote counts,
/// because it is doubled in the file and may be parsed as an empty quoted text.
fn is_blank(c: char) -> bool {
    c == '"' || is_invisible(c) || (c.is_whitespace() && !c.is_ascii_control())
}

/// Returns whether a spreadsheet would run a cell with this beginning as a formula.
fn is_formula(mut cell: &[u8], may_begin_blank: bool) -> bool {
    if may_begin_blank && matches!(cell.first(), Some(b'\t' | b'\r')) {
        return true;
    }
    while let Some(c) = first_char(cell) {
        if !is_blank(c) {
            return FORMULA_SIGNS.contains(&c);
        }
        cell = &cell[c.len_utf8()..];
    }
    false
}

/// Returns the first character of UTF-8 text.
fn first_char(text: &[u8]) -> Option<char> {
    let start = &text[..text.len().min(char::MAX.len_utf8())];
    start.utf8_chunks().next()?.valid().chars().next()
}

/// Returns whether the text is a plain number: an optional sign, digits, at most one point or comma
/// among them, and an optional exponent, as in `-12.5`, `+49301234` and `-1.5e3`.
fn is_plain_number(text: &[u8]) -> bool {
    let unsigned = |text| without_prefix(text, b"+-");
    let all_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let mut halves = text.splitn(2, |byte| matches!(byte, b'e' | b'E'));
    let number = unsigned(halves.next().unwrap_or_default());
    let mut parts = number.splitn(2, |byte| matches!(byte, b'.' | b','));
    parts.all(all_digits) && halves.all(|exponent| all_digits(unsigned(exponent)))
}

/// Returns whether the text is an international telephone number of 7 to 15 digits (E.164), in
/// groups separated by single spaces, as in `+49 30 901820`.
///
/// With other characters between the digits, a spreadsheet would calculate.
fn is_phone_number(text: &[u8]) -> bool {
    let Some(groups) = text.strip_prefix(b"+") else { return false };
    let is_group = |group: &[u8]| !group.is_empty() && group.iter().all(u8::is_ascii_digit);
    let digits = groups.iter().filter(|byte| byte.is_ascii_digit()).count();
    (7..=15).contains(&digits) && groups.split(|byte| *byte == b' ').all(is_group)
}

fn without_prefix<'a>(text: &'a [u8], any_of: &[u8]) -> &'a [u8] {
    match text.split_first() {
        Some((first, rest)) if any_of.contains(first) => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, FieldType, Metadata, Timestamp};
    use proptest::prelude::*;

    fn fields(names: &[&str]) -> Vec<Field> {
        let field = |(i, name): (usize, &&str)| Field {
            id: format!("fld_{i}").parse().unwrap(),
            key: (*name).to_owned(),
            name: (*name).to_owned(),
            kind: FieldType::Text,
            hidden: false,
        };
        names.iter().enumerate().map(field).collect()
    }

    fn submission(answers: serde_json::Value) -> Submission {
        Submission {
            id: "sub_1".parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: serde_json::from_value(answers).unwrap(),
            metadata: Metadata::at(Timestamp::parse("2026-03-01").unwrap()),
            ai_insights: None,
        }
    }

    fn write_csv(columns: Columns, safe: bool, rows: &[Submission]) -> String {
        let mut writer = CsvWriter::new(columns, safe, Vec::new()).unwrap();
        for row in rows {
            writer.write_row(row).unwrap();
        }
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn special_cells_are_quoted_with_crlf_lines() {
        let columns = Columns::all(&fields(&["a, b", "n"]));
        let row = submission(serde_json::json!({ "a, b": "say \"hi\"\nthere", "n": [1, "x"] }));
        assert_eq!(
            write_csv(columns, false, &[row]),
            "submission_id,submitted_at,\"a, b\",n,ip_country,device,browser,\
             completion_time_seconds,utm_source,utm_medium,utm_campaign,sentiment,\
             sentiment_score,categories,language\r\n\
             sub_1,2026-03-01T00:00:00Z,\"say \"\"hi\"\"\nthere\",1; x,,,,,,,,,,,\r\n"
        );
    }

    #[test]
    fn safe_prefixes_formulas_but_not_numbers() {
        let names = ["=head", "b", "c", "d", "e", "f", "g", "h"];
        let listed: Vec<_> = fields(&names).iter().map(|field| field.id.clone()).collect();
        let columns = Columns::for_fields(&fields(&names), &listed).unwrap();
        let row = submission(serde_json::json!({
            "=head": "=1+1", "b": "-12.5", "c": "+49 30 1", "d": -3, "e": "@me", "f": "\tx",
            "g": "-1.5e3", "h": "-e3"
        }));
        let safe = write_csv(columns.clone(), true, std::slice::from_ref(&row));
        assert_eq!(
            safe,
            "'=head,b,c,d,e,f,g,h\r\n'=1+1,-12.5,'+49 30 1,-3,'@me,'\tx,-1.5e3,'-e3\r\n"
        );
        let plain = write_csv(columns, false, &[row]);
        assert_eq!(plain, "=head,b,c,d,e,f,g,h\r\n=1+1,-12.5,+49 30 1,-3,@me,\tx,-1.5e3,-e3\r\n");
    }

    /// Returns the cells as a spreadsheet with another separator parses them. It recognises a quote
    /// only at the start of a cell.
    fn read_cells(text: &str, separator: u8) -> Vec<String> {
        let mut reader = csv::ReaderBuilder::new();
        reader.has_headers(false).flexible(true).delimiter(separator);
        let rows = reader.from_reader(text.as_bytes()).into_byte_records().map(Result::unwrap);
        let cells = rows.flat_map(|row| row.iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
        cells.map(|cell| String::from_utf8_lossy(&cell).into_owned()).collect()
    }

    #[track_caller]
    fn assert_no_formula(text: &str) {
        for separator in *b",;\t" {
            for cell in read_cells(text, separator) {
                let begin = cell.trim_start_matches(|c| c == '\n' || is_blank(c));
                let signs = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
                let runs = begin.starts_with(signs)
                    && !is_plain_number(cell.as_bytes())
                    && !is_phone_number(cell.as_bytes());
                assert!(!runs, "{cell:?} in {text:?} split by {:?}", separator as char);
            }
        }
    }

    #[test]
    fn formulas_are_disarmed_for_every_separator() {
        for (text, expected) in [
            ("x;=1+1;y", "x;'=1+1;y"),
            ("x; \u{a0}@SUM(1);y", "x;' \u{a0}@SUM(1);y"),
            ("x\";=1+1;\"y", "x\";'=1+1;\"y"),
            ("x\t=1+1\ty", "x\t'=1+1\ty"),
            ("x\n=1+1", "x\n'=1+1"),
            ("x\r\n-1+1;+2", "x\r\n'-1+1;'+2"),
            ("\t=1+1", "'\t'=1+1"),
            ("\u{ff1d}1+1", "'\u{ff1d}1+1"),
            ("x;\u{ff0b}1", "x;'\u{ff0b}1"),
            ("a; =1", "a;' =1"),
            ("\u{3000}\u{2060}=1", "'\u{3000}\u{2060}=1"),
            ("x;\u{202e}@a", "x;'\u{202e}@a"),
            ("x-y; a=b", "x-y; a=b"),
            ("x;\"\"=1", "x;'\"\"=1"),
            ("\n\"=1", "\n'\"=1"),
            ("-5", "-5"),
            ("+49 30 901820", "+49 30 901820"),
            ("+1 2", "'+1 2"),
            ("+49 30  901820", "'+49 30  901820"),
            ("+49-30-901820", "'+49-30-901820"),
            ("-49 30 901820", "'-49 30 901820"),
            ("+49 30 901820 ", "'+49 30 901820 "),
            ("+1234567890123 456", "'+1234567890123 456"),
            ("x;+49 30 901820", "x;'+49 30 901820"),
            ("1; -5", "1;' -5"),
        ] {
            assert_eq!(disarm_formulas(Cow::Borrowed(text)), expected, "{text:?}");
            let row = submission(serde_json::json!({ "a": text, "=h;=i": [text, text] }));
            assert_no_formula(&write_csv(Columns::all(&fields(&["a", "=h;=i"])), true, &[row]));
        }
    }

    #[test]
    fn take_between_rows_keeps_output() {
        let columns = Columns::all(&fields(&["a"]));
        let rows: Vec<_> =
            (0..5).map(|n| submission(serde_json::json!({ "a": n.to_string() }))).collect();
        let mut writer = CsvWriter::new(columns.clone(), false, Vec::new()).unwrap();
        let mut output = writer.take_output().unwrap();
        for row in &rows {
            writer.write_row(row).unwrap();
            output.extend(writer.take_output().unwrap());
        }
        assert_eq!(String::from_utf8(output).unwrap(), write_csv(columns, false, &rows));
    }

    proptest! {
        #[test]
        fn any_text_has_no_formula(text in "[\\PC\r\n\t\",;'=+@\u{ff1d}\u{a0}\u{2009}\u{200d}\u{3000} -]{0,20}") {
            let row = submission(serde_json::json!({ "a": text }));
            assert_no_formula(&write_csv(Columns::all(&fields(&["a"])), true, &[row]));
        }

        #[test]
        fn hostile_cells_round_trip(cells in proptest::collection::vec("[\\PC\r\n\t\",;'=]{0,20}", 1..6)) {
            let names: Vec<String> = (0..cells.len()).map(|i| format!("q{i}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let answers = names
                .iter()
                .zip(&cells)
                .map(|(name, cell)| ((*name).to_owned(), cell.as_str().into()));
            let row = submission(serde_json::Value::Object(answers.collect()));
            let ids: Vec<_> = fields(&names).iter().map(|field| field.id.clone()).collect();
            let text = write_csv(Columns::for_fields(&fields(&names), &ids).unwrap(), false, &[row]);
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let read: Vec<String> =
                reader.records().next().unwrap().unwrap().iter().map(str::to_owned).collect();
            prop_assert_eq!(read, cells);
        }
    }
}
