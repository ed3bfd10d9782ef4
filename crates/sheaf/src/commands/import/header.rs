//! Header of a CSV file: the delimiter, the number of header rows, and the names of the columns.

use contract::untrusted::Untrusted;
use csv::ByteRecord;
use std::io::Read;

use super::column::ColumnHeader;
use super::languages::is_same_header;
use super::limesurvey;
use super::parsed_submission::shorten;
use super::scan::is_empty;
use super::table::{Delimiter, Table};
use super::time::moment::ParsedTime;
use super::time::zone::Zone;
use super::tool::Tool;
use crate::error::{Error, Result};
use crate::field_spec::FIELDS_MAX;

/// Maximum number of columns: one per field, and the other columns of an export.
const COLUMNS_MAX: usize = FIELDS_MAX + 15;
/// Rows that are read to detect the delimiter.
const SNIFFED_ROWS_MAX: usize = 20;
/// Bytes of the first line that are read to find `sep=`.
const FIRST_LINE_BYTES_MAX: u64 = 16;
/// Texts of the second header row below a question with one column.
const NO_OPTIONS: [&str; 3] = ["", "Response", "Open-Ended Response"];
/// Start of the cells in the third header row of Qualtrics.
const QUALTRICS_IDS: &[u8] = b"{\"ImportId\"";

/// Contents of a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) delimiter: Delimiter,
    pub(super) tool: Tool,
    /// Number of rows before the first submission.
    pub(super) rows: usize,
    /// Line number of the header.
    pub(super) line: u64,
    /// Columns, in order.
    pub(super) columns: Vec<ColumnHeader>,
    /// Time zone of the file, if the header states it.
    pub(super) zone: Option<Zone>,
}

/// Properties of a file that the user sets in advance.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PresetOptions {
    pub(super) delimiter: Option<Delimiter>,
    pub(super) tool: Option<Tool>,
}

impl Header {
    /// Reads the header. `open` returns the file from its start.
    ///
    /// # Errors
    /// A file without a header row, or with too many columns.
    pub(super) fn read<R: Read>(
        open: impl Fn() -> Result<R>,
        preset: PresetOptions,
    ) -> Result<Self> {
        let stated_delimiter = named_delimiter(open()?)?;
        let delimiter = match preset.delimiter.or(stated_delimiter) {
            Some(delimiter) => delimiter,
            None => detect_delimiter(&open)?,
        };
        let mut rows = 0;
        let mut table = Table::new(open()?, delimiter);
        let line = loop {
            let Some(line) = table.next_row()? else {
                let problem = "the file is empty; its first line must name the columns";
                return Err(Error::invalid(problem));
            };
            rows += 1;
            let is_delimiter_row = stated_delimiter.is_some() && rows == 1;
            if !is_delimiter_row && !is_empty(&table.row) {
                break line;
            }
        };
        let first = cell_texts(&table.row, line)?;
        let tool = preset.tool.unwrap_or_else(|| Tool::recognise(&first));
        // Headers of an export are field names, even if they consist of spaces.
        let is_blank = |head: &str| {
            if tool == Tool::Sheaf { head.is_empty() } else { head.trim().is_empty() }
        };
        let head = |(at, head): (usize, &String)| plain_header(at, head, is_blank(head));
        let mut columns: Vec<ColumnHeader> = first.iter().enumerate().map(head).collect();
        if tool == Tool::Lime && limesurvey::has_codes_and_texts(&first) {
            limesurvey::name_by_text(&mut columns);
        }
        let header = Self { delimiter, tool, rows, line, columns, zone: None };
        match tool {
            Tool::Monkey => header.with_options(&mut table, &first),
            Tool::Qualtrics => header.with_questions(&mut table),
            _ => Ok(header),
        }
    }

