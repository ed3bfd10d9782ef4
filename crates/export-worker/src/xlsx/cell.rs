//! XML of the cells of a sheet, each with its type.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{CELL_UNITS_MAX, MAIN_NAMESPACE};

/// Milliseconds per day.
const DAY_MS: i64 = 86_400_000;
/// Number of days from day 0 of sheets to 1 January 1970.
const EPOCH_DAYS: i64 = 25_569;
/// 1 March 1900. Earlier days are off by one, because sheets count a 29 February 1900 that did not
/// exist.
const FIRST_DAY: i64 = 61;
/// Last day of the year 9999.
const LAST_DAY: i64 = 2_958_465;
/// Number of digits that a sheet preserves in every number.
const SAFE_DIGITS: usize = 15;

const PLAIN: u8 = 0;
const MOMENT: u8 = 1;
const DAY: u8 = 2;
const BOLD: u8 = 3;

/// Content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum XlsxCell<'a> {
    /// Empty.
    Empty,
    /// Text.
    Text(Cow<'a, str>),
    /// Number, as JSON text.
    Number(Cow<'a, str>),
    /// Boolean.
    Bool(bool),
    /// Local time in milliseconds since 1970, and the text for instants that sheets do not support.
    Moment(i64, Cow<'a, str>),
    /// Day as `2026-03-01`, or any other text.
    Day(Cow<'a, str>),
}

/// Writes cells as XML.
pub(super) struct CellWriter {
    pub(super) xml: String,
    /// Number of cells that were cut.
    pub(super) cut: u64,
    letters: Vec<String>,
}

impl CellWriter {
    pub(super) fn new(columns: usize) -> Self {
        Self { xml: String::new(), cut: 0, letters: (0..columns).map(column_letters).collect() }
    }

    /// Writes the XML before the rows, and the header row.
    pub(super) fn open_worksheet(&mut self, heads: &[String]) {
        let _ = write!(
            self.xml,
            "{}<worksheet xmlns=\"{MAIN_NAMESPACE}\"><sheetViews><sheetView workbookViewId=\"0\">\
             <pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>\
             </sheetView></sheetViews><sheetFormatPr defaultRowHeight=\"15\"/>",
            super::XML_DECLARATION
        );
        if !heads.is_empty() {
            let _ = write!(
                self.xml,
                "<cols><col min=\"1\" max=\"{}\" width=\"20\" customWidth=\"1\"/></cols>",
                heads.len()
            );
        }
        self.xml.push_str("<sheetData><row r=\"1\">");
        for (column, head) in heads.iter().enumerate() {
            self.write_text(1, column, head, BOLD);
        }
        self.xml.push_str("</row>");
    }

    pub(super) fn write_row<'a>(
        &mut self,
        number: u64,
        row: impl IntoIterator<Item = XlsxCell<'a>>,
    ) {
        let _ = write!(self.xml, "<row r=\"{number}\">");
        for (column, cell) in row.into_iter().enumerate() {
            self.write_cell(number, column, cell);
        }
        self.xml.push_str("</row>");
    }

    fn write_cell(&mut self, row: u64, column: usize, cell: XlsxCell<'_>) {
        match cell {
            XlsxCell::Empty => {}
            XlsxCell::Number(text) if is_preserved(&text) => {
                self.write_value(row, column, PLAIN, "n", &text);
            }
            XlsxCell::Text(text) | XlsxCell::Number(text) => {
                self.write_text(row, column, &text, PLAIN);
            }
            XlsxCell::Bool(yes) => {
                self.write_value(row, column, PLAIN, "b", if yes { "1" } else { "0" });
            }
            XlsxCell::Moment(ms, text) => match instant_serial(ms) {
                Some(serial) => self.write_value(row, column, MOMENT, "n", &serial),
                None => self.write_text(row, column, &text, PLAIN),
            },
            XlsxCell::Day(text) => match day_serial(&text) {
                Some(day) => self.write_value(row, column, DAY, "n", &day.to_string()),
                None => self.write_text(row, column, &text, PLAIN),
            },
        }
    }

    fn open_cell(&mut self, row: u64, column: usize, style: u8, kind: &str) {
        let letters = self.letters.get(column).map_or("", String::as_str);
        let _ = write!(self.xml, "<c r=\"{letters}{row}\"");
        if style != PLAIN {
            let _ = write!(self.xml, " s=\"{style}\"");
        }
        if kind != "n" {
            let _ = write!(self.xml, " t=\"{kind}\"");
        }
        self.xml.push('>');
    }

    fn write_value(&mut self, row: u64, column: usize, style: u8, kind: &str, value: &str) {
        self.open_cell(row, column, style, kind);
        let _ = write!(self.xml, "<v>{value}</v></c>");
    }

    fn write_text(&mut self, row: u64, column: usize, text: &str, style: u8) {
        let cell_text = truncate_to_cell(text);
        self.cut += u64::from(cell_text.len() < text.len());
        self.open_cell(row, column, style, "inlineStr");
        self.xml.push_str("<is><t xml:space=\"preserve\">");
        push_escaped(&mut self.xml, cell_text);
        self.xml.push_str("</t></is></c>");
    }
}

/// Returns the letters of a column: A, B, … Z, AA, …
fn column_letters(column: usize) -> String {
    let mut rest = column + 1;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 26]);
        rest /= 26;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).collect()
}

