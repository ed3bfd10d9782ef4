//! Tidying: what was deleted leaves the files, too.
//!
//! `secure_delete` overwrites a deleted row where it stands. Two kinds of copies are left. The
//! write-ahead log holds it until it is emptied. And where a page of the tree was divided earlier,
//! rows that moved to its neighbour may have left their bytes in the gap of the old one; `VACUUM`
//! alone removes these. It writes the whole file anew while other writes wait, so it is done for
//! files up to a size; in larger ones such a copy stays until new rows take its place.

use super::super::Result;
use super::super::row::database;
use super::connect::BUSY;
use rusqlite::Connection;
use std::time::Duration;

/// Up to this size, some 50,000 submissions, a file is written anew in well under a second.
const VACUUM_BYTES_MAX: i64 = 64 << 20;
/// How long emptying the log may hold up the next write, for readers to end.
const EMPTY_LOG_WAIT: Duration = Duration::from_millis(100);

/// Notes, with the deletion itself, that the file is to be written anew.
pub(super) fn ask(conn: &Connection) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO chores (name) VALUES ('vacuum')")?.execute([])?;
    Ok(())
}

/// Removes all copies of what was deleted; `false` where something stood in the way.
pub(super) fn tidy(conn: &Connection) -> bool {
    let vacuumed = vacuum(conn);
    let emptied = empty_log(conn);
    vacuumed.and(emptied).unwrap_or_else(|error| {
        tracing::warn!(%error, "the file could not be tidied");
        false
    })
}

fn vacuum(conn: &Connection) -> Result<()> {
    let read = |sql| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let asked = read("SELECT COUNT(*) FROM chores WHERE name = 'vacuum'");
    let size = read("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
    if asked.map_err(database)? == 0 || size.map_err(database)? > VACUUM_BYTES_MAX {
        return Ok(());
    }
    // In this order, so that a deletion of another process meanwhile is not forgotten.
    conn.execute_batch("DELETE FROM chores WHERE name = 'vacuum'; VACUUM").map_err(|error| {
        // Done again after the next deletion; the error itself is what counts here.
        let _ = ask(conn);
        database(error)
    })
}

/// Moves all of the log into the file and empties it; `false` where readers or another process
/// stood in the way.
fn empty_log(conn: &Connection) -> Result<bool> {
    let empty = || {
        conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
    };
    let busy = conn.busy_timeout(EMPTY_LOG_WAIT).and_then(|()| empty());
    conn.busy_timeout(BUSY).map_err(database)?;
    Ok(busy.map_err(database)? == 0)
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
        let conn = connect::first(&path).unwrap();
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
        assert!(tidy(&conn) && !left().0.is_empty(), "tidied without having been asked to");
        ask(&conn).unwrap();
        assert!(tidy(&conn));
        let (deleted, kept) = left();
        assert_eq!((deleted, kept.len()), (Vec::new(), 1333));
        let chores = conn.query_row("SELECT COUNT(*) FROM chores", [], |row| row.get::<_, i64>(0));
        assert_eq!(chores.unwrap(), 0);
    }
}
