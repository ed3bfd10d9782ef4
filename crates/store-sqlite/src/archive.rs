//! The database file as the source or the target of an archive.

use super::insert::{self, InsertStatements};
use super::{check, connect, migrate};
use async_trait::async_trait;
use contract::Timestamp;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use std::fs::DirBuilder;
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use store::archive::{
    self, AUDIT, AUDIT_HEADS, Archive, ColumnKind, DumpSource, ProgressCallback, RestoreTarget,
    RowCallback, SUBMISSIONS, Section, TableSum, UNLISTED, Value,
};
use store::columns::{SubmissionRow, damaged_row, database_error, parse_count};
use store::part_file::PartFile;
use store::{Result, StoreError};

/// Name of the table of deliveries.
const DELIVERIES: &str = "deliveries";
/// Suffixes of the files that SQLite reads together with a database.
const LOG_SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Settings of a restore. An interrupted restore is discarded, so it needs no durability before it
/// finishes.
const RESTORE_PRAGMAS: &str = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;";

/// Writes an archive of a database file while other processes may write to it. Returns the checksum
/// of each table, and the writer.
///
/// # Errors
/// [`StoreError::Unusable`] if the file is not a Sheaf database, is damaged, or the archive cannot
/// be written.
pub async fn dump<W: Write + Send>(
    path: &Path,
    to: W,
    now: Timestamp,
    progress: &mut ProgressCallback<'_>,
) -> Result<(Vec<TableSum>, W)> {
    archive::dump(&mut open_snapshot(path)?, to, now, progress).await
}

/// Creates a database file from an archive. Returns the checksum of each table. Leaves no file
/// after an error.
///
/// # Errors
/// [`StoreError::Unusable`] if the archive is damaged or of a newer version, or if the file exists.
pub async fn restore<R: Read + Send>(
    from: R,
    path: &Path,
    progress: &mut ProgressCallback<'_>,
) -> Result<Vec<TableSum>> {
    let archive = Archive::open(from)?;
    let mut target = FileTarget::create(path)?;
    let sums = archive.restore(&mut target, progress).await?;
    target.publish()?;
    Ok(sums)
}

/// A read transaction on a database file.
struct Snapshot(Connection);

fn open_snapshot(path: &Path) -> Result<Snapshot> {
    if !path.exists() {
        let path = path.display();
        return Err(connect::unfit_error(format!(
            "there is no file `{path}`; name the database to dump"
        )));
    }
    // Migrates the file first, as opening a store does: the archive has the newest schema.
    let mut conn = connect::open_or_create(path)?;
    check::check_at_open(path)?;
    migrate::migrate(path, &mut conn, migrate::MIGRATIONS)?;
    drop(conn);
    let conn = connect::open_existing(path)?;
    // A dump reads each page once. Mapped pages would evict pages that a running server needs.
    conn.execute_batch("PRAGMA mmap_size = 0; BEGIN").map_err(database_error)?;
    Ok(Snapshot(conn))
}

#[async_trait]
impl DumpSource for Snapshot {
    async fn count_submissions(&mut self) -> Result<u64> {
        let sql = "SELECT COALESCE(SUM(submission_count), 0) FROM forms
                   WHERE account <> 'deleted'";
        parse_count(self.0.query_row(sql, [], |row| row.get(0)).map_err(database_error)?)
    }

    async fn read_table(&mut self, section: &Section, on_row: &mut RowCallback<'_>) -> Result<()> {
        let mut rows = self.0.prepare_cached(&select_sql(section)).map_err(database_error)?;
        if !section.table.is_by_form {
            return read_rows(section, &mut rows, None, on_row);
        }
        let sql = "SELECT seq FROM forms AS t WHERE t.account <> 'deleted' ORDER BY id";
        let mut forms = self.0.prepare_cached(sql).map_err(database_error)?;
        let mut forms = forms.query([]).map_err(database_error)?;
        while let Some(form) = forms.next().map_err(database_error)? {
            let form: i64 = form.get(0).map_err(database_error)?;
            read_rows(section, &mut rows, Some(form), on_row)?;
        }
        Ok(())
    }
}

