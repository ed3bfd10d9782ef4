//! Tests that reading in place gives the same bytes and errors as deserialising.

use super::*;
use crate::stored::samples::{self, hostile, submission};
use crate::{Field, FieldId};
use proptest::prelude::*;

fn in_place(columns: &Columns, safe: bool, json: &str) -> Option<String> {
    let mut writer = StoredCsvWriter::new(columns.clone(), safe).unwrap();
    let _ = writer.take();
    writer.row(json).ok()?;
    Some(String::from_utf8(writer.take()).unwrap())
}

fn whole(columns: &Columns, safe: bool, json: &str) -> Option<String> {
    let submission: Submission = serde_json::from_str(json).ok()?;
    let mut writer = CsvWriter::headless(columns.clone(), safe, Vec::new());
    writer.row(&submission).unwrap();
    Some(String::from_utf8(writer.finish().unwrap()).unwrap())
}

#[track_caller]
fn check(fields: &[Field], json: &str) {
    let mut ids: Vec<FieldId> = fields.iter().map(|field| field.id.clone()).collect();
    ids.reverse();
    ids.truncate(3);
    for safe in [false, true] {
        for columns in [Columns::whole(fields), Columns::listed(fields, &ids).unwrap()] {
            assert_eq!(in_place(&columns, safe, json), whole(&columns, safe, json), "{json}");
        }
    }
}

#[test]
fn plain_submissions_are_read_in_place() {
    let fields = samples::fields();
    for row in samples::plain() {
        let json = serde_json::to_string(&row).unwrap();
        let keys = Keys::new(fields.iter().map(|field| field.key.as_str()));
        assert!(Parts::default().read(&json, &keys).is_some(), "not read in place: {json}");
        check(&fields, &json);
    }
}

#[test]
fn odd_texts_give_same_result() {
    for json in samples::odd() {
        check(&samples::fields(), &json);
    }
}

#[test]
fn header_row_equals_csv_writer() {
    let columns = Columns::whole(&samples::fields());
    for safe in [false, true] {
        let mut stored = StoredCsvWriter::new(columns.clone(), safe).unwrap();
        let other = CsvWriter::new(columns.clone(), safe, Vec::new()).unwrap();
        assert_eq!(stored.take(), other.finish().unwrap());
    }
}

#[test]
fn empty_single_cell_is_a_row() {
    let fields = samples::fields();
    let columns = Columns::listed(&fields, &[fields[0].id.clone()]).unwrap();
    let mut row = samples::plain().swap_remove(0);
    row.answers.0.clear();
    let json = serde_json::to_string(&row).unwrap();
    assert_eq!(in_place(&columns, false, &json), Some("\"\"\r\n".to_owned()));
    check(&fields, &json);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn output_equals_csv_writer((fields, row) in submission()) {
        check(&fields, &serde_json::to_string(&row).unwrap());
    }

    #[test]
    fn damaged_text_gives_same_result((fields, json) in hostile()) {
        check(&fields, &json);
    }
}
