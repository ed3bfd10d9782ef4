//! CSV: a header row, then a submission a row and a field a column.
//!
//! Every cell is kept as the text that it is: nothing is trimmed, guessed or turned into a number,
//! so that an export gives back what was imported. An empty cell is no answer.

use contract::{Field, FieldId, FieldType, Metadata, Timestamp};
use csv::ByteRecord;
use serde_json::{Map, Value};
use std::cmp::min;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use super::draft::{Draft, VALUE_BYTES_MAX, shown};
use super::instant;
use super::table::Table;
use crate::error::{Error, Result};
use crate::field_spec::{self, FIELDS_MAX, FieldSpec, check_name};

/// What the columns of a file mean for a form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    columns: Vec<Column>,
    /// The fields that the form does not have yet.
    pub(crate) new_fields: Vec<Field>,
}

/// One column.
#[derive(Debug, PartialEq, Eq)]
struct Column {
    head: String,
    /// The answer key of its cells; the one column without it holds the instants.
    key: Option<String>,
}

impl Layout {
    /// Reads the header row.
    ///
    /// # Errors
    /// No header row, one with too many or too long heads, or none called `time`.
    pub(crate) fn read(
        input: impl Read,
        known: &[Field],
        time: Option<&str>,
        mint_id: impl FnMut() -> FieldId,
    ) -> Result<Self> {
        let mut table = Table::new(input);
        let Some(line) = table.next()? else {
            return Err(Error::refused("the file is empty; its first line must name the columns"));
        };
        let heads = heads(&table.row, line)?;
        let time_at = time.map(|time| position(&heads, time)).transpose()?;
        let mut keys = known_keys(&heads, known, time_at);
        let is_new = |at: &usize| time_at != Some(*at) && !keys.contains_key(at);
        let new: Vec<usize> = (0..heads.len()).filter(is_new).collect();
        let spec = |at: &usize| FieldSpec { name: heads[*at].clone(), kind: FieldType::Text };
        let new_fields = field_spec::fields(new.iter().map(spec), known, mint_id);
        keys.extend(new.into_iter().zip(new_fields.iter().map(|field| field.key.clone())));
        let column = |(at, head)| Column { head, key: keys.remove(&at) };
        let columns = heads.into_iter().enumerate().map(column).collect();
        Ok(Self { columns, new_fields })
    }
}

/// The answer keys of those columns that bear a field's name. Where several fields have one name,
/// the first column of that name is the first field's.
fn known_keys(heads: &[String], known: &[Field], time_at: Option<usize>) -> HashMap<usize, String> {
    let mut free: Vec<&Field> = known.iter().collect();
    let mut take = |(at, head): (usize, &String)| {
        let found = free.iter().position(|field| field.name == *head)?;
        Some((at, free.remove(found).key.clone()))
    };
    heads.iter().enumerate().filter(|(at, _)| time_at != Some(*at)).filter_map(&mut take).collect()
}

/// The heads of a row, an empty one named by its place.
fn heads(row: &ByteRecord, line: u64) -> Result<Vec<String>> {
    if row.len() > FIELDS_MAX {
        let count = row.len();
        let wrong = format!("a file has at most {FIELDS_MAX} columns, but has {count}");
        return Err(Error::at_line(line, wrong));
    }
    let head = |(at, bytes): (usize, &[u8])| {
        let place = at + 1;
        let wrong = |wrong: String| Error::at_line(line, format!("column {place}: {wrong}"));
        let text = std::str::from_utf8(bytes).map_err(|_| wrong(not_utf8()))?;
        let blank = text.trim().is_empty();
        let head = if blank { format!("column {place}") } else { text.to_owned() };
        check_name(&head).map_err(wrong)?;
        Ok(head)
    };
    row.iter().enumerate().map(head).collect()
}

fn position(heads: &[String], time: &str) -> Result<usize> {
    heads.iter().position(|head| head == time).ok_or_else(|| {
        let most = min(heads.len(), 20);
        let names: Vec<_> = heads[..most].iter().map(|head| format!("`{}`", shown(head))).collect();
        let names = names.join(", ");
        Error::refused(format!("`--time` must name a column, such as {names}, but is `{time}`"))
    })
}

fn not_utf8() -> String {
    "is not UTF-8; save the file as UTF-8 and import it again".to_owned()
}

/// The submissions of a file, row by row.
pub(crate) struct Rows<R> {
    table: Table<R>,
    layout: Arc<Layout>,
    headed: bool,
}

impl<R: Read> Rows<R> {
    /// Returns the rows behind the header, of which `layout` was read.
    pub(crate) fn new(input: R, layout: Arc<Layout>) -> Self {
        Self { table: Table::new(input), layout, headed: false }
    }

    fn read(&mut self) -> Result<Option<Draft>> {
        if !self.headed {
            self.table.next()?;
            self.headed = true;
        }
        let Some(line) = self.table.next()? else { return Ok(None) };
        draft(&self.table.row, line, &self.layout)
            .map(Some)
            .map_err(|sentence| Error::at_line(line, sentence))
    }
}

impl<R: Read> Iterator for Rows<R> {
    type Item = Result<Draft>;

    fn next(&mut self) -> Option<Result<Draft>> {
        self.read().transpose()
    }
}

fn draft(row: &ByteRecord, line: u64, layout: &Layout) -> Result<Draft, String> {
    let columns = &layout.columns;
    if row.len() != columns.len() {
        let (has, wants) = (row.len(), columns.len());
        return Err(format!("must have {wants} cells like the header row, but has {has}"));
    }
    let mut answers = Map::new();
    let mut submitted_at = None;
    for (cell, Column { head, key }) in row.iter().zip(columns) {
        let at = |wrong: String| format!("column `{}` {wrong}", shown(head));
        let text = std::str::from_utf8(cell).map_err(|_| at(not_utf8()))?;
        let Some(key) = key else {
            submitted_at = Some(read_instant(text).map_err(at)?);
            continue;
        };
        if text.len() > VALUE_BYTES_MAX {
            let count = text.len();
            return Err(at(format!("must have at most {VALUE_BYTES_MAX} bytes, but has {count}")));
        }
        if !text.is_empty() {
            answers.insert(key.clone(), Value::String(text.to_owned()));
        }
    }
    let metadata = Metadata::at(Timestamp::MIN);
    Ok(Draft { line, id: None, submitted_at, answers, metadata, insight: None })
}

fn read_instant(text: &str) -> Result<Timestamp, String> {
    instant::read(text).ok_or_else(|| {
        let shown = shown(text);
        format!(
            "must be an instant such as `2026-03-01T09:30:00Z`, `2026-03-01 09:30` or \
             `3/1/26 9:30`, but is `{shown}`"
        )
    })
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
