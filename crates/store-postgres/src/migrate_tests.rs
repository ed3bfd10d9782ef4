//! Tests of interrupted migrations, and of migrations while other instances serve.

use super::*;
use crate::connect::{Connections, Setup};
use test_servers::Postgres;

fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// Returns all migrations, and one of a later release.
fn with_migration(sql: &'static str) -> Vec<Migration> {
    [MIGRATIONS, &[Migration { name: "9999_later", sql }]].concat()
}

async fn open(url: &str, steps: &[Migration]) -> Result<Connections> {
    Connections::open(&Setup::with_defaults(url), steps).await
}

fn sql(url: &str, sql: &str) -> String {
    cluster().run_sql(url.rsplit('/').next().unwrap(), sql).unwrap()
}

#[tokio::test]
async fn failed_migration_is_rolled_back() {
    let url = cluster().create_database().unwrap();
    let cut = with_migration("CREATE TABLE half (id INT); SELECT 1 / 0");
    assert!(open(&url, &cut).await.is_err());
    assert_eq!(sql(&url, "SELECT to_regclass('half') IS NULL"), "t");
    let version = sql(&url, "SELECT max(version) FROM schema_migrations");
    assert_eq!(version, MIGRATIONS.len().to_string());
    open(&url, &with_migration("CREATE TABLE half (id INT)")).await.unwrap();
    assert_eq!(sql(&url, "SELECT to_regclass('half') IS NULL"), "f");
}

#[tokio::test]
async fn migration_composes_older_texts() {
    let url = cluster().create_database().unwrap();
    let step = MIGRATIONS.iter().position(|step| step.name == "0010_composed_texts").unwrap();
    open(&url, &MIGRATIONS[..step]).await.unwrap();
    for table in
        ["submissions (form_id, submitted_at", "import_rows (form_id, place, import, submitted_at"]
    {
        let numbers = if table.starts_with("import") { "1, 1, 1" } else { "1" };
        let rows = format!(
            "INSERT INTO {table}, id, json, searched) VALUES \
             ('frm_1', {numbers}, 'sub_1', '{{}}', U&'ab\\0007zoe\\0308\\0007')"
        );
        sql(&url, &rows);
    }
    let accounts = "INSERT INTO accounts (id, email, email_folded, plan, created_at) VALUES \
         ('acc_1', '', U&'zoe\\0308@x', 'free', 1), ('acc_2', '', U&'ame\\0301@x', 'free', 1), \
         ('acc_3', '', U&'am\\00e9@x', 'free', 1)";
    sql(&url, accounts);
    open(&url, &MIGRATIONS[..=step]).await.unwrap();
    for table in ["submissions", "import_rows"] {
        let composed = format!("SELECT searched = U&'ab\\0007zo\\00eb\\0007' FROM {table}");
        assert_eq!(sql(&url, &composed), "t", "{table}");
    }
    let folded = "SELECT string_agg(email_folded, ' ' ORDER BY id) FROM accounts";
    assert_eq!(sql(&url, folded), "zoë@x ame\u{301}@x amé@x", "a taken address is unchanged");
}

#[tokio::test]
async fn migration_moves_spam_to_unlisted() {
    let url = cluster().create_database().unwrap();
    let step = MIGRATIONS.iter().position(|step| step.name == "0014_unlisted").unwrap();
    open(&url, &MIGRATIONS[..step]).await.unwrap();
    let before = "INSERT INTO accounts (id, email, email_folded, plan, created_at) VALUES
           ('acc_1', '', '', 'free', 1);
         INSERT INTO forms (form_id, account, name, environment, analysis, created_at) VALUES
           ('frm_1', 'acc_1', '', 'live', FALSE, 1);
         INSERT INTO spam (form_id, submitted_at, id, reason, json, fields) VALUES
           ('frm_1', 5, 'sub_1', 'honeypot', '{}', '[1]')";
    sql(&url, before);
    open(&url, &MIGRATIONS[..=step]).await.unwrap();
    let query = "SELECT form_id, state, submitted_at, id, moved_at, batch, reason, fields, json,
                  searched IS NULL FROM unlisted";
    assert_eq!(sql(&url, query), "frm_1|spam|5|sub_1|5||honeypot|[1]|{}|t");
    assert_eq!(sql(&url, "SELECT trash_days FROM forms"), "30");
}

#[tokio::test]
async fn unfinished_move_blocks_migration() {
    let url = cluster().create_database().unwrap();
    let step = MIGRATIONS.iter().position(|step| step.name == "0016_no_moves").unwrap();
    open(&url, &MIGRATIONS[..step]).await.unwrap();
    sql(&url, "INSERT INTO moves (source, state) VALUES ('a', 'b')");
    let error = open(&url, &MIGRATIONS[..=step]).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("a move into the database has not ended"), "{error}");
    sql(&url, "UPDATE moves SET is_done = TRUE");
    open(&url, &MIGRATIONS[..=step]).await.unwrap();
    assert_eq!(sql(&url, "SELECT to_regclass('moves') IS NULL"), "t");
}

