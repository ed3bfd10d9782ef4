//! CSV exports from stored JSON, without deserialising it.
//!
//! The output equals that of [`CsvWriter`], but no [`Submission`] is created per row. A row that
//! cannot be read in place is deserialised and written by [`CsvWriter`].

use super::{CsvWriter, try_disarm_formulas};
use crate::columns::ColumnSource;
use crate::raw_submission::{
    FieldOffsets, KeyLookup, Part, PartKind, append_text, each_item, unescape,
};
use crate::triage::{ExportedTriage, TriageColumn, TriageNames};
use crate::{Column, Columns, Submission};
use std::io;

/// Writes submissions as CSV rows from their JSON.
pub struct StoredCsvWriter {
    columns: Columns,
    /// Index of each column's cells in [`FieldOffsets`].
    cell_indexes: Vec<CellIndex>,
    /// The columns of the triage, which are the last ones.
    triage_columns: Vec<TriageColumn>,
    keys: KeyLookup,
    parts: FieldOffsets,
    cells: CellWriter,
}

enum CellIndex {
    Fixed(usize),
    Answer(usize),
}

impl StoredCsvWriter {
    /// Creates a writer and writes the header row, as [`CsvWriter::new`].
    ///
    /// # Errors
    /// Does not fail in practice, because the output is in memory.
    pub fn new(columns: Columns, safe: bool) -> io::Result<Self> {
        let out = CsvWriter::new(columns.clone(), safe, Vec::new())?.finish()?;
        let keys = KeyLookup::new(columns.answer_keys());
        let index = |source: &ColumnSource| match source {
            ColumnSource::Fixed(fixed) => Some(CellIndex::Fixed(*fixed as usize)),
            ColumnSource::Answer(key) => keys.index_of(key).map(CellIndex::Answer),
            ColumnSource::Triage(_) => None,
        };
        let cell_indexes = columns.iter().filter_map(|column| index(&column.source)).collect();
        let triage_columns = columns.iter().filter_map(Column::triage_column).collect();
        let cells = CellWriter { safe, out, scratch: Vec::new() };
        let parts = FieldOffsets::default();
        Ok(Self { columns, cell_indexes, triage_columns, keys, parts, cells })
    }

    /// Writes the row of a submission from its JSON. Columns of the triage have empty cells.
    ///
    /// # Errors
    /// If the text is not a submission. No output is written in this case.
    pub fn write_row(&mut self, json: &str) -> io::Result<()> {
        self.write_row_with_triage(json, &ExportedTriage::default(), &TriageNames::default())
    }

    /// Writes the row of a submission from its JSON, with its triage.
    ///
    /// # Errors
    /// As [`StoredCsvWriter::write_row`].
    pub fn write_row_with_triage(
        &mut self,
        json: &str,
        triage: &ExportedTriage,
        names: &TriageNames,
    ) -> io::Result<()> {
        if self.parts.read_submission(json, &self.keys).is_none() {
            return self.write_row_deserialised(json, triage, names);
        }
        let begin = self.cells.out.len();
        let mut is_first = true;
        for index in &self.cell_indexes {
            if !is_first {
                self.cells.out.push(b',');
            }
            is_first = false;
            let part = match index {
                CellIndex::Fixed(index) => self.parts.fixed[*index],
                CellIndex::Answer(index) => self.parts.answers[*index],
            };
            self.cells.push_cell(json, part);
        }
        for column in &self.triage_columns {
            if !is_first {
                self.cells.out.push(b',');
            }
            is_first = false;
            self.cells.push_text(&triage.cell(*column, names).text);
        }
        self.cells.end_row(begin);
        Ok(())
    }

    fn write_row_deserialised(
        &mut self,
        json: &str,
        triage: &ExportedTriage,
        names: &TriageNames,
    ) -> io::Result<()> {
        let submission: Submission = serde_json::from_str(json)?;
        let mut writer =
            CsvWriter::without_header(self.columns.clone(), self.cells.safe, Vec::new());
        writer.write_row_with(&submission, |column, cell| triage.cell_or(column, cell, names))?;
        self.cells.out.append(&mut writer.finish()?);
        Ok(())
    }

