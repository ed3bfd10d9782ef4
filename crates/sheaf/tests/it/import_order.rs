//! Files with unsorted rows: the result equals the import of the sorted file.

use crate::csv::export_csv;
use crate::test_env::TestEnv;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
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
fn import_and_export(name: &str, text: &str) -> Vec<u8> {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let file = env.write(name, text);
    let flags =
        if name == "a.csv" { "--map id=id --map submitted_at=submitted_at --csv" } else { "" };
    env.run(&format!("import --form {form} {flags} {file}"));
    let text = String::from_utf8(export_csv(&env, &form)).unwrap();
    text.replace(&form, "form").into_bytes()
}

#[test]
fn shuffled_and_sorted_files_import_equally() {
    let row = (0..40_i64, "[a\"\r\n,é]{1,6}");
    let rows = prop::collection::vec(row, 2..200);
    let ends = prop_oneof![Just("\n"), Just("\r\n")];
    let mut runner =
        TestRunner::new(Config { cases: 6, failure_persistence: None, ..Config::default() });
    let done = runner.run(&(rows, ends, any::<bool>()), |(rows, end, last)| {
        let shuffled: Vec<_> = (0..).zip(rows).map(|(n, (at_s, name))| (n, at_s, name)).collect();
        let mut sorted = shuffled.clone();
        sorted.sort_by_key(|(_, at_s, _)| *at_s);
        let expected = import_and_export("a.csv", &write_csv(&sorted, end, true));
        prop_assert!(import_and_export("a.csv", &write_csv(&shuffled, end, last)) == expected);
        prop_assert!(import_and_export("a.ndjson", &write_ndjson(&shuffled)) == expected);
        Ok(())
    });
    done.unwrap();
}
