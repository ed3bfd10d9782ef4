//! The header of a file: what divides its cells, how many rows it has, and how the columns are
//! called.

use csv::ByteRecord;
use std::io::Read;

use super::dialect::Dialect;
use super::draft::shown;
use super::table::{Delimiter, Table};
use crate::error::{Error, Result};
use crate::field_spec::{FIELDS_MAX, NAME_BYTES_MAX};

/// How many columns a file may have: a field each, and what an export has besides.
const COLUMNS_MAX: usize = FIELDS_MAX + 15;
/// Longest head: a name, and the id by which an export tells it from another.
const HEAD_BYTES_MAX: usize = NAME_BYTES_MAX + 100;
/// How many rows are read to find what divides the cells.
const SNIFFED_ROWS_MAX: usize = 20;
/// What the second header row says below a question that has one column.
const NO_OPTIONS: [&str; 3] = ["", "Response", "Open-Ended Response"];

/// What the header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Heads {
    pub(super) delimiter: Delimiter,
    pub(super) dialect: Dialect,
    /// How many rows stand before the first submission.
    pub(super) rows: usize,
    /// The columns, in order.
    pub(super) columns: Vec<Head>,
}

/// How a column is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// Its name.
    pub(super) name: String,
    /// The question and the option, where a question is spread over several columns.
    pub(super) option: Option<(String, String)>,
}

/// What the person says of a file beforehand.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) delimiter: Option<Delimiter>,
    pub(super) dialect: Option<Dialect>,
}

impl Heads {
    /// Reads the header. `open` gives the file from its beginning.
    ///
    /// # Errors
    /// No header row, or one with too many or too long heads.
    pub(super) fn read<R: Read>(open: impl Fn() -> Result<R>, known: Known) -> Result<Self> {
        let delimiter = match known.delimiter {
            Some(delimiter) => delimiter,
            None => sniff(&open)?,
        };
        let mut table = Table::new(open()?, delimiter);
        let Some(line) = table.next()? else {
            return Err(Error::refused("the file is empty; its first line must name the columns"));
        };
        let first = texts(&table.row, line)?;
        let dialect = known.dialect.unwrap_or_else(|| Dialect::recognise(&first));
        // An export's heads are names, whatever they look like.
        let is_blank = |head: &str| {
            if dialect == Dialect::Sheaf { head.is_empty() } else { head.trim().is_empty() }
        };
        let head = |(at, head): (usize, &String)| plain(at, head, is_blank(head));
        let mut columns: Vec<Head> = first.iter().enumerate().map(head).collect();
        let mut rows = 1;
        if dialect == Dialect::Monkey
            && let Some(line) = table.next()?
            && is_second_header(&table.row, &first)
        {
            columns = spread(&first, &texts(&table.row, line)?);
            rows = 2;
        }
        Ok(Self { delimiter, dialect, rows, columns })
    }
}

/// Below the columns that hold ids the second header row is empty, as no submission is.
fn is_second_header(row: &ByteRecord, first: &[String]) -> bool {
    let id =
        first.iter().position(|head| head.to_lowercase().replace([' ', '_'], "") == "respondentid");
    let empty = |at: usize| row.get(at).is_some_and(<[u8]>::is_empty);
    row.len() == first.len() && id.is_some_and(empty) && row.iter().any(|cell| !cell.is_empty())
}

fn plain(at: usize, head: &str, is_blank: bool) -> Head {
    let name = if is_blank { format!("column {}", at + 1) } else { head.to_owned() };
    Head { name, option: None }
}

/// Joins a question with the options below it. A question stands above its first column alone.
fn spread(questions: &[String], options: &[String]) -> Vec<Head> {
    let mut asked = String::new();
    let columns = questions.iter().zip(options).enumerate();
    columns
        .map(|(at, (question, option))| {
            if !question.trim().is_empty() {
                asked.clone_from(question);
            }
            if asked.is_empty() || NO_OPTIONS.contains(&option.trim()) {
                let head = if question.trim().is_empty() { option } else { question };
                return plain(at, head, head.trim().is_empty());
            }
            let name = format!("{asked} - {option}");
            Head { name, option: Some((asked.clone(), option.clone())) }
        })
        .collect()
}

