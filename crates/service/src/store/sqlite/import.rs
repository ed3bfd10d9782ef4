//! Long insertions: piece by piece, seen by nobody until all of it is there.
//!
//! One transaction for a long source would lock every other writer out until it ends. So each piece
//! has a short transaction of its own, and marks what it inserts as hidden; a last, small one
//! shows it all at once. What an import left that was killed on its way is removed before the next
//! one, and when the file is next opened. The source itself is never read inside a transaction.

use super::super::row::{SubmissionRow, database};
use super::super::{Result, StoreError, SubmissionSource};
use super::{connect, forms, insert, tidy};
use contract::{Field, FormId};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// So many rows, or so many bytes of them, are a piece: some twenty milliseconds of writing.
const PIECE_ROWS_MAX: usize = 1000;
const PIECE_BYTES_MAX: usize = 4 << 20;
/// Between two pieces, for those who wait. They look more often than this.
const PAUSE: Duration = Duration::from_millis(3);
/// How long an import waits for the one before it to end.
const TURN_WAIT_MAX: Duration = Duration::from_mins(10);
const TURN_LOOK_EVERY: Duration = Duration::from_millis(20);
/// Pieces need not be on disk before they are to be seen, so nothing waits for the disk until then.
const LAZY: &str = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000;";
/// Puts on disk, with the next transaction, all that was written before it.
const DURABLE: &str = "PRAGMA synchronous = FULL;";

/// What narrows a statement over submissions `s` to those that are to be seen. Only needed where
/// [`is_under_way`].
pub(super) const SEEN: &str = " AND NOT EXISTS (SELECT 1 FROM hidden AS h \
     CROSS JOIN imports AS i ON i.seq = h.import \
     WHERE h.form = s.form AND h.submitted_at = s.submitted_at AND h.id = s.id)";

/// Returns whether a form has submissions that nobody may see yet.
pub(super) fn is_under_way(conn: &Connection, form: i64) -> Result<bool> {
    conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM imports WHERE form = ?)")
        .and_then(|mut any| any.query_row([form], |row| row.get(0)))
        .map_err(database)
}

/// Inserts a long source, of which the beginning was read already.
pub(super) fn insert(
    path: &Path,
    form: &FormId,
    fields: &[Field],
    first: Vec<SubmissionRow>,
    source: SubmissionSource,
) -> Result<u64> {
    let _turn = wait_for_turn(path)?;
    let mut conn = connect::writer(path)?;
    conn.execute_batch(LAZY).map_err(database)?;
    sweep(&mut conn)?;
    let rest = source.map(|item| insert::row(form, item));
    let pieces = Pieces { rows: first.into_iter().map(Ok).chain(rest) };
    let inserted = insert_pieces(&mut conn, form, fields, pieces);
    if let Err(error) = sweep(&mut conn) {
        tracing::warn!(%error, "what an import left is removed later");
    }
    inserted
}

/// Removes what killed imports left, unless one is running.
pub(super) fn recover(path: &Path, conn: &mut Connection) -> Result<()> {
    let any = "SELECT EXISTS (SELECT 1 FROM imports) OR EXISTS (SELECT 1 FROM hidden)";
    if !conn.query_row(any, [], |row| row.get::<_, bool>(0)).map_err(database)? {
        return Ok(());
    }
    let lock = turn(path)?;
    match lock.try_lock() {
        Ok(()) => sweep(conn),
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(error)) => Err(database(error)),
    }
}

