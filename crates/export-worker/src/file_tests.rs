//! Tests that a file has the expected bytes, also if it was saved and resumed.

#[path = "file_triage_tests.rs"]
mod triage;

use super::*;
use crate::saved_export::SavedExport;
use contract::{
    Environment, Plan,
    triage::{TriageColumns, TriageNames},
};
use proptest::prelude::*;

fn field(key: &str, kind: FieldType) -> Field {
    let id = format!("fld_{key}").parse().unwrap();
    Field { id, key: key.to_owned(), name: format!("The {key}"), kind, hidden: false }
}

fn fields() -> Vec<Field> {
    vec![field("a", FieldType::Text), field("n", FieldType::Number), field("d", FieldType::Date)]
}

fn task(format: Format) -> ExportTask {
    ExportTask {
        account: "acc_1".parse().unwrap(),
        environment: Environment::Live,
        form: "frm_1".parse().unwrap(),
        fields: fields(),
        managed: true,
        query: String::new(),
        selected_ids: None,
        format,
        safe: true,
        left_out: Vec::new(),
        triage: TriageColumns::default(),
        triage_names: TriageNames::default(),
        zone: TableTimeZone::Utc,
        plan: Plan::Free,
        expected: None,
        name: "a".to_owned(),
    }
}

fn row(n: usize, text: &str) -> Submission {
    serde_json::from_value(serde_json::json!({
        "id": format!("sub_{n}"), "form_id": "frm_1",
        "answers": { "a": text, "n": n, "d": "2026-03-01", "other": 1 },
        "metadata": { "submitted_at": "2026-03-01T09:30:00.5Z", "device": "mobile" },
    }))
    .unwrap()
}

fn began() -> Timestamp {
    Timestamp::parse("2026-04-01").unwrap()
}

/// Writes rows. Saves and resumes the file before each row with an index in `parted`.
fn written(task: &ExportTask, rows: &[Submission], parted: &[usize]) -> Vec<u8> {
    let mut file = ExportFile::new(task, &fields(), began(), None).unwrap();
    let mut bytes = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        if parted.contains(&n) {
            let state = serde_json::to_string(&file.save_state()).unwrap();
            bytes.extend(file.take());
            let state = serde_json::from_str(&state).unwrap();
            file = ExportFile::new(task, &fields(), began(), Some(state)).unwrap();
        }
        file.write_row(row, None, &mut |_| 60).unwrap();
        bytes.extend(file.take());
    }
    assert_eq!(file.rows(), rows.len() as u64);
    bytes.extend(file.finish().unwrap().0);
    bytes
}

fn text(task: &ExportTask, rows: &[Submission]) -> String {
    String::from_utf8(written(task, rows, &[])).unwrap()
}

/// Returns a task that excludes all columns but these.
fn all_but(included: &[&str], fields: &[Field], format: Format) -> ExportTask {
    let mut left_out: Vec<_> = Columns::all(fields).iter().map(Column::path).collect();
    left_out.retain(|path| !included.contains(&path.as_str()));
    ExportTask { left_out, ..task(format) }
}

proptest! {
    #[test]
    fn resumed_file_is_identical(
        texts in proptest::collection::vec("[\\PC\r\n\t\",=]{0,12}", 0..8),
        parted in proptest::collection::vec(0_usize..8, 0..4),
    ) {
        let rows: Vec<_> = texts.iter().enumerate().map(|(n, text)| row(n, text)).collect();
        for format in [Format::Csv, Format::Json, Format::Ndjson] {
            let task = task(format);
            prop_assert_eq!(written(&task, &rows, &parted), written(&task, &rows, &[]));
        }
    }

    #[test]
    fn csv_and_json_equal_server_output(
        texts in proptest::collection::vec("[\\PC\r\n\t\",=]{0,12}", 0..8), safe: bool,
    ) {
        let rows: Vec<_> = texts.iter().enumerate().map(|(n, text)| row(n, text)).collect();
        let mut csv = CsvWriter::new(Columns::all(&fields()), safe, Vec::new()).unwrap();
        let query = ExportQuery::parse("format=json").unwrap();
        let form = "frm_1".parse().unwrap();
        let mut json = JsonWriter::new(form, &fields(), &query, began()).unwrap();
        for row in &rows {
            csv.write_row(row).unwrap();
            json.write_row(row);
        }
        let table_task = ExportTask { safe, ..task(Format::Csv) };
        prop_assert_eq!(written(&table_task, &rows, &[]), csv.finish().unwrap());
        prop_assert_eq!(written(&task(Format::Json), &rows, &[]), json.finish());
    }
}

