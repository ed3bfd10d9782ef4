//! Migrations while other instances migrate or serve.

use super::open::database_name;
use super::{cluster, create_database, poll_until, prepared_database};
use store::StoreError;
use store_postgres::{Migrate, PostgresStore, Setup};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;

/// The advisory lock for migrations.
const LOCK: i64 = 0x7368_6561_6600;

#[tokio::test]
async fn concurrent_starts_run_migrations_once() {
    let url = create_database();
    let mut starts = JoinSet::new();
    for _ in 0..6 {
        let setup = Setup { connections_max: 1, ..Setup::with_defaults(&url) };
        starts.spawn(async move { PostgresStore::open(&setup).await.map(drop) });
    }
    while let Some(started) = starts.join_next().await {
        started.unwrap().unwrap();
    }
    let check_sql = "SELECT count(*) = max(version) AND count(*) = count(DISTINCT name) \
                FROM schema_migrations";
    assert_eq!(cluster().run_sql(database_name(&url), check_sql).unwrap(), "t");
}

#[tokio::test]
async fn start_waits_for_running_migration() {
    let url = create_database();
    let (holder, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    holder.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await.unwrap();
    let setup = Setup::with_defaults(&url);
    let opening = tokio::spawn(async move { PostgresStore::open(&setup).await.map(drop) });
    // It found the lock taken, and rolled back its transaction.
    let has_looked = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE query = 'ROLLBACK' \
                      AND application_name = 'sheaf' AND datname = current_database())";
    poll_until("the lock was tried", async || {
        holder.query_one(has_looked, &[]).await.unwrap().get(0)
    })
    .await;
    let is_empty = "SELECT to_regclass('schema_migrations') IS NULL";
    assert!(holder.query_one(is_empty, &[]).await.unwrap().get::<_, bool>(0), "it did not wait");
    assert!(!opening.is_finished(), "it did not wait");
    holder.execute("SELECT pg_advisory_unlock($1)", &[&LOCK]).await.unwrap();
    opening.await.unwrap().unwrap();
}

#[tokio::test]
async fn old_instance_serves_after_newer_migration() {
    let url = prepared_database();
    let old = PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    old.check_writable().await.unwrap();
    let step = "BEGIN; ALTER TABLE forms ADD COLUMN of_later TEXT; INSERT INTO schema_migrations \
                SELECT max(version) + 1, 'later', '' FROM schema_migrations; COMMIT";
    cluster().run_sql(database_name(&url), step).unwrap();
    old.check_writable().await.unwrap();
    assert!(
        PostgresStore::open(&Setup::with_defaults(&url)).await.is_err(),
        "an old instance started again"
    );
}

#[tokio::test]
async fn migrate_never_leaves_schema_unchanged() {
    let url = create_database();
    let of_command = Setup { migrate: Migrate::Never, ..Setup::with_defaults(&url) };
    let assert_rejected = async |expect: &str| {
        let found = PostgresStore::open(&of_command).await.map(drop);
        let is_it = matches!(&found, Err(StoreError::Unusable(why)) if why.contains(expect));
        assert!(is_it, "{found:?}");
    };
    assert_rejected("there is no data in the database").await;
    let is_empty = "SELECT to_regclass('schema_migrations') IS NULL";
    assert_eq!(cluster().run_sql(database_name(&url), is_empty).unwrap(), "t");
    PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    PostgresStore::open(&of_command).await.unwrap();
    // As if only the first migration had been applied.
    let downgrade_sql = "DELETE FROM schema_migrations WHERE version > 1";
    cluster().run_sql(database_name(&url), downgrade_sql).unwrap();
    assert_rejected("the database has schema 1, but this version of sheaf needs").await;
    let version = cluster()
        .run_sql(database_name(&url), "SELECT max(version) FROM schema_migrations")
        .unwrap();
    assert_eq!(version, "1");
}
