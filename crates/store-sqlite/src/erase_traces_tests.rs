//! Traces of deleted rows before and after the clean-up.

use super::*;
use crate::connect;
use memchr::memmem;
use std::collections::BTreeSet;

fn marker(n: usize) -> String {
    format!("marker{n:05}x{}", " ".repeat(n * 31 % 400))
}

/// Returns the numbers of the markers found in the file: deleted ones, and live ones.
fn find_markers(path: &Path) -> (Vec<usize>, Vec<usize>) {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| std::str::from_utf8(bytes.get(at + 6..at + 11)?).ok()?.parse().ok();
    let found: BTreeSet<usize> = memmem::find_iter(&bytes, b"marker").filter_map(number).collect();
    found.into_iter().partition(|n| n % 3 == 0)
}

#[test]
fn copies_of_deleted_rows_are_erased() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sheaf.db");
    let mut conn = connect::open_or_create(&path).unwrap();
    let tables = "CREATE TABLE chores (name TEXT UNIQUE);
                  CREATE TABLE t (n INTEGER PRIMARY KEY, x TEXT) WITHOUT ROWID;";
    conn.execute_batch(tables).unwrap();
    conn.execute_batch("BEGIN").unwrap();
    for n in (0..2000).map(|n| n * 7919 % 2000) {
        conn.execute("INSERT INTO t VALUES (?, ?)", (i64::try_from(n).unwrap(), marker(n)))
            .unwrap();
    }
    conn.execute_batch("COMMIT; DELETE FROM t WHERE n % 3 = 0").unwrap();
    assert!(write_ahead_log::empty_log(&mut conn, short_busy_handler));
    assert!(!find_markers(&path).0.is_empty(), "SQLite leaves no copies: the scrub is not needed");

    let mut tidy = TraceEraser::new(&conn, &path, Duration::ZERO, Arc::default());
    tidy.schedule_after_write(&mut conn);
    assert!(
        tidy.run_step(&mut conn) && !find_markers(&path).0.is_empty(),
        "scrubbed without a request"
    );
    request_erasure(&conn).unwrap();
    tidy.schedule_after_write(&mut conn);
    let mut pieces = 1;
    while !tidy.run_step(&mut conn) {
        pieces += 1;
        assert!(pieces < 100, "the clean-up does not end");
    }
    let (deleted, retained) = find_markers(&path);
    assert_eq!((deleted, retained.len()), (Vec::new(), 1333));
    let read = |sql| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(read("SELECT COUNT(*) || '' FROM chores"), "0");
    assert_eq!(read("PRAGMA integrity_check"), "ok");
    assert_eq!(
        read("SELECT COUNT(*) || ' ' || SUM(length(x)) FROM t").split(' ').next(),
        Some("1333")
    );
}

#[test]
fn deletion_during_pass_starts_another_pass() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sheaf.db");
    let mut conn = connect::open_or_create(&path).unwrap();
    conn.execute_batch(
        "CREATE TABLE chores (name TEXT UNIQUE); CREATE TABLE t (x BLOB);
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 300)
         INSERT INTO t SELECT zeroblob(8000) FROM n",
    )
    .unwrap();
    request_erasure(&conn).unwrap();
    let mut tidy = TraceEraser::new(&conn, &path, Duration::ZERO, Arc::default());
    assert!(!tidy.run_step(&mut conn), "expected more pages than one step scrubs");
    request_erasure(&conn).unwrap();
    drop(tidy);
    let mut tidy = TraceEraser::new(&conn, &path, Duration::ZERO, Arc::default());
    let mut passes = 0;
    while !tidy.run_step(&mut conn) {
        passes += usize::from(tidy.scrub.is_none());
        assert!(passes < 3, "the clean-up does not end");
    }
    assert!(!is_erasure_requested(&conn).unwrap() && tidy.time_until_due().is_none());
}
