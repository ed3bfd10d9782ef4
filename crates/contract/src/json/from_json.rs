//! JSON exports from stored JSON, copied byte by byte.
//!
//! A row becomes a [`crate::Submission`] only if its JSON differs from our own serialisation.

use super::JsonWriter;
use crate::raw_submission::{FieldOffsets, KeyLookup, PartKind};
use crate::triage::ExportedTriage;
use crate::{ExportQuery, Field, FieldId, FormId, Timestamp};
use std::io;

/// Writes submissions as a JSON export from their JSON.
pub struct StoredJsonWriter {
    writer: JsonWriter,
    keys: KeyLookup,
    /// Indexes of the listed answers among the form's keys.
    answer_indexes: Vec<usize>,
    parts: FieldOffsets,
}

impl StoredJsonWriter {
    /// Creates a writer and writes the opening, as [`JsonWriter::new`].
    ///
    /// # Errors
    /// The first listed field that is not a field of the form.
    pub fn new(
        form_id: FormId,
        fields: &[Field],
        query: &ExportQuery,
        exported_at: Timestamp,
    ) -> Result<Self, FieldId> {
        let writer = JsonWriter::new(form_id, fields, query, exported_at)?;
        let keys = KeyLookup::new(fields.iter().map(|field| field.key.as_str()));
        let listed = writer.keys.as_deref().unwrap_or_default();
        let mut places = Vec::with_capacity(listed.len());
        for place in listed.iter().filter_map(|key| keys.index_of(key)) {
            // An object contains each key once.
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(Self { writer, keys, answer_indexes: places, parts: FieldOffsets::default() })
    }

    /// Writes a submission: its JSON, without answers that are not listed.
    ///
    /// # Errors
    /// If the text is not a JSON object or, if fields are listed, not a submission. No output is
    /// written in this case. Without listed fields, only the outer braces are checked.
    pub fn write_row(&mut self, json: &str) -> io::Result<()> {
        if self.writer.keys.is_none() {
            if !(json.starts_with('{') && json.ends_with('}')) {
                return Err(io::Error::other("a submission is not a JSON object"));
            }
            self.writer.begin_row();
            self.writer.out.extend_from_slice(json.as_bytes());
        } else if self.parts.read_submission(json, &self.keys).is_some() {
            self.writer.begin_row();
            self.push_listed(json);
        } else {
            self.writer.write_row(&serde_json::from_str(json)?);
        }
        Ok(())
    }

    /// Writes a submission as [`StoredJsonWriter::write_row`], with its triage as the last member.
    ///
    /// # Errors
    /// As [`StoredJsonWriter::write_row`].
    pub fn write_row_with_triage(&mut self, json: &str, triage: &ExportedTriage) -> io::Result<()> {
        self.write_row(json)?;
        self.writer.append_triage(triage);
        Ok(())
    }

    fn push_listed(&mut self, json: &str) {
        let out = &mut self.writer.out;
        let members = &self.parts.answers_range;
        out.extend_from_slice(&json.as_bytes()[..members.start]);
        let mut is_first = true;
        for &place in &self.answer_indexes {
            let part = self.parts.answers[place];
            if part.kind() == PartKind::Absent {
                continue;
            }
            out.extend_from_slice(if is_first { b"\"" } else { b",\"" });
            is_first = false;
            out.extend_from_slice(self.keys.json_key(place).as_bytes());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(&json.as_bytes()[part.json_range()]);
        }
        out.extend_from_slice(&json.as_bytes()[members.end..]);
    }

    /// Returns the output since the last call.
    pub fn take_output(&mut self) -> Vec<u8> {
        let bytes = self.writer.out.len();
        std::mem::replace(&mut self.writer.out, Vec::with_capacity(bytes + bytes / 8))
    }

    /// Writes the trailer and returns the last bytes.
    pub fn finish(self) -> Vec<u8> {
        self.writer.finish()
    }
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