    /// Returns the output since the last call.
    pub fn take_output(&mut self) -> Vec<u8> {
        let bytes = self.cells.out.len();
        std::mem::replace(&mut self.cells.out, Vec::with_capacity(bytes + bytes / 8))
    }
}

/// Output of cells, with its settings.
struct CellWriter {
    safe: bool,
    out: Vec<u8>,
    scratch: Vec<u8>,
}

impl CellWriter {
    #[inline]
    fn push_cell(&mut self, json: &str, part: Part) {
        let text = &json.as_bytes()[part.text_range()];
        match part.kind() {
            PartKind::Absent | PartKind::Null => {}
            PartKind::Bare => self.out.extend_from_slice(text),
            PartKind::Fraction => {
                let number = serde_json::from_slice::<f64>(text).unwrap_or_default();
                self.out.extend_from_slice(number.to_string().as_bytes());
            }
            PartKind::Text | PartKind::List
                if part.has_unicode_escapes() || (self.safe && may_be_formula(text)) =>
            {
                self.scratch.clear();
                append_part(json, part, &mut self.scratch);
                self.push_scratch();
            }
            PartKind::Text | PartKind::List => {
                if part.needs_quotes() {
                    self.out.push(b'"');
                    self.push_quoted(json, part);
                    self.out.push(b'"');
                } else {
                    append_part(json, part, &mut self.out);
                }
            }
        }
    }

    /// Writes a cell whose text is not in the JSON. Numbers and booleans are no formulas.
    fn push_text(&mut self, text: &str) {
        self.scratch.clear();
        self.scratch.extend_from_slice(text.as_bytes());
        self.push_scratch();
    }

    /// Writes the text between quotes, which must not contain `\u` escapes.
    fn push_quoted(&mut self, json: &str, part: Part) {
        let out = &mut self.out;
        match part.kind() {
            PartKind::List => append_list(json, part, out, |item, out| {
                unescape(&json.as_bytes()[item.text_range()], true, out);
            }),
            _ => unescape(&json.as_bytes()[part.text_range()], true, out),
        }
    }

    /// Writes the text in `scratch`, quoted if necessary.
    fn push_scratch(&mut self) {
        let mut text = std::mem::take(&mut self.scratch);
        if self.safe
            && let Some(safe) = try_disarm_formulas(&text)
        {
            text = safe;
        }
        let needs_quotes = text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'));
        if needs_quotes {
            self.out.push(b'"');
        }
        for piece in text.split_inclusive(|byte| *byte == b'"') {
            self.out.extend_from_slice(piece);
            if piece.ends_with(b"\"") {
                self.out.push(b'"');
            }
        }
        if needs_quotes {
            self.out.push(b'"');
        }
        self.scratch = text;
    }

    /// Ends a row. A single empty cell is written as `""`, because an empty line is not a row.
    fn end_row(&mut self, begin: usize) {
        if self.out.len() == begin {
            self.out.extend_from_slice(b"\"\"");
        }
        self.out.extend_from_slice(b"\r\n");
    }
}

/// Returns whether a text or list in JSON form may contain a formula. False positives are allowed.
fn may_be_formula(written: &[u8]) -> bool {
    // The bytes include every start of a formula and of what may hide it: a list, white space, a
    // non-ASCII sign, an escape, or `;` as a separator.
    let has_formula_start =
        matches!(written.first(), Some(b'=' | b'+' | b'-' | b'@' | b'[' | b' ' | 0x80..));
    has_formula_start || written.iter().any(|byte| matches!(byte, b';' | b'\\'))
}

/// Appends the text form of a text or a list.
#[inline]
fn append_part(json: &str, part: Part, out: &mut Vec<u8>) {
    match part.kind() {
        PartKind::List => append_list(json, part, out, |item, out| append_text(json, item, out)),
        _ if part.is_escaped() => append_text(json, part, out),
        _ => out.extend_from_slice(&json.as_bytes()[part.text_range()]),
    }
}

/// Appends the items of a list, joined as in the text form of an answer.
fn append_list(json: &str, list: Part, out: &mut Vec<u8>, append: impl Fn(Part, &mut Vec<u8>)) {
    let mut is_first = true;
    each_item(json, list, |item| {
        if !is_first {
            out.extend_from_slice(b"; ");
        }
        is_first = false;
        if item.kind() != PartKind::Null {
            append(item, out);
        }
    });
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
