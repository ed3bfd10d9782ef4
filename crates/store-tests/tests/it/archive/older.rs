//! Archives of earlier versions: missing columns get their defaults.

use super::damaged::{change_rows, compress, decompress, filled_archive};
use super::{TestStore, restore};
use contract::triage::TriageSettings;
use contract::{Filter, KeyAccess};
use serde_json::Value;
use store_tests::fixtures;
use store_tests::triage::detail;

/// Columns of `keys` that earlier versions do not have.
const NEW_COLUMNS: &str = r#","access","forms","expires_at""#;

/// Tables that earlier versions do not have.
const NEW_TABLES: [&str; 3] = ["account_triage", "notes", "triage_history"];

/// Removes the last columns of rows.
fn drop_columns(rows: &str, count: usize) -> String {
    let row = |line: &str| {
        let mut values: Vec<Value> = serde_json::from_str(line).unwrap();
        values.truncate(values.len() - count);
        serde_json::to_string(&values).unwrap() + "\n"
    };
    rows.lines().map(row).collect()
}

/// Removes a table, and its rows from the counts of the archive.
fn drop_table(text: &str, table: &str) -> String {
    let start = text.find(&format!("{{\"table\":{{\"name\":\"{table}\"")).unwrap();
    let end = start + text[start..].find("{\"table_end\"").unwrap();
    let next = end + text[end..].find('\n').unwrap() + 1;
    let sum: Value = serde_json::from_str(&text[end..next]).unwrap();
    let rest = [&text[..start], &text[next..]].concat();
    let (lines, last) = rest.split_at(rest.rfind("{\"archive_end\"").unwrap());
    let mut last: Value = serde_json::from_str(last).unwrap();
    let counts = &mut last["archive_end"];
    for (count, less) in [("tables", 1), ("rows", sum["table_end"]["rows"].as_u64().unwrap())] {
        counts[count] = (counts[count].as_u64().unwrap() - less).into();
    }
    format!("{lines}{last}\n")
}

/// Keys are full, and submissions have no triage.
#[tokio::test]
async fn missing_columns_and_tables_get_defaults() {
    let mut text = decompress(&filled_archive().await);
    assert_eq!(text.matches(NEW_COLUMNS).count(), 1);
    text = text.replacen(NEW_COLUMNS, "", 1);
    text = change_rows(&text, "keys", |rows| drop_columns(rows, 3));
    for table in ["submissions", "unlisted"] {
        let start = text.find(&format!("{{\"table\":{{\"name\":\"{table}\"")).unwrap();
        let column = start + text[start..].find(",\"triage\"").unwrap();
        text.replace_range(column..column + ",\"triage\"".len(), "");
        text = change_rows(&text, table, |rows| drop_columns(rows, 1));
    }
    for table in NEW_TABLES {
        text = drop_table(&text, table);
    }
    let archive = compress(&text);
    for to in [TestStore::file(), TestStore::prepared()] {
        restore(&archive, &to).await.unwrap();
        let store = to.open().await;
        let keys = store.list_keys(&"acc_1".parse().unwrap()).await.unwrap();
        assert_eq!(keys.len(), 2);
        for key in keys {
            assert_eq!((key.access, key.forms, key.expires_at), (KeyAccess::Full, None, None));
        }
        let page = fixtures::list_page(&*store, &Filter::default(), None, 100).await.unwrap();
        for row in &page.rows {
            let found = detail(&*store, row.position.id.as_str()).await.unwrap();
            assert!(found.triage.is_default() && found.updated_at.is_none(), "{found:?}");
        }
        let settings = store.find_triage_settings(&"acc_1".parse().unwrap()).await.unwrap();
        assert_eq!(settings, TriageSettings::default());
    }
}
