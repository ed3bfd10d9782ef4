//! The index of large forms in memory agrees with the file under all writes, and has a size limit.

use super::summary::build_facts_index;
use super::{TestFolder, build_index};
use contract::filter::Search;
use contract::{Filter, FormId, ListQuery, Submission, Triage};
use std::sync::Arc;
use store::unlisted::{UnlistedSelection, UnlistedState, UnlistedStore as _};
use store::{Position, Store};
use store_sqlite::{IndexLimits, IndexStats, SqliteStore};
use store_tests::fixtures::{self, form_id, submission};
use store_tests::notes::{batch, move_to};
use store_tests::triage::update_ids;

const INDEX_ALL: IndexLimits = IndexLimits { rows_min: 0, text_bytes_max: 64 << 20 };

fn search_filter(text: &str) -> Filter {
    Filter { search: Search::new(text).unwrap(), ..Filter::default() }
}

fn source_filter(value: &str) -> Filter {
    Filter { utm_source: Some(value.to_owned()), ..Filter::default() }
}

fn query_filter(query: &str) -> Filter {
    ListQuery::parse(query).unwrap().filter
}

/// Returns the submission with a UTM source, which is also its country.
fn with_source(source: &str, submission: Submission) -> Submission {
    let mut submission = submission;
    submission.metadata.utm_source = Some(source.to_owned());
    submission.metadata.ip_country = Some(source.to_owned());
    submission
}

async fn count_matches(store: &SqliteStore, filter: &Filter) -> u64 {
    fixtures::list_page(store, filter, None, 5).await.unwrap().total
}

async fn indexed_store(place: &TestFolder) -> SqliteStore {
    let store = place.open_holding(INDEX_ALL);
    fixtures::owner_and_form(&store).await;
    let rows =
        (0..200).map(|n| with_source("x", submission(&format!("sub_a{n}"), n, "apple"))).collect();
    fixtures::insert_submissions(&store, rows).await;
    build_facts_index(&store).await;
    store
}

/// Returns the ids and the total of all pages.
async fn walk_pages(store: &SqliteStore, filter: &Filter, limit: usize) -> (Vec<String>, u64) {
    let mut ids = Vec::new();
    let mut after = None::<Position>;
    loop {
        let page = fixtures::list_page(store, filter, after.as_ref(), limit).await.unwrap();
        let Some(last) = page.rows.last() else { return (ids, page.total) };
        after = Some(last.position.clone());
        ids.extend(page.rows.into_iter().map(|row| row.position.id.to_string()));
    }
}

/// Returns the ids of the matches, newest first.
fn ids_of_matches(rows: &[Submission], filter: &Filter) -> Vec<String> {
    let mut matches: Vec<_> =
        rows.iter().filter(|row| filter.matches(row, &Triage::default())).collect();
    matches.sort_by_key(|row| (row.metadata.submitted_at, row.id.to_string()));
    matches.iter().rev().map(|row| row.id.to_string()).collect()
}

#[tokio::test]
async fn writes_of_other_process_are_counted() {
    let place = TestFolder::new();
    let server = indexed_store(&place).await;
    let tool = place.open();
    for round in 1..4 {
        let new = submission(&format!("sub_b{round}"), 7, "an apple too");
        fixtures::insert_submissions(&tool, vec![with_source("x", new)]).await;
        assert_eq!(count_matches(&server, &search_filter("apple")).await, 201);
        assert_eq!(count_matches(&server, &source_filter("x")).await, 201);
        assert_eq!(count_matches(&server, &query_filter("country=x")).await, 201);
        let deleted = format!("sub_a{round}").parse().unwrap();
        assert!(tool.delete_submission(&deleted).await.unwrap());
        assert_eq!(count_matches(&server, &search_filter("apple")).await, 200);
        assert_eq!(count_matches(&server, &source_filter("x")).await, 200);
        assert_eq!(count_matches(&server, &query_filter("country=x")).await, 200);
        build_facts_index(&server).await;
    }
}

#[tokio::test]
async fn finished_import_is_counted_at_once() {
    let place = TestFolder::new();
    let store = indexed_store(&place).await;
    let rows =
        (0..2500).map(|n| with_source("x", submission(&format!("sub_c{n}"), n, "apple"))).collect();
    fixtures::insert_submissions(&store, rows).await;
    assert_eq!(count_matches(&store, &search_filter("apple")).await, 2700);
    assert_eq!(count_matches(&store, &source_filter("x")).await, 2700);
    build_index(&store).await;
    assert_eq!(count_matches(&store, &search_filter("apple")).await, 2700);
    assert_eq!(count_matches(&store, &source_filter("x")).await, 2700);
}

