//! Submissions that several processes write and read at once, and forms with more rows than one
//! statement examines.

use super::poll_until;
use contract::{Filter, Submission};
use futures_util::future::join_all;
use std::time::Duration;
use store::{Position, Store, StoreError};
use store_postgres::{PostgresStore, Setup};
use store_tests::fixtures::{self, at, form_id, search_filter, submission};
use tokio_postgres::NoTls;

const DAY: i64 = 24 * 3_600_000_000;

/// Opens two stores on one database, like two processes.
async fn open_pair() -> (PostgresStore, PostgresStore) {
    let setup = Setup { connections_max: 4, ..Setup::with_defaults(&super::prepared_database()) };
    let open = async || PostgresStore::open(&setup).await.unwrap();
    (open().await, open().await)
}

fn utm(source: &str) -> Filter {
    Filter { utm_source: Some(source.to_owned()), ..Filter::default() }
}

/// Checks that each total is the number of rows.
async fn check_totals(store: &dyn Store) {
    let days = |from: i64, to: i64| Filter {
        date_from: Some(at(from)),
        date_to: Some(at(to)),
        ..Filter::default()
    };
    let filters = [
        Filter::default(),
        utm("x"),
        utm("y"),
        days(0, 3 * DAY),
        days(1, 3 * DAY + 1),
        days(DAY / 2, DAY / 2 + 5),
        Filter { date_from: Some(at(DAY + 1)), ..utm("x") },
    ];
    for filter in filters {
        let page = fixtures::list_page(store, &filter, None, 1000).await.unwrap();
        assert_eq!(page.total, page.rows.len() as u64, "{filter:?}");
    }
}

#[tokio::test]
async fn totals_are_exact_after_concurrent_writes() {
    let (first_store, second) = open_pair().await;
    fixtures::owner_and_form(&first_store).await;
    let row = |n: i64| {
        let mut row = submission(&format!("sub_{n}"), n * DAY / 7, "x");
        row.metadata.utm_source =
            [None, Some("x"), Some("y")][usize::try_from(n % 3).unwrap()].map(str::to_owned);
        row
    };
    let write = async |store: &PostgresStore, worker: i64| {
        for n in 0..12 {
            let first = worker * 1000 + n * 4;
            fixtures::insert_submissions(store, (first..first + 4).map(row).collect()).await;
            let deletions = format!("sub_{}", first + n % 4).parse().unwrap();
            assert!(store.delete_submission(&deletions).await.unwrap());
        }
    };
    let work = (0..6).map(|n| write(if n % 2 == 0 { &first_store } else { &second }, n));
    join_all(work).await;
    let form = second.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.submission_count, 6 * 12 * 3);
    check_totals(&first_store).await;
    // Both stores delete all of them at once; each deletion succeeds once.
    let page = fixtures::list_page(&first_store, &Filter::default(), None, 1000).await.unwrap();
    let ids: Vec<_> = page.rows.into_iter().map(|row| row.position.id).collect();
    let deletions =
        ids.iter().flat_map(|id| [first_store.delete_submission(id), second.delete_submission(id)]);
    let mut deleted = 0;
    for chunk in deletions.collect::<Vec<_>>().chunks_mut(8) {
        let done = join_all(chunk.iter_mut()).await;
        deleted += done.into_iter().filter(|done| *done.as_ref().unwrap()).count();
    }
    assert_eq!(deleted, ids.len());
    check_totals(&second).await;
    let form = second.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!((form.submission_count, form.last_submission_at), (0, None));
}