    /// Reads the second header row of `SurveyMonkey`, if there is one.
    fn with_options<R: Read>(mut self, table: &mut Table<R>, first: &[String]) -> Result<Self> {
        if let Some(line) = table.next_row()?
            && is_second_header(&table.row, first)
        {
            self.columns = join_options(first, &cell_texts(&table.row, line)?);
            self.rows += 1;
        }
        Ok(self)
    }

    /// Reads the other header rows of Qualtrics: questions, and ids that state the time zone. Older
    /// files have no ids.
    fn with_questions<R: Read>(mut self, table: &mut Table<R>) -> Result<Self> {
        let Some(line) = table.next_row()? else { return Ok(self) };
        let second = table.row.clone();
        let has_questions = !has_ids(&second) && !has_time(&self.columns, &second);
        if has_questions && second.len() == self.columns.len() {
            let questions = cell_texts(&second, line)?;
            let names = self.columns.iter_mut().zip(questions);
            for (column, question) in names.filter(|(_, question)| !question.trim().is_empty()) {
                column.name = question;
            }
            self.rows += 1;
            if table.next_row()?.is_none() {
                return Ok(self);
            }
        }
        if has_ids(&table.row) {
            self.rows += 1;
            self.zone = table.row.iter().find_map(zone_of_id);
        }
        Ok(self)
    }
}

fn has_ids(row: &ByteRecord) -> bool {
    row.iter().any(|cell| cell.starts_with(QUALTRICS_IDS))
}

/// Whether a row has a time in the column of the end time, so that it is a submission.
fn has_time(columns: &[ColumnHeader], row: &ByteRecord) -> bool {
    let end = columns.iter().position(|column| is_same_header(&column.code, "EndDate"));
    let cell = end.and_then(|end| row.get(end)).and_then(|cell| std::str::from_utf8(cell).ok());
    cell.is_none_or(|cell| cell.is_empty() || ParsedTime::parse(cell).is_some())
}

fn zone_of_id(cell: &[u8]) -> Option<Zone> {
    let Untrusted(id) = serde_json::from_slice(cell).ok()?;
    id.get("timeZone")?.as_str()?.parse().ok()
}

/// Returns the delimiter from a first line such as `sep=;`, which spreadsheets write.
fn named_delimiter(input: impl Read) -> Result<Option<Delimiter>> {
    let mut start = Vec::new();
    let read = input.take(FIRST_LINE_BYTES_MAX).read_to_end(&mut start);
    read.map_err(Error::io("cannot read the file"))?;
    let start = String::from_utf8_lossy(&start);
    let line = start.trim_start_matches('\u{feff}').split(['\r', '\n']).next().unwrap_or_default();
    let line = line.strip_prefix('"').map_or(line, |line| line.trim_end_matches('"'));
    let separator = line.split_once('=').filter(|(name, _)| name.eq_ignore_ascii_case("sep"));
    let sign = separator.and_then(|(_, sign)| {
        // Some programs write the escape sequence `\t` instead of a tab.
        let mut signs = if sign == "\\t" { "\t" } else { sign }.chars();
        signs.next().filter(|_| signs.next().is_none())
    });
    Ok(sign.and_then(Delimiter::from_char))
}

/// Whether a row is the second header row. It is empty in the column of ids, unlike a submission.
fn is_second_header(row: &ByteRecord, first: &[String]) -> bool {
    let id =
        first.iter().position(|head| head.to_lowercase().replace([' ', '_'], "") == "respondentid");
    let empty = |at: usize| row.get(at).is_some_and(<[u8]>::is_empty);
    row.len() == first.len() && id.is_some_and(empty) && row.iter().any(|cell| !cell.is_empty())
}

fn plain_header(at: usize, head: &str, is_unnamed: bool) -> ColumnHeader {
    let name = if is_unnamed { format!("column {}", at + 1) } else { head.to_owned() };
    ColumnHeader { name, code: head.to_owned(), option: None, is_unnamed }
}

