//! The recorded process. It prints each acknowledged write at once.

use crate::child::print_line;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use store::Store;
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, form_id, submission};

const WORKERS: usize = 4;
/// Enough rows for an import in chunks, concurrent with the writer.
const IMPORT_ROWS: usize = 150;

/// Writes with the store as shipped: concurrent single rows and deletions, an import, and a backup;
/// then the same again after a clean restart.
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
pub(super) async fn run_shipped(file: &Path) {
    for round in ["a", "b"] {
        let store = Arc::new(SqliteStore::open(file).unwrap());
        if round == "a" {
            fixtures::owner_and_form(&*store).await;
            print_line(format_args!("=ready"));
        }
        let mut work: Vec<_> = (0..WORKERS)
            .map(|worker| {
                tokio::spawn(write_single_rows(Arc::clone(&store), format!("{round}{worker}")))
            })
            .collect();
        work.push(tokio::spawn(import_rows(Arc::clone(&store), round)));
        for work in work {
            work.await.unwrap();
        }
        let copy = file.with_file_name(format!("copy_{round}.db"));
        store.backup(&copy).await.unwrap();
        print_line(format_args!("=copy_{round}.db"));
    }
}

async fn write_single_rows(store: Arc<SqliteStore>, name: String) {
    for n in 0..30_usize {
        let id = format!("sub_{name}_{n}");
        let answer = format!("{id} ").repeat(10 + n * 37 % 400);
        fixtures::insert_submissions(
            &*store,
            vec![submission(&id, i64::try_from(n).unwrap(), &answer)],
        )
        .await;
        print_line(format_args!("+{id}"));
        if n % 4 == 3 {
            print_line(format_args!("?{id}"));
            assert!(store.delete_submission(&id.parse().unwrap()).await.unwrap());
            print_line(format_args!("-{id}"));
        }
    }
}

async fn import_rows(store: Arc<SqliteStore>, round: &str) {
    let ids: Vec<_> = (0..IMPORT_ROWS).map(|n| format!("sub_{round}i_{n}")).collect();
    fixtures::insert_submissions(&*store, ids.iter().map(|id| submission(id, 1000, id)).collect())
        .await;
    print_line(format_args!("+{}", ids.join("\n+")));
}

/// Opens a file of an old schema, and inserts some rows.
#[tokio::main(flavor = "current_thread")]
pub(super) async fn run_upgrade(file: &Path) {
    let store = SqliteStore::open(file).unwrap();
    for n in 0..5 {
        let id = format!("sub_new_{n}");
        fixtures::insert_submissions(&store, vec![submission(&id, n, "new")]).await;
        print_line(format_args!("+{id}"));
    }
}

/// Writes the same tables at another `synchronous` level.
pub(super) fn run_at_level(file: &Path, level: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async { fixtures::owner_and_form(&SqliteStore::open(file).unwrap()).await });
    let mut conn = Connection::open(file).unwrap();
    conn.pragma_update(None, "synchronous", level).unwrap();
    let name = form_id();
    let sql = "SELECT seq FROM forms WHERE id = ?";
    let form: i64 = conn.query_row(sql, [name.as_str()], |row| row.get(0)).unwrap();
    print_line(format_args!("=ready"));
    for n in 0..150_i64 {
        let id = format!("sub_{n}");
        let text = format!("{id} ").repeat(400);
        let tx = conn.transaction().unwrap();
        tx.execute(
            "INSERT INTO submissions (form, submitted_at, id, json) VALUES (?, ?, ?, ?)",
            (form, n, &id, &text),
        )
        .unwrap();
        tx.execute(
            "INSERT INTO submission_texts (form, submitted_at, id, text) VALUES (?, ?, ?, ?)",
            (form, n, &id, text.as_bytes()),
        )
        .unwrap();
        tx.execute("UPDATE forms SET submission_count = submission_count + 1", []).unwrap();
        tx.commit().unwrap();
        print_line(format_args!("+{id}"));
    }
}
