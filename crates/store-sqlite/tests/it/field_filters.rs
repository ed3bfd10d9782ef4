//! Filters by the answers to a field: from the file, from the index in memory, and while both
//! change.

use super::TestFolder;
use super::summary::{build_answers_index, build_facts_index};
use contract::{Field, FieldType, Filter, ListQuery, Submission, Triage};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{Position, Store};
use store_sqlite::{IndexLimits, SqliteStore};
use store_tests::fixtures::{self, submission};

const INDEX_ALL: IndexLimits = IndexLimits { rows_min: 0, text_bytes_max: 64 << 20 };

fn query_filter(query: &str) -> Filter {
    let field = |id: &str, kind| Field { kind, ..fixtures::field(id, "answer") };
    let fields = [
        field("fld_text", FieldType::Text),
        field("fld_number", FieldType::Number),
        field("fld_choice", FieldType::Choice),
    ];
    let mut filter = ListQuery::parse(query).unwrap().filter;
    filter.fields.resolve(&fields).unwrap();
    filter
}

const QUERIES: [&str; 6] = [
    "fld_number=gte:10&fld_number=lte:1200",
    "fld_text=contains:1",
    "fld_choice=ne:7&search=7",
    "fld_text=eq:8&country=none",
    "fld_number=filled&date_from=1970-01-01&utm_source=x",
    "fld_choice=empty",
];

fn row(n: i64) -> Submission {
    // Many submissions share an instant, and some have no answer.
    let answer = if n % 9 == 0 { " ".to_owned() } else { (n % 1500).to_string() };
    let mut row = submission(&format!("sub_{n}"), n / 700, &answer);
    row.metadata.utm_source = (n % 2 == 0).then(|| "x".to_owned());
    row
}

async fn indexed_store(place: &TestFolder, rows: i64) -> SqliteStore {
    let store = place.open_holding(INDEX_ALL);
    fixtures::owner_and_form(&store).await;
    fixtures::insert_submissions(&store, (0..rows).map(row).collect()).await;
    build_facts_index(&store).await;
    store
}

/// Checks list, total and export of a filter against the rows.
async fn check(store: &dyn Store, rows: &[Submission], filter: &Filter) {
    let mut expected: Vec<_> =
        rows.iter().filter(|row| filter.matches(row, &Triage::default())).collect();
    expected.sort_by_key(|row| (row.metadata.submitted_at, row.id.to_string()));
    let ids: Vec<String> = expected.iter().rev().map(|row| row.id.to_string()).collect();
    let mut found = Vec::new();
    let mut after = None::<Position>;
    loop {
        let page = fixtures::list_page(store, filter, after.as_ref(), 97).await.unwrap();
        assert_eq!(page.total, ids.len() as u64);
        let Some(last) = page.rows.last() else { break };
        after = Some(last.position.clone());
        found.extend(page.rows.into_iter().map(|row| row.position.id.to_string()));
    }
    assert_eq!(found, ids);
    assert_eq!(fixtures::export_all(store, filter, None, 100_000).await.len(), ids.len());
}

#[tokio::test]
async fn file_and_index_agree() {
    let place = TestFolder::new();
    // At least three blocks of the index.
    let count = if test_servers::is_full_run() { 4000 } else { 2200 };
    let store = indexed_store(&place, count).await;
    let rows: Vec<Submission> = (0..count).map(row).collect();
    for query in QUERIES {
        check(&store, &rows, &query_filter(query)).await;
    }
    // The folded texts and the others are different columns.
    while store.index_stats().answers < 2 {
        for query in QUERIES {
            fixtures::list_page(&store, &query_filter(query), None, 1).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
    for query in QUERIES {
        check(&store, &rows, &query_filter(query)).await;
    }
}

#[tokio::test]
async fn writes_of_other_process_are_counted() {
    let place = TestFolder::new();
    let server = indexed_store(&place, 300).await;
    let tool = place.open();
    let filter = query_filter("fld_choice=eq:8");
    let count = async || fixtures::list_page(&server, &filter, None, 5).await.unwrap().total;
    for round in 1..4 {
        build_facts_index(&server).await;
        build_answers_index(&server, &filter).await;
        assert_eq!(count().await, round);
        let new = submission(&format!("sub_new{round}"), 7, "8");
        fixtures::insert_submissions(&tool, vec![new]).await;
        assert_eq!(count().await, round + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn totals_are_exact_during_writes() {
    let place = TestFolder::new();
    let store = Arc::new(indexed_store(&place, 3000).await);
    let is_done = Arc::new(AtomicBool::default());
    let (writer, done) = (Arc::clone(&store), Arc::clone(&is_done));
    // At most two rows match in every snapshot.
    let task = tokio::spawn(async move {
        for round in 0..60 {
            let matching = |n: i64| submission(&format!("sub_w{round}_{n}"), 1 + n, "target");
            fixtures::insert_submissions(&*writer, (0..2).map(matching).collect()).await;
            for n in 0..2 {
                let id = format!("sub_w{round}_{n}").parse().unwrap();
                assert!(writer.delete_submission(&id).await.unwrap());
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let filter = query_filter("fld_text=eq:TARGET");
    while !is_done.load(Ordering::Relaxed) {
        let page = fixtures::list_page(&*store, &filter, None, 5).await.unwrap();
        assert!(page.total <= 2, "{} matches", page.total);
        assert_eq!(page.rows.len() as u64, page.total);
    }
    task.await.unwrap();
    assert_eq!(fixtures::list_page(&*store, &filter, None, 5).await.unwrap().total, 0);
    build_answers_index(&store, &filter).await;
    assert_eq!(fixtures::list_page(&*store, &filter, None, 5).await.unwrap().total, 0);
}
