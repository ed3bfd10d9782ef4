//! Checks of an exported workbook by two other programs: every cell equals the API's own exports.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Panics if a workbook differs from the JSON and the CSV of the same submissions.
pub(crate) fn check(book: &[u8], api_json: &str, api_csv: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("book.xlsx");
    std::fs::write(&file, book).expect("a file can be written");
    let rows: Value = serde_json::from_str(api_json).expect("whole JSON");
    let heads = csv::Reader::from_reader(api_csv.as_bytes()).headers().expect("heads").clone();
    let cells: Vec<Vec<String>> = csv::Reader::from_reader(api_csv.as_bytes())
        .records()
        .map(|row| row.expect("a row").iter().map(str::to_owned).collect())
        .collect();
    let heads: Vec<String> = heads.iter().map(str::to_owned).collect();
    by_openpyxl(&file, &heads, &cells, &rows);
    by_libreoffice(&file, &heads, &cells);
}

fn by_openpyxl(file: &Path, heads: &[String], cells: &[Vec<String>], api: &Value) {
    let python = std::env::var("OPENPYXL_PYTHON")
        .expect("OPENPYXL_PYTHON names a Python with openpyxl: run `cargo xtask test e2e`");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e/workbook.py");
    let read = Command::new(python).arg(script).arg(file).output().expect("Python starts");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let read: Vec<Vec<(String, Value)>> = serde_json::from_slice(&read.stdout).expect("its JSON");
    assert_eq!(read.len(), cells.len() + 1);
    let first: Vec<_> = read[0].iter().map(|(_, value)| value.as_str().expect("text")).collect();
    assert_eq!(first, heads);
    for (n, (row, expected)) in read[1..].iter().zip(cells).enumerate() {
        let id = api["data"][n]["id"].as_str().expect("an id");
        assert_eq!(row[0].1, json!(id));
        for (at, (cell, text)) in row.iter().zip(expected).enumerate() {
            assert!(is_equal_cell(cell, text), "row {n}, {}: {cell:?} for {text:?}", heads[at]);
        }
    }
}

/// Whether a typed cell has the value of the CSV text.
fn is_equal_cell((kind, value): &(String, Value), text: &str) -> bool {
    match kind.as_str() {
        "d" => {
            let value = value.as_str().unwrap_or_default();
            let (day, time) =
                text.trim_end_matches('Z').split_once('T').unwrap_or((text, "00:00:00"));
            let time = if time.contains('.') { time.to_owned() } else { format!("{time}.000") };
            value.starts_with(day) && value[11..] == time[..12]
        }
        "n" if value.is_null() => text.is_empty(),
        "n" => value.as_f64() == text.parse().ok(),
        "b" => value.as_bool().is_some_and(|it| text.parse() == Ok(it)),
        // In a workbook, a line break is one character.
        _ => value.as_str().unwrap_or_default() == text.replace("\r\n", "\n"),
    }
}

fn by_libreoffice(file: &Path, heads: &[String], cells: &[Vec<String>]) {
    let folder = file.parent().expect("a folder");
    let home = format!("-env:UserInstallation=file://{}/profile", folder.display());
    // Options: comma, double quotes around text, UTF-8, from the first row, cells as shown.
    let filter = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false";
    let read = Command::new("soffice")
        .args([&home, "--headless", "--convert-to", filter, "--outdir"])
        .arg(folder)
        .arg(file)
        .output()
        .expect("LibreOffice starts: `cargo xtask test e2e` installs it");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let mut read = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_path(folder.join("book.csv"))
        .expect("LibreOffice writes a CSV");
    let rows: Vec<csv::StringRecord> = read.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), cells.len() + 1);
    assert_eq!(rows[0].iter().collect::<Vec<_>>(), heads);
    for (row, expected) in rows[1..].iter().zip(cells) {
        for (at, (cell, text)) in row.iter().zip(expected).enumerate() {
            let shown = match at {
                // The column's format shows whole seconds.
                1 => text[..19].replace('T', " "),
                _ => text.replace("\r\n", "\n"),
            };
            let cell = cell.replace("\r\n", "\n");
            let same = cell == shown
                || cell.eq_ignore_ascii_case(&shown)
                || cell.parse::<f64>().ok().is_some_and(|cell| Some(cell) == shown.parse().ok());
            assert!(same, "{}: {cell:?} for {text:?}", heads[at]);
        }
    }
}
