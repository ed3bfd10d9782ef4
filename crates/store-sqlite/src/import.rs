//! Long insertions: piece by piece, seen by nobody until all of it is there.
//!
//! One transaction for a long source would lock every other writer out until it ends. So each piece
//! has a short transaction of its own, and marks what it inserts as hidden; a last, small one
//! shows it all at once. One that was killed on its way is continued by whoever brings the same
//! source again; what cannot be, or was left for days, is removed before the next one and when the
//! file is next opened. The source itself is never read inside a transaction.

mod pieces;
mod sweep;
mod turn;

use super::insert::{self, Inserts};
use super::write_ahead_log::{self, ShortLog};
use super::{connect, forms, insight};
use contract::{Field, FormId, Timestamp};
use pieces::with_pieces;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};
use std::path::Path;
use std::time::Duration;
use store::clock::{Clock as _, SystemClock};
use store::columns::{SubmissionRow, count, database, sourced};
use store::{Import, ImportSource, Result, StoreError, SubmissionSource};
use sweep::{sweep, sweep_dead};

pub(super) use sweep::recover;

/// Between two pieces, for those who wait. They look more often than this.
const PAUSE: Duration = Duration::from_millis(3);
/// Pieces need not be on disk before they are to be seen, so nothing waits for the disk until then.
const LAZY: &str = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;";
/// A log that has become so long is emptied between two pieces: not sooner, since rows that come in
/// no order write the same pages again and again.
const LOG_BYTES_MAX: u64 = 64 << 20;
/// Puts on disk, with the next transaction, all that was written before it.
const DURABLE: &str = "PRAGMA synchronous = FULL;";

/// Inserts a long source, of which the beginning was read already. It cannot be continued.
pub(super) fn insert(
    path: &Path,
    form: &FormId,
    fields: &[Field],
    first: Vec<SubmissionRow>,
    source: SubmissionSource,
) -> Result<u64> {
    let _turn = turn::wait(path)?;
    let mut conn = writer(path)?;
    let seq = insert::form_seq(&conn, form)?;
    conn.execute("INSERT INTO imports (form) VALUES (?)", [seq]).map_err(database)?;
    let begun = Begun { seq: conn.last_insert_rowid(), form: seq };
    let rest = source.map(|item| sourced(form, item));
    finish(&mut conn, begun, fields, first.into_iter().map(Ok).chain(rest))
}

/// Inserts what a source gives, or goes on where an earlier call for the same import was killed.
pub(super) fn run(
    path: &Path,
    form: &FormId,
    import: &Import,
    source: ImportSource,
) -> Result<u64> {
    let _turn = turn::wait(path)?;
    let mut conn = writer(path)?;
    let seq = insert::form_seq(&conn, form)?;
    let (begun, import) = match find(&conn, seq, import)? {
        Some(found) => found,
        None => (begin(&conn, seq, import)?, import.clone()),
    };
    let source = match source(&import) {
        Ok(source) => source,
        Err(why) => return give_up(&mut conn, begun, StoreError::Source(why)),
    };
    finish(&mut conn, begun, &import.fields, source.map(|item| sourced(form, item)))
}

/// Removes what killed imports into a form left.
pub(super) fn delete(path: &Path, form: &FormId) -> Result<()> {
    let _turn = turn::wait(path)?;
    let mut conn = writer(path)?;
    let form = insert::form_seq(&conn, form)?;
    sweep(&mut conn, "form = ?", form)
}

/// Removes what imports into a deleted form left, by its number. Waits for one that is running.
pub(super) fn delete_of(path: &Path, form: i64) -> Result<()> {
    let _turn = turn::wait(path)?;
    sweep(&mut writer(path)?, "form = ?", form)
}

/// An import that is listed.
#[derive(Clone, Copy)]
struct Begun {
    seq: i64,
    form: i64,
}

fn writer(path: &Path) -> Result<Connection> {
    let mut conn = connect::writer(path)?;
    conn.execute_batch(LAZY).map_err(database)?;
    sweep_dead(&mut conn)?;
    Ok(conn)
}

fn begin(conn: &Connection, form: i64, import: &Import) -> Result<Begun> {
    let fields = serde_json::to_string(&import.fields).map_err(database)?;
    conn.execute(
        "INSERT INTO imports (form, fingerprint, fields, began_at, touched_at)
         VALUES (?, ?, ?, ?, ?)",
        (form, import.fingerprint, fields, import.began_at.micros(), SystemClock.now().micros()),
    )
    .map_err(database)?;
    Ok(Begun { seq: conn.last_insert_rowid(), form })
}