#[tokio::test]
async fn selective_pages_are_complete_and_ordered() {
    let place = TestFolder::new();
    let store = place.open_holding(INDEX_ALL);
    fixtures::owner_and_form(&store).await;
    let row = |n: i64| {
        let mut row = with_source("common", submission(&format!("sub_{n}"), n / 3, "x"));
        row.metadata.utm_campaign = Some("other".to_owned());
        row.metadata.utm_medium = Some(if n % 100 < 3 { "rare" } else { "usual" }.to_owned());
        row
    };
    fixtures::insert_submissions(&store, (0..3000).map(row).collect()).await;
    build_index(&store).await;
    let filter = Filter {
        utm_medium: Some("rare".to_owned()),
        utm_campaign: Some("other".to_owned()),
        ..source_filter("common")
    };
    let rows: Vec<Submission> = (0..3000).map(row).collect();
    let pages = walk_pages(&store, &filter, 7).await;
    assert_eq!(pages, (ids_of_matches(&rows, &filter), 90));
    let no_match = Filter { utm_medium: Some("absent".to_owned()), ..filter };
    let page = fixtures::list_page(&store, &no_match, None, 7).await.unwrap();
    assert_eq!((page.total, page.rows.len()), (0, 0));
}

#[tokio::test]
async fn label_pages_are_complete_and_ordered() {
    let place = TestFolder::new();
    let store = place.open_holding(INDEX_ALL);
    fixtures::owner_and_form(&store).await;
    let row = |n: i64| {
        // Many submissions share an instant.
        let mut row = with_source("x", submission(&format!("sub_{n}"), n / 700, "pear or plum"));
        row.metadata.device = (n % 5 > 0).then(|| ["a", "b, c"][usize::from(n % 40 == 1)].into());
        row.metadata.completion_time_seconds = u64::try_from(n).ok();
        row
    };
    let rows: Vec<Submission> = (0..3000).map(row).collect();
    fixtures::insert_submissions(&store, rows.clone()).await;
    for is_in_memory in [false, true] {
        if is_in_memory {
            build_facts_index(&store).await;
        }
        for (query, count) in [
            ("device=b\\, c", 75),
            ("device=none&utm_source=x&seconds_min=1000", 400),
            ("device=b\\, c,none&search=PLUM", 675),
            ("seconds_max=9&country=none", 0),
        ] {
            let filter = query_filter(query);
            let pages = walk_pages(&store, &filter, 29).await;
            assert_eq!(pages, (ids_of_matches(&rows, &filter), count), "{query}");
        }
    }
}

/// Inserts a hundred submissions, and deletes half of them.
async fn insert_and_delete(store: Arc<SqliteStore>, side: usize) {
    for n in 0..100 {
        let id = format!("sub_w{side}_{n}");
        let new = with_source("x", submission(&id, n % 9, "apple"));
        fixtures::insert_submissions(&*store, vec![new]).await;
        if n % 2 == 0 {
            assert!(store.delete_submission(&id.parse().unwrap()).await.unwrap());
        }
    }
}

