//! Tests of the plans of statements that filter by labels, numbers and triage, and of their index.

use super::*;
use crate::connect::{Connections, Setup};
use crate::migrate::MIGRATIONS;
use crate::read_state;
use crate::submissions::submission_keys::SubmissionKeys;
use crate::test_database::prepared_database;
use crate::triage::TriageColumns;
use contract::triage::{Reader, TAGS_MAX};
use contract::{Answers, Insight, ListQuery, Metadata, Submission};
use deadpool_postgres::Client;

const ROWS: i64 = 5000;

/// Opens a database with many submissions of one form; one in 50 is from Firefox and has a triage.
async fn open() -> Connections {
    let setup = Setup::with_defaults(&prepared_database());
    let connections = Connections::open(&setup, MIGRATIONS).await.unwrap();
    let insert = format!(
        r#"INSERT INTO submissions
           (form_id, submitted_at, id, json, searched, status, is_starred, tags, assignee)
           SELECT 'frm_1', n, 'sub_' || n, format('{{"id":"sub_%s","form_id":"frm_1","answers":
             {{"a":"%s"}},"metadata":{{"submitted_at":"2026-03-01T09:30:00Z","ip_country":null,
             "device":"mobile","browser":"%s","completion_time_seconds":%s,"utm_source":null,
             "utm_medium":null,"utm_campaign":null}},"ai_insights":null}}',
             n, repeat('x', 500), CASE WHEN n % 50 = 0 THEN 'Firefox' ELSE 'Chrome' END, n), '',
           t.status, t.status IS NOT NULL OR NULL, U&'\0007' || t.status || U&'\0007', t.status
           FROM generate_series(1, {ROWS}) AS n
           CROSS JOIN LATERAL (SELECT CASE WHEN n % 50 = 0 THEN 'psn_1' END AS status) AS t"#
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
async fn labels_and_triage_are_counted_and_listed_by_an_index() {
    let connections = open().await;
    let conn = connections.get().await.unwrap();
    let form: FormId = "frm_1".parse().unwrap();
    for query in [
        "browser=Firefox",
        "browser=Firefox,Edge,none&device=mobile&country=none&sentiment=none&language=none",
        "category=none,Price&seconds_min=100",
        "seconds_max=2000.5&score_min=0.5",
        "status=done,psn_1",
        "starred=true&seconds_min=0",
        "assignee=psn_1&device=mobile",
        "tag=x,psn_1",
        "status=open&starred=false&tag=none&assignee=none&seconds_min=100",
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
            "status=open&starred=false&tag=none&assignee=none&seconds_min=100" => {
                (ROWS - 99) - (ROWS / 50 - 1)
            }
            _ => ROWS / 50,
        };
        assert_eq!(row.get::<_, i64>(0), expected, "{query}");

        let mut params = QueryParams::default();
        let max = params.push_rows(20);
        let page = range.newest_rows(None, &max, &mut params);
        let plan = explain(&conn, &page, &params).await;
        assert!(plan.contains("Index Only Scan"), "{query}: {plan}");
    }
}