/// Returns the statement that reads a table, or its rows of one form.
fn select_sql(section: &Section) -> String {
    let table = section.table;
    let columns: Vec<_> = section.columns.iter().map(|column| column.sqlite).collect();
    let conditions = [if table.is_by_form { "t.form = ?" } else { "" }, table.sqlite_filter];
    let conditions: Vec<_> =
        conditions.into_iter().filter(|condition| !condition.is_empty()).collect();
    let clause = |keyword: &str, parts: &[&str], between: &str| match parts {
        [] => String::new(),
        parts => format!(" {keyword} {}", parts.join(between)),
    };
    format!(
        "SELECT {} FROM {} AS t{}{}",
        columns.join(", "),
        table.name,
        clause("WHERE", &conditions, " AND "),
        clause("ORDER BY", table.order, ", ")
    )
}

fn read_rows(
    section: &Section,
    rows: &mut rusqlite::Statement<'_>,
    form: Option<i64>,
    on_row: &mut RowCallback<'_>,
) -> Result<()> {
    let mut rows = rows.query(params_from_iter(form)).map_err(database_error)?;
    let mut values = Vec::with_capacity(section.columns.len());
    while let Some(row) = rows.next().map_err(database_error)? {
        values.clear();
        for (place, column) in section.columns.iter().enumerate() {
            values.push(match (column.kind, row.get_ref(place).map_err(database_error)?) {
                (_, ValueRef::Null) => Value::Null,
                (ColumnKind::Bool, ValueRef::Integer(number)) => Value::Bool(number != 0),
                (ColumnKind::Int, ValueRef::Integer(number)) => Value::Int(number),
                (ColumnKind::Bytes, ValueRef::Blob(bytes)) => Value::Bytes(bytes.to_owned()),
                (
                    ColumnKind::PlainText | ColumnKind::Text | ColumnKind::TextInBytes,
                    ValueRef::Text(text),
                ) => Value::Text(std::str::from_utf8(text).map_err(damaged_row)?.to_owned()),
                _ => return Err(archive::type_mismatch(column)),
            });
        }
        on_row(&values)?;
    }
    Ok(())
}

/// A value as a statement parameter.
struct Parameter<'v>(&'v Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Bool(is) => ValueRef::Integer((*is).into()),
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// A new database file. It gets its final name when the restore is complete.
struct FileTarget {
    snapshot: Snapshot,
    path: PathBuf,
    // Dropped after the connection: closing this file would release the connection's POSIX locks.
    file: PartFile,
}

