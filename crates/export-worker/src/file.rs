//! Converts submissions into the bytes of a file: CSV, XLSX, JSON or NDJSON. The writers of
//! `contract` produce CSV and JSON, so the bytes are the same as those of the server.
//!
//! It buffers only bytes that were not taken yet. Its state can be saved and resumed.

use std::borrow::Cow;

use contract::{
    Column, Columns, ExportFormat, ExportQuery, Field, FieldType, ListQuery, Submission, Timestamp,
    columns::{Cell as Text, CellValue},
    csv::CsvWriter,
    json::JsonWriter,
    triage::{ExportedTriage, TriageNames},
};
use serde::{Deserialize, Serialize};

use crate::{
    task::{ExportTask, ExportWarning, Format, TableTimeZone, Unwritable},
    xlsx::{XlsxCell, XlsxState, XlsxWriter},
};

/// Returns the offset of local time from UTC at an instant, in minutes.
pub type UtcOffset<'a> = &'a mut dyn FnMut(Timestamp) -> i32;

/// File that is being written.
pub struct ExportFile {
    columns: Columns,
    kinds: Vec<FieldType>,
    zone: TableTimeZone,
    triage_names: TriageNames,
    rows: u64,
    writer: FormatWriter,
}

enum FormatWriter {
    Csv(Box<CsvWriter<Vec<u8>>>),
    Xlsx(Box<XlsxWriter>),
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

impl ExportFile {
    /// Returns a new file with the bytes before its first row, or the file that was saved as
    /// `state`.
    ///
    /// # Errors
    /// If the file format does not support the columns.
    pub fn new(
        task: &ExportTask,
        fields: &[Field],
        started_at: Timestamp,
        state: Option<FileState>,
    ) -> Result<Self, Unwritable> {
        let columns =
            Columns::all(fields).without_paths(&task.left_out).with_triage(task.triage, fields);
        let rows = state.as_ref().map_or(0, |state| state.rows);
        let kind = |column: &Column| {
            let key = column.answer_key();
            let field = fields.iter().find(|field| Some(field.key.as_str()) == key);
            field.map_or(FieldType::Text, |field| field.kind)
        };
        let kinds = columns.iter().map(kind).collect();
        let writer = match task.format {
            Format::Csv => {
                FormatWriter::Csv(Box::new(csv_writer(&columns, task.safe, state.is_some())?))
            }
            Format::Xlsx => FormatWriter::Xlsx(Box::new(xlsx_writer(&columns, state)?)),
            Format::Json => {
                let writer = json_writer(task, fields, &columns, started_at)?;
                let is_resumed = state.is_some();
                FormatWriter::Json(Box::new(if is_resumed {
                    writer.continue_after(rows)
                } else {
                    writer
                }))
            }
            Format::Ndjson => {
                let mut writer = json_writer(task, fields, &columns, started_at)?;
                // Only JSON has an opening.
                drop(writer.take_output());
                FormatWriter::Ndjson(Box::new(writer), Vec::new())
            }
        };
        let triage_names = task.triage_names.clone();
        Ok(Self { columns, kinds, zone: task.zone, triage_names, rows, writer })
    }