fn texts(row: &ByteRecord, line: u64) -> Result<Vec<String>> {
    if row.len() > COLUMNS_MAX {
        let count = row.len();
        let wrong = format!("a file has at most {COLUMNS_MAX} columns, but has {count}");
        return Err(Error::at_line(line, wrong));
    }
    let text = |(at, bytes): (usize, &[u8])| {
        let place = at + 1;
        let wrong = |wrong: String| Error::at_line(line, format!("column {place}: {wrong}"));
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("is not UTF-8".to_owned()))?;
        if text.len() > HEAD_BYTES_MAX {
            let (count, shown) = (text.len(), shown(text));
            return Err(wrong(format!(
                "a head has at most {HEAD_BYTES_MAX} bytes, but `{shown}` has {count}"
            )));
        }
        Ok(text.to_owned())
    };
    row.iter().enumerate().map(text).collect()
}

/// Finds what divides the cells: that by which most of the first rows have as many as the header,
/// and the header several.
fn sniff<R: Read>(open: &impl Fn() -> Result<R>) -> Result<Delimiter> {
    let mut best = (Delimiter::Comma, (0, 0));
    for (_, delimiter) in Delimiter::ALL {
        let mut table = Table::new(open()?, delimiter);
        // By another delimiter a quote that does not end here may be closed.
        let mut count = || table.next().ok().flatten().map(|_| table.row.len());
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

    fn read(file: &str) -> Heads {
        Heads::read(|| Ok(file.as_bytes()), Known::default()).unwrap()
    }

    #[track_caller]
    fn check(file: &str, delimiter: Delimiter, columns: &[&str]) {
        let heads = read(file);
        let names: Vec<_> = heads.columns.iter().map(|head| head.name.as_str()).collect();
        assert_eq!((heads.delimiter, names.as_slice()), (delimiter, columns), "{file:?}");
    }

    #[test]
    fn what_divides_the_cells_is_found() {
        check("a,b\n1,2\n", Delimiter::Comma, &["a", "b"]);
        check("a;b\n1,5;2\n", Delimiter::Semicolon, &["a", "b"]);
        check("a\tb, c\n1\t2\n", Delimiter::Tab, &["a", "b, c"]);
        check("\"a;b\",c\n1,2\n", Delimiter::Comma, &["a;b", "c"]);
        check("How was it; really?\ngood\n", Delimiter::Comma, &["How was it; really?"]);
        check("a,b\n1\n", Delimiter::Comma, &["a", "b"]);
        check("only\n1\n2\n", Delimiter::Comma, &["only"]);
        check("a, \n", Delimiter::Comma, &["a", "column 2"]);
        check("a;b\n1;2\n3\n", Delimiter::Semicolon, &["a", "b"]);
    }

    #[test]
    fn two_header_rows_are_joined() {
        let heads = read(
            "Respondent ID,Collector ID,End Date,How?,Which?,,,Why?\n\
             ,,,Response,One,Two,Other (please specify),Open-Ended Response\n1,2,3,4,5,6,7,8\n",
        );
        let names: Vec<_> = heads.columns.iter().map(|head| head.name.as_str()).collect();
        assert_eq!(
            names[3..],
            ["How?", "Which? - One", "Which? - Two", "Which? - Other (please specify)", "Why?"]
        );
        assert_eq!(heads.columns[5].option, Some(("Which?".into(), "Two".into())));
        assert_eq!((heads.rows, heads.dialect), (2, Dialect::Monkey));
        let one = read("Respondent ID,Collector ID,How?\n1,2,x\n");
        assert_eq!((one.rows, one.columns[2].name.as_str()), (1, "How?"));
    }
}