impl FileTarget {
    /// Creates the file under a temporary name.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] if a file of this name exists, or the file cannot be created.
    fn create(path: &Path) -> Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            let result = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            result.map_err(|error| {
                connect::unfit_error(format!(
                    "cannot create the folder `{}`: {error}",
                    folder.display()
                ))
            })?;
        }
        let file = PartFile::create(path).map_err(|error| match error {
            StoreError::Exists(file) => connect::unfit_error(format!(
                "{file} exists already; name a directory without data, or move this file away"
            )),
            other => other,
        })?;
        reject_foreign_logs(path)?;
        for end in LOG_SUFFIXES {
            // Leftover of a restore that was killed.
            let _ = std::fs::remove_file(with_suffix(file.path(), end));
        }
        let mut conn = connect::open_or_create(file.path())?;
        migrate::migrate(file.path(), &mut conn, migrate::MIGRATIONS)?;
        conn.execute_batch(RESTORE_PRAGMAS).map_err(database_error)?;
        conn.execute_batch("BEGIN").map_err(database_error)?;
        Ok(Self { snapshot: Snapshot(conn), path: path.to_owned(), file })
    }

    /// Commits, syncs and checks the file, then gives it its final name.
    fn publish(self) -> Result<()> {
        // On an error, `conn` is dropped before `file`: closing the file would release its locks.
        let Self { file, path, snapshot: Snapshot(conn) } = self;
        conn.execute_batch("COMMIT; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL")
            .map_err(database_error)?;
        conn.close().map_err(|(_, error)| database_error(error))?;
        if let Some(damage) = check::quick_check(file.path())? {
            return Err(connect::unfit_error(format!(
                "the restored file is damaged ({damage}); check the disk, and restore again"
            )));
        }
        reject_foreign_logs(&path)?;
        file.commit().map_err(|error| match error {
            StoreError::Exists(file) => connect::unfit_error(format!(
                "{file} appeared during the restore; stop the process that created it, move it \
                 away, and restore again"
            )),
            other => other,
        })
    }

    fn conn(&self) -> &Connection {
        &self.snapshot.0
    }

    fn write_submissions(&self, section: &Section, rows: &[Vec<Value>]) -> Result<()> {
        let mut inserts = InsertStatements::prepare(self.conn())?;
        for values in rows {
            let (form, row) = archive::submission_row(section, values)?;
            let seq = insert::form_seq(self.conn(), &form)?;
            let triage = archive::row_triage(section, values)?.map(|(json, _)| json);
            inserts.insert_with_triage(seq, &row, triage)?;
        }
        Ok(())
    }

    fn insert_rows(&self, section: &Section, rows: &[Vec<Value>]) -> Result<()> {
        let mut insertion =
            self.conn().prepare_cached(&insert_sql(section)).map_err(database_error)?;
        let failed = |error| {
            connect::unfit_error(format!(
                "a row of the table `{}` of the archive cannot be restored: {error}",
                section.table.name
            ))
        };
        for row in rows {
            let stored_values = section
                .columns
                .iter()
                .zip(row)
                .filter(|(column, _)| !column.sqlite_target.is_empty());
            let stored_columns = stored_values.map(|(_, value)| value);
            let derived = derived_values(section, row)?;
            insertion
                .execute(params_from_iter(stored_columns.chain(&derived).map(Parameter)))
                .map_err(failed)?;
            if section.table.name == AUDIT {
                self.move_audit_head(section, row)?;
            }
        }
        Ok(())
    }

    /// Sets the head of an audit chain to the entry that was just written.
    fn move_audit_head(&self, section: &Section, row: &[Value]) -> Result<()> {
        let sql = "UPDATE audit_heads SET place = ?2, hash = ?3 WHERE account = ?1";
        let values = ["account", "place", "hash"].map(|name| Parameter(section.value(row, name)));
        let update = self.conn().prepare_cached(sql);
        update.and_then(|mut update| update.execute(values)).map(drop).map_err(database_error)
    }
}

/// Rejects log files of another database: SQLite would replay them into the restored file.
fn reject_foreign_logs(path: &Path) -> Result<()> {
    let foreign_log =
        LOG_SUFFIXES.map(|end| with_suffix(path, end)).into_iter().find(|path| path.exists());
    match foreign_log {
        None => Ok(()),
        Some(path) => Err(connect::unfit_error(format!(
            "there is a log of another database, `{}`; move it away with its database",
            path.display()
        ))),
    }
}

