//! Imports: long insertions in batches, whose rows are invisible until all are inserted.
//!
//! One transaction for a long source would block every other writer until its end. So each batch
//! has a short transaction of its own, which marks its rows as hidden. A last, small transaction
//! shows all rows at once. The source is never read inside a transaction.
//!
//! A killed import is resumed when the same source is imported again. Some rows are deleted before
//! the next import and when the file is opened: those of a killed import without a fingerprint,
//! which cannot be resumed, and those of an import that was not resumed for seven days.

mod batches;
mod import_lock;
mod sweep;

use super::insert::{self, InsertStatements};
use super::write_ahead_log::{self, LogLimiter};
use super::{audit, connect, forms, insight, query};
use batches::with_batches;
use contract::audit::AuditEvent;
use contract::{Field, FormId, Timestamp};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;
use std::time::Duration;
use store::audit::AffectedRows;
use store::clock::{Clock as _, SystemClock};
use store::columns::{SubmissionRow, database_error, parse_count, row_from_source};
use store::{Import, ImportSource, Result, StoreError, SubmissionSource};
use sweep::{sweep, sweep_abandoned};

pub(super) use sweep::sweep_at_open;

/// Pause between two batches, so that waiting writers get the lock. They poll more often than this.
const PAUSE: Duration = Duration::from_millis(3);
/// Settings while rows are hidden: they need not be durable yet, so commits do not sync. The import
/// empties the log itself, between its batches.
const LAZY_PRAGMAS: &str = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;";
/// A longer log is emptied between two batches. With a smaller limit, the same pages would be
/// copied to the database more often, because rows in random order change the same pages
/// repeatedly.
const LOG_BYTES_MAX: u64 = 64 << 20;
/// Makes the next transaction durable, and with it all previous ones: a sync covers the whole log.
const DURABLE_PRAGMA: &str = "PRAGMA synchronous = FULL;";

/// Inserts a long source, given its first rows and the rest. Returns the number of rows. The import
/// has no fingerprint, so it cannot be resumed.
pub(super) fn insert_long_source(
    path: &Path,
    form: &FormId,
    fields: &[Field],
    first: Vec<SubmissionRow>,
    source: SubmissionSource,
    event: Option<AuditEvent>,
) -> Result<u64> {
    let _lock = import_lock::acquire(path)?;
    let mut conn = open_import_writer(path)?;
    let seq = insert::form_seq(&conn, form)?;
    query::execute(&conn, "INSERT INTO imports (form) VALUES (?)", [seq])?;
    let running = RunningImport { seq: conn.last_insert_rowid(), form: seq };
    let rest = source.map(|item| row_from_source(form, item));
    finish_import(&mut conn, running, fields, event, first.into_iter().map(Ok).chain(rest))
}

/// Inserts the rows of a source, or resumes the same import if it was killed earlier. Returns the
/// number of rows, with those of the killed runs.
pub(super) fn run_import(
    path: &Path,
    form: &FormId,
    import: &Import,
    source: ImportSource,
    event: Option<AuditEvent>,
) -> Result<u64> {
    let _lock = import_lock::acquire(path)?;
    let mut conn = open_import_writer(path)?;
    let seq = insert::form_seq(&conn, form)?;
    let (running, import) = match find_import(&conn, seq, import)? {
        Some(found) => found,
        None => (begin_import(&conn, seq, import)?, import.clone()),
    };
    let source = match source(&import) {
        Ok(source) => source,
        Err(reason) => return abandon_import(&mut conn, running, StoreError::Source(reason)),
    };
    finish_import(
        &mut conn,
        running,
        &import.fields,
        event,
        source.map(|item| row_from_source(form, item)),
    )
}

/// Deletes the rows of all killed imports into a form. Waits for a running import.
pub(super) fn delete_imports(path: &Path, form: &FormId) -> Result<()> {
    let _lock = import_lock::acquire(path)?;
    let mut conn = open_import_writer(path)?;
    let form = insert::form_seq(&conn, form)?;
    sweep(&mut conn, "form = ?", form)
}

/// As [`delete_imports`], by the row number of the form. A deleted form is no longer found by its
/// id.
pub(super) fn delete_imports_by_seq(path: &Path, form: i64) -> Result<()> {
    let _lock = import_lock::acquire(path)?;
    sweep(&mut open_import_writer(path)?, "form = ?", form)
}

/// An unfinished import: its number in the table `imports`, and the row number of its form.
#[derive(Clone, Copy)]
struct RunningImport {
    seq: i64,
    form: i64,
}

/// Opens the connection of an import, and deletes the rows of abandoned imports.
fn open_import_writer(path: &Path) -> Result<Connection> {
    let mut conn = connect::open_bulk_writer(path)?;
    conn.execute_batch(LAZY_PRAGMAS).map_err(database_error)?;
    sweep_abandoned(&mut conn)?;
    Ok(conn)
}

fn begin_import(conn: &Connection, form: i64, import: &Import) -> Result<RunningImport> {
    let fields = serde_json::to_string(&import.fields).map_err(database_error)?;
    let now = SystemClock.now().micros();
    let sql = "INSERT INTO imports (form, fingerprint, fields, began_at, touched_at)
               VALUES (?, ?, ?, ?, ?)";
    let columns = (form, import.fingerprint, fields, import.began_at.micros(), now);
    query::execute(conn, sql, columns)?;
    Ok(RunningImport { seq: conn.last_insert_rowid(), form })
}