#[tokio::test]
async fn migration_reads_labels_of_older_submissions() {
    let url = cluster().create_database().unwrap();
    let step = MIGRATIONS.iter().position(|step| step.name == "0020_labels").unwrap();
    open(&url, &MIGRATIONS[..step]).await.unwrap();
    // An older version wrote neither `{}` nor text that is not JSON, but they must not stop an
    // upgrade.
    let before = r#"INSERT INTO submissions (form_id, submitted_at, id, json, searched) VALUES
         ('frm_1', 1, 'sub_1', '{}', ''), ('frm_1', 2, 'sub_2', '"device":"x', ''),
         ('frm_1', 3, 'sub_3', '{"id":"sub_3","form_id":"frm_1","answers":{"device":"x"},
           "metadata":{"submitted_at":"2026-03-01T09:30:00Z","ip_country":"DE","device":null,
           "browser":"a\\\"b","completion_time_seconds":7,"utm_source":null,"utm_medium":null,
           "utm_campaign":null},"ai_insights":{"sentiment":"mixed","sentiment_score":0.25,
           "categories":["Price","a, b"],"language":"en"}}', '')"#;
    sql(&url, &before.replace("\n           ", ""));
    open(&url, MIGRATIONS).await.unwrap();
    let labels = "SELECT country, device, browser, seconds, sentiment, score,
                    translate(categories, U&'\\0007', ';'), language
                  FROM submissions ORDER BY submitted_at";
    let expected = "|||||||\n|||||||\nDE||a\\\\\\\"b|7|mixed|0.25|;Price;a, b;|en";
    assert_eq!(sql(&url, labels), expected);
    let triaged = "SELECT count(*) FROM submissions
                   WHERE num_nonnulls(triage, status, is_starred, tags, assignee) > 0";
    assert_eq!(sql(&url, triaged), "0");
    // Whether rows are visible to all also depends on sessions of other databases.
    let is_vacuumed = "SELECT count(*) > 0 FROM pg_stat_user_tables
                       WHERE relname LIKE 'submissions%' AND vacuum_count > 0";
    assert_eq!(sql(&url, is_vacuumed), "t");
}

#[tokio::test]
async fn migrations_read_times_from_history_and_notes() {
    let url = cluster().create_database().unwrap();
    let step = MIGRATIONS.iter().position(|step| step.name == "0027_done_at").unwrap();
    open(&url, &MIGRATIONS[..step]).await.unwrap();
    let before = r#"INSERT INTO submissions
           (form_id, submitted_at, id, json, searched, triage, status)
           VALUES ('frm_1', 1, 'sub_1', '{}', '', '{"status":"done","tags":["\"ü"]}', 'done'),
             ('frm_1', 2, 'sub_2', '{}', '', '{"starred":true}', NULL),
             ('frm_1', 3, 'sub_3', '{}', '', '{"status":"done"}', 'done'),
             ('frm_1', 5, 'sub_5', '{}', '', NULL, NULL);
         INSERT INTO unlisted
           (form_id, state, submitted_at, id, fields, json, moved_at, triage, status)
           VALUES ('frm_1', 'trash', 4, 'sub_4', '[]', '{}', 9, '{"status":"done"}', 'done');
         INSERT INTO triage_history
           (form_id, submitted_at, submission, place, at, change)
           VALUES ('frm_1', 1, 'sub_1', 1, 51, '{"status":"done"}'),
             ('frm_1', 1, 'sub_1', 2, 52, '{"status":"done"}'),
             ('frm_1', 1, 'sub_1', 3, 53, '{"starred":true}'),
             ('frm_1', 2, 'sub_2', 1, 51, '{"status":"done"}'),
             ('frm_1', 3, 'sub_3', 1, 51, '{"add_tags":["\"status\":\"done\""]}'),
             ('frm_1', 4, 'sub_4', 1, 54, '{"status":"done"}');
         INSERT INTO notes (form_id, submitted_at, submission, id, text, created_at, edited_at)
           VALUES ('frm_1', 2, 'sub_2', 'note_1', 'x', 60, 61),
             ('frm_1', 2, 'sub_2', 'note_2', 'x', 60, NULL),
             ('frm_1', 5, 'sub_5', 'note_1', 'x', 62, NULL)"#;
    sql(&url, before);
    open(&url, MIGRATIONS).await.unwrap();
    assert_eq!(
        sql(&url, "SELECT triage FROM submissions ORDER BY id"),
        r#"{"status":"done","tags":["\"ü"],"done_at":52,"updated_at":53}
{"starred":true,"updated_at":61}
{"status":"done","updated_at":51}
{"status":"open","updated_at":62}"#
    );
    assert_eq!(
        sql(&url, "SELECT triage FROM unlisted"),
        r#"{"status":"done","done_at":54,"updated_at":54}"#
    );
}

#[tokio::test]
async fn waiting_migration_does_not_block_readers() {
    let url = cluster().create_database().unwrap();
    let old = open(&url, MIGRATIONS).await.unwrap();
    // A long read locks the table, so the migration cannot run yet.
    let mut long = old.get_long().await.unwrap();
    let tx = long.transaction().await.unwrap();
    tx.query("SELECT count(*) FROM forms", &[]).await.unwrap();
    let newer = {
        let url = url.clone();
        let steps = with_migration("ALTER TABLE forms ADD COLUMN of_later TEXT");
        tokio::spawn(async move { open(&url, &steps).await.map(drop) })
    };
    let blocked_sql = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'";
    while sql(&url, blocked_sql) == "0" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // A query behind the migration waits for its lock timeout at most, not for the long read.
    let conn = old.get().await.unwrap();
    conn.query("SELECT count(*) FROM forms", &[]).await.unwrap();
    assert!(!newer.is_finished());
    tx.commit().await.unwrap();
    newer.await.unwrap().unwrap();
    conn.query("SELECT of_later FROM forms", &[]).await.unwrap();
}