fn with_suffix(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Returns the statement that inserts a row.
fn insert_sql(section: &Section) -> String {
    if section.table.name == AUDIT_HEADS {
        // A restored chain starts after its dropped entries; each entry then advances the head.
        return "INSERT INTO audit_heads (account, place, hash)
                SELECT ?1, COALESCE(s.place, 0), COALESCE(s.hash, zeroblob(32))
                FROM (SELECT ?2, ?3) LEFT JOIN audit_starts AS s ON s.account = ?1"
            .to_owned();
    }
    let stored_columns =
        section.columns.iter().map(|column| column.sqlite_target).filter(|into| !into.is_empty());
    let mut columns: Vec<_> = stored_columns.collect();
    if section.table.name == UNLISTED {
        columns.extend(["utm_source", "utm_medium", "utm_campaign", "text"]);
    }
    if section.table.name == DELIVERIES {
        columns.push("queue");
    }
    let value = |column: &&str| match *column {
        "queue" => "COALESCE((SELECT seq FROM webhooks WHERE id = ?), 0)",
        "form" => "(SELECT seq FROM forms WHERE id = ?)",
        _ => "?",
    };
    let values: Vec<_> = columns.iter().map(value).collect();
    let table = section.table.name;
    let columns = columns.join(", ");
    let values = values.join(", ");
    format!("INSERT INTO {table} ({columns}) VALUES ({values})")
}

/// Returns the derived columns of a row: UTM values and searched text of unlisted submissions, and
/// the webhook of a delivery, which stands for its number.
fn derived_values(section: &Section, row: &[Value]) -> Result<Vec<Value>> {
    if section.table.name == DELIVERIES {
        return Ok(vec![section.value(row, "webhook").clone()]);
    }
    if section.table.name != UNLISTED {
        return Ok(Vec::new());
    }
    let Some(SubmissionRow { utm_source, utm_medium, utm_campaign, text, .. }) =
        archive::indexed_submission(section, row)?
    else {
        return Ok(vec![Value::Null; 4]);
    };
    let utm = [utm_source, utm_medium, utm_campaign];
    let utm = utm.map(|value| value.map_or(Value::Null, Value::Text));
    Ok([&utm[..], &[Value::Bytes(text)]].concat())
}

#[async_trait]
impl DumpSource for FileTarget {
    async fn count_submissions(&mut self) -> Result<u64> {
        self.snapshot.count_submissions().await
    }

    async fn read_table(&mut self, section: &Section, on_row: &mut RowCallback<'_>) -> Result<()> {
        self.snapshot.read_table(section, on_row).await
    }
}

#[async_trait]
impl RestoreTarget for FileTarget {
    async fn write_rows(&mut self, section: &Section, rows: Vec<Vec<Value>>) -> Result<()> {
        match section.table.name {
            SUBMISSIONS => self.write_submissions(section, &rows),
            _ => self.insert_rows(section, &rows),
        }
    }

    async fn finish(&mut self) -> Result<()> {
        let sql = "UPDATE forms SET submission_count =
                     (SELECT COUNT(*) FROM submissions AS s WHERE s.form = forms.seq)";
        self.conn().execute(sql, []).map_err(database_error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::archive::TABLES;

    /// Tables and columns that are not in an archive. `docs/archive.md` gives the reasons.
    const EXCLUDED: &[&str] = &[
        "schema_migrations",
        "chores",
        "sqlite_sequence",
        "imports",
        "hidden",
        "forms.version",
        "forms.intake_version",
        "deleted_forms",
        "deliveries.is_leased",
        "notifications.is_leased",
        "account_mails.is_leased",
        // Numbers of webhooks.
        "webhooks.seq",
        "deliveries.queue",
        // Derived from submissions.
        "forms.submission_count",
        "submission_texts",
        "submissions.utm_source",
        "submissions.utm_medium",
        "submissions.utm_campaign",
        "unlisted.utm_source",
        "unlisted.utm_medium",
        "unlisted.utm_campaign",
        "unlisted.text",
    ];

    #[test]
    fn columns_are_archived_or_listed_as_excluded() {
        let folder = tempfile::tempdir().unwrap();
        let conn = FileTarget::create(&folder.path().join("sheaf.db")).unwrap().snapshot.0;
        let sql = "SELECT m.name, c.name FROM sqlite_schema AS m
                   JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'";
        let mut statement = conn.prepare(sql).unwrap();
        let columns = statement.query_map([], |row| row.try_into()).unwrap();
        for column in columns {
            let (table, column): (String, String) = column.unwrap();
            let is_in = TABLES.iter().any(|known_table| {
                known_table.name == table
                    && known_table
                        .columns
                        .iter()
                        .any(|known_column| known_column.sqlite_target == column)
            });
            let is_left = [table.clone(), format!("{table}.{column}")]
                .iter()
                .any(|name| EXCLUDED.contains(&name.as_str()));
            assert!(is_in != is_left, "{table}.{column}");
        }
    }
}
