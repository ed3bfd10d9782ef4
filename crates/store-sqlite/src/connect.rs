//! Opens connections, and rejects unsuitable files.
//!
//! This module opens every connection of the process, so all have the same durability.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};
use store::columns::database_error;
use store::{Result, StoreError};

/// "Shea" in ASCII: identifies a Sheaf database.
pub(super) const APPLICATION_ID: i32 = 0x5368_6561;
/// How long a statement waits for the transaction of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long clean-up waits. It blocks the next write meanwhile.
const BUSY_TIMEOUT_SHORT: Duration = Duration::from_millis(100);
/// How long the first attempt to empty a long log waits: the usual duration of reads when many of
/// them share the processors.
const BUSY_TIMEOUT_LOG: Duration = Duration::from_millis(500);
/// Poll interval of the busy handler. SQLite's own intervals grow to 100 ms, and would miss the
/// short gaps that a long import leaves between its transactions.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Older versions may damage a write-ahead log that two processes reset at the same time.
const SQLITE_VERSION_MIN: i32 = 3_051_003;

/// Length of the header of every SQLite database.
const HEADER_BYTES: u64 = 100;

/// Settings of every connection. With pages of 16 KiB, a submission of usual length does not
/// overflow, and each page of the B-tree has many children. The tree of submissions stores rows on
/// every level, and each level costs a read.
const COMMON_PRAGMAS: &str = "
    PRAGMA page_size = 16384;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA journal_size_limit = 67108864;
";
const WRITER_PRAGMAS: &str =
    "PRAGMA cell_size_check = ON; PRAGMA cache_size = -32000; PRAGMA mmap_size = 0;";
/// Settings of a bulk writer. Rows in random order touch pages all over the file. With a larger
/// cache, fewer pages are written twice.
const BULK_WRITER_PRAGMAS: &str =
    "PRAGMA cell_size_check = ON; PRAGMA cache_size = -128000; PRAGMA mmap_size = 0;";
/// Settings for [`secure_erase`](super::secure_erase). It reads each page once, so it caches
/// little.
const SCRUBBER_PRAGMAS: &str =
    "PRAGMA cell_size_check = ON; PRAGMA cache_size = -2000; PRAGMA mmap_size = 0;";
/// Settings of a reader. Readers use the mapped file, up to the maximum of SQLite, so their own
/// caches can be small. They do not check the cells of each page: that would take as long as a
/// short read. Writers check them.
const READER_PRAGMAS: &str =
    "PRAGMA cache_size = -4000; PRAGMA mmap_size = 274877906944; PRAGMA query_only = ON;";

/// Opens the first connection. Creates the folder and the file if they do not exist, and rejects a
/// file that is not a Sheaf database.
pub(super) fn open_or_create(path: &Path) -> Result<Connection> {
    let version = rusqlite::version_number();
    if version < SQLITE_VERSION_MIN {
        return Err(unfit_error(format!(
            "SQLite must be 3.51.3 or newer, but is `{}`; build with the bundled one",
            rusqlite::version()
        )));
    }
    if !has_raw_pages().map_err(database_error)? {
        let reason = "SQLite lacks `ENABLE_DBPAGE_VTAB`; build sheaf in its own folder, so that \
                   `.cargo/config.toml` is found";
        return Err(unfit_error(reason.to_owned()));
    }
    create_file(path)
        .map_err(|error| unfit_error(format!("cannot create `{}`: {error}", path.display())))?;
    check_file(path)?;
    let conn = open_with_pragmas(path, WRITER_PRAGMAS).map_err(|error| open_error(path, error))?;
    check_application_id(path, &conn)?;
    use_write_ahead_log(&conn).map_err(|error| open_error(path, error))?;
    Ok(conn)
}

/// Whether SQLite was compiled with the virtual table that [`secure_erase`](super::secure_erase)
/// needs.
fn has_raw_pages() -> rusqlite::Result<bool> {
    Connection::open_in_memory()?.query_row(
        "SELECT sqlite_compileoption_used('ENABLE_DBPAGE_VTAB')",
        [],
        |row| row.get(0),
    )
}

/// Opens a connection for a long write. The caller drops it afterwards.
pub(super) fn open_bulk_writer(path: &Path) -> Result<Connection> {
    open_with_pragmas(path, BULK_WRITER_PRAGMAS).map_err(database_error)
}

/// Opens a read-only connection.
pub(super) fn open_reader(path: &Path) -> Result<Connection> {
    open_with_pragmas(path, READER_PRAGMAS).map_err(database_error)
}

/// Opens a read-only connection to an existing Sheaf database.
pub(super) fn open_existing(path: &Path) -> Result<Connection> {
    check_file(path)?;
    let conn = open_with_pragmas(path, READER_PRAGMAS).map_err(|error| open_error(path, error))?;
    check_application_id(path, &conn)?;
    Ok(conn)
}

/// Opens a connection that may write raw pages, for [`secure_erase`](super::secure_erase) only.
pub(super) fn open_scrubber(path: &Path) -> rusqlite::Result<Connection> {
    let conn = open_with_pragmas(path, SCRUBBER_PRAGMAS)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    Ok(conn)
}

/// Returns [`StoreError::Unusable`]; `reason` names the problem and the remedy.
pub(super) fn unfit_error(reason: String) -> StoreError {
    StoreError::Unusable(reason)
}

/// Busy handler of ordinary statements: waits up to [`BUSY_TIMEOUT`].
pub(super) fn busy_handler(looks: i32) -> bool {
    wait_and_retry(looks, BUSY_TIMEOUT)
}

