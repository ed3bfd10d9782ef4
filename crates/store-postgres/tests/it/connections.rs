//! A database that becomes unavailable and recovers.

use super::open::database_name;
use super::{cluster, poll_until, prepared_database};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::{Store as _, StoreError};
use store_postgres::{PostgresStore, Setup};
use store_tests::fixtures::{self, form_id, owner_and_form};
use test_servers::Postgres;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Generous limit for operations that must end within seconds.
const PROMPT: Duration = Duration::from_secs(20);

async fn check_unavailable(store: &PostgresStore) {
    let found = timeout(PROMPT, store.check_writable()).await.expect("the error is not prompt");
    assert!(matches!(found, Err(StoreError::Unavailable(_))), "{found:?}");
}

#[tokio::test]
async fn restart_fails_then_recovers() {
    let cluster = Postgres::start(&["fsync=off"]).unwrap();
    let store = PostgresStore::open(&Setup::with_defaults(&cluster.create_database().unwrap()))
        .await
        .unwrap();
    for stop in [Postgres::stop, Postgres::crash] {
        store.check_writable().await.unwrap();
        stop(&cluster).unwrap();
        check_unavailable(&store).await;
        check_unavailable(&store).await;
        cluster.restart().unwrap();
        store.check_writable().await.unwrap();
    }
}

#[tokio::test]
async fn terminated_connection_is_replaced() {
    let url = prepared_database();
    let store = PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    store.check_writable().await.unwrap();
    let end = format!(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity \
         WHERE datname = '{}' AND pid <> pg_backend_pid()",
        database_name(&url)
    );
    assert_ne!(cluster().run_sql(database_name(&url), &end).unwrap(), "0");
    // The first call may get the error before the connection itself is seen to have ended.
    let _ = store.check_writable().await;
    store.check_writable().await.unwrap();
}

/// Starts a proxy to an address, which discards all data while the returned flag is set.
async fn start_discarding_proxy(to: String) -> (u16, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let discards = Arc::<AtomicBool>::default();
    let is_on = Arc::clone(&discards);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(&to).await.unwrap();
            let client = client.into_split();
            let server = server.into_split();
            tokio::spawn(forward_bytes(client.0, server.1, Arc::clone(&is_on)));
            tokio::spawn(forward_bytes(server.0, client.1, Arc::clone(&is_on)));
        }
    });
    (port, discards)
}

async fn forward_bytes(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    discards: Arc<AtomicBool>,
) {
    let mut bytes = [0; 4096];
    while let Ok(count) = from.read(&mut bytes).await {
        let is_swallowed = discards.load(Ordering::SeqCst);
        if count == 0 || !is_swallowed && to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn silent_network_fails_then_recovers() {
    let url = prepared_database();
    let place = url.split(['@', '/']).nth(3).unwrap().to_owned();
    let (port, discards) = start_discarding_proxy(place.clone()).await;
    let url = url.replace(&place, &format!("127.0.0.1:{port}"));
    let store = PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    store.check_writable().await.unwrap();
    discards.store(true, Ordering::SeqCst);
    // Longer than the second during which an idle connection is not tested.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    check_unavailable(&store).await;
    discards.store(false, Ordering::SeqCst);
    timeout(PROMPT, store.check_writable()).await.unwrap().unwrap();
}

#[tokio::test]
async fn terminated_write_is_rolled_back() {
    let url = prepared_database();
    let store = PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    owner_and_form(&store).await;
    // A lock on the form's row ensures that the write is in progress when it is ended.
    let (holder, speaks) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(speaks);
    holder.batch_execute("BEGIN; SELECT 1 FROM forms FOR UPDATE").await.unwrap();
    let write = {
        let store = store.clone();
        tokio::spawn(async move { store.rename_form(&form_id(), "Another".to_owned()).await })
    };
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
               WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    poll_until("the write waits", async || {
        holder.query_one(end, &[]).await.unwrap().get::<_, i64>(0) > 0
    })
    .await;
    let written = timeout(PROMPT, write).await.unwrap().unwrap();
    assert!(matches!(written, Err(StoreError::Unavailable(_))), "{written:?}");
    holder.batch_execute("COMMIT").await.unwrap();
    let found = store.find_form(&form_id()).await.unwrap().unwrap();
    assert_ne!(found.form.name, "Another");
    assert!(store.rename_form(&form_id(), "Another".to_owned()).await.unwrap());
}

/// Returns a store with a form, and a separate connection.
async fn open_with_client(connections_max: usize) -> (PostgresStore, tokio_postgres::Client) {
    let url = prepared_database();
    let setup = Setup { connections_max, ..Setup::with_defaults(&url) };
    let store = PostgresStore::open(&setup).await.unwrap();
    owner_and_form(&store).await;
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    (store, client)
}

async fn wait_until(client: &tokio_postgres::Client, is_so: &str) {
    poll_until(is_so, async || client.query_one(is_so, &[]).await.unwrap().get(0)).await;
}

/// Whether a session waits for a lock of the querying session.
const IS_BLOCKED: &str = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted \
                          AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))";

