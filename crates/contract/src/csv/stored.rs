//! The same CSV from submissions as they are kept: as JSON, read in place.
//!
//! Writes the bytes of [`CsvWriter`] without making a [`Submission`] of each row. What cannot be
//! read in place is read whole and handed to that writer.

use super::{CsvWriter, runs};
use crate::columns::Source;
use crate::stored::{Keys, Kind, Part, Parts, each_item, unescape};
use crate::{Columns, Submission};
use std::io;

/// Writes submissions as rows of CSV, from their JSON.
pub struct StoredCsvWriter {
    columns: Columns,
    /// Where each column's cells are among [`Parts`].
    places: Vec<Place>,
    keys: Keys,
    parts: Parts,
    cells: Cells,
}

enum Place {
    Fixed(usize),
    Answer(usize),
}

impl StoredCsvWriter {
    /// Returns a writer that has written the header row, as [`CsvWriter::new`].
    ///
    /// # Errors
    /// None in practice: a vector takes everything.
    pub fn new(columns: Columns, safe: bool) -> io::Result<Self> {
        let out = CsvWriter::new(columns.clone(), safe, Vec::new())?.finish()?;
        let keys = Keys::new(columns.keys());
        let place = |source: &Source| match source {
            Source::Fixed(fixed) => Some(Place::Fixed(*fixed as usize)),
            Source::Answer(key) => keys.place(key).map(Place::Answer),
        };
        let places = columns.iter().filter_map(|column| place(&column.source)).collect();
        let cells = Cells { safe, out, scratch: Vec::new() };
        Ok(Self { columns, places, keys, parts: Parts::default(), cells })
    }

    /// Writes the row of a submission from its JSON.
    ///
    /// # Errors
    /// A text that is no submission. Nothing of it was written.
    pub fn row(&mut self, json: &str) -> io::Result<()> {
        if self.parts.read(json, &self.keys).is_none() {
            return self.row_read_whole(json);
        }
        let begin = self.cells.out.len();
        let mut is_first = true;
        for place in &self.places {
            if !is_first {
                self.cells.out.push(b',');
            }
            is_first = false;
            let part = match place {
                Place::Fixed(place) => self.parts.fixed[*place],
                Place::Answer(place) => self.parts.answers[*place],
            };
            self.cells.push(json, part);
        }
        self.cells.end_row(begin);
        Ok(())
    }

    fn row_read_whole(&mut self, json: &str) -> io::Result<()> {
        let submission: Submission = serde_json::from_str(json)?;
        let mut writer = CsvWriter::headless(self.columns.clone(), self.cells.safe, Vec::new());
        writer.row(&submission)?;
        self.cells.out.append(&mut writer.finish()?);
        Ok(())
    }

    /// Returns what was written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        let bytes = self.cells.out.len();
        std::mem::replace(&mut self.cells.out, Vec::with_capacity(bytes))
    }
}

/// The cells written, and how.
struct Cells {
    safe: bool,
    out: Vec<u8>,
    scratch: Vec<u8>,
}

impl Cells {
    fn push(&mut self, json: &str, part: Part) {
        let text = &json.as_bytes()[part.inner()];
        match part.kind {
            Kind::Absent | Kind::Null => {}
            Kind::Bare => self.out.extend_from_slice(text),
            Kind::Text => {
                self.disarm(text);
                self.out.extend_from_slice(text);
            }
            Kind::Comma => {
                self.out.push(b'"');
                self.disarm(text);
                self.out.extend_from_slice(text);
                self.out.push(b'"');
            }
            Kind::Fraction => {
                let number = serde_json::from_slice::<f64>(text).unwrap_or_default();
                self.out.extend_from_slice(number.to_string().as_bytes());
            }
            Kind::Escaped | Kind::Coded => {
                self.scratch.clear();
                unescape(json, part, &mut self.scratch);
                self.push_scratch();
            }
            Kind::List => {
                self.scratch.clear();
                join(json, part, &mut self.scratch);
                self.push_scratch();
            }
        }
    }

    /// Writes the text that was put together, in quotes where it needs them.
    fn push_scratch(&mut self) {
        let text = std::mem::take(&mut self.scratch);
        if text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
            self.out.push(b'"');
            self.disarm(&text);
            for piece in text.split_inclusive(|byte| *byte == b'"') {
                self.out.extend_from_slice(piece);
                if piece.ends_with(b"\"") {
                    self.out.push(b'"');
                }
            }
            self.out.push(b'"');
        } else {
            self.disarm(&text);
            self.out.extend_from_slice(&text);
        }
        self.scratch = text;
    }

    fn disarm(&mut self, text: &[u8]) {
        if self.safe && runs(text) {
            self.out.push(b'\'');
        }
    }

    /// Ends a row. One cell that is empty is written as such: the line would be no row otherwise.
    fn end_row(&mut self, begin: usize) {
        if self.out.len() == begin {
            self.out.extend_from_slice(b"\"\"");
        }
        self.out.extend_from_slice(b"\r\n");
    }
}

/// Appends the items of a list, joined as an answer reads.
fn join(json: &str, list: Part, out: &mut Vec<u8>) {
    let mut is_first = true;
    each_item(json, list, |item| {
        if !is_first {
            out.extend_from_slice(b"; ");
        }
        is_first = false;
        match item.kind {
            Kind::Escaped | Kind::Coded => unescape(json, item, out),
            Kind::Null => {}
            _ => out.extend_from_slice(&json.as_bytes()[item.inner()]),
        }
    });
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
