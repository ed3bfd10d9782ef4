//! Tests of the lock for known ids.

use super::*;
use crate::connect::{Connections, Setup};
use crate::migrate::MIGRATIONS;
use std::time::Duration;
use test_servers::Postgres;

#[tokio::test]
async fn given_ids_waits_beyond_lock_timeout() {
    let cluster = Postgres::start(&["fsync=off"]).unwrap();
    let url = cluster.create_database().unwrap();
    let connections = Connections::open(&Setup::with_defaults(&url), MIGRATIONS).await.unwrap();
    let mut first = connections.get().await.unwrap();
    let mut second = connections.get().await.unwrap();
    let first = first.transaction().await.unwrap();
    lock_known_ids(&first).await.unwrap();
    let second = second.transaction().await.unwrap();
    let short = "SET LOCAL lock_timeout = '50ms'; SET LOCAL statement_timeout = '60ms'";
    second.batch_execute(short).await.unwrap();
    let commit_first = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        first.commit().await.unwrap();
    };
    let (waited, ()) = tokio::join!(lock_known_ids(&second), commit_first);
    waited.unwrap();
    let set = "SELECT current_setting('lock_timeout') || current_setting('statement_timeout')";
    let set = query::fetch_row(&second, set, &[]).await.unwrap().unwrap();
    assert_eq!(read_column::<&str>(&set, 0).unwrap(), "50ms60ms");
}
