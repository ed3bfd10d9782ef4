//! Rejected and cancelled restores leave no data.

use super::{TestStore, all_answers, dump, fill_store, restore};
use crate::location::{self, Location, create_database, prepared_database, run_sql};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use store::{Store as _, StoreError};
use store_postgres::{PostgresStore, Setup};
use store_tests::fixtures;

fn database_name(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

async fn assert_rejected(archive: &[u8], to: &TestStore, expect: &str) {
    match restore(archive, to).await {
        Err(StoreError::Unusable(sentence)) => assert!(sentence.contains(expect), "{sentence}"),
        other => panic!("not rejected ({expect}): {other:?}"),
    }
}

#[tokio::test]
async fn target_with_data_is_rejected() {
    let from = TestStore::file();
    fixtures::owner_and_form(&*from.open().await).await;
    let archive = dump(&from).await.1;
    assert_rejected(&archive, &from, "exists already; name a directory without data").await;
    let Location::Sqlite(file) = from.location() else { unreachable!() };
    std::fs::rename(&file, file.with_file_name("old.db")).unwrap();
    std::fs::write(file.with_file_name("sheaf.db-wal"), "a log").unwrap();
    assert_rejected(&archive, &from, "there is a log of another database").await;
    let to = TestStore::prepared();
    fixtures::owner_and_form(&*to.open().await).await;
    assert_rejected(&archive, &to, "the database holds data already, among them `accounts`").await;
    let none = Location::Sqlite(file.with_file_name("none.db"));
    let error = location::dump(&none, Vec::new(), fixtures::at(1), |_| ()).await.unwrap_err();
    assert!(error.to_string().contains("there is no file"), "{error}");
}

#[tokio::test]
async fn database_in_use_is_rejected() {
    let from = TestStore::file();
    fixtures::owner_and_form(&*from.open().await).await;
    let archive = dump(&from).await.1;
    let url = prepared_database();
    let to = TestStore::Database(url.clone());
    let server = PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    server.cursor_secret().await.unwrap();
    assert_rejected(&archive, &to, "a server or another command has the database open").await;
    drop(server);
    // A cursor secret alone does not count as data.
    restore(&archive, &to).await.unwrap();
}

/// Polls a restore at most `polls` times and drops it; returns whether it was cancelled.
async fn cancel_restore(archive: &[u8], to: &TestStore, polls: usize) -> bool {
    let place = to.location();
    let mut polled = 0;
    let mut restoring = pin!(location::restore(archive, &place, |_| ()));
    poll_fn(|context| {
        polled += 1;
        match restoring.as_mut().poll(context) {
            Poll::Ready(done) => {
                done.unwrap();
                Poll::Ready(false)
            }
            Poll::Pending if polled == polls => Poll::Ready(true),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn cancelled_restore_leaves_empty_database() {
    let from = TestStore::file();
    fill_store(&*from.open().await).await;
    let expected = all_answers(&*from.open().await).await;
    let archive = dump(&from).await.1;
    let url = prepared_database();
    let to = TestStore::Database(url.clone());
    let mut cuts = 0;
    for polls in (5..).step_by(23) {
        if !cancel_restore(&archive, &to, polls).await {
            break;
        }
        cuts += 1;
        let left = "SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM submissions)
                    + (to_regclass('submissions_by_trigram') IS NULL)::INT";
        // The dropped connection may not have ended yet.
        let name = database_name(&url).to_owned();
        let left = tokio::task::spawn_blocking(move || run_sql(&name, left)).await.unwrap();
        assert_eq!(left.unwrap(), "0", "after {polls} polls");
    }
    assert!(cuts > 3, "cancelled {cuts} times");
    assert_eq!(all_answers(&*to.open().await).await, expected);
}

#[tokio::test]
async fn difference_is_detected_and_rolled_back() {
    let from = TestStore::file();
    fill_store(&*from.open().await).await;
    let archive = dump(&from).await.1;
    let url = prepared_database();
    let change = "CREATE FUNCTION lose() RETURNS TRIGGER LANGUAGE plpgsql AS
                    $$ BEGIN NEW.name := 'lost'; RETURN NEW; END $$;
                  CREATE TRIGGER lose BEFORE INSERT ON keys FOR EACH ROW EXECUTE FUNCTION lose()";
    run_sql(database_name(&url), change).unwrap();
    let to = TestStore::Database(url.clone());
    assert_rejected(&archive, &to, "the restored table `keys` has 2 rows with the checksum").await;
    assert_eq!(run_sql(database_name(&url), "SELECT count(*) FROM accounts").unwrap(), "0");
    run_sql(database_name(&url), "DROP TRIGGER lose ON keys").unwrap();
    restore(&archive, &to).await.unwrap();
}

/// A restore drops indexes and disables triggers, and then creates and enables them again.
#[tokio::test]
async fn restored_database_has_all_indexes_and_triggers() {
    let from = TestStore::file();
    fill_store(&*from.open().await).await;
    let archive = dump(&from).await.1;
    let indexes = |url: &str| {
        let list = "SELECT string_agg(indexdef, ';' ORDER BY indexdef) FROM pg_indexes";
        run_sql(database_name(url), list).unwrap()
    };
    let url = create_database();
    restore(&archive, &TestStore::Database(url.clone())).await.unwrap();
    assert_eq!(indexes(&url), indexes(&prepared_database()));
    let disabled = "SELECT count(*) FROM pg_trigger WHERE tgenabled = 'D'";
    assert_eq!(run_sql(database_name(&url), disabled).unwrap(), "0");
    let change = "INSERT INTO audit (account, place, at, actor_kind, action, outcome, detail,
                    prev_hash, hash)
                  SELECT account, place + 1, at, actor_kind, action, outcome, detail, prev_hash, hash
                  FROM audit WHERE account = 'acc_1' AND place = 24";
    assert!(
        run_sql(database_name(&url), change).is_err(),
        "an entry that breaks its chain was inserted"
    );
}

#[tokio::test]
async fn role_without_table_ownership_is_rejected() {
    let from = TestStore::file();
    fixtures::owner_and_form(&*from.open().await).await;
    let archive = dump(&from).await.1;
    let url = prepared_database();
    let grant = "CREATE ROLE restorer LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO restorer";
    run_sql(database_name(&url), grant).unwrap();
    let to = TestStore::Database(url.replace("//sheaf@", "//restorer@"));
    assert_rejected(&archive, &to, "restore as the role that owns them").await;
}

#[tokio::test]
async fn older_schema_with_data_is_unchanged() {
    let from = TestStore::file();
    fixtures::owner_and_form(&*from.open().await).await;
    let archive = dump(&from).await.1;
    let url = prepared_database();
    fixtures::owner_and_form(&*TestStore::Database(url.clone()).open().await).await;
    run_sql(database_name(&url), "DELETE FROM schema_migrations WHERE version > 1").unwrap();
    let to = TestStore::Database(url.clone());
    assert_rejected(&archive, &to, "the database has schema 1, but this version").await;
    let error =
        location::dump(&to.location(), Vec::new(), fixtures::at(1), |_| ()).await.unwrap_err();
    assert!(error.to_string().contains("the database has schema 1"), "{error}");
    assert_eq!(
        run_sql(database_name(&url), "SELECT max(version) FROM schema_migrations").unwrap(),
        "1"
    );
}

/// A server may create the file during a restore.
#[tokio::test]
async fn concurrent_file_is_not_overwritten() {
    let from = TestStore::file();
    fill_store(&*from.open().await).await;
    let archive = dump(&from).await.1;
    for (name, expect) in [
        ("sheaf.db", "sheaf.db` appeared during the restore"),
        ("sheaf.db-wal", "there is a log of another database"),
    ] {
        let to = TestStore::file();
        let Location::Sqlite(file) = to.location() else { unreachable!() };
        let other = file.with_file_name(name);
        let report = |_| std::fs::write(&other, "of a server").unwrap();
        let refused = location::restore(&archive[..], &to.location(), report).await.unwrap_err();
        assert!(refused.to_string().contains(expect), "{refused}");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "of a server");
        let left: Vec<_> = std::fs::read_dir(file.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

/// A dump detects data that a restore would reject.
#[tokio::test]
async fn unrestorable_data_is_not_dumped() {
    let url = prepared_database();
    let from = TestStore::Database(url.clone());
    fill_store(&*from.open().await).await;
    let run = |statements: &str| run_sql(database_name(&url), statements).unwrap();
    run("ALTER TABLE audit DISABLE TRIGGER USER; CREATE SCHEMA saved;
         CREATE TABLE saved.audit AS SELECT * FROM audit;
         CREATE TABLE saved.submissions AS SELECT id, json FROM submissions;
         CREATE TABLE saved.unlisted AS SELECT id, json FROM unlisted");
    let undo = "DELETE FROM audit;
         INSERT INTO audit OVERRIDING SYSTEM VALUE SELECT * FROM saved.audit;
         UPDATE submissions AS s SET json = old.json FROM saved.submissions AS old
           WHERE old.id = s.id AND old.json <> s.json;
         UPDATE unlisted AS u SET json = old.json FROM saved.unlisted AS old
           WHERE old.id = u.id AND old.json <> u.json";
    let place = from.location();
    let try_dump = || location::dump(&place, Vec::new(), fixtures::at(1), |_| ());
    for (change, expect) in [
        ("DELETE FROM audit WHERE account = 'acc_1' AND place = 24", "the audit log is broken"),
        ("UPDATE audit SET hash = prev_hash WHERE place = 22", "the audit log is broken"),
        ("UPDATE submissions SET json = '{}' WHERE id = 'sub_03'", "`sub_03` cannot be restored"),
        ("UPDATE unlisted SET json = '{}' WHERE id = 'sub_18'", "`sub_18` cannot be restored"),
        (
            "UPDATE submissions SET json = replace(json, 'sub_03', 'sub_xx') WHERE id = 'sub_03'",
            "its JSON is a different submission",
        ),
    ] {
        run(change);
        let error = try_dump().await.unwrap_err();
        assert!(error.to_string().contains(expect), "{change}: {error}");
        run(undo);
        try_dump().await.unwrap();
    }
}
