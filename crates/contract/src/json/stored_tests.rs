//! Tests that [`StoredJsonWriter`], which copies stored JSON, writes the same as [`JsonWriter`],
//! which serialises each submission.

use super::*;
use crate::Submission;
use crate::raw_submission::samples::{self, any_submission, damaged_submission};
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