/// Finds what an earlier run of the same import left, and notes that it goes on.
fn find(conn: &Connection, form: i64, import: &Import) -> Result<Option<(Begun, Import)>> {
    let found: Option<(i64, String, i64, i64)> = conn
        .query_row(
            "UPDATE imports SET touched_at = ? WHERE form = ? AND fingerprint = ?
             RETURNING seq, fields, began_at, inserted",
            (SystemClock.now().micros(), form, import.fingerprint),
            |row| row.try_into(),
        )
        .optional()
        .map_err(database)?;
    let Some((seq, fields, began_at, inserted)) = found else { return Ok(None) };
    let import = Import {
        fingerprint: import.fingerprint,
        fields: serde_json::from_str(&fields).map_err(database)?,
        began_at: Timestamp::from_micros(began_at).unwrap_or(import.began_at),
        inserted: count(inserted)?,
    };
    Ok(Some((Begun { seq, form }, import)))
}

/// Inserts the rows and shows all of the import, or leaves nothing of it. Where the database
/// failed, as on a full disk, what is there stays, so that the import can be continued.
fn finish(
    conn: &mut Connection,
    begun: Begun,
    fields: &[Field],
    rows: impl Iterator<Item = Result<SubmissionRow>> + Send,
) -> Result<u64> {
    match insert_pieces(conn, begun, rows).and_then(|()| show(conn, begun, fields)) {
        Ok(inserted) => {
            tidied(sweep::cross_off(conn));
            Ok(inserted)
        }
        Err(error @ StoreError::Database(_)) => {
            tidied(sweep_dead(conn));
            Err(error)
        }
        Err(error) => give_up(conn, begun, error),
    }
}

fn give_up<T>(conn: &mut Connection, begun: Begun, error: StoreError) -> Result<T> {
    tidied(sweep(conn, "seq = ?", begun.seq));
    Err(error)
}

fn tidied(swept: Result<()>) {
    if let Err(error) = swept {
        tracing::warn!(%error, "what an import left is removed later");
    }
}

fn insert_pieces(
    conn: &mut Connection,
    begun: Begun,
    rows: impl Iterator<Item = Result<SubmissionRow>> + Send,
) -> Result<()> {
    let mut log = ShortLog::of(conn, LOG_BYTES_MAX);
    with_pieces(rows, |piece| {
        let tx = start(conn)?;
        let mut inserts = Inserts::prepare(&tx)?;
        for row in &piece {
            inserts.insert(begun.form, row)?;
            hide(&tx, begun, row).map_err(database)?;
        }
        drop(inserts);
        more(&tx, begun, piece.len()).map_err(database)?;
        tx.commit().map_err(database)?;
        pause(conn, &mut log);
        Ok(())
    })
}

/// Lets others write, after a piece.
fn pause(conn: &mut Connection, log: &mut ShortLog) {
    log.shorten(|patience| write_ahead_log::empty(conn, patience));
    std::thread::sleep(PAUSE);
}

/// Shows all of an import at once, with the form's new fields and count.
fn show(conn: &mut Connection, begun: Begun, fields: &[Field]) -> Result<u64> {
    conn.execute_batch(DURABLE).map_err(database)?;
    let tx = start(conn)?;
    forms::append_fields(&tx, begun.form, fields)?;
    let inserted: i64 = tx
        .query_row("DELETE FROM imports WHERE seq = ? RETURNING inserted", [begun.seq], |row| {
            row.get(0)
        })
        .map_err(database)?;
    insert::add_count(&tx, begun.form, usize::try_from(inserted).map_err(database)?)?;
    insight::look_through(&tx, begun.form).map_err(database)?;
    tx.commit().map_err(database)?;
    count(inserted)
}

fn start(conn: &mut Connection) -> Result<Transaction<'_>> {
    conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)
}

fn hide(conn: &Connection, begun: Begun, row: &SubmissionRow) -> rusqlite::Result<usize> {
    conn.prepare_cached("INSERT INTO hidden (form, submitted_at, id, import) VALUES (?, ?, ?, ?)")?
        .execute((begun.form, row.submitted_at, &row.id, begun.seq))
}

fn more(conn: &Connection, begun: Begun, rows: usize) -> rusqlite::Result<usize> {
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    conn.prepare_cached("UPDATE imports SET inserted = inserted + ? WHERE seq = ?")?
        .execute((rows, begun.seq))
}