/// Joins questions with the options below them. A question is in its first column only.
fn join_options(questions: &[String], options: &[String]) -> Vec<ColumnHeader> {
    let mut group = String::new();
    let columns = questions.iter().zip(options).enumerate();
    columns
        .map(|(at, (question, option))| {
            if !question.trim().is_empty() {
                group.clone_from(question);
            }
            if group.is_empty() || NO_OPTIONS.contains(&option.trim()) {
                let head = if question.trim().is_empty() { option } else { question };
                return plain_header(at, head, head.trim().is_empty());
            }
            let name = format!("{group} - {option}");
            let option = Some((group.clone(), option.clone()));
            ColumnHeader { name, code: question.clone(), option, is_unnamed: false }
        })
        .collect()
}

fn cell_texts(row: &ByteRecord, line: u64) -> Result<Vec<String>> {
    let text = |(at, bytes): (usize, &[u8])| {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Error::at_line(line, format!("column {}: is not UTF-8", at + 1)))?;
        Ok(text.to_owned())
    };
    let mut texts = row.iter().enumerate().map(text).collect::<Result<Vec<String>>>()?;
    // Spreadsheets pad rows with empty cells to their full width.
    if texts.len() > COLUMNS_MAX {
        let last = texts.iter().rposition(|text| !text.trim().is_empty());
        texts.truncate(last.map_or(0, |last| last + 1));
    }
    if texts.len() > COLUMNS_MAX {
        let count = texts.len();
        let first = shorten(&texts[0]);
        return Err(Error::at_line(
            line,
            format!(
                "a file has at most {COLUMNS_MAX} columns, but this one has {count}, from \
                 `{first}` on; remove some"
            ),
        ));
    }
    Ok(texts)
}

