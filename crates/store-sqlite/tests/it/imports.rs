//! Long imports with concurrent writes: no write waits for them, and no part of them is visible.

use super::TestFolder;
use contract::insight::SetAnalysis;
use contract::{AccountId, Filter, ListQuery, Submission};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use store::insight::InsightStore as _;
use store::{Store, StoreError, SubmissionSource};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, at, form_id, submission};

/// More than two chunks of an import.
const ROWS: usize = 2200;

fn long_row(n: usize) -> Submission {
    let micros = 1000 + i64::try_from(n).unwrap();
    let mut submission = submission(&format!("sub_long_{n}"), micros, "needle");
    submission.metadata.utm_source = Some("mail".to_owned());
    submission
}

/// Returns a source that blocks after its rows until the test sends its end or an error.
fn blocking_source() -> (SubmissionSource, Receiver<()>, Sender<Option<String>>) {
    let (reached_sender, is_reached) = channel();
    let (go, go_receiver) = channel::<Option<String>>();
    let last = std::iter::from_fn(move || {
        reached_sender.send(()).unwrap();
        go_receiver.recv().unwrap().map(Err)
    });
    (Box::new((0..ROWS).map(|n| Ok(long_row(n))).chain(last.fuse())), is_reached, go)
}

async fn start_import(
    file: &Path,
    store: &Arc<SqliteStore>,
) -> (ImportHandle, Sender<Option<String>>) {
    let (source, is_reached, go) = blocking_source();
    let importer = Arc::clone(store);
    let fields = vec![fixtures::field("fld_1", "answer")];
    let running =
        tokio::spawn(async move { importer.insert_submissions(&form_id(), fields, source).await });
    tokio::task::spawn_blocking(move || is_reached.recv().unwrap()).await.unwrap();
    // Two chunks are full, and the third waits for its end.
    while count_hidden_rows(file).0 < 2000 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    (running, go)
}

type ImportHandle = tokio::task::JoinHandle<Result<u64, StoreError>>;

async fn list_totals(store: &SqliteStore) -> Vec<u64> {
    let mut totals = Vec::new();
    for query in ["", "search=needle", "utm_source=mail", "search=needle&utm_source=mail"] {
        let filter = ListQuery::parse(query).unwrap().filter;
        let page = fixtures::list_page(store, &filter, None, 5000).await.unwrap();
        let exported = fixtures::export_all(store, &filter, None, 100_000).await;
        assert_eq!(page.total, page.rows.len() as u64, "{query}");
        let listed: Vec<_> = page.rows.into_iter().map(|row| row.json).collect();
        assert_eq!(listed, exported, "{query}");
        totals.push(page.total);
    }
    totals
}

/// Returns how many submissions wait for their analysis.
async fn count_pending(store: &SqliteStore) -> u64 {
    while store.queue_insights(300).await.unwrap() {}
    store.find_analysis(&form_id()).await.unwrap().unwrap().pending
}

async fn check_import_is_hidden(store: &SqliteStore) {
    assert_eq!(list_totals(store).await, [1, 0, 0, 0]);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!((form.submission_count, form.last_submission_at), (1, Some(at(1))));
    assert!(form.fields.is_empty());
    let id = "sub_long_0".parse().unwrap();
    assert_eq!(store.find_submission(&id).await.unwrap(), None);
    assert!(!store.delete_submission(&id).await.unwrap());
}