/// Busy handler of work that can be postponed: waits up to [`BUSY_TIMEOUT_SHORT`].
pub(super) fn short_busy_handler(looks: i32) -> bool {
    wait_and_retry(looks, BUSY_TIMEOUT_SHORT)
}

/// Busy handler for emptying a long log: waits up to [`BUSY_TIMEOUT_LOG`].
pub(super) fn log_busy_handler(looks: i32) -> bool {
    wait_and_retry(looks, BUSY_TIMEOUT_LOG)
}

fn wait_and_retry(looks: i32, longest: Duration) -> bool {
    let waited = POLL_INTERVAL.saturating_mul(u32::try_from(looks).unwrap_or(u32::MAX));
    std::thread::sleep(POLL_INTERVAL);
    waited < longest
}

fn open_with_pragmas(path: &Path, role: &str) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags)?;
    conn.busy_handler(Some(busy_handler))?;
    conn.set_prepared_statement_cache_capacity(64);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Stable plans: without this, SQLite plans a range statement again for each bound value.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    conn.execute_batch(COMMON_PRAGMAS)?;
    conn.execute_batch(role)?;
    Ok(conn)
}

/// Creates the folder and the file. Never opens an existing file: closing it would release the
/// POSIX locks that SQLite has on it in this process.
fn create_file(path: &Path) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => sync_folders(folder),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Syncs the folder of a new file and its parent folders, which may be new too.
fn sync_folders(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()?;
    let above = std::path::absolute(folder)?;
    for folder in above.ancestors().skip(1) {
        // A folder that cannot be opened was not created for this file.
        let Ok(folder) = File::open(folder) else { break };
        folder.sync_all()?;
    }
    Ok(())
}

/// Rejects a directory, and a file that is shorter than a header: SQLite treats such a file as
/// empty, and would overwrite it.
fn check_file(path: &Path) -> Result<()> {
    let Ok(file) = std::fs::metadata(path) else { return Ok(()) };
    if file.is_dir() {
        return Err(unfit_error(format!("`{}` is a directory; name a file in it", path.display())));
    }
    if (1..HEADER_BYTES).contains(&file.len()) { Err(not_a_database_error(path)) } else { Ok(()) }
}

fn not_a_database_error(path: &Path) -> StoreError {
    unfit_error(format!("`{}` is not a database; name another file", path.display()))
}

fn check_application_id(path: &Path, conn: &Connection) -> Result<()> {
    // One snapshot, because another process may be creating the file now.
    let read = || -> rusqlite::Result<(i32, i64)> {
        let snapshot = conn.unchecked_transaction()?;
        let id = snapshot.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let parts =
            snapshot.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((id, parts))
    };
    match read().map_err(|error| open_error(path, error))? {
        (APPLICATION_ID, _) | (0, 0) => Ok(()),
        _ => Err(unfit_error(format!(
            "`{}` is the database of another application; name another file",
            path.display()
        ))),
    }
}

/// Enables WAL mode. This needs an exclusive lock, and SQLite does not call the busy handler for
/// it, so the function retries for up to [`BUSY_TIMEOUT`].
fn use_write_ahead_log(conn: &Connection) -> rusqlite::Result<()> {
    let last = Instant::now() + BUSY_TIMEOUT;
    loop {
        let mode = conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        let busy = match &mode {
            Ok(mode) => mode != "wal",
            Err(error) => error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy),
        };
        if !busy || Instant::now() > last {
            return mode.map(drop);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn open_error(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => not_a_database_error(path),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            let path = path.display();
            unfit_error(format!("`{path}` cannot be opened for writing; check its permissions"))
        }
        Some(ErrorCode::DatabaseCorrupt) => damage_error(path, &error.to_string()),
        _ => database_error(error),
    }
}

/// Returns the error for a damaged file, with the path and the remedy.
pub(super) fn damage_error(path: &Path, finding: &str) -> StoreError {
    unfit_error(format!(
        "`{}` is damaged ({finding}); keep it, put a backup in its place, and see `sheaf check`",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(conn: &Connection, pragma: &str, is: &str) {
        let sql = format!("PRAGMA {pragma}");
        let found: rusqlite::types::Value = conn.query_row(&sql, [], |row| row.get(0)).unwrap();
        let found = match found {
            rusqlite::types::Value::Text(text) => text,
            rusqlite::types::Value::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(found, is, "{pragma}");
    }

    #[test]
    fn connections_have_safe_pragmas() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        let first = open_or_create(&path).unwrap();
        let writer = open_bulk_writer(&path).unwrap();
        let reader = open_reader(&path).unwrap();
        for conn in [&first, &writer, &reader] {
            check(conn, "journal_mode", "wal");
            check(conn, "synchronous", "2");
            check(conn, "secure_delete", "1");
            check(conn, "foreign_keys", "1");
            check(conn, "trusted_schema", "0");
            check(conn, "temp_store", "2");
            assert!(conn.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE).unwrap());
        }
        check(&reader, "query_only", "1");
        for (conn, is_checked) in [(&first, "1"), (&writer, "1"), (&reader, "0")] {
            check(conn, "cell_size_check", is_checked);
        }
        assert!(reader.execute_batch("CREATE TABLE t (x)").is_err());
        writer.execute_batch("CREATE TABLE t (x)").unwrap();
        check(&writer, "page_size", "16384");
    }
}