#[tokio::test]
async fn marks_of_a_read_state_are_joined() {
    let connections = open().await;
    let conn = connections.get().await.unwrap();
    let marks = "INSERT INTO read_marks SELECT 'frm_1', n, 'sub_' || n, 'psn_1'
                 FROM generate_series(2001, 4500) AS n; VACUUM ANALYZE read_marks";
    for sql in marks.split("; ") {
        conn.batch_execute(sql).await.unwrap();
    }
    let form: FormId = "frm_1".parse().unwrap();
    let unread_from = Timestamp::from_micros(2501).unwrap();
    let reader = Some(Reader { person: "psn_1".parse().unwrap(), unread_from });
    for (query, total, newest) in [
        ("read=false", 1000, "sub_5000"),
        ("read=true", 4000, "sub_4500"),
        ("read=false&browser=Firefox", 20, "sub_5000"),
        ("read=true&browser=Firefox", 80, "sub_4500"),
    ] {
        let filter = Filter { reader: reader.clone(), ..ListQuery::parse(query).unwrap().filter };
        let range = SubmissionRange::new(&form, &filter);
        let mut params = QueryParams::default();
        let count = format!("SELECT {}", range.count_expression(&mut params));
        let plan = explain(&conn, &count, &params).await;
        assert!(plan.contains("Anti Join") && !plan.contains("SubPlan"), "{query}: {plan}");
        let row = conn.query_typed_one(&count, &params.as_typed()).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), total, "{query}");

        let mut params = QueryParams::default();
        let max = params.push_rows(20);
        let page = range.newest_rows(None, &max, &mut params);
        let plan = explain(&conn, &page, &params).await;
        assert!(plan.contains("Anti Join") && !plan.contains("SubPlan"), "{query}: {plan}");
        let rows = conn.query_typed(&page, &params.as_typed()).await.unwrap();
        let ids: Vec<String> = rows.iter().map(|row| row.get(1)).collect();
        assert!(ids.len() == 20 && ids.iter().any(|id| id == newest), "{query}: {ids:?}");
    }
}

#[tokio::test]
async fn many_new_marks_renew_the_statistics() {
    let connections = open().await;
    let mut conn = connections.get().await.unwrap();
    let reader = Reader { person: "psn_1".parse().unwrap(), unread_from: Timestamp::MIN };
    let keys = SubmissionKeys {
        submitted_at: (1..=100).collect(),
        ids: (1..=100).map(|n| format!("sub_{n}")).collect(),
    };
    let tx = conn.transaction().await.unwrap();
    let form = "frm_1".parse().unwrap();
    let changed = read_state::set(&tx, &form, &keys, &reader, true).await.unwrap();
    assert_eq!(changed.len(), 100);
    tx.commit().await.unwrap();
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_stats WHERE tablename = 'read_marks')";
    assert!(conn.query_one(sql, &[]).await.unwrap().get::<_, bool>(0));
}

#[tokio::test]
async fn longest_row_fits_into_the_index() {
    let connections = open().await;
    let conn = connections.get().await.unwrap();
    let long = |n: usize| Some(format!("{n:é>1000}"));
    let json = format!(
        r#"{{"status":"{}","starred":true,"assignee":"psn_{}","tags":["{}"]}}"#,
        "s".repeat(40),
        "x".repeat(64),
        (0..TAGS_MAX).map(|n| format!("{n:é>50}")).collect::<Vec<_>>().join("\",\""),
    );
    let columns = TriageColumns::new(&serde_json::from_str(&json).unwrap()).unwrap();
    let mut submission = Submission {
        id: format!("sub_{}", "x".repeat(64)).parse().unwrap(),
        form_id: format!("frm_{}", "x".repeat(64)).parse().unwrap(),
        answers: Answers::default(),
        metadata: Metadata::at(Timestamp::MIN),
        ai_insights: Some(Insight {
            sentiment: long(1),
            sentiment_score: Some(0.5),
            categories: (0..200).filter_map(long).collect(),
            language: long(2),
        }),
    };
    submission.metadata.ip_country = long(3);
    submission.metadata.device = long(4);
    submission.metadata.browser = long(5);
    submission.metadata.completion_time_seconds = Some(1);
    let sql = "INSERT INTO submissions
                 (form_id, submitted_at, id, json, searched, status, is_starred, tags, assignee)
               VALUES ($1, 1, $2, $3, '', $4, $5, $6, $7)
               RETURNING octet_length(categories) + octet_length(tags)";
    let json = serde_json::to_string(&submission).unwrap();
    let (form, id) = (submission.form_id.as_str(), submission.id.as_str());
    let TriageColumns { status, is_starred, tags, assignee, .. } = columns;
    let inserted = conn
        .query_one(sql, &[&form, &id, &json, &status, &is_starred, &tags, &assignee])
        .await
        .unwrap();
    assert_eq!(inserted.get::<_, i32>(0), 1701 + 341);
}