fn insert_pieces(
    conn: &mut Connection,
    form: &FormId,
    fields: &[Field],
    pieces: impl Iterator<Item = Result<Vec<SubmissionRow>>>,
) -> Result<u64> {
    let tx = begin(conn)?;
    let seq = insert::form_seq(&tx, form)?;
    tx.execute("INSERT INTO imports (form) VALUES (?)", [seq]).map_err(database)?;
    let import = tx.last_insert_rowid();
    tx.commit().map_err(database)?;
    let mut inserted = 0;
    for piece in pieces {
        let piece = piece?;
        let tx = begin(conn)?;
        for row in &piece {
            insert::insert_row(&tx, seq, row)?;
            hide(&tx, seq, row, import).map_err(database)?;
        }
        tx.commit().map_err(database)?;
        inserted += piece.len();
        std::thread::sleep(PAUSE);
    }
    conn.execute_batch(DURABLE).map_err(database)?;
    let tx = begin(conn)?;
    forms::append_fields(&tx, seq, fields)?;
    insert::add_count(&tx, seq, inserted)?;
    tx.execute("DELETE FROM imports WHERE seq = ?", [import]).map_err(database)?;
    tx.commit().map_err(database)?;
    Ok(inserted as u64)
}

fn begin(conn: &mut Connection) -> Result<Transaction<'_>> {
    conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)
}

fn hide(conn: &Connection, form: i64, row: &SubmissionRow, import: i64) -> rusqlite::Result<usize> {
    conn.prepare_cached("INSERT INTO hidden (form, submitted_at, id, import) VALUES (?, ?, ?, ?)")?
        .execute((form, row.submitted_at, &row.id, import))
}

/// The rows of a source in pieces. An error takes the place of the piece in which it came.
struct Pieces<I> {
    rows: I,
}

impl<I: Iterator<Item = Result<SubmissionRow>>> Iterator for Pieces<I> {
    type Item = Result<Vec<SubmissionRow>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut piece, mut bytes) = (Vec::new(), 0);
        while piece.len() < PIECE_ROWS_MAX && bytes < PIECE_BYTES_MAX {
            match self.rows.next() {
                Some(Ok(row)) => {
                    bytes += row.json.len() + row.text.len();
                    piece.push(row);
                }
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        (!piece.is_empty()).then_some(Ok(piece))
    }
}

/// The lock that one import at a time holds: on the folder, so that no file of it stays behind. The
/// system takes it from a process that ends, however it ends.
fn turn(path: &Path) -> Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new("."))).map_err(database)
}

fn wait_for_turn(path: &Path) -> Result<File> {
    let (lock, last) = (turn(path)?, Instant::now() + TURN_WAIT_MAX);
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < last => {
                std::thread::sleep(TURN_LOOK_EVERY);
            }
            Err(TryLockError::WouldBlock) => {
                let why = "another import is running still; try again when it has ended";
                return Err(StoreError::Source(why.to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(database(error)),
        }
    }
}

/// The place of a submission that was never to be seen.
type Left = (i64, i64, String);

fn left(conn: &Connection) -> Result<Vec<Left>> {
    let sql = format!(
        "SELECT form, submitted_at, id FROM hidden
         WHERE import IN (SELECT seq FROM imports) LIMIT {PIECE_ROWS_MAX}"
    );
    let mut some = conn.prepare_cached(&sql).map_err(database)?;
    let rows = some.query_map([], |row| row.try_into());
    rows.and_then(Iterator::collect).map_err(database)
}

/// Removes, piece by piece, what never was to be seen; then empties both lists, which is quick
/// however long they are. Whoever calls it holds the turn, so no import is running.
fn sweep(conn: &mut Connection) -> Result<()> {
    loop {
        let tx = begin(conn)?;
        let left = left(&tx)?;
        for row in &left {
            remove(&tx, row).map_err(database)?;
        }
        if left.is_empty() {
            tx.execute_batch("DELETE FROM imports; DELETE FROM hidden").map_err(database)?;
            return tx.commit().map_err(database);
        }
        tidy::ask(&tx).map_err(database)?;
        tx.commit().map_err(database)?;
        std::thread::sleep(PAUSE);
    }
}

fn remove(conn: &Connection, place: &Left) -> rusqlite::Result<()> {
    for table in ["submissions", "submission_texts", "hidden"] {
        let sql = format!("DELETE FROM {table} WHERE form = ? AND submitted_at = ? AND id = ?");
        let (form, at, id) = place;
        conn.prepare_cached(&sql)?.execute((form, at, id))?;
    }
    Ok(())
}
