//! Long reads on a replica.

use super::open::open_error;
use contract::Filter;
use std::time::Duration;
use store::{Store as _, SummaryRequest};
use store_postgres::{PostgresStore, REPLICA_LAG_MAX, Setup};
use store_tests::fixtures::{
    count_all, form_id, insert_submissions, list_page, owner_and_form, search_filter, submission,
};
use test_servers::Postgres;

/// Long enough that the replica of a busy machine does not count as lagging.
const LONG_LAG: Duration = Duration::from_mins(1);

/// Returns a store over a new database of the primary and its copy on the replica, with a form of
/// three submissions. Also returns the address of each.
async fn open_store(
    primary: &Postgres,
    replica: &Postgres,
    lag_max: Duration,
) -> (PostgresStore, [String; 2]) {
    let url = primary.create_database().unwrap();
    // The replica gets the new database with a delay, like all changes.
    let name = super::open::database_name(&url);
    while replica.run_sql(name, "SELECT 1").is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let of_replica = replica.url(name);
    let replica_url = Some(of_replica.clone());
    let setup = Setup { replica_url, replica_lag_max: lag_max, ..Setup::with_defaults(&url) };
    let store = PostgresStore::open(&setup).await.unwrap();
    assert!(!store.metrics().is_replica_disabled);
    let other = PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    owner_and_form(&other).await;
    let ids = ["sub_a", "sub_b", "sub_c"];
    insert_submissions(&other, ids.iter().map(|id| submission(id, 1_000_000, "word")).collect())
        .await;
    (store, [url, of_replica])
}

/// Returns how many submissions an export, a search and a summary find. All must agree.
async fn count_found(store: &PostgresStore) -> u64 {
    let exported = count_all(store).await;
    let page = list_page(store, &search_filter("word"), None, 10).await.unwrap();
    let filter = Filter::default();
    let request = SummaryRequest { form: form_id(), filter, zone: chrono_tz::UTC, field: None };
    let summary = store.summarize(request).await.unwrap().unwrap();
    assert_eq!((page.total, summary.total), (exported, exported));
    exported
}

async fn check_reads_see_own_deletes(store: &PostgresStore) {
    assert_eq!(count_found(store).await, 3);
    for (id, remaining) in [("sub_a", 2), ("sub_b", 1), ("sub_c", 0)] {
        assert!(store.delete_submission(&id.parse().unwrap()).await.unwrap());
        assert_eq!(count_found(store).await, remaining);
    }
    let metrics = store.metrics();
    assert!(!metrics.is_replica_disabled);
    assert_eq!(metrics.long_pool.open, 0, "the primary served a read");
    assert_ne!(metrics.replica.unwrap().open, 0);
}

/// Checks that the primary serves the reads of a store after `stop`.
async fn check_not_used_after(store: &PostgresStore, stop: impl FnOnce()) {
    assert_eq!(count_found(store).await, 3);
    stop();
    insert_submissions(store, vec![submission("sub_d", 2_000_000, "word")]).await;
    assert_eq!(count_found(store).await, 4);
    assert!(store.metrics().is_replica_disabled);
}

/// One test, because a primary with its replica takes seconds to start.
#[tokio::test]
async fn replica_serves_long_reads_while_it_is_current() {
    let primary = Postgres::start(&["fsync=off"]).unwrap();
    let replica = primary.start_replica().unwrap();
    let (store, [url, of_replica]) = open_store(&primary, &replica, LONG_LAG).await;
    check_reads_see_own_deletes(&store).await;

    let message = open_error(&Setup::with_defaults(&of_replica)).await;
    assert!(message.contains("is read-only") && message.contains("`--replica-url`"), "{message}");

    let (store, _) = open_store(&primary, &replica, REPLICA_LAG_MAX).await;
    let pause = || drop(replica.run_sql("postgres", "SELECT pg_wal_replay_pause()").unwrap());
    check_not_used_after(&store, pause).await;
    replica.run_sql("postgres", "SELECT pg_wal_replay_resume()").unwrap();

    let (store, _) = open_store(&primary, &replica, REPLICA_LAG_MAX).await;
    check_not_used_after(&store, || replica.crash().unwrap()).await;

    drop(replica);
    let setup = Setup { replica_url: Some(of_replica), ..Setup::with_defaults(&url) };
    let message = open_error(&setup).await;
    assert!(message.contains("nothing listens"), "{message}");
}
