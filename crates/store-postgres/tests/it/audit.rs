//! The audit log with several writing processes, and after tampering in the database.

use super::{open_two, run_many, sql};
use contract::AccountId;
use contract::audit::{
    ActingPerson, Action, Actor, ActorKind, AuditEntry, AuditEvent, AuditFilter,
};
use store::audit::{AuditScope, AuditStore};
use store::{Store as _, StoreError};
use store_postgres::PostgresStore;
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, at};

const DAY_S: i64 = 24 * 3600;
/// Maximum queued entries of a process.
const WAITING_MAX: u64 = 64;

fn owner() -> AccountId {
    "acc_1".parse().unwrap()
}

fn key_event(second: i64) -> AuditEvent {
    let id = "psn_1".parse().unwrap();
    let person = ActingPerson { account: owner(), id, email: "ada\0@example.org".to_owned() };
    key_event_of(second, &Actor::default().with_session("ses_1", person))
}

fn key_event_of(second: i64, actor: &Actor) -> AuditEvent {
    AuditEvent::new(at(second * 1_000_000), actor, Action::KeyCreated)
        .with_account(&owner())
        .with_object("key", &format!("key_{second}"))
        .with_user_text("name", "Website")
}

fn system_event(second: i64) -> AuditEvent {
    AuditEvent::new(at(second * 1_000_000), &Actor::system(), Action::LinkMade)
}

/// Returns two stores with entries of an account and one system entry.
async fn open_filled(entries: i64) -> ([PostgresStore; 2], String) {
    let (stores, database) = open_two().await;
    for second in 1..=entries {
        stores[0].write_audit(key_event(second)).await.unwrap();
    }
    stores[0].write_audit(system_event(1)).await.unwrap();
    (stores, database)
}

async fn find_error(store: &PostgresStore, account: &str) -> Option<String> {
    let report = store.verify(Vec::new()).await.unwrap();
    report.chains.into_iter().find(|chain| chain.account == account).unwrap().finding
}

async fn list_all(
    store: &impl AuditStore,
    scope: AuditScope<'_>,
    filter: &AuditFilter,
) -> Vec<AuditEntry> {
    let page = store.list_audit_entries(scope, filter, None, 10_000).await.unwrap();
    assert_eq!(page.total, page.entries.len() as u64);
    page.entries
}

/// Changes rows as the owner of the tables, who can disable the triggers.
fn tamper(database: &str, with: &str) {
    let triggers_off = ["audit", "audit_heads", "audit_starts"]
        .map(|table| format!("ALTER TABLE {table} DISABLE TRIGGER USER;"));
    sql(database, &format!("{} {with}", triggers_off.concat())).unwrap();
}

