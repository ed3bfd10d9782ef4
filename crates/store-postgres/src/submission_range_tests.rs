//! Tests of the plans of statements that filter by labels and numbers.

use super::*;
use crate::connect::{Connections, Setup};
use crate::migrate::MIGRATIONS;
use contract::ListQuery;
use deadpool_postgres::Client;
use test_servers::Postgres;

const ROWS: i64 = 5000;

/// Opens a database with many submissions of one form; one in 50 is from Firefox.
async fn open() -> Connections {
    let url = Postgres::shared().create_database().unwrap();
    let connections = Connections::open(&Setup::with_defaults(&url), MIGRATIONS).await.unwrap();
    let insert = format!(
        r#"INSERT INTO submissions (form_id, submitted_at, id, json, searched)
           SELECT 'frm_1', n, 'sub_' || n, format('{{"id":"sub_%s","form_id":"frm_1","answers":
             {{"a":"%s"}},"metadata":{{"submitted_at":"2026-03-01T09:30:00Z","ip_country":null,
             "device":"mobile","browser":"%s","completion_time_seconds":%s,"utm_source":null,
             "utm_medium":null,"utm_campaign":null}},"ai_insights":null}}',
             n, repeat('x', 500), CASE WHEN n % 50 = 0 THEN 'Firefox' ELSE 'Chrome' END, n), ''
           FROM generate_series(1, {ROWS}) AS n"#
    );
    // The functions expect JSON without spaces.
    let insert = insert.replace("\n             ", "");
    let conn = connections.get().await.unwrap();
    conn.batch_execute(&insert).await.unwrap();
    conn.batch_execute("VACUUM ANALYZE submissions").await.unwrap();
    connections
}

async fn explain(conn: &Client, sql: &str, params: &QueryParams) -> String {
    let sql = format!("EXPLAIN {sql}");
    let rows = conn.query_typed(&sql, &params.as_typed()).await.unwrap();
    rows.iter().map(|row| row.get::<_, String>(0) + "\n").collect()
}

#[tokio::test]
async fn labels_are_counted_and_listed_by_an_index() {
    let connections = open().await;
    let conn = connections.get().await.unwrap();
    let form: FormId = "frm_1".parse().unwrap();
    for query in [
        "browser=Firefox",
        "browser=Firefox,Edge,none&device=mobile&country=none&sentiment=none&language=none",
        "category=none,Price&seconds_min=100",
        "seconds_max=2000.5&score_min=0.5",
    ] {
        let filter = ListQuery::parse(query).unwrap().filter;
        let range = SubmissionRange::new(&form, &filter);
        let mut params = QueryParams::default();
        let count = format!("SELECT {}", range.count_expression(&mut params));
        let plan = explain(&conn, &count, &params).await;
        assert!(plan.contains("Index Only Scan"), "{query}: {plan}");
        let row = conn.query_typed_one(&count, &params.as_typed()).await.unwrap();
        let expected = match query {
            "category=none,Price&seconds_min=100" => ROWS - 99,
            "seconds_max=2000.5&score_min=0.5" => 0,
            _ => ROWS / 50,
        };
        assert_eq!(row.get::<_, i64>(0), expected, "{query}");

        let mut params = QueryParams::default();
        let rows = range.rows_condition(None, &mut params);
        let max = params.push_rows(20);
        let page = range.newest_rows(&rows, &max, &mut params);
        let plan = explain(&conn, &page, &params).await;
        assert!(plan.contains("Index Only Scan"), "{query}: {plan}");
    }
}