/// Changes the triage of a hundred submissions, and changes each `every`-th back.
async fn triage_and_undo(store: Arc<SqliteStore>, [set, back]: [&str; 2], every: i64) {
    for n in 0..100 {
        let id = format!("sub_a{n}");
        update_ids(&*store, &[&id], set, n).await;
        if n % every == 0 {
            update_ids(&*store, &[&id], back, n).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn totals_are_exact_under_concurrent_writes() {
    let place = TestFolder::new();
    let store = Arc::new(indexed_store(&place).await);
    let mut writers: Vec<_> =
        (0..4).map(|side| tokio::spawn(insert_and_delete(Arc::clone(&store), side))).collect();
    for (changes, every) in [
        ([r#"{"status":"done"}"#, r#"{"status":"open"}"#], 2),
        ([r#"{"add_tags":["t"]}"#, r#"{"remove_tags":["t"]}"#], 4),
        ([r#"{"read":true}"#, r#"{"read":false}"#], 5),
    ] {
        writers.push(tokio::spawn(triage_and_undo(Arc::clone(&store), changes, every)));
    }
    let reader = Some(fixtures::owner_as_reader());
    let unread = |query: &str| Filter { reader: reader.clone(), ..query_filter(query) };
    let filters = [
        (search_filter("apple"), 400),
        (search_filter("pp"), 400),
        (source_filter("x"), 400),
        (query_filter("country=x"), 400),
        (query_filter("country=x&search=pp"), 400),
        (query_filter("status=done"), 50),
        (query_filter("tag=t&country=x"), 75),
        (query_filter("status=open&tag=t"), 25),
        (unread("read=true&status=done&tag=t"), 40),
    ];
    // Rows and total of a page are of one instant.
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        for (filter, _) in &filters {
            let page = fixtures::list_page(&*store, filter, None, 2000).await.unwrap();
            assert_eq!(page.total, page.rows.len() as u64);
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    for (filter, count) in &filters {
        assert_eq!(count_matches(&store, filter).await, *count, "{filter:?}");
    }
}

#[tokio::test]
async fn texts_beyond_limit_are_searched_in_file() {
    let place = TestFolder::new();
    let store = place.open_holding(IndexLimits { text_bytes_max: 1 << 20, ..INDEX_ALL });
    fixtures::owner_and_form(&store).await;
    for n in 0..3 {
        let rows = (0..900).map(|position| {
            submission(&format!("sub_{n}_{position}"), position, &"kiwi".repeat(200))
        });
        fixtures::insert_submissions(&store, rows.collect()).await;
    }
    for _ in 0..20 {
        assert_eq!(count_matches(&store, &search_filter("kiwi")).await, 2700);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(store.index_stats(), IndexStats::default());
}

#[tokio::test]
async fn least_recently_used_texts_are_evicted() {
    let place = TestFolder::new();
    let store = place.open_holding(IndexLimits { text_bytes_max: 400 << 10, ..INDEX_ALL });
    fixtures::owner_and_form(&store).await;
    let second = "frm_2".parse().unwrap();
    store.insert_form(fixtures::form("acc_1", "frm_2")).await.unwrap();
    let row = |form: &FormId, n: i64| Submission {
        form_id: form.clone(),
        ..submission(&format!("sub_{form}_{n}"), n, &"kiwi".repeat(100))
    };
    for form in [form_id(), second] {
        let rows = (0..500).map(|n| row(&form, n)).collect();
        store
            .insert_submissions(&form, Vec::new(), fixtures::submission_source(rows))
            .await
            .unwrap();
        let filter = search_filter("kiwi");
        let mut first = None;
        while first != Some(store.index_stats()) || store.index_stats().texts == 0 {
            first = Some(store.index_stats());
            let page = store.list_page(&fixtures::owner(), &form, &filter, None, 1).await;
            assert_eq!(page.unwrap().unwrap().total, 500);
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let stats = store.index_stats();
        assert_eq!(stats.texts, 1);
        assert!(stats.text_bytes <= 400 << 10, "{stats:?}");
    }
}

#[tokio::test]
async fn read_marks_are_loaded_and_restored_with_rows() {
    let place = TestFolder::new();
    let store = indexed_store(&place).await;
    let reader = fixtures::owner_as_reader();
    let unread = Filter { read: Some(false), reader: Some(reader), ..Filter::default() };
    assert_eq!(count_matches(&store, &unread).await, 199);
    let ids = ["sub_a5", "sub_a6", "sub_a7"];
    update_ids(&store, &ids, r#"{"read":true}"#, 1).await;
    assert_eq!(count_matches(&store, &unread).await, 196);
    move_to(&store, UnlistedState::Trash, "sub_a5").await;
    assert_eq!(count_matches(&store, &unread).await, 196);
    let chosen = UnlistedSelection::Batch(batch(UnlistedState::Trash, "sub_a5"));
    store.restore_submissions(&form_id(), UnlistedState::Trash, chosen).await.unwrap();
    assert_eq!(store.index_stats().facts, 1);
    assert_eq!(count_matches(&store, &unread).await, 196);
    drop(store);
    let store = place.open_holding(INDEX_ALL);
    build_facts_index(&store).await;
    assert_eq!(count_matches(&store, &unread).await, 196);
}