#[tokio::test]
async fn concurrent_appends_form_one_chain() {
    let (stores, _) = open_two().await;
    // The first entries are concurrent, too.
    run_many((0..300_u32).map(async |number| {
        let store = &stores[number as usize % 2];
        let second = i64::from(number);
        let event = if number.is_multiple_of(3) { system_event(second) } else { key_event(second) };
        store.write_audit(event).await.unwrap();
    }))
    .await;
    let report = stores[1].verify(Vec::new()).await.unwrap();
    let chains: Vec<_> = report
        .chains
        .iter()
        .map(|chain| (chain.account.as_str(), chain.entries, chain.end.0))
        .collect();
    assert_eq!(chains, [("", 100, 100), ("acc_1", 200, 200)]);
    assert!(report.chains.iter().all(|chain| chain.finding.is_none()), "{report:?}");
    let places: Vec<u64> =
        list_all(&stores[0], AuditScope::Account(&owner()), &AuditFilter::default())
            .await
            .iter()
            .map(|note| note.place)
            .collect();
    assert_eq!(places, (1..=200).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn hashes_match_across_databases() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(&folder.path().join("sheaf.db")).unwrap();
    let ([postgres, _], _) = open_two().await;
    let client = contract::account::ClientInfo {
        device: Some("desktop".to_owned()),
        browser: Some("Fire\0fox\u{202e}".to_owned()),
    };
    let actor = Actor {
        kind: ActorKind::Key,
        id: Some("key_\0".to_owned()),
        person: None,
        address: Some("203.0.113.0/24".to_owned()),
        client,
        request: Some("Ünal".to_owned()),
    };
    let with_controls = AuditEvent::new(at(-5), &actor, Action::FieldsSet)
        .with_account(&owner())
        .with_environment(contract::Environment::Test)
        .with_object("form", &"frm_1")
        .with_value("name\0", "a\0b\u{2028}")
        .into_failed("broken_off");
    for event in [
        key_event(1),
        with_controls,
        key_event(2),
        system_event(3),
        key_event(4).into_denied("forbidden"),
    ] {
        sqlite.write_audit(event.clone()).await.unwrap();
        postgres.write_audit(event).await.unwrap();
    }
    for scope in [AuditScope::Account(&owner()), AuditScope::System] {
        for filter in [
            AuditFilter::default(),
            AuditFilter { action: Some("key".to_owned()), ..AuditFilter::default() },
            AuditFilter {
                action: Some("form.fields_changed".to_owned()),
                ..AuditFilter::default()
            },
            AuditFilter { object: Some("key_2".to_owned()), ..AuditFilter::default() },
            AuditFilter { object: Some("\0".to_owned()), ..AuditFilter::default() },
            AuditFilter { date_from: Some(at(2_000_000)), ..AuditFilter::default() },
            AuditFilter { date_to: Some(at(2_000_000)), ..AuditFilter::default() },
            AuditFilter {
                outcome: Some(contract::audit::AuditOutcome::Denied),
                ..AuditFilter::default()
            },
        ] {
            let [original, copy] = [
                list_all(&sqlite, scope, &filter).await,
                list_all(&postgres, scope, &filter).await,
            ];
            assert_eq!(original, copy, "{filter:?}");
        }
    }
    assert_eq!(
        list_all(&postgres, AuditScope::Account(&owner()), &AuditFilter::default()).await.len(),
        4
    );
    assert_eq!(find_error(&postgres, "acc_1").await, None);
}

#[tokio::test]
async fn entries_without_member_stay_in_chain() {
    let ([store, _], database) = open_two().await;
    let unnamed =
        Actor { kind: ActorKind::Session, id: Some("ses_1".to_owned()), ..Actor::default() };
    store.write_audit(key_event_of(1, &unnamed)).await.unwrap();
    store.write_audit(key_event(2)).await.unwrap();
    let entries = list_all(&store, AuditScope::Account(&owner()), &AuditFilter::default()).await;
    let [named, before] = <[_; 2]>::try_from(entries).unwrap();
    // The hash from the time when entries did not name members.
    assert_eq!(before.hash, "d7b64c5f93c38e939e7c66a11e770788cce57081c5892e1e6fb6b84fa2927186");
    assert_eq!((before.actor.person, before.detail.len()), (None, 1));
    let person = named.actor.person.unwrap();
    assert_eq!((person.id.as_str(), person.email.as_str()), ("psn_1", "ada @example.org"));
    assert_eq!(serde_json::to_string(&named.detail).unwrap(), r#"{"name":"Website"}"#);
    assert_eq!(find_error(&store, "acc_1").await, None);
    let other = "UPDATE audit SET detail = replace(detail, 'ada ', 'bob ') WHERE place = 2";
    tamper(&database, other);
    let found = find_error(&store, "acc_1").await;
    assert_eq!(found.as_deref(), Some("entry 2 was changed after it was written"));
}

#[tokio::test]
async fn entry_is_committed_with_its_change() {
    let ([store, _], _) = open_two().await;
    store.insert_account(fixtures::account("acc_1", "owner@example.com")).await.unwrap();
    let audited = store.with_audit(key_event(1));
    audited.insert_key(&owner(), fixtures::key("key_1"), [1; 32]).await.unwrap();
    let repeated = audited.insert_key(&owner(), fixtures::key("key_1"), [1; 32]).await;
    assert!(matches!(repeated, Err(StoreError::Exists(_))), "{repeated:?}");
    assert!(audited.revoke_key(&owner(), &"key_1".parse().unwrap(), at(5)).await.unwrap());
    assert!(!audited.revoke_key(&owner(), &"key_1".parse().unwrap(), at(5)).await.unwrap());
    audited.delete_sessions(at(1), at(1)).await.unwrap();
    let entries = list_all(&store, AuditScope::Account(&owner()), &AuditFilter::default()).await;
    assert_eq!(entries.len(), 2, "{entries:?}");
}

#[tokio::test]
async fn tampering_is_reported_by_entry() {
    let ([store, _], database) = open_filled(5).await;
    let (place, hash) = store.verify(Vec::new()).await.unwrap().chains[1].end.clone();
    tamper(&database, "CREATE TABLE kept AS SELECT * FROM audit");
    for (with, expect) in [
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
        ("DELETE FROM audit WHERE place = 3", "entry 3 is missing; found entry 4 instead"),
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
        sql(&database, with).unwrap();
        assert_eq!(find_error(&store, "acc_1").await.as_deref(), Some(expect), "{with}");
        assert_eq!(find_error(&store, "").await, None, "{with}");
        let expected = vec![(place, hash.to_uppercase()), (place, "no hash".to_owned())];
        let missing = store.verify(expected).await.unwrap().missing.len();
        let is_gone = with.contains("DELETE FROM audit WHERE place = 5")
            || with.contains("WHERE account = 'acc_1'") && with.starts_with("DELETE");
        assert_eq!(missing, 1 + usize::from(is_gone), "{with}");
        let restore_sql = "DELETE FROM audit; DELETE FROM audit_starts;
             INSERT INTO audit OVERRIDING SYSTEM VALUE SELECT * FROM kept";
        sql(&database, restore_sql).unwrap();
        assert_eq!(find_error(&store, "acc_1").await, None, "{with}");
    }
}

#[tokio::test]
async fn every_column_is_hashed() {
    let ([store, _], database) = open_filled(1).await;
    let columns = sql(
        &database,
        "SELECT column_name FROM information_schema.columns
         WHERE table_name = 'audit' AND column_name NOT IN ('seq', 'account')",
    )
    .unwrap();
    assert_eq!(columns.lines().count(), 17);
    tamper(&database, "CREATE TABLE kept AS SELECT * FROM audit");
    for column in columns.lines() {
        let other = match column {
            "place" => "7",
            "at" => "at + 1",
            "prev_hash" | "hash" => "sha256('other')",
            _ => "'other'",
        };
        let change = format!("UPDATE audit SET {column} = {other} WHERE account = 'acc_1'");
        sql(&database, &change).unwrap();
        assert!(find_error(&store, "acc_1").await.is_some(), "{column}");
        let restore_sql = format!(
            "UPDATE audit SET {column} = kept.{column} FROM kept WHERE kept.seq = audit.seq"
        );
        sql(&database, &restore_sql).unwrap();
        assert_eq!(find_error(&store, "acc_1").await, None, "{column}");
    }
}

#[tokio::test]
async fn triggers_reject_changes() {
    let ([store, _], database) = open_filled(2).await;
    for with in [
        "UPDATE audit SET detail = '{}'",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE place = 2",
        "TRUNCATE audit",
        "TRUNCATE audit_heads",
        "TRUNCATE audit_starts",
        "UPDATE audit_heads SET place = 1 WHERE account = 'acc_1'",
        "DELETE FROM audit_heads",
        "INSERT INTO audit_heads VALUES ('acc_2', 7, '')",
        "INSERT INTO audit (account, place, at, actor_kind, action, outcome, detail, prev_hash, hash)
           SELECT account, 9, at, actor_kind, action, outcome, detail, hash, hash FROM audit LIMIT 1",
        "INSERT INTO audit (account, place, at, actor_kind, action, outcome, detail, prev_hash, hash)
           SELECT account, 3, at, actor_kind, action, outcome, detail, prev_hash, hash FROM audit
           WHERE account = 'acc_1' AND place = 2",
    ] {
        let error = sql(&database, with).unwrap_err();
        assert!(error.contains("audit log"), "{with}: {error}");
    }
    assert_eq!(find_error(&store, "acc_1").await, None);
}

#[tokio::test]
async fn expired_entries_are_dropped_from_start() {
    let ([store, _], database) = open_two().await;
    let start = 1_767_225_600; // 2026-01-01
    for days in [0, 1, 30, 31, 32] {
        store.write_audit(key_event(start + days * DAY_S)).await.unwrap();
    }
    let places =
        || sql(&database, "SELECT string_agg(place::TEXT, ' ' ORDER BY seq) FROM audit").unwrap();
    // With a retention of 400 days, January has not expired completely.
    store.write_audit(key_event(start + 430 * DAY_S)).await.unwrap();
    assert_eq!(places(), "1 2 3 4 5 6");
    // Now it has: its three entries are deleted, and the deletion is recorded.
    store.write_audit(key_event(start + 432 * DAY_S)).await.unwrap();
    assert_eq!(places(), "4 5 6 7 8");
    assert_eq!(find_error(&store, "acc_1").await, None);
    let filter = AuditFilter { action: Some("audit.dropped".to_owned()), ..AuditFilter::default() };
    let entries = list_all(&store, AuditScope::Account(&owner()), &filter).await;
    let detail = serde_json::to_string(&entries[0].detail).unwrap();
    assert_eq!((entries.len(), detail.as_str()), (1, r#"{"count":3,"last_place":3}"#));
    // The remaining entries are still protected.
    assert!(sql(&database, "DELETE FROM audit WHERE place = 4").is_err());
    assert!(sql(&database, "UPDATE audit_starts SET place = 2").is_err());
    // A forged start, which hides further deletions, is detected.
    let cut = "SET session_replication_role = replica;
         UPDATE audit_starts SET (place, hash) = (SELECT place, hash FROM audit WHERE place = 5);
         DELETE FROM audit WHERE place <= 5";
    sql(&database, cut).unwrap();
    let found = find_error(&store, "acc_1").await.unwrap();
    assert!(found.starts_with("the log begins after entry 5, but"), "{found}");
}

#[tokio::test]
async fn concurrent_expiry_does_not_deadlock() {
    let (stores, database) = open_two().await;
    let of = |event: AuditEvent, chain: u32| {
        event.with_account(&format!("acc_{chain}").parse().unwrap())
    };
    for number in 0..60_u32 {
        stores[0].write_audit(of(key_event(i64::from(number)), number % 6)).await.unwrap();
    }
    run_many((0..120_u32).map(async |number| {
        let expired = key_event(500 * DAY_S + i64::from(number));
        stores[number as usize % 2].write_audit(of(expired, number % 6)).await.unwrap();
    }))
    .await;
    let report = stores[0].verify(Vec::new()).await.unwrap();
    assert!(report.chains.iter().all(|chain| chain.finding.is_none()), "{report:?}");
    let old = sql(&database, "SELECT COUNT(*) FROM audit WHERE at < 1000000000").unwrap();
    assert_eq!(old, "0", "old notes are left");
}

#[tokio::test]
async fn denial_is_recorded_once_per_minute() {
    let ([first, other_store], _) = open_two().await;
    let denial = |second: i64, code: &'static str, address: &str| {
        let actor = Actor { address: Some(address.to_owned()), ..Actor::default() };
        AuditEvent::new(at(second * 1_000_000), &actor, Action::Refused)
            .with_account(&owner())
            .into_denied(code)
    };
    for store in [&first, &other_store] {
        for second in [0, 59, 60] {
            store.enqueue_audit(denial(second, "forbidden", "a"));
        }
        store.enqueue_audit(denial(30, "forbidden", "b"));
        store.enqueue_audit(denial(30, "rate_limit_exceeded", "a"));
    }
    first.finish().await;
    other_store.finish().await;
    let entries = list_all(&first, AuditScope::Account(&owner()), &AuditFilter::default()).await;
    assert_eq!(entries.len(), 4, "{entries:?}");
}

#[tokio::test]
async fn queued_entries_are_bounded_and_flushed() {
    let ([store, other], _) = open_two().await;
    // Without an `await` here, the task cannot write any entry meanwhile.
    for second in 0..1_000 {
        store.enqueue_audit(key_event(second));
    }
    store.finish().await;
    drop(store);
    let entries = list_all(&other, AuditScope::Account(&owner()), &AuditFilter::default()).await;
    assert_eq!(entries.len() as u64, WAITING_MAX);
    assert_eq!(find_error(&other, "acc_1").await, None);
}

/// Returns a store with an entry of an account, and a connection that has locked its chain.
async fn open_with_locked_chain() -> (super::StoreGroup, tokio_postgres::Client) {
    let group = super::open_several(1).await;
    group.stores[0].write_audit(key_event(1)).await.unwrap();
    let holder = group.connect().await;
    holder.batch_execute("BEGIN; SELECT 1 FROM audit_heads FOR UPDATE").await.unwrap();
    (group, holder)
}

#[tokio::test]
async fn queued_entries_survive_lost_connection() {
    let (group, holder) = open_with_locked_chain().await;
    let store = &group.stores[0];
    for second in 2..=20 {
        store.enqueue_audit(key_event(second));
    }
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE NOT granted \
               AND pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    while holder.query_one(end, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    holder.batch_execute("COMMIT").await.unwrap();
    store.finish().await;
    let entries = list_all(store, AuditScope::Account(&owner()), &AuditFilter::default()).await;
    assert_eq!(entries.len(), 20);
}

#[tokio::test]
async fn list_does_not_wait_for_blocked_entries() {
    let (group, holder) = open_with_locked_chain().await;
    let store = &group.stores[0];
    store.enqueue_audit(key_event(2));
    // Less than the lock timeout of a statement.
    let filter = AuditFilter::default();
    let listing = list_all(store, AuditScope::System, &filter);
    let listing = tokio::time::timeout(std::time::Duration::from_secs(8), listing).await;
    assert!(listing.unwrap().is_empty());
    holder.batch_execute("COMMIT").await.unwrap();
    store.finish().await;
    let notes = list_all(store, AuditScope::Account(&owner()), &AuditFilter::default()).await;
    assert_eq!(notes.len(), 2);
}