#[tokio::test]
async fn abandoned_write_does_not_block_next() {
    let (store, client) = open_with_client(1).await;
    client.batch_execute("BEGIN; SELECT 1 FROM forms FOR UPDATE").await.unwrap();
    let writer = store.clone();
    let write = async move { writer.rename_form(&form_id(), "Another".to_owned()).await };
    let write = tokio::spawn(write);
    wait_until(&client, IS_BLOCKED).await;
    write.abort();
    assert!(write.await.unwrap_err().is_cancelled());
    // The store waits less time for its only connection than a statement waits for a lock.
    let next = store.find_form(&form_id()).await.unwrap();
    assert_ne!(next.unwrap().form.name, "Another");
    client.batch_execute("COMMIT").await.unwrap();
    // A write that was refused returns its connection to the pool.
    let repeated = store.insert_account(fixtures::account("acc_1", "owner@example.com")).await;
    assert!(matches!(repeated, Err(StoreError::Exists(_))), "{repeated:?}");
    // The process of the abandoned connection takes a moment to end.
    let has_one = "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'sheaf' \
                   AND pg_backend_pid() <> pid AND datname = current_database()";
    wait_until(&client, has_one).await;
    store.find_form(&form_id()).await.unwrap();
    assert!(client.query_one(has_one, &[]).await.unwrap().get::<_, bool>(0));
}

#[tokio::test]
async fn waiting_count_does_not_block_health_check() {
    let (store, client) = open_with_client(2).await;
    client.batch_execute("BEGIN; LOCK TABLE insight_queue").await.unwrap();
    let counter = store.clone();
    let count = tokio::spawn(async move { counter.count_pending_insights().await });
    wait_until(&client, IS_BLOCKED).await;
    store.check_writable().await.unwrap();
    assert!(!count.is_finished(), "the health check waited for the count");
    client.batch_execute("COMMIT").await.unwrap();
    assert_eq!(count.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn waiting_count_is_capped() {
    let (store, client) = open_with_client(2).await;
    // Only the number matters, so the rows need no submissions.
    let fill = "ALTER TABLE insight_queue DISABLE TRIGGER ALL; INSERT INTO insight_queue \
                SELECT 'frm_1', n, n::TEXT FROM generate_series(1, 100005) AS t (n)";
    client.batch_execute(fill).await.unwrap();
    assert_eq!(store.count_pending_insights().await.unwrap(), 100_000);
}

#[tokio::test]
async fn long_reads_leave_half_to_other_forms() {
    let (store, client) = open_with_client(16).await;
    store.insert_form(fixtures::form("acc_1", "frm_2")).await.unwrap();
    // A read of the first form now takes an hour.
    let slow_sql = "ALTER TABLE forms RENAME TO quick_forms;
                CREATE VIEW forms AS SELECT * FROM quick_forms
                WHERE form_id <> 'frm_1' OR pg_sleep(3600)::TEXT = ''";
    client.batch_execute(slow_sql).await.unwrap();
    let mut long = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let reader = store.clone();
        let list = async move {
            fixtures::list_page(&reader, &fixtures::search_filter("apple"), None, 5).await.map(drop)
        };
        long.spawn(list);
    }
    let running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sheaf' \
                   AND state = 'active' AND datname = current_database()";
    let are_two = format!("SELECT ({running}) >= 2");
    wait_until(&client, &are_two).await;
    let other = "frm_2".parse().unwrap();
    let filter = fixtures::search_filter("apple");
    let page = store.list_page(&fixtures::owner(), &other, &filter, None, 5).await;
    assert_eq!(page.unwrap().unwrap().total, 0);
    assert_eq!(client.query_one(running, &[]).await.unwrap().get::<_, i64>(0), 2);
}
