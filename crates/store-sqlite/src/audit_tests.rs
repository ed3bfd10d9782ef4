//! Manipulations of the audit chain by a process that can write to the file, and the deletion of
//! expired entries.

use super::*;
use contract::Timestamp;
use contract::audit::{ActingPerson, Action, Actor, ActorKind};

const OWNER: &str = "acc_1";

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

fn event(second: i64) -> AuditEvent {
    let account = OWNER.parse().unwrap();
    let id = "psn_1".parse().unwrap();
    let person = ActingPerson { account, id, email: "ada@example.org".to_owned() };
    event_of(second, &Actor::default().with_session("ses_1", person))
}

fn event_of(second: i64, actor: &Actor) -> AuditEvent {
    AuditEvent::new(at(second), actor, Action::KeyCreated)
        .with_account(&OWNER.parse().unwrap())
        .with_object("key", &format!("key_{second}"))
        .with_user_text("name", "Website")
}

/// Creates a store with `entries` entries of one account, and one entry without an account.
async fn store_with_entries(entries: i64) -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("sheaf.db")).unwrap();
    for second in 1..=entries {
        store.write_audit(event(second)).await.unwrap();
    }
    store.write_audit(AuditEvent::new(at(1), &Actor::system(), Action::LinkMade)).await.unwrap();
    (folder, store)
}

fn finding(store: &SqliteStore, account: &str) -> Option<String> {
    let report = verify(&store.path, Vec::new()).unwrap();
    report.chains.into_iter().find(|chain| chain.account == account).unwrap().finding
}

