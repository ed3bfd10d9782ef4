//! Steps that are cut, and steps beside others who serve.

use super::super::connect::{Connections, Setup};
use super::*;
use backing::Postgres;

fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// All steps, and one of a later release.
fn and(sql: &'static str) -> Vec<Migration> {
    [MIGRATIONS, &[Migration { name: "9999_later", sql }]].concat()
}

async fn open(url: &str, steps: &[Migration]) -> Result<Connections> {
    Connections::open(&Setup::of(url), steps).await
}

fn sql(url: &str, sql: &str) -> String {
    cluster().sql(url.rsplit('/').next().unwrap(), sql).unwrap()
}

#[tokio::test]
async fn an_interrupted_step_leaves_nothing() {
    let url = cluster().database().unwrap();
    let cut = and("CREATE TABLE half (id INT); SELECT 1 / 0");
    assert!(open(&url, &cut).await.is_err());
    assert_eq!(sql(&url, "SELECT to_regclass('half') IS NULL"), "t");
    let kept = sql(&url, "SELECT max(version) FROM schema_migrations");
    assert_eq!(kept, MIGRATIONS.len().to_string());
    open(&url, &and("CREATE TABLE half (id INT)")).await.unwrap();
    assert_eq!(sql(&url, "SELECT to_regclass('half') IS NULL"), "f");
}

#[tokio::test]
async fn an_instance_goes_on_while_a_newer_one_waits_for_a_table() {
    let url = cluster().database().unwrap();
    let old = open(&url, MIGRATIONS).await.unwrap();
    // Somebody reads for long, so that the step cannot be taken yet.
    let mut long = old.get_patient().await.unwrap();
    let tx = long.transaction().await.unwrap();
    tx.query("SELECT count(*) FROM forms", &[]).await.unwrap();
    let newer = {
        let url = url.clone();
        let steps = and("ALTER TABLE forms ADD COLUMN of_later TEXT");
        tokio::spawn(async move { open(&url, &steps).await.map(drop) })
    };
    let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'";
    while sql(&url, waits) == "0" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Who comes behind it waits for the step's patience, not for the long reader.
    let conn = old.get().await.unwrap();
    conn.query("SELECT count(*) FROM forms", &[]).await.unwrap();
    assert!(!newer.is_finished());
    tx.commit().await.unwrap();
    newer.await.unwrap().unwrap();
    conn.query("SELECT of_later FROM forms", &[]).await.unwrap();
}
