//! Errors that prevent a store in PostgreSQL from being opened, and their messages.

use super::{cluster, create_database, prepared_database};
use std::net::TcpListener;
use store::StoreError;
use store_postgres::{PostgresStore, Setup};
use test_servers::Postgres;

/// Opens a store, which must fail, and returns the error message.
pub(super) async fn open_error(setup: &Setup) -> String {
    let StoreError::Unusable(sentence) = PostgresStore::open(setup).await.err().unwrap() else {
        panic!("not a `StoreError::Unusable`")
    };
    assert!(!sentence.contains("hidden"), "{sentence}");
    sentence
}

async fn check_open_error(url: &str, expect: &str) {
    let sentence = open_error(&Setup::with_defaults(url)).await;
    assert!(sentence.contains(expect), "{url}: {sentence}");
}

/// Returns the name of the database in an address.
pub(super) fn database_name(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

fn sql(url: &str, sql: &str) {
    cluster().run_sql(database_name(url), sql).unwrap();
}

/// Returns the address of the same database for another role.
fn as_role(url: &str, role: &str) -> String {
    url.replace("//sheaf@", &format!("//{role}:hidden@"))
}

#[tokio::test]
async fn unreachable_databases_are_described() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let database = create_database();
    let check = check_open_error;
    check("http://me:hidden@h/d", "write it as `postgres://").await;
    check(&format!("postgres://me:hidden@{free}/d"), "nothing listens at `127.0.0.1:").await;
    check("postgres://me:hidden@nowhere.invalid/d", "the host of `nowhere.invalid:5432`").await;
    check("postgres://me:hidden@%2Fnowhere/d", "nothing listens at `/nowhere/.s.PGSQL.5432`").await;
    check(&database.replace(database_name(&database), "absent"), "there is no database `absent`")
        .await;
    check(&as_role(&database, "nobody"), "rejects the role `nobody`").await;
}

#[tokio::test]
async fn wrong_password_is_reported_not_shown() {
    let cluster = Postgres::start(&["fsync=off"]).unwrap();
    let rules = "COPY (VALUES ('host all locked 127.0.0.1/32 scram-sha-256'), \
                 ('host all all 127.0.0.1/32 trust')) TO PROGRAM 'cat > pg_hba.conf'";
    cluster.run_sql("postgres", "CREATE ROLE locked LOGIN PASSWORD 'hidden1'").unwrap();
    cluster.run_sql("postgres", rules).unwrap();
    cluster.run_sql("postgres", "SELECT pg_reload_conf()").unwrap();
    let url = as_role(&cluster.create_database().unwrap(), "locked");
    check_open_error(&url, "rejects the password of `locked`").await;
    check_open_error(&url.replace(":hidden@", "@"), "cannot connect to").await;
    cluster.run_sql(database_name(&url), "GRANT ALL ON SCHEMA public TO locked").unwrap();
    cluster
        .run_sql(database_name(&url), "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin")
        .unwrap();
    let open = Setup::with_defaults(&url.replace("hidden", "hidden1"));
    PostgresStore::open(&open).await.unwrap();
}

#[tokio::test]
async fn non_utf8_database_is_rejected() {
    let make = "CREATE DATABASE latin TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'";
    cluster().run_sql("postgres", make).unwrap();
    check_open_error(&cluster().url("latin"), "has the encoding `LATIN1`, but needs UTF8").await;
}

#[tokio::test]
async fn ascii_only_database_is_rejected() {
    let make = "CREATE DATABASE deaf TEMPLATE template0 ENCODING UTF8 LOCALE 'C'";
    cluster().run_sql("postgres", make).unwrap();
    let url = cluster().url("deaf");
    check_open_error(&url, "the database `deaf` classifies only ASCII characters as letters").await;
    check_open_error(&url, "`createdb --encoding UTF8 --locale C.UTF-8 --template template0`")
        .await;
    let tables_sql = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
    assert_eq!(cluster().run_sql("deaf", tables_sql).unwrap(), "0");
}

#[tokio::test]
async fn missing_privilege_is_named() {
    let url = create_database();
    sql(&url, "CREATE ROLE guest LOGIN; CREATE ROLE builder LOGIN");
    let guest = as_role(&url, "guest");
    check_open_error(&guest, "`GRANT CREATE ON SCHEMA public TO guest`").await;
    sql(&url, "GRANT CREATE ON SCHEMA public TO builder");
    check_open_error(&as_role(&url, "builder"), "have its owner run `CREATE EXTENSION ").await;
    PostgresStore::open(&Setup::with_defaults(&url)).await.unwrap();
    check_open_error(&guest, "belong to another role").await;
    // Without a missing migration, the role need not be allowed to create objects.
    sql(&url, "GRANT ALL ON ALL TABLES IN SCHEMA public TO guest");
    PostgresStore::open(&Setup::with_defaults(&guest)).await.unwrap();
}

#[tokio::test]
async fn foreign_database_is_rejected_unchanged() {
    let url = create_database();
    sql(&url, "CREATE TABLE users (id INT); CREATE TABLE posts (id INT)");
    check_open_error(&url, "has tables of another program (`posts`, `users`)").await;
    let url = create_database();
    sql(&url, "CREATE TABLE schema_migrations (version TEXT)");
    check_open_error(&url, "has a table `schema_migrations` of another program").await;
    assert_eq!(
        cluster().run_sql(database_name(&url), "SELECT count(*) FROM schema_migrations").unwrap(),
        "0"
    );
}

#[tokio::test]
async fn other_schema_version_is_rejected() {
    let url = prepared_database();
    sql(
        &url,
        "INSERT INTO schema_migrations SELECT max(version) + 1, 'later', '' FROM schema_migrations",
    );
    check_open_error(&url, "run the newer one").await;
    sql(&url, "DELETE FROM schema_migrations WHERE name = 'later'");
    sql(&url, "UPDATE schema_migrations SET checksum = '' WHERE version = 1");
    check_open_error(&url, "made by another build of sheaf").await;
}

#[tokio::test]
async fn read_only_database_is_rejected() {
    let url = create_database();
    sql(
        &url,
        &format!("ALTER DATABASE {} SET default_transaction_read_only = on", database_name(&url)),
    );
    check_open_error(&url, "is read-only").await;
}