fn count_hidden_rows(file: &Path) -> (i64, i64) {
    let conn = rusqlite::Connection::open(file).unwrap();
    let sql = "SELECT (SELECT COUNT(*) FROM hidden), (SELECT COUNT(*) FROM imports)";
    conn.query_row(sql, [], |row| row.try_into()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn import_is_atomic_with_concurrent_writes() {
    let place = TestFolder::new();
    let tool = Arc::new(place.open());
    let server = place.open();
    fixtures::owner_and_form(&server).await;
    let settings = SetAnalysis { analysis: true, again: true };
    server.set_analysis(&form_id(), settings).await.unwrap();
    fixtures::insert_submissions(&server, vec![submission("sub_1", 1, "x")]).await;
    let (running, go) = start_import(&place.file(), &tool).await;
    check_import_is_hidden(&server).await;
    assert_eq!(count_pending(&server).await, 1);
    let owner: AccountId = "acc_1".parse().unwrap();
    server.insert_key(&owner, fixtures::key("key_1"), [1; 32]).await.unwrap();
    fixtures::insert_submissions(&server, vec![submission("sub_2", 2, "x")]).await;
    assert!(server.delete_submission(&"sub_2".parse().unwrap()).await.unwrap());
    // The start of a second process does not affect the import.
    check_import_is_hidden(&place.open()).await;
    go.send(None).unwrap();
    assert_eq!(running.await.unwrap().unwrap(), 2200);
    assert_eq!(list_totals(&server).await, [2201, 2200, 2200, 2200]);
    assert_eq!(count_pending(&server).await, 2201);
    let form = server.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!((form.submission_count, form.fields.len()), (2201, 1));
    assert!(server.delete_submission(&"sub_long_7".parse().unwrap()).await.unwrap());
    assert_eq!(count_hidden_rows(&place.file()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn failed_source_leaves_no_rows() {
    let place = TestFolder::new();
    let store = Arc::new(place.open());
    fixtures::owner_and_form(&*store).await;
    fixtures::insert_submissions(&*store, vec![submission("sub_1", 1, "x")]).await;
    let (running, go) = start_import(&place.file(), &store).await;
    go.send(Some("line 2201 is wrong".to_owned())).unwrap();
    let failed = running.await.unwrap();
    assert!(matches!(&failed, Err(StoreError::Source(why)) if why.contains("2201")), "{failed:?}");
    check_import_is_hidden(&store).await;
    assert_eq!(count_hidden_rows(&place.file()), (0, 0));
    fixtures::insert_submissions(&*store, (0..ROWS).map(long_row).collect()).await;
    assert_eq!(list_totals(&store).await[0], 2201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn field_added_during_import_is_kept() {
    let place = TestFolder::new();
    let store = Arc::new(place.open());
    fixtures::owner_and_form(&*store).await;
    fixtures::insert_submissions(&*store, vec![submission("sub_1", 1, "x")]).await;
    let (running, go) = start_import(&place.file(), &store).await;
    let fields = vec![fixtures::field("fld_2", "answer")];
    store.insert_submissions(&form_id(), fields, Box::new(std::iter::empty())).await.unwrap();
    go.send(None).unwrap();
    assert_eq!(running.await.unwrap().unwrap(), 2200);
    assert_eq!(list_totals(&store).await, [2201, 2200, 2200, 2200]);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.fields, [fixtures::field("fld_2", "answer")]);
    assert_eq!(count_hidden_rows(&place.file()), (0, 0));
}

const FILE: &str = "SHEAF_TEST_IMPORT_FILE";
const NAME: &str = "imports::killed_import_leaves_no_rows";

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn import_until_killed(file: &Path) {
    let store = Arc::new(SqliteStore::open(file).unwrap());
    let (running, _go) = start_import(file, &store).await;
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\nhalf").and_then(|()| stdout.flush()).unwrap();
    let _ = running.await;
}

#[test]
fn killed_import_leaves_no_rows() {
    if let Some(file) = std::env::var_os(FILE) {
        return import_until_killed(Path::new(&file));
    }
    let place = TestFolder::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let server = place.open();
    runtime.block_on(async {
        fixtures::owner_and_form(&server).await;
        fixtures::insert_submissions(&server, vec![submission("sub_1", 1, "x")]).await;
    });
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(FILE, place.file())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "half"), "the child ended early");
    child.kill().unwrap();
    child.wait().unwrap();
    runtime.block_on(async {
        // The running server does not see the import. The next open or import removes it.
        check_import_is_hidden(&server).await;
        check_import_is_hidden(&place.open()).await;
        assert_eq!(count_hidden_rows(&place.file()), (0, 0));
        fixtures::insert_submissions(&server, (0..ROWS).map(long_row).collect()).await;
        assert_eq!(fixtures::count_all(&server).await, 2201);
        let page = fixtures::list_page(&server, &Filter::default(), None, 1).await.unwrap();
        assert_eq!(page.total, 2201);
    });
}