/// Changes the log with SQL, as an attacker with access to the file can: drops the triggers first.
fn tamper(store: &SqliteStore, sql: &str) {
    let conn = rusqlite::Connection::open(&store.path).unwrap();
    let triggers: Vec<String> = conn
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'audit%'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(triggers.len(), 7);
    for trigger in triggers {
        conn.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
    }
    conn.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn untouched_chains_verify_per_account() {
    let (_folder, store) = store_with_entries(5).await;
    let report = verify(&store.path, Vec::new()).unwrap();
    let chains: Vec<_> = report
        .chains
        .iter()
        .map(|chain| (chain.account.as_str(), chain.entries, chain.end.0))
        .collect();
    assert_eq!(chains, [("", 1, 1), (OWNER, 5, 5)]);
    assert!(report.chains.iter().all(|chain| chain.finding.is_none()), "{report:?}");
}

#[tokio::test]
async fn entries_with_and_without_person_verify() {
    let (_folder, store) = store_with_entries(0).await;
    let unnamed =
        Actor { kind: ActorKind::Session, id: Some("ses_1".to_owned()), ..Actor::default() };
    store.write_audit(event_of(1, &unnamed)).await.unwrap();
    store.write_audit(event(2)).await.unwrap();
    let owner = OWNER.parse().unwrap();
    let page = store
        .list_audit_entries(AuditScope::Account(&owner), &AuditFilter::default(), None, 10)
        .await;
    let [named, before] = <[_; 2]>::try_from(page.unwrap().entries).unwrap();
    // The hash from before entries named a person.
    assert_eq!(before.hash, "d7b64c5f93c38e939e7c66a11e770788cce57081c5892e1e6fb6b84fa2927186");
    assert_eq!((before.actor.person, before.detail.len()), (None, 1));
    let person = named.actor.person.unwrap();
    assert_eq!((person.id.as_str(), person.email.as_str()), ("psn_1", "ada@example.org"));
    assert_eq!(serde_json::to_string(&named.detail).unwrap(), r#"{"name":"Website"}"#);
    assert_eq!(finding(&store, OWNER), None);
    let other = "UPDATE audit SET detail = replace(detail, 'ada@', 'bob@') WHERE place = 2";
    tamper(&store, other);
    assert_eq!(finding(&store, OWNER).as_deref(), Some("entry 2 was changed after it was written"));
}

#[tokio::test]
async fn rewritten_log_lacks_recorded_entry() {
    let (_folder, store) = store_with_entries(5).await;
    let (place, hash) = verify(&store.path, Vec::new()).unwrap().chains[1].end.clone();
    store.write_audit(event(9)).await.unwrap();
    let missing = |store: &SqliteStore| {
        verify(&store.path, vec![(place, hash.clone())]).unwrap().missing.len()
    };
    assert_eq!(missing(&store), 0);
    tamper(&store, "DELETE FROM audit; DELETE FROM audit_heads");
    for second in 1..=6 {
        store.write_audit(event(second + 1)).await.unwrap();
    }
    assert_eq!((finding(&store, OWNER), missing(&store)), (None, 1));
}

#[tokio::test]
async fn manipulated_entry_is_reported() {
    for (sql, expect) in [
        (
            "UPDATE audit SET detail = '{}' WHERE place = 3",
            "entry 3 was changed after it was written",
        ),
        (
            "UPDATE audit SET at = at + 1 WHERE place = 2",
            "entry 2 was changed after it was written",
        ),
        (
            "UPDATE audit SET address = '' WHERE place = 1 AND account = 'acc_1'",
            "entry 1 was changed after it was written",
        ),
        (
            "UPDATE audit SET outcome = 'denied' WHERE place = 5",
            "entry 5 was changed after it was written",
        ),
        ("DELETE FROM audit WHERE place = 3", "entry 3 is missing; found entry 4 instead"),
        (
            "DELETE FROM audit WHERE place = 1 AND account != ''",
            "entry 1 is missing; found entry 2 instead",
        ),
        (
            "DELETE FROM audit WHERE place = 5",
            "the log should end with entry 5, but ends with entry 4",
        ),
        (
            "UPDATE audit SET place = -place WHERE place IN (2, 3) AND account = 'acc_1';
             UPDATE audit SET place = place + 5 WHERE place < 0",
            "entry 2 does not follow the previous entry",
        ),
        (
            "INSERT INTO audit_starts SELECT account, place, hash FROM audit WHERE place = 2;
             DELETE FROM audit WHERE place = 2",
            "entry 3 is missing; found entry 1 instead",
        ),
        (
            "DELETE FROM audit WHERE account = 'acc_1'",
            "the log should end with entry 5, but ends with entry 0",
        ),
    ] {
        let (_folder, store) = store_with_entries(5).await;
        tamper(&store, sql);
        assert_eq!(finding(&store, OWNER).as_deref(), Some(expect), "{sql}");
        assert_eq!(finding(&store, ""), None, "{sql}");
    }
}

#[tokio::test]
async fn hash_covers_every_column() {
    let (_folder, store) = store_with_entries(1).await;
    let conn = rusqlite::Connection::open(&store.path).unwrap();
    let columns: Vec<String> = conn
        .prepare("SELECT name FROM pragma_table_info('audit') WHERE name NOT IN ('seq', 'account')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    assert_eq!(columns.len(), 17);
    for column in columns {
        let (_folder, store) = store_with_entries(1).await;
        let other = match column.as_str() {
            "place" => "7",
            "at" => "at + 1",
            "prev_hash" | "hash" => "randomblob(32)",
            _ => "'other'",
        };
        tamper(&store, &format!("UPDATE audit SET {column} = {other} WHERE account = 'acc_1'"));
        assert!(finding(&store, OWNER).is_some(), "{column}");
    }
}

#[tokio::test]
async fn triggers_refuse_changes() {
    let (_folder, store) = store_with_entries(2).await;
    let conn = rusqlite::Connection::open(&store.path).unwrap();
    for sql in [
        "UPDATE audit SET detail = '{}'",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE place = 2",
        "UPDATE audit_heads SET place = 1 WHERE account = 'acc_1'",
        "DELETE FROM audit_heads",
        "INSERT INTO audit SELECT NULL, account, 9, at, NULL, actor_kind, NULL, NULL, NULL, NULL,
           NULL, action, NULL, NULL, outcome, NULL, detail, hash, hash FROM audit LIMIT 1",
    ] {
        let error = conn.execute_batch(sql).unwrap_err().to_string();
        assert!(error.contains("audit log"), "{sql}: {error}");
    }
    assert_eq!(finding(&store, OWNER), None);
}

#[tokio::test]
async fn expired_entries_are_dropped_by_month() {
    let day = 24 * 3600;
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("sheaf.db")).unwrap();
    let start = at(1_767_225_600); // 2026-01-01
    for days in [0, 1, 30, 31, 32] {
        store.write_audit(event(start.seconds() + days * day)).await.unwrap();
    }
    let places = |store: &SqliteStore| {
        let conn = rusqlite::Connection::open(&store.path).unwrap();
        let mut statement = conn.prepare("SELECT place FROM audit ORDER BY seq").unwrap();
        let places = statement.query_map([], |row| row.get(0)).unwrap();
        places.collect::<rusqlite::Result<Vec<i64>>>().unwrap()
    };
    // Retention is 400 days, and January is dropped as a whole: not all of it has expired yet.
    store.write_audit(event(start.seconds() + 430 * day)).await.unwrap();
    assert_eq!(places(&store), [1, 2, 3, 4, 5, 6]);
    // Now it has: its three entries are deleted, and an entry records that.
    store.write_audit(event(start.seconds() + 432 * day)).await.unwrap();
    assert_eq!(places(&store), [4, 5, 6, 7, 8]);
    assert_eq!(finding(&store, OWNER), None);
    let filter = AuditFilter { action: Some("audit.dropped".to_owned()), ..AuditFilter::default() };
    let owner = OWNER.parse().unwrap();
    let page =
        store.list_audit_entries(AuditScope::Account(&owner), &filter, None, 10).await.unwrap();
    let detail = serde_json::to_string(&page.entries[0].detail).unwrap();
    assert_eq!((page.total, detail.as_str()), (1, r#"{"count":3,"last_place":3}"#));
    // The triggers still protect the remaining entries.
    let conn = rusqlite::Connection::open(&store.path).unwrap();
    assert!(conn.execute("DELETE FROM audit WHERE place = 4", []).is_err());
    assert!(conn.execute("UPDATE audit_starts SET place = 2", []).is_err());
    // Cutting more from the start, and moving the recorded start, is detected.
    tamper(
        &store,
        "UPDATE audit_starts SET (place, hash) = (SELECT place, hash FROM audit WHERE place = 5);
         DELETE FROM audit WHERE place <= 5",
    );
    assert_eq!(
        finding(&store, OWNER).as_deref(),
        Some("the log begins after entry 5, but its entries say that those up to 3 were dropped")
    );
}

#[tokio::test]
async fn truncated_log_start_is_reported() {
    let (_folder, store) = store_with_entries(5).await;
    tamper(
        &store,
        "INSERT INTO audit_starts SELECT account, place, hash FROM audit WHERE place = 2;
         DELETE FROM audit WHERE account <> '' AND place <= 2",
    );
    assert_eq!(
        finding(&store, OWNER).as_deref(),
        Some("the log begins after entry 2, but its entries say that those up to 0 were dropped")
    );
}

#[tokio::test]
async fn pending_entries_are_bounded() {
    let (_folder, store) = store_with_entries(0).await;
    let conn = rusqlite::Connection::open(&store.path).unwrap();
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    for second in 0..1_000 {
        store.enqueue_audit(event(second));
    }
    conn.execute_batch("COMMIT").unwrap();
    store.write_audit(event(5_000)).await.unwrap();
    let owner = OWNER.parse().unwrap();
    let all = AuditFilter::default();
    let page =
        store.list_audit_entries(AuditScope::Account(&owner), &all, None, 2_000).await.unwrap();
    assert_eq!(page.total, QUEUE_MAX as u64 + 1);
    assert_eq!(finding(&store, OWNER), None);
}
