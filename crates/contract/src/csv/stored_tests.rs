//! Tests that reading in place gives the same bytes and errors as deserialising.

use super::*;
use crate::raw_submission::samples::{self, any_submission, damaged_submission};
use crate::triage::{CustomStatus, TriageSettings};
use crate::{Field, FieldId, Triage};
use proptest::prelude::*;

fn write_in_place(columns: &Columns, safe: bool, json: &str) -> Option<String> {
    let mut writer = StoredCsvWriter::new(columns.clone(), safe).unwrap();
    let _ = writer.take_output();
    writer.write_row(json).ok()?;
    Some(String::from_utf8(writer.take_output()).unwrap())
}

fn write_deserialised(columns: &Columns, safe: bool, json: &str) -> Option<String> {
    let submission: Submission = serde_json::from_str(json).ok()?;
    let mut writer = CsvWriter::without_header(columns.clone(), safe, Vec::new());
    writer.write_row(&submission).unwrap();
    Some(String::from_utf8(writer.finish().unwrap()).unwrap())
}

#[track_caller]
fn assert_same_output(fields: &[Field], json: &str) {
    let mut ids: Vec<FieldId> = fields.iter().map(|field| field.id.clone()).collect();
    ids.reverse();
    ids.truncate(3);
    for safe in [false, true] {
        for columns in [Columns::all(fields), Columns::for_fields(fields, &ids).unwrap()] {
            assert_eq!(
                write_in_place(&columns, safe, json),
                write_deserialised(&columns, safe, json),
                "{json}"
            );
        }
    }
}

#[test]
fn plain_submissions_are_read_in_place() {
    let fields = samples::fields();
    for row in samples::plain_submissions() {
        let json = serde_json::to_string(&row).unwrap();
        let keys = KeyLookup::new(fields.iter().map(|field| field.key.as_str()));
        assert!(
            FieldOffsets::default().read_submission(&json, &keys).is_some(),
            "not read in place: {json}"
        );
        assert_same_output(&fields, &json);
    }
}

#[test]
fn odd_texts_give_same_result() {
    for json in samples::odd_texts() {
        assert_same_output(&samples::fields(), &json);
    }
}

#[test]
fn header_row_equals_csv_writer() {
    let columns = Columns::all(&samples::fields());
    for safe in [false, true] {
        let mut stored = StoredCsvWriter::new(columns.clone(), safe).unwrap();
        let other = CsvWriter::new(columns.clone(), safe, Vec::new()).unwrap();
        assert_eq!(stored.take_output(), other.finish().unwrap());
    }
}

#[test]
fn empty_single_cell_is_a_row() {
    let fields = samples::fields();
    let columns = Columns::for_fields(&fields, &[fields[0].id.clone()]).unwrap();
    let mut row = samples::plain_submissions().swap_remove(0);
    row.answers.0.clear();
    let json = serde_json::to_string(&row).unwrap();
    assert_eq!(write_in_place(&columns, false, &json), Some("\"\"\r\n".to_owned()));
    assert_same_output(&fields, &json);
}

/// Returns triages: their cells need quotes, a guard against formulas, or neither.
fn any_triage() -> impl Strategy<Value = (ExportedTriage, TriageNames)> {
    let text = || "[a-z=@;,\"+-]{1,6}";
    let tags = proptest::collection::vec(text(), 0..3);
    let columns = proptest::sample::subsequence(&TriageColumn::ALL, 0..=5);
    let counts = (any::<bool>(), 0_u32..12);
    (columns, tags, text(), text(), counts).prop_map(|(columns, tags, status, member, counts)| {
        let triage = Triage {
            status: "waiting".parse().unwrap(),
            tags: tags.into_iter().filter_map(|tag| tag.try_into().ok()).collect(),
            assignee: counts.0.then(|| "psn_1".parse().unwrap()),
            starred: counts.0,
            ..Triage::default()
        };
        let exported = ExportedTriage::new(columns.into_iter().collect(), triage, counts.1);
        let waiting = CustomStatus { id: "waiting".parse().unwrap(), name: status };
        let settings = TriageSettings { statuses: vec![waiting], ..TriageSettings::default() };
        (exported, TriageNames::new(&settings, [("psn_1".parse().unwrap(), member)]))
    })
}

#[test]
fn triage_cells_are_last_and_guarded() {
    let fields = samples::fields();
    let all = TriageColumn::ALL.into_iter().collect();
    let ids = [fields[0].id.clone()];
    let columns = Columns::for_fields(&fields, &ids).unwrap().with_triage(all, &fields);
    let json = serde_json::to_string(&samples::plain_submissions()[0]).unwrap();
    let triage: Triage =
        serde_json::from_str(r#"{"status":"done","tags":["=1+1","a, b"],"starred":true}"#).unwrap();
    let mut writer = StoredCsvWriter::new(columns, true).unwrap();
    let exported = ExportedTriage::new(all, triage, 2);
    writer.write_row_with_triage(&json, &exported, &TriageNames::default()).unwrap();
    writer.write_row(&json).unwrap();
    let text = String::from_utf8(writer.take_output()).unwrap();
    assert!(text.contains(",status,tags,assignee,starred,notes_count\r\n"), "{text}");
    assert!(text.contains(",done,\"'=1+1; a, b\",,true,2\r\n"), "{text}");
    assert!(text.ends_with(",,,,,\r\n"), "{text}");
}

proptest! {
    #[test]
    fn triage_output_equals_csv_writer(
        (fields, row) in any_submission(), (triage, names) in any_triage(), safe: bool,
    ) {
        let all = TriageColumn::ALL.into_iter().collect();
        let columns = Columns::all(&fields).with_triage(all, &fields);
        let mut stored = StoredCsvWriter::new(columns.clone(), safe).unwrap();
        let json = serde_json::to_string(&row).unwrap();
        stored.write_row_with_triage(&json, &triage, &names).unwrap();
        let mut plain = CsvWriter::new(columns, safe, Vec::new()).unwrap();
        plain.write_row_with(&row, |column, cell| triage.cell_or(column, cell, &names)).unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        prop_assert_eq!(text(stored.take_output()), text(plain.finish().unwrap()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn output_equals_csv_writer((fields, row) in any_submission()) {
        assert_same_output(&fields, &serde_json::to_string(&row).unwrap());
    }

    #[test]
    fn damaged_text_gives_same_result((fields, json) in damaged_submission()) {
        assert_same_output(&fields, &json);
    }
}
