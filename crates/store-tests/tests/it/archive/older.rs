//! Archives of earlier versions: missing columns get their defaults.

use super::damaged::{change_rows, decompress, filled_archive};
use super::{TestStore, restore};
use contract::KeyAccess;
use serde_json::Value;

/// Columns of `keys` that earlier versions do not have.
const NEW_COLUMNS: &str = r#","access","forms","expires_at""#;

#[tokio::test]
async fn keys_without_restrictions_are_restored_as_full() {
    let text = decompress(&filled_archive().await);
    assert_eq!(text.matches(NEW_COLUMNS).count(), 1);
    let shorten = |rows: &str| {
        let row = |line: &str| {
            let mut values: Vec<Value> = serde_json::from_str(line).unwrap();
            values.truncate(values.len() - 3);
            serde_json::to_string(&values).unwrap() + "\n"
        };
        rows.lines().map(row).collect::<String>()
    };
    let archive = change_rows(&text.replacen(NEW_COLUMNS, "", 1), "keys", shorten);
    for to in [TestStore::file(), TestStore::database()] {
        restore(&archive, &to).await.unwrap();
        let keys = to.open().await.list_keys(&"acc_1".parse().unwrap()).await.unwrap();
        assert_eq!(keys.len(), 2);
        for key in keys {
            assert_eq!((key.access, key.forms, key.expires_at), (KeyAccess::Full, None, None));
        }
    }
}
