//! Long insertions: inserted in batches, invisible until complete.
//!
//! One transaction for a long source would block every other writer until its end. So each batch
//! has a short transaction of its own, which marks its rows as hidden. A last, small transaction
//! shows all rows at once. A killed import is resumed when the same source is imported again. The
//! rows of an import that cannot be resumed, or was not for days, are deleted before the next
//! import and when the file is opened. The source is never read inside a transaction.

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

/// Pause between two batches, so that waiting writers get the lock. They poll more often than this.
const PAUSE: Duration = Duration::from_millis(3);
/// Settings while rows are hidden: they need not be durable yet, so commits do not sync.
const LAZY: &str = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;";
/// A longer log is emptied between two batches. A smaller limit costs more, because rows in random
/// order write the same pages repeatedly.
const LOG_BYTES_MAX: u64 = 64 << 20;
/// Makes the next transaction durable, and with it all that precede it.
const DURABLE: &str = "PRAGMA synchronous = FULL;";

/// Inserts a long source, given its first rows and the rest. It cannot be resumed.
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

/// Inserts the rows of a source, or resumes the same import if it was killed earlier.
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

/// Deletes the rows of killed imports into a form.
pub(super) fn delete(path: &Path, form: &FormId) -> Result<()> {
    let _turn = turn::wait(path)?;
    let mut conn = writer(path)?;
    let form = insert::form_seq(&conn, form)?;
    sweep(&mut conn, "form = ?", form)
}

/// As [`delete`], for a deleted form by its number. Waits for a running import.
pub(super) fn delete_of(path: &Path, form: i64) -> Result<()> {
    let _turn = turn::wait(path)?;
    sweep(&mut writer(path)?, "form = ?", form)
}

/// An import that is listed in `imports`.
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

/// Finds an earlier run of the same import, and updates its `touched_at`.
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

/// Inserts the rows and shows them, or deletes them if the source fails. If the database fails, for
/// example on a full disk, the rows stay, so that the import can be resumed.
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
        tracing::warn!(%error, "rows of an import are not removed yet");
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

/// Empties a long log, and lets other connections write.
fn pause(conn: &mut Connection, log: &mut ShortLog) {
    log.shorten(|patience| write_ahead_log::empty(conn, patience));
    std::thread::sleep(PAUSE);
}

/// Shows all rows of an import at once, and updates the fields and the count of the form.
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