/// Returns the beginning of a text that fits into a cell.
fn truncate_to_cell(text: &str) -> &str {
    // A text never has more UTF-16 units than bytes.
    if text.len() <= CELL_UNITS_MAX {
        return text;
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > CELL_UNITS_MAX
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Appends a text so that a spreadsheet reads exactly this text. Characters that XML does not
/// support are written as `_x0007_`, and literal texts of this form begin with `_x005F_`. Line ends
/// are converted to those of sheets.
fn push_escaped(xml: &mut String, text: &str) {
    for (at, c) in text.char_indices() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '_' if looks_escaped(&text[at..]) => xml.push_str("_x005F_"),
            // Sheets end a line with one character.
            '\r' if text[at..].starts_with("\r\n") => {}
            '\t' | '\n' => xml.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(xml, "_x{:04X}_", u32::from(c));
            }
            _ => xml.push(c),
        }
    }
}

fn looks_escaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 7
        && bytes[1] == b'x'
        && bytes[6] == b'_'
        && bytes[2..6].iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a sheet preserves a number exactly.
fn is_preserved(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else { return false };
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa.trim_start_matches(['-', '0', '.']);
    let digits = digits.bytes().filter(u8::is_ascii_digit).count();
    number.is_finite() && (digits <= SAFE_DIGITS || number.to_string() == text)
}

/// Returns the serial number of an instant; `None` if sheets do not support it.
fn instant_serial(ms: i64) -> Option<String> {
    let days = ms.div_euclid(DAY_MS) + EPOCH_DAYS;
    let ms = ms.rem_euclid(DAY_MS);
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "both are far below 2^52")]
    Some((days as f64 + ms as f64 / DAY_MS as f64).to_string())
}

/// Returns the serial number of a day in the form `2026-03-01`; `None` for other texts.
fn day_serial(text: &str) -> Option<i64> {
    let is_day = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    let at = contract::Timestamp::parse(text).ok().filter(|_| is_day)?;
    let day = at.millis().div_euclid(DAY_MS) + EPOCH_DAYS;
    (FIRST_DAY..=LAST_DAY).contains(&day).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_index_becomes_letters() {
        for (column, expected) in
            [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")]
        {
            assert_eq!(column_letters(column), expected);
        }
    }

    #[test]
    fn inexact_numbers_are_written_as_text() {
        for preserved in
            ["0", "-12.50", "123456789012345", "1e+300", "0.30000000000000004", "0.000001"]
        {
            assert!(is_preserved(preserved), "{preserved}");
        }
        for text in ["12345678901234567", "0.12345678901234567", "1e999", "x", ""] {
            assert!(!is_preserved(text), "{text}");
        }
    }

    #[test]
    fn instant_is_days_with_fraction() {
        let ms = |text: &str| contract::Timestamp::parse(text).unwrap().millis();
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(instant_serial(ms(text)).as_deref(), expected, "{text}");
        };
        check("1900-03-01", Some("61"));
        check("1970-01-01T12:00:00Z", Some("25569.5"));
        check("2026-03-01T06:00:00Z", Some("46082.25"));
        check("1900-02-28", None);
        assert_eq!(day_serial("2026-03-01"), Some(46_082));
        for other in ["2026-03-01T00:00:00Z", "2026-13-01", "", "1800-01-01", "01.03.2026"] {
            assert_eq!(day_serial(other), None, "{other}");
        }
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let just = "é".repeat(CELL_UNITS_MAX);
        assert_eq!(truncate_to_cell(&just), just);
        let more = "😀".repeat(CELL_UNITS_MAX);
        assert_eq!(truncate_to_cell(&more).chars().count(), CELL_UNITS_MAX / 2);
    }

    #[test]
    fn unrepresentable_characters_are_escaped() {
        let mut xml = String::new();
        push_escaped(&mut xml, "a<b>&\u{7}\r\n\r_x0007__x00");
        assert_eq!(xml, "a&lt;b&gt;&amp;_x0007_\n_x000D__x005F_x0007__x00");
    }
}
