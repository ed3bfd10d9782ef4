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

#[tokio::test]
async fn replica_is_rejected_as_primary() {
    let primary = Postgres::start(&["fsync=off"]).unwrap();
    let url = primary.create_database().unwrap();
    let replica = primary.start_replica().unwrap();
    let of_replica = replica.url(super::open::database_name(&url));
    let message = open_error(&Setup::with_defaults(&of_replica)).await;
    assert!(message.contains("is read-only") && message.contains("`--replica-url`"), "{message}");
    let setup = Setup { replica_url: Some(of_replica), ..Setup::with_defaults(&url) };
    let store = PostgresStore::open(&setup).await.unwrap();
    assert!(!store.metrics().is_replica_disabled);
    drop(replica);
    let message = open_error(&setup).await;
    assert!(message.contains("nothing listens"), "{message}");
}

/// Long enough that the replica of a busy machine does not count as lagging.
const LONG_LAG: Duration = Duration::from_mins(1);

/// Returns a primary with a form of three submissions, its replica, and a store over both.
async fn open_with_replica(behind_max: Duration) -> (Postgres, Postgres, PostgresStore) {
    let primary = Postgres::start(&["fsync=off"]).unwrap();
    let replica = primary.start_replica().unwrap();
    let url = primary.create_database().unwrap();
    // The replica gets the new database with a delay, like all changes.
    let name = super::open::database_name(&url);
    while replica.run_sql(name, "SELECT 1").is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let replica_url = Some(replica.url(name));
    let setup = Setup { replica_url, replica_lag_max: behind_max, ..Setup::with_defaults(&url) };
    let store = PostgresStore::open(&setup).await.unwrap();
    let other = PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    owner_and_form(&other).await;
    let ids = ["sub_a", "sub_b", "sub_c"];
    insert_submissions(&other, ids.iter().map(|id| submission(id, 1_000_000, "word")).collect())
        .await;
    (primary, replica, store)
}

/// Returns how many submissions an export, a search and a summary find. All must agree.
async fn count_found(store: &PostgresStore) -> u64 {
    let exported = count_all(store).await;
    let page = list_page(store, &search_filter("word"), None, 10).await.unwrap();
    let request =
        SummaryRequest { form: form_id(), filter: Filter::default(), zone: chrono_tz::UTC };
    let summary = store.summarize(request).await.unwrap().unwrap();
    assert_eq!((page.total, summary.total), (exported, exported));
    exported
}

#[tokio::test]
async fn replica_reads_see_own_deletes() {
    let (_primary, _replica, store) = open_with_replica(LONG_LAG).await;
    assert_eq!(count_found(&store).await, 3);
    for (id, remaining) in [("sub_a", 2), ("sub_b", 1), ("sub_c", 0)] {
        assert!(store.delete_submission(&id.parse().unwrap()).await.unwrap());
        assert_eq!(count_found(&store).await, remaining);
    }
    let metrics = store.metrics();
    assert!(!metrics.is_replica_disabled);
    assert_eq!(metrics.long_pool.open, 0, "the primary served a read");
    assert_ne!(metrics.replica.unwrap().open, 0);
}

#[tokio::test]
async fn unavailable_replica_is_not_used() {
    let (_primary, replica, store) = open_with_replica(REPLICA_LAG_MAX).await;
    assert_eq!(count_found(&store).await, 3);
    replica.run_sql("postgres", "SELECT pg_wal_replay_pause()").unwrap();
    insert_submissions(&store, vec![submission("sub_d", 2_000_000, "word")]).await;
    assert_eq!(count_found(&store).await, 4);
    assert!(store.metrics().is_replica_disabled);
    let (_primary, replica, store) = open_with_replica(REPLICA_LAG_MAX).await;
    assert_eq!(count_found(&store).await, 3);
    replica.crash().unwrap();
    insert_submissions(&store, vec![submission("sub_d", 2_000_000, "word")]).await;
    assert_eq!(count_found(&store).await, 4);
    assert!(store.metrics().is_replica_disabled);
}
