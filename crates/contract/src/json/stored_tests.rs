//! Tests that copying stored JSON gives the same output as serialising again.

use super::*;
use crate::Submission;
use crate::stored::samples::{self, hostile, submission};
use proptest::prelude::*;

fn queries(fields: &[Field]) -> Vec<ExportQuery> {
    let ids = |step: usize| fields.iter().rev().step_by(step).map(|field| field.id.clone());
    let listed = [1, 2].map(|step| Some(ids(step).collect::<Vec<_>>()));
    let all = [None].into_iter().chain(listed);
    all.map(|fields| ExportQuery { fields, ..ExportQuery::default() }).collect()
}

fn at() -> Timestamp {
    Timestamp::parse("2026-04-01").unwrap()
}

fn passed_on(fields: &[Field], query: &ExportQuery, json: &str) -> Option<String> {
    let form = "frm_1".parse().unwrap();
    let mut writer = StoredJsonWriter::new(form, fields, query, at()).unwrap();
    let mut bytes = writer.take();
    writer.row(json).ok()?;
    bytes.extend(writer.take());
    bytes.extend(writer.finish());
    Some(String::from_utf8(bytes).unwrap())
}

fn anew(fields: &[Field], query: &ExportQuery, json: &str) -> Option<String> {
    let row: Submission = serde_json::from_str(json).ok()?;
    let mut writer = JsonWriter::new("frm_1".parse().unwrap(), fields, query, at()).unwrap();
    writer.row(&row);
    Some(String::from_utf8(writer.finish()).unwrap())
}

/// Returns the content of an export, independent of its formatting.
fn meaning(export: Option<String>) -> Option<serde_json::Value> {
    let mut export: serde_json::Value = serde_json::from_str(&export?).unwrap();
    let row: Submission = serde_json::from_value(export["data"][0].take()).unwrap();
    export["data"][0] = serde_json::to_value(&row).unwrap();
    Some(export)
}

#[test]
fn invalid_submission_is_rejected_without_output() {
    let fields = samples::fields();
    for query in queries(&fields) {
        let form = "frm_1".parse().unwrap();
        let mut writer = StoredJsonWriter::new(form, &fields, &query, at()).unwrap();
        let _ = writer.take();
        for bad in ["", "[]", "{", "null", "{\"id\":1"] {
            assert!(writer.row(bad).is_err(), "{bad:?} was accepted");
        }
        assert_eq!(writer.take(), b"");
        assert!(String::from_utf8(writer.finish()).unwrap().contains("\"count\":0"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn output_equals_json_writer((fields, row) in submission()) {
        let json = serde_json::to_string(&row).unwrap();
        for query in queries(&fields) {
            prop_assert_eq!(passed_on(&fields, &query, &json), anew(&fields, &query, &json));
        }
    }

    #[test]
    fn damaged_text_gives_same_content((fields, json) in hostile()) {
        for query in queries(&fields).iter().filter(|query| query.fields.is_some()) {
            prop_assert_eq!(
                meaning(passed_on(&fields, query, &json)),
                meaning(anew(&fields, query, &json))
            );
        }
    }
}
