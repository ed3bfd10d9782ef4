//! Tests that [`StoredJsonWriter`], which copies stored JSON, writes the same as [`JsonWriter`],
//! which serialises each submission.

use super::*;
use crate::raw_submission::samples::{self, any_submission, damaged_submission};
use crate::triage::TriageColumn;
use crate::{Submission, Triage};
use proptest::prelude::*;

/// Returns three queries: for all fields, for all fields listed in reverse order, and for every
/// second field.
fn export_queries(fields: &[Field]) -> Vec<ExportQuery> {
    let ids = |step: usize| fields.iter().rev().step_by(step).map(|field| field.id.clone());
    let listed = [1, 2].map(|step| Some(ids(step).collect::<Vec<_>>()));
    let lists = [None].into_iter().chain(listed);
    lists.map(|fields| ExportQuery { fields, ..ExportQuery::default() }).collect()
}

fn export_time() -> Timestamp {
    Timestamp::parse("2026-04-01").unwrap()
}

fn write_copied(fields: &[Field], query: &ExportQuery, json: &str) -> Option<String> {
    let form = "frm_1".parse().unwrap();
    let mut writer = StoredJsonWriter::new(form, fields, query, export_time()).unwrap();
    let mut bytes = writer.take_output();
    writer.write_row(json).ok()?;
    bytes.extend(writer.take_output());
    bytes.extend(writer.finish());
    Some(String::from_utf8(bytes).unwrap())
}

fn write_deserialised(fields: &[Field], query: &ExportQuery, json: &str) -> Option<String> {
    let row: Submission = serde_json::from_str(json).ok()?;
    let mut writer =
        JsonWriter::new("frm_1".parse().unwrap(), fields, query, export_time()).unwrap();
    writer.write_row(&row);
    Some(String::from_utf8(writer.finish()).unwrap())
}

/// Returns the content of an export, independent of its formatting.
fn parse_export(export: Option<String>) -> Option<serde_json::Value> {
    let mut export: serde_json::Value = serde_json::from_str(&export?).unwrap();
    let row: Submission = serde_json::from_value(export["data"][0].take()).unwrap();
    export["data"][0] = serde_json::to_value(&row).unwrap();
    Some(export)
}

#[test]
fn invalid_submission_is_rejected_without_output() {
    let fields = samples::fields();
    for query in export_queries(&fields) {
        let form = "frm_1".parse().unwrap();
        let mut writer = StoredJsonWriter::new(form, &fields, &query, export_time()).unwrap();
        let _ = writer.take_output();
        for bad in ["", "[]", "{", "null", "{\"id\":1"] {
            assert!(writer.write_row(bad).is_err(), "{bad:?} was accepted");
        }
        assert_eq!(writer.take_output(), b"");
        assert!(String::from_utf8(writer.finish()).unwrap().contains("\"count\":0"));
    }
}

#[test]
fn triage_is_the_last_member() {
    let fields = samples::fields();
    let columns = [TriageColumn::Assignee, TriageColumn::Status].into_iter().collect();
    let triage = ExportedTriage::new(columns, Triage::default(), 0);
    for query in export_queries(&fields) {
        let form: FormId = "frm_1".parse().unwrap();
        let mut stored =
            StoredJsonWriter::new(form.clone(), &fields, &query, export_time()).unwrap();
        let mut plain = JsonWriter::new(form, &fields, &query, export_time()).unwrap();
        for row in samples::plain_submissions() {
            let json = serde_json::to_string(&row).unwrap();
            stored.write_row_with_triage(&json, &triage).unwrap();
            plain.write_row_with_triage(&row, &triage);
        }
        let bytes = plain.finish();
        assert_eq!(stored.finish(), bytes);
        let text = String::from_utf8(bytes).unwrap();
        let count = samples::plain_submissions().len();
        let member = r#","triage":{"status":"open","assignee":null}}"#;
        assert_eq!(text.lines().filter(|line| line.contains(member)).count(), count);
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn output_equals_json_writer((fields, row) in any_submission()) {
        let json = serde_json::to_string(&row).unwrap();
        for query in export_queries(&fields) {
            prop_assert_eq!(write_copied(&fields, &query, &json), write_deserialised(&fields, &query, &json));
        }
    }

    #[test]
    fn damaged_text_gives_same_content((fields, json) in damaged_submission()) {
        // Without listed fields, the writer copies the text without parsing it.
        for query in export_queries(&fields).iter().filter(|query| query.fields.is_some()) {
            prop_assert_eq!(
                parse_export(write_copied(&fields, query, &json)),
                parse_export(write_deserialised(&fields, query, &json))
            );
        }
    }
}
