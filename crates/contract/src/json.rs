//! JSON exports: `{"data":[…],"export":{…}}`, with the trailer last (specification, section
//! 4.4; the trailer is an addition).
//!
//! A truncated file has no trailer and is invalid JSON, so it cannot be mistaken for a complete
//! one.

use crate::triage::ExportedTriage;
use crate::{Answers, ExportQuery, Field, FieldId, Filter, FormId, Submission, Timestamp};
use serde::{Deserialize, Serialize};

mod from_json;

pub use from_json::StoredJsonWriter;

/// Trailer after the submissions: the query and the number of submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportTrailer {
    /// Identifier of the form.
    pub form_id: FormId,
    /// Start time of the export.
    pub exported_at: Timestamp,
    /// First instant of the filter.
    pub date_from: Option<Timestamp>,
    /// End of the filter, exclusive.
    pub date_to: Option<Timestamp>,
    /// Exported fields; `null` means all.
    pub fields: Option<Vec<FieldId>>,
    /// Number of submissions in `data`.
    pub count: u64,
}

/// Writes submissions as a JSON export into a buffer that the caller empties.
pub struct JsonWriter {
    keys: Option<Vec<String>>,
    trailer: ExportTrailer,
    out: Vec<u8>,
}

impl JsonWriter {
    /// Creates a writer for a form and a query, and writes the opening.
    ///
    /// # Errors
    /// The first listed field that is not a field of the form.
    pub fn new(
        form_id: FormId,
        fields: &[Field],
        query: &ExportQuery,
        exported_at: Timestamp,
    ) -> Result<Self, FieldId> {
        let key = |id: &FieldId| {
            let field = fields.iter().find(|field| field.id == *id);
            field.map(|field| field.key.clone()).ok_or_else(|| id.clone())
        };
        let keys = match &query.fields {
            Some(ids) => Some(ids.iter().map(key).collect::<Result<_, _>>()?),
            None => None,
        };
        let Filter { date_from, date_to, .. } = query.filter;
        let fields = query.fields.clone();
        let trailer = ExportTrailer { form_id, exported_at, date_from, date_to, fields, count: 0 };
        Ok(Self { keys, trailer, out: b"{\"data\":[".to_vec() })
    }

    /// Returns the writer as the continuation of a file that already contains `count` submissions.
    #[must_use]
    pub fn continue_after(mut self, count: u64) -> Self {
        self.out.clear();
        self.trailer.count = count;
        self
    }

    /// Writes one submission. If fields are listed, `answers` contains only these, in this order.
    pub fn write_row(&mut self, submission: &Submission) {
        match &self.keys {
            None => self.write_submission(submission),
            Some(keys) => {
                let pick = |key: &String| {
                    submission
                        .answers
                        .0
                        .get_key_value(key)
                        .map(|(name, value)| (name.clone(), value.clone()))
                };
                let answers = Answers(keys.iter().filter_map(pick).collect());
                self.write_submission(&Submission { answers, ..submission.clone() });
            }
        }
    }

    /// Writes one submission, with its triage as the last member.
    pub fn write_row_with_triage(&mut self, submission: &Submission, triage: &ExportedTriage) {
        self.write_row(submission);
        self.append_triage(triage);
    }

    /// Inserts a member before the closing brace of the last submission.
    fn append_triage(&mut self, triage: &ExportedTriage) {
        self.out.pop();
        self.out.extend_from_slice(b",\"triage\":");
        write_json(&mut self.out, triage);
        self.out.push(b'}');
    }

    fn write_submission(&mut self, submission: &Submission) {
        self.begin_row();
        write_json(&mut self.out, submission);
    }

    fn begin_row(&mut self) {
        self.out.extend_from_slice(if self.trailer.count == 0 { b"\n" } else { b",\n" });
        self.trailer.count += 1;
    }

    /// Returns the output since the last call.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Returns the size of the buffered output, in bytes.
    pub fn pending_bytes(&self) -> usize {
        self.out.len()
    }

    /// Writes the trailer and returns the last bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(b"\n],\"export\":");
        write_json(&mut self.out, &self.trailer);
        self.out.extend_from_slice(b"}\n");
        self.out
    }
}

/// Serialises to memory. This cannot fail, because our types have string keys and finite numbers.
fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    if let Err(error) = serde_json::to_writer(out, value) {
        unreachable!("serialisation failed: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FieldType, Metadata};

    fn submission(id: &str) -> Submission {
        let answers = serde_json::from_str(r#"{"a":"x","b":1.50}"#).unwrap();
        Submission {
            id: id.parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers,
            metadata: Metadata::at(Timestamp::parse("2026-03-01").unwrap()),
            ai_insights: None,
        }
    }

    fn writer(query: &str) -> Result<JsonWriter, FieldId> {
        let field = |key: &str| Field {
            id: format!("fld_{key}").parse().unwrap(),
            key: key.to_owned(),
            name: key.to_owned(),
            kind: FieldType::Text,
            hidden: false,
        };
        let at = Timestamp::parse("2026-04-01").unwrap();
        let query = ExportQuery::parse(query).unwrap();
        JsonWriter::new("frm_1".parse().unwrap(), &[field("a"), field("b")], &query, at)
    }

    #[test]
    fn export_is_one_object_with_trailer() {
        let mut out = writer("format=json&date_from=2026-01-01").unwrap();
        let rows = [submission("sub_2"), submission("sub_1")];
        let mut bytes = out.take_output();
        for row in &rows {
            out.write_row(row);
            bytes.extend(out.take_output());
        }
        bytes.extend(out.finish());
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.ends_with(
            "],\"export\":{\"form_id\":\"frm_1\",\"exported_at\":\"2026-04-01T00:00:00Z\",\
             \"date_from\":\"2026-01-01T00:00:00Z\",\"date_to\":null,\"fields\":null,\"count\":2}}\n"
        ));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let data: Vec<Submission> = serde_json::from_value(json["data"].clone()).unwrap();
        assert_eq!(data, rows);
        assert!(serde_json::from_str::<serde_json::Value>(&text[..text.len() - 3]).is_err());
    }

    #[test]
    fn continued_export_equals_single_export() {
        let rows = [submission("sub_2"), submission("sub_1")];
        for parted in 0..=2 {
            let mut first = writer("format=json").unwrap();
            for row in &rows[..parted] {
                first.write_row(row);
            }
            let mut bytes = first.take_output();
            let mut second = writer("format=json").unwrap().continue_after(parted as u64);
            for row in &rows[parted..] {
                second.write_row(row);
            }
            bytes.extend(second.finish());
            let mut copy = writer("format=json").unwrap();
            for row in &rows {
                copy.write_row(row);
            }
            assert_eq!(bytes, copy.finish(), "{parted}");
        }
    }

    #[test]
    fn empty_export_is_valid() {
        let out = writer("").unwrap().finish();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(json["data"], serde_json::json!([]));
        assert_eq!(json["export"]["count"], 0);
    }

    #[test]
    fn only_listed_fields_are_exported() {
        let mut out = writer("fields=fld_b").unwrap();
        out.write_row(&submission("sub_1"));
        let json: serde_json::Value = serde_json::from_slice(&out.finish()).unwrap();
        assert_eq!(json["data"][0]["answers"].to_string(), r#"{"b":1.50}"#);
        assert_eq!(json["export"]["fields"], serde_json::json!(["fld_b"]));
        assert_eq!(writer("fields=fld_z").err(), Some("fld_z".parse().unwrap()));
    }
}