/// Detects the delimiter: the one that splits most of the first rows into as many cells as the
/// header, and the header into several.
fn detect_delimiter<R: Read>(open: &impl Fn() -> Result<R>) -> Result<Delimiter> {
    let mut best = (Delimiter::Comma, (0, 0));
    for (_, delimiter) in Delimiter::ALL {
        let mut table = Table::new(open()?, delimiter);
        // A quote that is open here may be closed with another delimiter.
        let mut count = || table.next_row().ok().flatten().map(|_| table.row.len());
        let first = count().unwrap_or_default();
        let rows: Vec<usize> = std::iter::from_fn(count).take(SNIFFED_ROWS_MAX).collect();
        let alike = rows.iter().filter(|count| **count == first).count();
        let share = (100 * alike).checked_div(rows.len()).unwrap_or(100);
        if first > 1 && share >= 50 && (share, first) > best.1 {
            best = (delimiter, (share, first));
        }
    }
    Ok(best.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_header(file: &str) -> Header {
        Header::read(|| Ok(file.as_bytes()), PresetOptions::default()).unwrap()
    }

    #[track_caller]
    fn check_header(file: &str, delimiter: Delimiter, columns: &[&str]) {
        let header = read_header(file);
        let names: Vec<_> = header.columns.iter().map(|head| head.name.as_str()).collect();
        assert_eq!((header.delimiter, names.as_slice()), (delimiter, columns), "{file:?}");
    }

    #[test]
    fn delimiter_is_detected() {
        check_header("a,b\n1,2\n", Delimiter::Comma, &["a", "b"]);
        check_header("a;b\n1,5;2\n", Delimiter::Semicolon, &["a", "b"]);
        check_header("a\tb, c\n1\t2\n", Delimiter::Tab, &["a", "b, c"]);
        check_header("\"a;b\",c\n1,2\n", Delimiter::Comma, &["a;b", "c"]);
        check_header("How was it; really?\ngood\n", Delimiter::Comma, &["How was it; really?"]);
        check_header("a,b\n1\n", Delimiter::Comma, &["a", "b"]);
        check_header("only\n1\n2\n", Delimiter::Comma, &["only"]);
        check_header("a, \n", Delimiter::Comma, &["a", "column 2"]);
        check_header("a;b\n1;2\n3\n", Delimiter::Semicolon, &["a", "b"]);
    }

    #[test]
    fn first_line_can_set_delimiter() {
        check_header("sep=;\r\na;b,c\r\n", Delimiter::Semicolon, &["a", "b,c"]);
        check_header("\u{feff}sep=,\na,b;c\n", Delimiter::Comma, &["a", "b;c"]);
        check_header("\"sep=\t\"\ra\tb\r", Delimiter::Tab, &["a", "b"]);
        check_header("SEP=|\na|b\n", Delimiter::Pipe, &["a", "b"]);
        check_header("sep=\\t\na\tb,c\n", Delimiter::Tab, &["a", "b,c"]);
        check_header("sep=^\na^b,c\n", Delimiter::Other(b'^'), &["a", "b,c"]);
        check_header("sep=:\na:b,c\n", Delimiter::Other(b':'), &["a", "b,c"]);
        check_header("sep==\na=b,c\n", Delimiter::Other(b'='), &["a", "b,c"]);
        assert_eq!(Delimiter::Other(b'^').to_string(), "`^`");
        for other in ["x", "ä", "\"", "\\n", "ab", "::"] {
            let first = format!("sep={other}");
            check_header(&format!("{first}\n1,2\n"), Delimiter::Comma, &[&first]);
        }
        assert_eq!(read_header("sep=;\n\n;;\na;b\n1;2\n").rows, 3);
    }

    #[test]
    fn three_header_rows_of_qualtrics_are_joined() {
        let ids = r#""{""ImportId"":""endDate"",""timeZone"":""America/Denver""}""#;
        let file = format!(
            "StartDate,EndDate,ResponseId,Q1\nStart Date,End Date,Response ID,How?\n\
             {ids},{ids},x,x\n2026-02-10 09:00:00,2026-02-10 09:04:10,R_1,good\n"
        );
        let header = read_header(&file);
        assert_eq!((header.rows, header.tool), (3, Tool::Qualtrics));
        assert_eq!(header.zone, Some("America/Denver".parse().unwrap()));
        let last = &header.columns[3];
        assert_eq!((last.name.as_str(), last.code.as_str()), ("How?", "Q1"));
        let without_ids: Vec<_> = file.lines().filter(|line| !line.contains("Import")).collect();
        assert_eq!(read_header(&without_ids.join("\n")).rows, 2);
        let without_any = [without_ids[0], without_ids[2]].join("\n");
        assert_eq!(read_header(&without_any).rows, 1);
    }

    #[test]
    fn two_header_rows_are_joined() {
        let header = read_header(
            "Respondent ID,Collector ID,End Date,How?,Which?,,,Why?\n\
             ,,,Response,One,Two,Other (please specify),Open-Ended Response\n1,2,3,4,5,6,7,8\n",
        );
        let names: Vec<_> = header.columns.iter().map(|head| head.name.as_str()).collect();
        assert_eq!(
            names[3..],
            ["How?", "Which? - One", "Which? - Two", "Which? - Other (please specify)", "Why?"]
        );
        assert_eq!(header.columns[5].option, Some(("Which?".into(), "Two".into())));
        assert_eq!((header.rows, header.tool), (2, Tool::Monkey));
        let read = read_header("Respondent ID,Collector ID,How?\n1,2,x\n");
        assert_eq!((read.rows, read.columns[2].name.as_str()), (1, "How?"));
    }
    #[test]
    fn limesurvey_texts_become_names() {
        let header = read_header(
            "id. Response ID,submitdate. Date submitted,lastpage. Last page,Q1. How?,\
             Q2[a]. Which? [One],Q3.\n1,,2,a,Yes,b\n",
        );
        let names: Vec<_> = header.columns.iter().map(|head| head.name.as_str()).collect();
        assert_eq!(names[2..], ["Last page", "How?", "Which? [One]", "Q3"]);
        let codes: Vec<_> = header.columns.iter().map(|head| head.code.as_str()).collect();
        assert_eq!(codes[1..5], ["submitdate", "lastpage", "Q1", "Q2[a]"]);
    }
}