#[tokio::test]
async fn concurrent_id_is_unique_over_forms() {
    let (first, second) = open_pair().await;
    fixtures::owner_and_form(&first).await;
    first.insert_form(fixtures::form("acc_1", "frm_2")).await.unwrap();
    let insert = async |store: &PostgresStore, form: &str, n: i64| {
        let form = form.parse().unwrap();
        let row = Submission { form_id: form, ..submission(&format!("sub_{n}"), n, "x") };
        let form = row.form_id.clone();
        store.insert_submissions(&form, Vec::new(), fixtures::submission_source(vec![row])).await
    };
    for n in 0..20 {
        let results = tokio::join!(insert(&first, "frm_1", n), insert(&second, "frm_2", n));
        let ((Ok(1), Err(error)) | (Err(error), Ok(1))) = results else { panic!("{results:?}") };
        let expected = format!("submission `sub_{n}`");
        assert!(matches!(&error, StoreError::Exists(what) if *what == expected), "{error}");
    }
    let duplicates =
        fixtures::submission_source(vec![submission("sub_a", 1, "x"), submission("sub_a", 2, "x")]);
    let error = first.insert_submissions(&form_id(), Vec::new(), duplicates).await.unwrap_err();
    assert_eq!(error.to_string(), "submission `sub_a` exists already");
}

#[tokio::test]
async fn index_and_scan_searches_agree() {
    // More matches than an index search sorts, and more rows than an export examines for one chunk.
    let count = if test_servers::is_full_run() { 17_000 } else { 12_000 };
    let store = super::open().await;
    fixtures::owner_and_form(&store).await;
    let answer = |n: usize| match n {
        3 => "zebra often",
        _ if n.is_multiple_of(10) => "seldom 50%",
        _ => "often",
    };
    let row = |n: usize| submission(&format!("sub_{n:05}"), 5, answer(n));
    fixtures::insert_submissions(&store, (0..count).map(row).collect()).await;
    for (text, after) in
        [("often", 0), ("OFTEN", count), ("seldom", 5), ("zebra", 0), ("f", 9), ("%", 2)]
    {
        let filter = search_filter(&text.replace('%', "%25"));
        let term = filter.search.clone().unwrap().folded();
        let ids = (0..count).rev().filter(|n| answer(*n).contains(&term));
        let expected: Vec<_> = ids.map(|n| format!("sub_{n:05}")).collect();
        let (before, next) = expected.split_at(expected.len().min(after + 1));
        let place =
            before.last().map(|id| Position { submitted_at: at(5), id: id.parse().unwrap() });
        let page = fixtures::list_page(&store, &filter, place.as_ref(), 3).await.unwrap();
        let found: Vec<_> = page.rows.iter().map(|row| row.position.id.to_string()).collect();
        assert_eq!(page.total, expected.len() as u64, "{text}");
        assert_eq!(found, next[..next.len().min(3)], "{text}");
        let exported = fixtures::export_all(&store, &filter, None, 100_000).await;
        assert_eq!(exported.len(), expected.len(), "{text}");
    }
}

#[tokio::test]
async fn abandoned_statement_is_canceled() {
    let url = super::prepared_database();
    let hour = Duration::from_hours(1);
    let setup = Setup { connections_max: 2, statement_timeout: hour, ..Setup::with_defaults(&url) };
    let store = PostgresStore::open(&setup).await.unwrap();
    fixtures::owner_and_form(&store).await;
    fixtures::insert_submissions(&store, vec![submission("sub_1", 1, "apple")]).await;
    let (observer, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    // A read of a form now takes an hour, without waiting for a lock.
    let slow_sql = "ALTER TABLE forms RENAME TO quick_forms;
                CREATE VIEW forms AS SELECT * FROM quick_forms WHERE pg_sleep(3600)::TEXT = ''";
    observer.batch_execute(slow_sql).await.unwrap();
    let running = async || {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sheaf' \
                   AND state = 'active' AND datname = current_database()";
        observer.query_one(sql, &[]).await.unwrap().get::<_, i64>(0)
    };
    // More reads than there are connections.
    for filter in [search_filter("apple"), search_filter("a"), Filter::default(), utm("x")] {
        let reader = store.clone();
        let list = async move { fixtures::list_page(&reader, &filter, None, 5).await.map(drop) };
        let list = tokio::spawn(list);
        poll_until("the statement runs", async || running().await == 1).await;
        list.abort();
        poll_until("the statement has ended", async || running().await == 0).await;
    }
    let restore_sql = "DROP VIEW forms; ALTER TABLE quick_forms RENAME TO forms";
    observer.batch_execute(restore_sql).await.unwrap();
    let page = fixtures::list_page(&store, &search_filter("apple"), None, 5).await.unwrap();
    assert_eq!(page.total, 1);
}