#[test]
fn ndjson_has_one_submission_per_line() {
    let rows = [row(1, "x\ny"), row(2, "{")];
    let text = text(&task(Format::Ndjson), &rows);
    let read: Vec<Submission> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, rows);
    assert!(text.ends_with("}\n"));
    assert_eq!(written(&task(Format::Ndjson), &[], &[]), b"");
}

#[test]
fn only_excluded_columns_are_missing() {
    let chosen = |format| all_but(&["answers.n", "submission_id", "device"], &fields(), format);
    assert_eq!(
        text(&chosen(Format::Csv), &[row(1, "x")]),
        "submission_id,The n,device\r\nsub_1,1,mobile\r\n"
    );
    let json: serde_json::Value =
        serde_json::from_str(&text(&chosen(Format::Json), &[row(1, "x")])).unwrap();
    assert_eq!(json["data"][0]["answers"].to_string(), r#"{"n":1}"#);
    assert_eq!(json["export"]["fields"], serde_json::json!(["fld_n"]));
    assert!(text(&chosen(Format::Ndjson), &[row(1, "x")]).contains(r#""answers":{"n":1}"#));
}

/// The answers determine the columns, and an older row adds a column after the exclusions were
/// chosen.
#[test]
fn later_column_is_exported_despite_exclusions() {
    let row = |id: &str, answers: serde_json::Value| -> Submission {
        serde_json::from_value(serde_json::json!({
            "id": id, "form_id": "frm_1", "answers": answers,
            "metadata": { "submitted_at": "2026-03-01T09:30:00Z" },
        }))
        .unwrap()
    };
    let rows = [
        row("sub_2", serde_json::json!({ "a": "1", "b": "2", "device": "x" })),
        row("sub_1", serde_json::json!({ "c": "3" })),
    ];
    for format in [Format::Csv, Format::Xlsx] {
        let task = all_but(&["submission_id", "answers.a", "answers.b"], &fields(), format);
        let mut task = ExportTask { managed: false, fields: Vec::new(), ..task };
        task.left_out.push("answers.device".to_owned());
        let mut saved = SavedExport::new("own".to_owned(), task.clone(), began(), false);
        for row in &rows {
            saved.record_keys(row).unwrap();
        }
        let mut file = ExportFile::new(&task, &saved.fields(), began(), None).unwrap();
        for row in &rows {
            file.write_row(row, None, &mut |_| 0).unwrap();
        }
        let bytes = file.finish().unwrap().0;
        if format == Format::Csv {
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(text, "submission_id,a,b,c\r\nsub_2,1,2,\r\nsub_1,,,3\r\n");
        } else {
            let worksheet = crate::xlsx::tests::read_worksheet(&bytes, "sheet1");
            let last = worksheet.split("<c r=\"D1\"").nth(1).unwrap().split("</c>").next().unwrap();
            assert!(last.contains(">c</t>") && !worksheet.contains("r=\"E1\""), "{worksheet}");
        }
    }
}

/// Rows are gathered as lines, saved in between, and converted to the table at the end.
#[test]
fn table_gathered_in_parts_is_identical() {
    let row = |n: usize| -> Submission {
        serde_json::from_value(serde_json::json!({
            "id": format!("sub_{n}"), "form_id": "frm_1",
            "answers": { "a": n, format!("only {}", n / 4): "x,\n" },
            "metadata": { "submitted_at": "2026-03-01T09:30:00Z" },
        }))
        .unwrap()
    };
    let table = |format: Format, parted: &[usize]| {
        let task = ExportTask { managed: false, fields: Vec::new(), ..task(format) };
        let lines = ExportTask { format: Format::Ndjson, ..task.clone() };
        let mut saved = SavedExport::new("own".to_owned(), task.clone(), began(), false);
        assert!(saved.needs_gathering());
        let mut gathered = ExportFile::new(&lines, &[], began(), None).unwrap();
        let mut bytes = Vec::new();
        for n in 0..9 {
            if parted.contains(&n) {
                saved.file = Some(gathered.save_state());
                bytes.extend(gathered.take());
                let note = serde_json::to_string(&saved).unwrap();
                saved = serde_json::from_str(&note).unwrap();
                gathered = ExportFile::new(&lines, &[], began(), saved.file.clone()).unwrap();
            }
            saved.record_keys(&row(n)).unwrap();
            gathered.write_row(&row(n), None, &mut |_| 0).unwrap();
        }
        bytes.extend(gathered.finish().unwrap().0);
        let mut file = ExportFile::new(&task, &saved.fields(), began(), None).unwrap();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            file.write_row(&serde_json::from_slice(line).unwrap(), None, &mut |_| 0).unwrap();
        }
        assert_eq!(file.rows(), 9);
        file.finish().unwrap().0
    };
    let csv = table(Format::Csv, &[]);
    assert!(String::from_utf8_lossy(&csv).contains("a,only 0,only 1,only 2,"));
    assert!(csv == table(Format::Csv, &[2, 5, 8]));
    let worksheet = |parted: &[usize]| {
        crate::xlsx::tests::read_worksheet(&table(Format::Xlsx, parted), "sheet1")
    };
    assert_eq!(worksheet(&[2, 5, 8]), worksheet(&[]));
}

#[test]
fn viewer_zone_applies_to_workbook_not_json() {
    let task_in =
        |format, zone| ExportTask { zone, ..all_but(&["submitted_at"], &fields(), format) };
    let moment = |zone| {
        let bytes = written(&task_in(Format::Xlsx, zone), &[row(1, "")], &[]);
        let worksheet = crate::xlsx::tests::read_worksheet(&bytes, "sheet1");
        let cell = worksheet.split("<c r=\"A2\"").nth(1).unwrap();
        let value = cell.split("<v>").nth(1).unwrap().split("</v>").next().unwrap();
        value.parse::<f64>().unwrap()
    };
    // Sheets count in days, so an hour is 1/24.
    let ahead = moment(TableTimeZone::Viewer) - moment(TableTimeZone::Utc);
    assert!((ahead * 24.0 - 1.0).abs() < 1e-6, "{ahead}");
    for format in [Format::Ndjson, Format::Json] {
        assert!(
            text(&task_in(format, TableTimeZone::Viewer), &[row(1, "")])
                .contains("2026-03-01T09:30:00.5")
        );
    }
}

#[test]
fn viewer_zone_csv_contains_utc_offset() {
    let task = all_but(&["submitted_at"], &fields(), Format::Csv);
    let task = ExportTask { zone: TableTimeZone::Viewer, ..task };
    assert_eq!(text(&task, &[row(1, "")]), "submitted_at\r\n2026-03-01T10:30:00.500+01:00\r\n");
    assert_eq!(local_time_text(began(), -210), "2026-03-31T20:30:00-03:30");
    assert_eq!(local_time_text(began(), 0), "2026-04-01T00:00:00+00:00");
}

#[test]
fn lossless_numbers_and_days_are_typed() {
    let xlsx_cell = |text: &'static str, kind| {
        to_xlsx_cell(CellValue::Text(text.into()), kind, TableTimeZone::Utc, &mut |_| 0)
    };
    assert_eq!(xlsx_cell("12.50", FieldType::Number), XlsxCell::Number("12.50".into()));
    assert_eq!(xlsx_cell("007", FieldType::Number), XlsxCell::Text("007".into()));
    assert_eq!(xlsx_cell(" 7", FieldType::Rating), XlsxCell::Text(" 7".into()));
    assert_eq!(xlsx_cell("12", FieldType::Phone), XlsxCell::Text("12".into()));
    assert_eq!(xlsx_cell("2026-03-01", FieldType::Date), XlsxCell::Day("2026-03-01".into()));
}

/// Returns the texts of the cells of a sheet in order, decoded like in a spreadsheet.
fn cell_texts(worksheet: &str) -> Vec<String> {
    let texts = worksheet.split("<t xml:space=\"preserve\">").skip(1);
    texts.map(|text| decoded(text.split_once("</t>").unwrap().0)).collect()
}

fn decoded(xml: &str) -> String {
    let xml_char = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(|c| xml_char(c) && !"<>".contains(c)), "{xml:.100}");
    let text = xml.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let mut rest = text.as_str();
    let mut decoded = String::new();
    while let Some(c) = rest.chars().next() {
        let code = rest.strip_prefix("_x").and_then(|rest| rest.get(..5)?.strip_suffix('_'));
        let code = code.and_then(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?));
        decoded.push(code.unwrap_or(c));
        rest = &rest[if code.is_some() { 7 } else { c.len_utf8() }..];
    }
    decoded
}

