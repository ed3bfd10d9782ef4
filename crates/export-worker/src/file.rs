//! Converts submissions into the bytes of a file: CSV, XLSX, JSON or NDJSON. The writers of
//! `contract` produce CSV and JSON, so the bytes are the same as those of the server.
//!
//! It buffers only bytes that were not taken yet. Its state can be saved and resumed.

use std::borrow::Cow;

use contract::{
    Column, Columns, ExportFormat, ExportQuery, Field, FieldType, ListQuery, Submission, Timestamp,
    columns::{Cell as Text, Value},
    csv::CsvWriter,
    json::JsonWriter,
};
use serde::{Deserialize, Serialize};

use crate::{
    task::{Format, Remark, Task, Unwritable, Zone},
    xlsx::{Cell, Xlsx, XlsxState},
};

/// Returns the offset of local time from UTC at an instant, in minutes.
pub type Ahead<'a> = &'a mut dyn FnMut(Timestamp) -> i32;

/// File that is being written.
pub struct File {
    columns: Columns,
    kinds: Vec<FieldType>,
    zone: Zone,
    rows: u64,
    writer: Writer,
}

enum Writer {
    Csv(Box<CsvWriter<Vec<u8>>>),
    Xlsx(Box<Xlsx>),
    Json(Box<JsonWriter>),
    /// JSON writer and its rows, one per line.
    Ndjson(Box<JsonWriter>, Vec<u8>),
}

/// State that is needed to resume a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    rows: u64,
    xlsx: Option<XlsxState>,
}

impl FileState {
    /// Returns the number of rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

impl File {
    /// Returns a new file with the bytes before its first row, or the file that was saved as
    /// `state`.
    ///
    /// # Errors
    /// If the file format does not support the columns.
    pub fn new(
        task: &Task,
        fields: &[Field],
        began: Timestamp,
        state: Option<FileState>,
    ) -> Result<Self, Unwritable> {
        let columns = Columns::whole(fields).without(&task.left_out);
        let rows = state.as_ref().map_or(0, |state| state.rows);
        let kind = |column: &Column| {
            let key = column.answer_key();
            let field = fields.iter().find(|field| Some(field.key.as_str()) == key);
            field.map_or(FieldType::Text, |field| field.kind)
        };
        let kinds = columns.iter().map(kind).collect();
        let writer = match task.format {
            Format::Csv => Writer::Csv(Box::new(csv(&columns, task.safe, state.is_some())?)),
            Format::Xlsx => Writer::Xlsx(Box::new(xlsx(&columns, state)?)),
            Format::Json => {
                let writer = json(task, fields, &columns, began)?;
                let goes_on = state.is_some();
                Writer::Json(Box::new(if goes_on { writer.after(rows) } else { writer }))
            }
            Format::Ndjson => {
                let mut writer = json(task, fields, &columns, began)?;
                // Only JSON has an opening.
                drop(writer.take());
                Writer::Ndjson(Box::new(writer), Vec::new())
            }
        };
        Ok(Self { columns, kinds, zone: task.zone, rows, writer })
    }

    /// Writes a submission.
    ///
    /// # Errors
    /// Does not happen in practice: writing to memory does not fail.
    pub fn row(&mut self, row: &Submission, ahead: Ahead<'_>) -> Result<(), Unwritable> {
        self.rows += 1;
        let zone = self.zone;
        match &mut self.writer {
            Writer::Json(writer) => writer.row(row),
            Writer::Ndjson(writer, out) => {
                writer.row(row);
                let row = writer.take();
                out.extend_from_slice(
                    &row[row.iter().position(|byte| *byte == b'{').unwrap_or_default()..],
                );
                out.push(b'\n');
            }
            Writer::Csv(writer) => {
                let at = row.metadata.submitted_at;
                let written =
                    writer.row_with(row, |column, cell| match (zone, column.value(row)) {
                        (Zone::Viewer, Value::Instant(_)) => {
                            Text { text: on_the_wall(at, ahead(at)).into(), is_text: false }
                        }
                        _ => cell,
                    });
                written.map_err(|error| odd(&error))?;
            }
            Writer::Xlsx(writer) => {
                let cells = self.columns.iter().zip(&self.kinds);
                writer.row(cells.map(|(column, kind)| cell(column.value(row), *kind, zone, ahead)));
            }
        }
        Ok(())
    }

    /// Returns the number of rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the finished bytes. Those of the last rows may still be buffered.
    pub fn take(&mut self) -> Vec<u8> {
        match &mut self.writer {
            Writer::Csv(writer) => writer.take().unwrap_or_default(),
            Writer::Xlsx(writer) => writer.take(),
            Writer::Json(writer) => writer.take(),
            Writer::Ndjson(_, out) => std::mem::take(out),
        }
    }

