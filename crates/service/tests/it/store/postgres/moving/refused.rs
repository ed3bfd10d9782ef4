//! Moves that are refused, and what is said of them. Nothing is written then.

use super::super::open::name;
use super::super::{soon, sql};
use super::{Setup, database, fill, kill, run};
use crate::store::make::{self, submission};
use crate::store::sqlite::Place;
use service::store::moving::Doing;
use service::store::postgres::PostgresStore;
use service::store::sqlite::SqliteStore;
use service::store::{Store, StoreError};
use std::path::Path;
use std::thread::JoinHandle;

/// The lock that a move holds.
const MOVE: i64 = 0x7368_6561_6602;

/// Whether a database is as a server left it.
const UNTOUCHED: &str = "SELECT to_regclass('submissions_by_trigram') IS NOT NULL AND NOT EXISTS \
                         (SELECT 1 FROM moves)";

async fn check(file: &Path, url: &str, expect: &str) {
    match run(file, url).await {
        Err(StoreError::Unfit(sentence)) => assert!(sentence.contains(expect), "{sentence}"),
        other => panic!("it was not refused ({expect}): {other:?}"),
    }
}

/// Runs a statement that sleeps, until it is ended; tells whether it was.
fn hold(url: &str, statement: String) -> JoinHandle<bool> {
    let name = name(url).to_owned();
    std::thread::spawn(move || sql(&name, &statement).is_err())
}

async fn wait_for_lock(url: &str, which: &str) {
    let look = format!(
        "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE {which} AND \
         database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
    );
    soon("the lock is there", async || sql(name(url), &look).unwrap() == "t").await;
}

async fn wait_for_mark(url: &str) {
    let look = "SELECT EXISTS (SELECT 1 FROM moves)";
    soon("the mark is there", async || sql(name(url), look).unwrap() == "t").await;
}

fn end_who_sleeps(url: &str) {
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
               WHERE datname = current_database() AND wait_event = 'PgSleep'";
    assert_eq!(sql(name(url), end).unwrap(), "1");
}

#[tokio::test]
async fn what_others_use_is_refused() {
    let (place, url) = (Place::new(), database());
    let store = place.open();
    make::owner_and_form(&store).await;
    check(&place.file(), &url, "is open elsewhere; stop the server").await;
    drop(store);
    let server = PostgresStore::open(&Setup::of(&url)).await.unwrap();
    server.cursor_secret().await.unwrap();
    check(&place.file(), &url, "a server or another command has the database open").await;
    drop(server);
    // A cursor secret of its own is nothing to keep.
    assert!(run(&place.file(), &url).await.unwrap().agrees());
    check(&place.folder().join("none.db"), &url, "there is no file").await;
}

#[tokio::test]
async fn a_database_with_other_data_is_refused() {
    let (place, other, url) = (Place::new(), Place::new(), database());
    for place in [&place, &other] {
        let store = place.open();
        make::owner_and_form(&store).await;
        // By it each file is known.
        store.cursor_secret().await.unwrap();
    }
    let server = PostgresStore::open(&Setup::of(&url)).await.unwrap();
    make::owner_and_form(&server).await;
    drop(server);
    check(&place.file(), &url, "the database has data already, among them `accounts`").await;
    assert_eq!(sql(name(&url), UNTOUCHED).unwrap(), "t", "something was changed");
    let url = database();
    run(&other.file(), &url).await.unwrap();
    check(&place.file(), &url, "other data were moved into the database").await;
}

#[tokio::test]
async fn two_moves_at_once_are_refused() {
    let (place, url) = (Place::new(), database());
    drop(place.open());
    PostgresStore::open(&Setup::of(&url)).await.unwrap();
    let holder = hold(&url, format!("SELECT pg_advisory_lock({MOVE}), pg_sleep(600)"));
    wait_for_lock(&url, "granted AND locktype = 'advisory'").await;
    check(&place.file(), &url, "another move has the database open").await;
    end_who_sleeps(&url);
    assert!(holder.join().unwrap(), "it was not ended");
    assert!(run(&place.file(), &url).await.unwrap().agrees());
}

