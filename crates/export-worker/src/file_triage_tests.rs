//! Tests that files with columns of the triage equal those of the server.

use super::*;
use contract::csv::StoredCsvWriter;
use contract::json::StoredJsonWriter;
use contract::triage::{ExportedTriage, TriageColumn};

/// Returns a task with all columns of the triage, and a custom status and a member with names.
fn triage_task(format: Format) -> ExportTask {
    let settings = r#"{"statuses":[{"id":"waiting","name":"=Waits"}]}"#;
    let settings = serde_json::from_str(settings).unwrap();
    let member = ("psn_1".parse().unwrap(), "ada@example.com".to_owned());
    ExportTask {
        triage: TriageColumn::ALL.into_iter().collect(),
        triage_names: TriageNames::new(&settings, [member]),
        ..task(format)
    }
}

fn rows_with_triage() -> Vec<(Submission, ExportedTriage)> {
    let triage = [
        r#"{"status":"waiting","tags":["a, b","c"],"assignee":"psn_1","starred":true,
            "notes_count":2}"#,
        r#"{"status":"open","tags":[],"assignee":null,"starred":false,"notes_count":0}"#,
    ];
    let parse = |(n, json): (usize, &str)| (row(n, "x"), serde_json::from_str(json).unwrap());
    triage.into_iter().enumerate().map(parse).collect()
}

fn write_file(task: &ExportTask) -> Vec<u8> {
    let mut file = ExportFile::new(task, &fields(), began(), None).unwrap();
    for (row, triage) in rows_with_triage() {
        file.write_row(&row, Some(&triage), &mut |_| 0).unwrap();
    }
    file.finish().unwrap().0
}

#[test]
fn csv_with_triage_equals_server_output() {
    let task = triage_task(Format::Csv);
    let columns = Columns::all(&fields()).with_triage(task.triage, &fields());
    let mut server = StoredCsvWriter::new(columns, task.safe).unwrap();
    for (row, triage) in rows_with_triage() {
        let json = serde_json::to_string(&row).unwrap();
        server.write_row_with_triage(&json, &triage, &task.triage_names).unwrap();
    }
    let text = String::from_utf8(write_file(&task)).unwrap();
    assert_eq!(text, String::from_utf8(server.take_output()).unwrap());
    assert!(text.contains(",'=Waits,\"a, b; c\",ada@example.com,true,2\r\n"), "{text}");
    assert!(text.ends_with(",open,,,false,0\r\n"), "{text}");
}

#[test]
fn json_lines_with_triage_equal_server_output() {
    let query = ExportQuery::parse("format=json").unwrap();
    let form = "frm_1".parse().unwrap();
    let mut server = StoredJsonWriter::new(form, &fields(), &query, began()).unwrap();
    for (row, triage) in rows_with_triage() {
        server.write_row_with_triage(&serde_json::to_string(&row).unwrap(), &triage).unwrap();
    }
    let json = String::from_utf8(server.finish()).unwrap();
    assert_eq!(String::from_utf8(write_file(&triage_task(Format::Json))).unwrap(), json);
    let lines = String::from_utf8(write_file(&triage_task(Format::Ndjson))).unwrap();
    let of_server = json.lines().skip(1).take(2).map(|line| line.trim_end_matches(','));
    assert!(lines.lines().eq(of_server), "{lines}");
    assert!(lines.contains(r#""triage":{"status":"waiting","tags":["a, b","c"],"#));
}

#[test]
fn workbook_has_typed_triage_cells() {
    let file = write_file(&triage_task(Format::Xlsx));
    let worksheet = crate::xlsx::tests::read_worksheet(&file, "sheet1");
    assert!(worksheet.contains("notes_count") && worksheet.contains("ada@example.com"));
    assert!(worksheet.contains("t=\"b\"><v>1</v></c>"), "{worksheet}");
    assert!(worksheet.contains("<v>2</v></c></row>"), "{worksheet}");
}