    /// Flushes the bytes of every row, and returns the state after them.
    pub fn put_down(&mut self) -> FileState {
        let xlsx = match &mut self.writer {
            Writer::Xlsx(writer) => Some(writer.put_down()),
            _ => None,
        };
        FileState { rows: self.rows, xlsx }
    }

    /// Finishes the file. Returns its last bytes and the warnings for the user.
    ///
    /// # Errors
    /// If the file exceeds the size limit of its format.
    pub fn finish(self) -> Result<(Vec<u8>, Vec<Remark>), Unwritable> {
        match self.writer {
            Writer::Csv(writer) => Ok((writer.finish().map_err(|error| odd(&error))?, Vec::new())),
            Writer::Json(writer) => Ok((writer.finish(), Vec::new())),
            Writer::Ndjson(_, out) => Ok((out, Vec::new())),
            Writer::Xlsx(writer) => {
                let (cut, sheets) = (writer.cells_cut(), writer.sheets());
                let remarks = [
                    (cut > 0).then_some(Remark::CellsCut(cut)),
                    (sheets > 1).then_some(Remark::Sheets(sheets)),
                ];
                Ok((writer.finish()?, remarks.into_iter().flatten().collect()))
            }
        }
    }
}

/// Returns an error for cases that neither memory nor the tasks of the page cause.
fn odd(what: &impl ToString) -> Unwritable {
    Unwritable::Odd(what.to_string())
}

fn csv(columns: &Columns, safe: bool, goes_on: bool) -> Result<CsvWriter<Vec<u8>>, Unwritable> {
    if goes_on {
        return Ok(CsvWriter::headless(columns.clone(), safe, Vec::new()));
    }
    CsvWriter::new(columns.clone(), safe, Vec::new()).map_err(|error| odd(&error))
}

fn xlsx(columns: &Columns, state: Option<FileState>) -> Result<Xlsx, Unwritable> {
    let heads = columns.iter().map(|column| column.head.clone()).collect();
    match state.and_then(|state| state.xlsx) {
        Some(state) => Xlsx::go_on(heads, state),
        None => Xlsx::new(heads),
    }
}

/// Returns a JSON writer for the selected answers, like the server's for `fields`.
fn json(
    task: &Task,
    fields: &[Field],
    columns: &Columns,
    began: Timestamp,
) -> Result<JsonWriter, Unwritable> {
    let is_chosen =
        |field: &&Field| columns.iter().any(|one| one.answer_key() == Some(field.key.as_str()));
    let chosen: Vec<_> = fields.iter().filter(is_chosen).map(|field| field.id.clone()).collect();
    let filter = ListQuery::parse(&task.query).map_err(|error| odd(&error.message))?.filter;
    let query = ExportQuery {
        filter,
        format: ExportFormat::Json,
        fields: (chosen.len() < fields.len()).then_some(chosen),
        safe: false,
    };
    JsonWriter::new(task.form.clone(), fields, &query, began)
        .map_err(|field| odd(&format!("`{field}` is not a field of the form")))
}

/// Formats an instant in local time with its offset: `2026-03-01T10:30:00+01:00`.
fn on_the_wall(at: Timestamp, ahead_min: i32) -> String {
    let (sign, ahead) = if ahead_min < 0 { ('-', -ahead_min) } else { ('+', ahead_min) };
    let text = wall(at, ahead_min).to_string();
    format!("{}{sign}{:02}:{:02}", text.trim_end_matches('Z'), ahead / 60, ahead % 60)
}

fn wall(at: Timestamp, ahead_min: i32) -> Timestamp {
    Timestamp::from_micros(at.micros() + i64::from(ahead_min) * 60_000_000).unwrap_or(at)
}

fn cell<'a>(value: Value<'a>, kind: FieldType, zone: Zone, ahead: Ahead<'_>) -> Cell<'a> {
    match value {
        Value::Empty => Cell::Empty,
        Value::Bool(yes) => Cell::Bool(yes),
        Value::Number(text) => Cell::Number(Cow::Owned(text)),
        Value::Instant(at) => {
            let ahead_min = if zone == Zone::Viewer { ahead(at) } else { 0 };
            Cell::Moment(wall(at, ahead_min).millis(), Cow::Owned(at.to_string()))
        }
        Value::Text(text) => match kind {
            FieldType::Date => Cell::Day(text),
            FieldType::Number | FieldType::Rating if is_number(&text) => Cell::Number(text),
            _ => Cell::Text(text),
        },
    }
}

/// Returns whether a text is a number in JSON syntax. Leading zeros, which a number would lose, are
/// therefore excluded.
fn is_number(text: &str) -> bool {
    text.trim() == text && serde_json::from_str::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
