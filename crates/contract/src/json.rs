//! The JSON of an export: `{"data":[…],"export":{…}}`, the trailer last (additive shape, §4.4).
//!
//! A file that was cut on its way has no trailer and is no JSON, so nobody takes it for the whole.

use crate::{Answers, ExportQuery, Field, FieldId, Filter, FormId, Submission, Timestamp};
use serde::{Deserialize, Serialize};

mod stored;

pub use stored::StoredJsonWriter;

/// What stands behind the submissions: what was asked for, and how many came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportTrailer {
    /// The exported form.
    pub form_id: FormId,
    /// When the export began.
    pub exported_at: Timestamp,
    /// The filter's first instant.
    pub date_from: Option<Timestamp>,
    /// The instant before which the filter ends.
    pub date_to: Option<Timestamp>,
    /// The fields asked for; `null` is all.
    pub fields: Option<Vec<FieldId>>,
    /// How many submissions stand in `data`.
    pub count: u64,
}

/// Writes submissions as the JSON of an export, into a buffer that is taken as it fills.
pub struct JsonWriter {
    keys: Option<Vec<String>>,
    trailer: ExportTrailer,
    out: Vec<u8>,
}

impl JsonWriter {
    /// Returns a writer for a form and its query, with the opening written.
    ///
    /// # Errors
    /// The first listed field that is none of the form's.
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

    /// Returns the writer as one that has written so many submissions already, in a file that this
    /// one goes on with.
    #[must_use]
    pub fn after(mut self, count: u64) -> Self {
        self.out.clear();
        self.trailer.count = count;
        self
    }

    /// Writes one submission. With listed fields, `answers` holds these alone, in that order.
    pub fn row(&mut self, submission: &Submission) {
        match &self.keys {
            None => self.push(submission),
            Some(keys) => {
                let pick = |key: &String| {
                    submission.answers.0.get_key_value(key).map(|(k, v)| (k.clone(), v.clone()))
                };
                let answers = Answers(keys.iter().filter_map(pick).collect());
                self.push(&Submission { answers, ..submission.clone() });
            }
        }
    }

    fn push(&mut self, submission: &Submission) {
        self.begin_row();
        write_json(&mut self.out, submission);
    }

    fn begin_row(&mut self) {
        self.out.extend_from_slice(if self.trailer.count == 0 { b"\n" } else { b",\n" });
        self.trailer.count += 1;
    }

    /// Returns what was written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Returns how many bytes wait to be taken.
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

/// Our own types have string keys and finite numbers, so writing them to memory cannot fail.
fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    if let Err(error) = serde_json::to_writer(out, value) {
        unreachable!("a wire type did not serialise: {error}");
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
    fn is_one_object_with_the_trailer_last() {
        let mut out = writer("format=json&date_from=2026-01-01").unwrap();
        let rows = [submission("sub_2"), submission("sub_1")];
        let mut bytes = out.take();
        for row in &rows {
            out.row(row);
            bytes.extend(out.take());
        }
        bytes.extend(out.finish());
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.ends_with(
            "],\"export\":{\"form_id\":\"frm_1\",\"exported_at\":\"2026-04-01T00:00:00Z\",\
             \"date_from\":\"2026-01-01T00:00:00Z\",\"date_to\":null,\"fields\":null,\"count\":2}}\n"
        ));
        let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
        let data: Vec<Submission> = serde_json::from_value(whole["data"].clone()).unwrap();
        assert_eq!(data, rows);
        assert!(serde_json::from_str::<serde_json::Value>(&text[..text.len() - 3]).is_err());
    }

    #[test]
    fn a_writer_that_goes_on_leaves_no_seam() {
        let rows = [submission("sub_2"), submission("sub_1")];
        for parted in 0..=2 {
            let mut first = writer("format=json").unwrap();
            for row in &rows[..parted] {
                first.row(row);
            }
            let mut bytes = first.take();
            let mut second = writer("format=json").unwrap().after(parted as u64);
            for row in &rows[parted..] {
                second.row(row);
            }
            bytes.extend(second.finish());
            let mut copy = writer("format=json").unwrap();
            for row in &rows {
                copy.row(row);
            }
            assert_eq!(bytes, copy.finish(), "{parted}");
        }
    }

    #[test]
    fn an_export_of_nothing_is_whole() {
        let out = writer("").unwrap().finish();
        let whole: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(whole["data"], serde_json::json!([]));
        assert_eq!(whole["export"]["count"], 0);
    }

    #[test]
    fn listed_fields_are_the_only_answers() {
        let mut out = writer("fields=fld_b").unwrap();
        out.row(&submission("sub_1"));
        let whole: serde_json::Value = serde_json::from_slice(&out.finish()).unwrap();
        assert_eq!(whole["data"][0]["answers"].to_string(), r#"{"b":1.50}"#);
        assert_eq!(whole["export"]["fields"], serde_json::json!(["fld_b"]));
        assert_eq!(writer("fields=fld_z").err(), Some("fld_z".parse().unwrap()));
    }
}
