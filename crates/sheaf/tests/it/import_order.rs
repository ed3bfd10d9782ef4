//! Files with unsorted rows: the result equals the import of the sorted file.

use crate::csv::ImportServer;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::fmt::Write as _;

/// Writes rows as CSV, with one id each and line breaks in their cells.
fn write_csv(rows: &[(usize, i64, String)], end: &str, last: bool) -> String {
    let mut text = format!("id,submitted_at,Name{end}");
    for (n, at_s, name) in rows {
        let at = contract::Timestamp::from_millis(at_s * 1000).unwrap();
        let name = name.replace('"', "\"\"");
        write!(text, "sub_{n},{at},\"{name}\"{end}").unwrap();
    }
    let cut = if last || rows.is_empty() { 0 } else { end.len() };
    text.truncate(text.len() - cut);
    text
}

fn write_ndjson(rows: &[(usize, i64, String)]) -> String {
    let line = |(n, at_s, name): &(usize, i64, String)| {
        let at = contract::Timestamp::from_millis(at_s * 1000).unwrap().to_string();
        let metadata = serde_json::json!({ "submitted_at": at });
        let id = format!("sub_{n}");
        serde_json::json!({ "id": id, "answers": { "Name": name }, "metadata": metadata })
            .to_string()
    };
    format!("\u{feff}{}", rows.iter().map(line).collect::<Vec<_>>().join("\r\n\n"))
}

/// Imports a file into an empty form and returns the export.
fn import_and_export(server: &ImportServer, name: &str, text: &str) -> Vec<u8> {
    let form = server.env.form("--field Name");
    let file = server.env.write(name, text);
    let flags =
        if name == "a.csv" { "--map id=id --map submitted_at=submitted_at --csv" } else { "" };
    server.env.run(&format!("import --form {form} {flags} {file}"));
    server.export(&form)
}

#[test]
fn shuffled_and_sorted_files_import_equally() {
    let row = (0..40_i64, "[a\"\r\n,é]{1,6}");
    let rows = prop::collection::vec(row, 2..200);
    let ends = prop_oneof![Just("\n"), Just("\r\n")];
    let [sorted_csv, shuffled_csv, shuffled_ndjson] = [(); 3].map(|()| ImportServer::start());
    // Ids are unique in a database, so each case has its own.
    let next_id = Cell::new(0);
    let cases = if test_servers::is_full_run() { 6 } else { 2 };
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let done = runner.run(&(rows, ends, any::<bool>()), |(rows, end, last)| {
        let first_id = next_id.replace(next_id.get() + rows.len());
        let numbered = (first_id..).zip(rows);
        let shuffled: Vec<_> = numbered.map(|(n, (at_s, name))| (n, at_s, name)).collect();
        let mut sorted = shuffled.clone();
        sorted.sort_by_key(|(_, at_s, _)| *at_s);
        let expected = import_and_export(&sorted_csv, "a.csv", &write_csv(&sorted, end, true));
        let csv = write_csv(&shuffled, end, last);
        prop_assert!(import_and_export(&shuffled_csv, "a.csv", &csv) == expected);
        let ndjson = write_ndjson(&shuffled);
        prop_assert!(import_and_export(&shuffled_ndjson, "a.ndjson", &ndjson) == expected);
        Ok(())
    });
    done.unwrap();
}