    /// Writes a submission, with its triage if the task has columns of it.
    ///
    /// # Errors
    /// Does not happen in practice: writing to memory does not fail.
    pub fn write_row(
        &mut self,
        row: &Submission,
        triage: Option<&ExportedTriage>,
        ahead: UtcOffset<'_>,
    ) -> Result<(), Unwritable> {
        self.rows += 1;
        let (zone, names) = (self.zone, &self.triage_names);
        let empty_triage = ExportedTriage::default();
        let cells = triage.unwrap_or(&empty_triage);
        match &mut self.writer {
            FormatWriter::Json(writer) => write_json(writer, row, triage),
            FormatWriter::Ndjson(writer, out) => {
                write_json(writer, row, triage);
                let row = writer.take_output();
                out.extend_from_slice(
                    &row[row.iter().position(|byte| *byte == b'{').unwrap_or_default()..],
                );
                out.push(b'\n');
            }
            FormatWriter::Csv(writer) => {
                let at = row.metadata.submitted_at;
                let written =
                    writer.write_row_with(row, |column, cell| match (zone, column.value(row)) {
                        (TableTimeZone::Viewer, CellValue::Instant(_)) => {
                            Text { text: local_time_text(at, ahead(at)).into(), is_text: false }
                        }
                        _ => cells.cell_or(column, cell, names),
                    });
                written.map_err(|error| unexpected_error(&error))?;
            }
            FormatWriter::Xlsx(writer) => {
                let columns = self.columns.iter().zip(&self.kinds);
                writer.write_row(columns.map(|(column, kind)| {
                    let value = match column.triage_column() {
                        Some(column) => cells.value(column, names),
                        None => column.value(row),
                    };
                    to_xlsx_cell(value, *kind, zone, ahead)
                }));
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
            FormatWriter::Csv(writer) => writer.take_output().unwrap_or_default(),
            FormatWriter::Xlsx(writer) => writer.take(),
            FormatWriter::Json(writer) => writer.take_output(),
            FormatWriter::Ndjson(_, out) => std::mem::take(out),
        }
    }

    /// Flushes the bytes of every row, and returns the state after them.
    pub fn save_state(&mut self) -> FileState {
        let xlsx = match &mut self.writer {
            FormatWriter::Xlsx(writer) => Some(writer.save_state()),
            _ => None,
        };
        FileState { rows: self.rows, xlsx }
    }

    /// Finishes the file. Returns its last bytes and the warnings for the user.
    ///
    /// # Errors
    /// If the file exceeds the size limit of its format.
    pub fn finish(self) -> Result<(Vec<u8>, Vec<ExportWarning>), Unwritable> {
        match self.writer {
            FormatWriter::Csv(writer) => {
                Ok((writer.finish().map_err(|error| unexpected_error(&error))?, Vec::new()))
            }
            FormatWriter::Json(writer) => Ok((writer.finish(), Vec::new())),
            FormatWriter::Ndjson(_, out) => Ok((out, Vec::new())),
            FormatWriter::Xlsx(writer) => {
                let cut = writer.cells_cut();
                let worksheets = writer.worksheets();
                let remarks = [
                    (cut > 0).then_some(ExportWarning::CellsCut(cut)),
                    (worksheets > 1).then_some(ExportWarning::Worksheets(worksheets)),
                ];
                Ok((writer.finish()?, remarks.into_iter().flatten().collect()))
            }
        }
    }
}

fn write_json(writer: &mut JsonWriter, row: &Submission, triage: Option<&ExportedTriage>) {
    match triage {
        Some(triage) => writer.write_row_with_triage(row, triage),
        None => writer.write_row(row),
    }
}

/// Returns an error for cases that neither memory nor the tasks of the page cause.
fn unexpected_error(error: &impl ToString) -> Unwritable {
    Unwritable::Odd(error.to_string())
}

fn csv_writer(
    columns: &Columns,
    safe: bool,
    goes_on: bool,
) -> Result<CsvWriter<Vec<u8>>, Unwritable> {
    if goes_on {
        return Ok(CsvWriter::without_header(columns.clone(), safe, Vec::new()));
    }
    CsvWriter::new(columns.clone(), safe, Vec::new()).map_err(|error| unexpected_error(&error))
}

fn xlsx_writer(columns: &Columns, state: Option<FileState>) -> Result<XlsxWriter, Unwritable> {
    let heads = columns.iter().map(|column| column.header.clone()).collect();
    match state.and_then(|state| state.xlsx) {
        Some(state) => XlsxWriter::resume(heads, state),
        None => XlsxWriter::new(heads),
    }
}

/// Returns a JSON writer for the selected answers, like the server's for `fields`.
fn json_writer(
    task: &ExportTask,
    fields: &[Field],
    columns: &Columns,
    started_at: Timestamp,
) -> Result<JsonWriter, Unwritable> {
    let is_chosen = |field: &&Field| {
        columns.iter().any(|column| column.answer_key() == Some(field.key.as_str()))
    };
    let chosen: Vec<_> = fields.iter().filter(is_chosen).map(|field| field.id.clone()).collect();
    let filter =
        ListQuery::parse(&task.query).map_err(|error| unexpected_error(&error.message))?.filter;
    let query = ExportQuery {
        filter,
        format: ExportFormat::Json,
        fields: (chosen.len() < fields.len()).then_some(chosen),
        ..ExportQuery::default()
    };
    JsonWriter::new(task.form.clone(), fields, &query, started_at)
        .map_err(|field| unexpected_error(&format!("`{field}` is not a field of the form")))
}

/// Formats an instant in local time with its offset: `2026-03-01T10:30:00+01:00`.
fn local_time_text(at: Timestamp, ahead_min: i32) -> String {
    let (sign, offset) = if ahead_min < 0 { ('-', -ahead_min) } else { ('+', ahead_min) };
    let text = to_local_time(at, ahead_min).to_string();
    format!("{}{sign}{:02}:{:02}", text.trim_end_matches('Z'), offset / 60, offset % 60)
}

fn to_local_time(at: Timestamp, ahead_min: i32) -> Timestamp {
    Timestamp::from_micros(at.micros() + i64::from(ahead_min) * 60_000_000).unwrap_or(at)
}

fn to_xlsx_cell<'a>(
    value: CellValue<'a>,
    kind: FieldType,
    zone: TableTimeZone,
    ahead: UtcOffset<'_>,
) -> XlsxCell<'a> {
    match value {
        CellValue::Empty => XlsxCell::Empty,
        CellValue::Bool(yes) => XlsxCell::Bool(yes),
        CellValue::Number(text) => XlsxCell::Number(Cow::Owned(text)),
        CellValue::Instant(at) => {
            let ahead_min = if zone == TableTimeZone::Viewer { ahead(at) } else { 0 };
            XlsxCell::Moment(to_local_time(at, ahead_min).millis(), Cow::Owned(at.to_string()))
        }
        CellValue::Text(text) => match kind {
            FieldType::Date => XlsxCell::Day(text),
            FieldType::Number | FieldType::Rating if is_number(&text) => XlsxCell::Number(text),
            _ => XlsxCell::Text(text),
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
