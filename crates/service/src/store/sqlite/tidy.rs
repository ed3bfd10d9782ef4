//! Tidying: what was deleted leaves the files, too.
//!
//! `secure_delete` overwrites a deleted row where it stands. Two kinds of copies are left. The
//! write-ahead log holds it until it is emptied. And where a page of the tree was divided earlier,
//! rows that moved to its neighbour may have left their bytes in the gap of the old one; `VACUUM`
//! alone removes these. It writes the whole file anew while other writes wait, so it is done for
//! files up to a size; in larger ones such a copy stays until new rows take its place.
//! `docs/adr/0010` weighs the alternatives.

use super::connect::{little_patience, patience};
use rusqlite::{Connection, ErrorCode};

/// Up to this size, some 50,000 submissions, a file is written anew in well under a second.
const VACUUM_BYTES_MAX: i64 = 64 << 20;

/// Notes, with the deletion itself, that the file is to be written anew.
pub(super) fn ask(conn: &Connection) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO chores (name) VALUES ('vacuum')")?.execute([])?;
    Ok(())
}

/// Removes all copies of what was deleted; `false` where readers or another process stood in the
/// way.
pub(super) fn tidy(conn: &mut Connection) -> bool {
    let tidied = conn.busy_handler(Some(little_patience)).and_then(|()| {
        vacuum(conn)?;
        empty_log(conn)
    });
    let tidied = conn.busy_handler(Some(patience)).and(tidied);
    tidied.unwrap_or_else(|error| {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) {
            tracing::warn!(%error, "the file could not be tidied");
        }
        false
    })
}

fn vacuum(conn: &Connection) -> rusqlite::Result<()> {
    let read = |sql| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let bytes = read("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?;
    let asked = read("SELECT COUNT(*) FROM chores WHERE name = 'vacuum'")? > 0;
    if !asked || bytes > VACUUM_BYTES_MAX {
        return Ok(());
    }
    // In this order, so that a deletion of another process meanwhile is not forgotten.
    conn.execute_batch("DELETE FROM chores WHERE name = 'vacuum'; VACUUM").inspect_err(|_| {
        // Where this fails as well, the next deletion asks again.
        let _ = ask(conn);
    })
}

fn empty_log(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
    Ok(busy == 0)
}

#[cfg(test)]
mod tests {
    use super::super::connect;
    use super::*;
    use memchr::memmem;
    use std::collections::BTreeSet;

    #[test]
    fn rows_that_moved_leave_no_copy_once_the_file_is_tidied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let mut conn = connect::first(&path).unwrap();
        let tables = "CREATE TABLE chores (name TEXT UNIQUE);
                      CREATE TABLE t (n INTEGER PRIMARY KEY, x TEXT) WITHOUT ROWID;";
        conn.execute_batch(tables).unwrap();
        let marker = |n: usize| format!("marker{n:05}x{}", " ".repeat(n * 31 % 400));
        conn.execute_batch("BEGIN").unwrap();
        for n in (0..2000).map(|n| n * 7919 % 2000) {
            conn.execute("INSERT INTO t VALUES (?, ?)", (i64::try_from(n).unwrap(), marker(n)))
                .unwrap();
        }
        conn.execute_batch("COMMIT; DELETE FROM t WHERE n % 3 = 0").unwrap();
        // The numbers that stand anywhere in the file: those deleted, and those kept.
        let left = || {
            let bytes = std::fs::read(&path).unwrap();
            let number =
                |at: usize| std::str::from_utf8(bytes.get(at + 6..at + 11)?).ok()?.parse().ok();
            let found: BTreeSet<usize> =
                memmem::find_iter(&bytes, b"marker").filter_map(number).collect();
            found.into_iter().partition::<Vec<_>, _>(|n| n % 3 == 0)
        };
        assert!(empty_log(&conn).unwrap());
        assert!(!left().0.is_empty(), "SQLite leaves no copies any more: tidying can be simpler");
        assert!(tidy(&mut conn) && !left().0.is_empty(), "tidied without having been asked to");
        ask(&conn).unwrap();
        assert!(tidy(&mut conn));
        let (deleted, kept) = left();
        assert_eq!((deleted, kept.len()), (Vec::new(), 1333));
        let chores = conn.query_row("SELECT COUNT(*) FROM chores", [], |row| row.get::<_, i64>(0));
        assert_eq!(chores.unwrap(), 0);
    }
}