/// Has a move wait for a table on the way to its mark, and a server begin there meanwhile; returns
/// what is said of the move, and what comes of `act`, which ends the waiting.
async fn beside_a_server<T>(
    (place, url): (&Place, &str),
    table: &str,
    act: impl AsyncFnOnce(PostgresStore) -> T,
) -> (String, T) {
    fill(&place.open()).await;
    drop(PostgresStore::open(&Setup::of(url)).await.unwrap());
    let holder = hold(url, format!("BEGIN; LOCK TABLE {table}; SELECT pg_sleep(600)"));
    wait_for_lock(url, &format!("granted AND relation = '{table}'::regclass")).await;
    let file = place.file();
    let (moved, done) = tokio::join!(run(&file, url), async {
        wait_for_lock(url, "NOT granted").await;
        let server = PostgresStore::open(&Setup::of(url)).await.unwrap();
        server.cursor_secret().await.unwrap();
        act(server).await
    });
    assert!(holder.join().unwrap(), "it was not ended");
    (moved.unwrap_err().to_string(), done)
}

#[tokio::test]
async fn a_server_that_begins_as_the_move_does_is_noticed() {
    let (place, url) = (Place::new(), database());
    // The move has looked for servers.
    let stays = async |server| {
        end_who_sleeps(&url);
        server
    };
    let (sentence, server) = beside_a_server((&place, &url), "accounts", stays).await;
    assert!(sentence.contains("a server or another command has the database open"), "{sentence}");
    drop(server);
    // It may begin again, and finds everything as it was.
    assert_eq!(sql(name(&url), UNTOUCHED).unwrap(), "t", "something was changed");
    drop(PostgresStore::open(&Setup::of(&url)).await.unwrap());
    assert!(run(&place.file(), &url).await.unwrap().agrees());
}

#[tokio::test]
async fn what_a_server_wrote_as_the_move_began_is_noticed_when_it_has_gone() {
    let (place, url) = (Place::new(), database());
    // The move has looked for accounts, too.
    let goes = async |server: PostgresStore| {
        make::owner_and_form(&server).await;
        end_who_sleeps(&url);
        wait_for_mark(&url).await;
    };
    let (sentence, ()) = beside_a_server((&place, &url), "submissions", goes).await;
    assert!(sentence.contains("has data already, among them `accounts`"), "{sentence}");
    assert_eq!(sql(name(&url), UNTOUCHED).unwrap(), "t", "something was changed");
    drop(PostgresStore::open(&Setup::of(&url)).await.unwrap());
}

#[tokio::test]
async fn data_that_changed_meanwhile_are_refused() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    assert!(kill(&place.file(), &url, (Doing::Moving, 5), 0).await.is_none());
    // The killed move lets go of the file in a thread of its own.
    soon("the file is let go", async || SqliteStore::open(&place.file()).is_ok()).await;
    make::insert(&place.open(), vec![submission("sub_late", 1, "x")]).await;
    check(&place.file(), &url, "were changed since their move into the database began").await;
    let url = database();
    run(&place.file(), &url).await.unwrap();
    make::insert(&place.open(), vec![submission("sub_later", 1, "x")]).await;
    check(&place.file(), &url, "were moved into the database before, and changed since").await;
}

#[tokio::test]
async fn one_submission_in_place_of_another_is_a_change_and_so_is_a_key() {
    let (place, url) = (Place::new(), database());
    let store = place.open();
    make::owner_and_form(&store).await;
    make::insert(&store, vec![submission("sub_1", 1, "x")]).await;
    drop(store);
    run(&place.file(), &url).await.unwrap();
    let store = place.open();
    store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap();
    make::insert(&store, vec![submission("sub_2", 1, "x")]).await;
    drop(store);
    check(&place.file(), &url, "were moved into the database before, and changed since").await;
    let url = database();
    run(&place.file(), &url).await.unwrap();
    let store = place.open();
    store.insert_key(&make::owner().account_id, make::key("key_1"), [3; 32]).await.unwrap();
    drop(store);
    check(&place.file(), &url, "were moved into the database before, and changed since").await;
}

#[tokio::test]
async fn an_audit_log_that_was_changed_is_refused() {
    let (place, url) = (Place::new(), database());
    fill(&place.open()).await;
    let conn = rusqlite::Connection::open(place.file()).unwrap();
    conn.execute_batch("DROP TRIGGER audit_is_not_changed").unwrap();
    conn.execute("UPDATE audit SET at = at + 1 WHERE seq = (SELECT MAX(seq) FROM audit)", [])
        .unwrap();
    let again = "CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'a note of the audit log is never changed');
END";
    conn.execute_batch(again).unwrap();
    drop(conn);
    check(&place.file(), &url, "is not as it was written (note ").await;
    let name = url.rsplit('/').next().unwrap();
    let tables = "SELECT count(*) FROM pg_class WHERE relname = 'moves'";
    assert_eq!(sql(name, tables).unwrap(), "0", "something was written");
}