#[test]
fn workbook_preserves_every_answer_text() {
    let texts = [
        "vertical tab \u{b}, form feed \u{c}, escape \u{1b}, bell \u{7}, none \0",
        "\u{fffe} and \u{ffff} are no characters of XML",
        "literally _x000D_ and _x0041_ and _xD83D_, _x005F_x000D_ and _x000D_x0041_",
        "_\u{7}x0041_",
        "  spaces at both ends  ",
        "\ttab first",
        "=1+1",
        "'=1+1",
        "mailto:ada@example.com",
        "]]> & < > \" ' &amp;",
        "\u{202e}evil\u{202c}",
        "0001",
        "1E5",
        "12345678901234567890",
        "1/2",
        "TRUE",
        "#REF!",
    ];
    let link = format!("https://example.com/{}", "a".repeat(2100));
    let wide = "é".repeat(32_767);
    let lines = "y".repeat(32_000) + &"\n".repeat(700);
    let bells = "\u{7}".repeat(32_767);
    let mut sent: Vec<String> = texts.into_iter().map(str::to_owned).collect();
    sent.extend([link, wide, lines, bells]);
    let mut expected = sent.clone();
    // Sheets end a line with one character.
    sent.push("a\r\nb\rc\nd".to_owned());
    expected.push("a\nb\rc\nd".to_owned());
    let long = [
        ("x".repeat(32_768), "x".repeat(32_767)),
        ("😀".repeat(16_383) + "x!", "😀".repeat(16_383) + "x"),
        ("😀".repeat(16_384) + "!", "😀".repeat(16_383)),
        ("x".to_owned() + &"😀".repeat(16_384), "x".to_owned() + &"😀".repeat(16_383)),
        ("z".repeat(200_000), "z".repeat(32_767)),
    ];
    for (sent_text, truncated) in long {
        sent.push(sent_text);
        expected.push(truncated);
    }
    let fields = [field("a", FieldType::LongText)];
    let task = all_but(&["answers.a"], &fields, Format::Xlsx);
    let mut file = ExportFile::new(&task, &fields, began(), None).unwrap();
    for (n, text) in sent.iter().enumerate() {
        file.write_row(&row(n, text), None, &mut |_| 0).unwrap();
    }
    let mut bytes = file.take();
    let (last, remarks) = file.finish().unwrap();
    bytes.extend(last);
    assert_eq!(remarks, [ExportWarning::CellsCut(5)]);
    let worksheet = crate::xlsx::tests::read_worksheet(&bytes, "sheet1");
    assert!(!worksheet.contains("<f>") && !worksheet.contains("<v>"), "every cell is text");
    let found = cell_texts(&worksheet);
    // The first text is the header of the column.
    for (found, expected) in found[1..].iter().zip(&expected) {
        let begin = |text: &str| text.chars().take(60).collect::<String>();
        assert!(found == expected, "{:?} instead of {:?}", begin(found), begin(expected));
    }
    assert_eq!(found.len() - 1, expected.len());
}