/// Finds an earlier run of the same import, and updates `touched_at`, from which the seven days
/// count. Returns the fields and the start time of the earlier run.
fn find_import(
    conn: &Connection,
    form: i64,
    import: &Import,
) -> Result<Option<(RunningImport, Import)>> {
    let sql = "UPDATE imports SET touched_at = ? WHERE form = ? AND fingerprint = ?
               RETURNING seq, fields, began_at, inserted";
    let params = (SystemClock.now().micros(), form, import.fingerprint);
    let found: Option<(i64, String, i64, i64)> =
        query::find(conn, sql, params, |row| row.try_into())?;
    let Some((seq, fields, began_at, inserted)) = found else { return Ok(None) };
    let import = Import {
        fingerprint: import.fingerprint,
        fields: serde_json::from_str(&fields).map_err(database_error)?,
        began_at: Timestamp::from_micros(began_at).unwrap_or(import.began_at),
        inserted: parse_count(inserted)?,
    };
    Ok(Some((RunningImport { seq, form }, import)))
}

/// Inserts the rows and shows them, or deletes them if the source fails. If the database fails, for
/// example on a full disk, the rows of a resumable import stay.
fn finish_import(
    conn: &mut Connection,
    running: RunningImport,
    fields: &[Field],
    event: Option<AuditEvent>,
    rows: impl Iterator<Item = Result<SubmissionRow>> + Send,
) -> Result<u64> {
    let shown =
        insert_batches(conn, running, rows).and_then(|()| show_rows(conn, running, fields, event));
    match shown {
        Ok(inserted) => {
            log_sweep_error(sweep::unhide_finished(conn));
            Ok(inserted)
        }
        Err(error @ StoreError::Database(_)) => {
            log_sweep_error(sweep_abandoned(conn));
            Err(error)
        }
        Err(error) => abandon_import(conn, running, error),
    }
}

/// Deletes the rows of an import, and returns the error that ended it.
fn abandon_import<T>(
    conn: &mut Connection,
    running: RunningImport,
    error: StoreError,
) -> Result<T> {
    log_sweep_error(sweep(conn, "seq = ?", running.seq));
    Err(error)
}

fn log_sweep_error(swept: Result<()>) {
    if let Err(error) = swept {
        tracing::warn!(%error, "rows of an import are not removed yet");
    }
}

fn insert_batches(
    conn: &mut Connection,
    running: RunningImport,
    rows: impl Iterator<Item = Result<SubmissionRow>> + Send,
) -> Result<()> {
    let mut log = LogLimiter::of(conn, LOG_BYTES_MAX);
    with_batches(rows, |batch| {
        let tx = begin_transaction(conn)?;
        let mut inserts = InsertStatements::prepare(&tx)?;
        for row in &batch {
            inserts.insert(running.form, row)?;
            hide_row(&tx, running, row)?;
        }
        drop(inserts);
        add_inserted(&tx, running, batch.len())?;
        tx.commit().map_err(database_error)?;
        yield_to_writers(conn, &mut log);
        Ok(())
    })
}

/// Empties a long log, and lets other connections write.
fn yield_to_writers(conn: &mut Connection, log: &mut LogLimiter) {
    log.empty_if_long(|busy_handler| write_ahead_log::empty_log(conn, busy_handler));
    std::thread::sleep(PAUSE);
}

/// Shows all rows of an import at once: its row in `imports` is deleted, and `hidden` has no effect
/// without it. Updates the fields and the count of the form in the same transaction, and writes the
/// audit entry.
fn show_rows(
    conn: &mut Connection,
    running: RunningImport,
    fields: &[Field],
    event: Option<AuditEvent>,
) -> Result<u64> {
    conn.execute_batch(DURABLE_PRAGMA).map_err(database_error)?;
    let tx = begin_transaction(conn)?;
    forms::append_missing_fields(&tx, running.form, fields)?;
    let sql = "DELETE FROM imports WHERE seq = ? RETURNING inserted";
    let inserted: i64 = query::one(&tx, sql, [running.seq], |row| row.get(0))?;
    insert::add_count(&tx, running.form, usize::try_from(inserted).map_err(database_error)?)?;
    insight::schedule_sweep(&tx, running.form)?;
    let inserted = parse_count(inserted)?;
    if let Some(event) = event {
        audit::append_entry(&tx, event, &AffectedRows::of_import(inserted, fields))?;
    }
    tx.commit().map_err(database_error)?;
    Ok(inserted)
}

fn begin_transaction(conn: &mut Connection) -> Result<Transaction<'_>> {
    conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database_error)
}

fn hide_row(conn: &Connection, running: RunningImport, row: &SubmissionRow) -> Result<usize> {
    let sql = "INSERT INTO hidden (form, submitted_at, id, import) VALUES (?, ?, ?, ?)";
    query::execute(conn, sql, (running.form, row.submitted_at, &row.id, running.seq))
}

fn add_inserted(conn: &Connection, running: RunningImport, rows: usize) -> Result<usize> {
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let sql = "UPDATE imports SET inserted = inserted + ? WHERE seq = ?";
    query::execute(conn, sql, (rows, running.seq))
}
