//! The database file as the source or the target of an archive.

use super::insert::{self, Inserts};
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
    self, AUDIT, AUDIT_HEADS, Archive, Each, Kind, SUBMISSIONS, Section, Source, TableSum, Target,
    Tell, UNLISTED, Value,
};
use store::columns::{SubmissionRow, count, damaged, database};
use store::part_file::PartFile;
use store::{Result, StoreError};

/// Suffixes of the files that SQLite reads together with a database.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Settings of a restore. An interrupted restore is discarded, so it needs no durability before it
/// finishes.
const UNSAFE: &str = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;";

/// Writes an archive of a database file while other processes may write to it. Returns the checksum
/// of each table, and the writer.
///
/// # Errors
/// [`StoreError::Unfit`] if the file is not a Sheaf database, is damaged, or the archive cannot be
/// written.
pub async fn dump<W: Write + Send>(
    path: &Path,
    to: W,
    now: Timestamp,
    told: &mut Tell<'_>,
) -> Result<(Vec<TableSum>, W)> {
    archive::dump(&mut snapshot(path)?, to, now, told).await
}

/// Creates a database file from an archive. Returns the checksum of each table. Leaves no file
/// after an error.
///
/// # Errors
/// [`StoreError::Unfit`] if the archive is damaged or of a newer version, or if the file exists.
pub async fn restore<R: Read + Send>(
    from: R,
    path: &Path,
    told: &mut Tell<'_>,
) -> Result<Vec<TableSum>> {
    let archive = Archive::open(from)?;
    let mut target = FileTarget::begin(path)?;
    let sums = archive.restore(&mut target, told).await?;
    target.keep()?;
    Ok(sums)
}

/// A read transaction on a database file.
struct Snapshot(Connection);

fn snapshot(path: &Path) -> Result<Snapshot> {
    if !path.exists() {
        let path = path.display();
        return Err(connect::unfit(format!(
            "there is no file `{path}`; name the database to dump"
        )));
    }
    // Migrates the file first, as opening a store does: the archive has the newest schema.
    let mut conn = connect::first(path)?;
    check::at_open(path)?;
    migrate::migrate(path, &mut conn, migrate::MIGRATIONS)?;
    drop(conn);
    let conn = connect::existing(path)?;
    // A dump reads each page once. Mapped pages would evict pages that a running server needs.
    conn.execute_batch("PRAGMA mmap_size = 0; BEGIN").map_err(database)?;
    Ok(Snapshot(conn))
}

#[async_trait]
impl Source for Snapshot {
    async fn submissions(&mut self) -> Result<u64> {
        let sql = "SELECT COALESCE(SUM(submission_count), 0) FROM forms
                   WHERE account <> 'deleted'";
        count(self.0.query_row(sql, [], |row| row.get(0)).map_err(database)?)
    }

    async fn read(&mut self, section: &Section, each: &mut Each<'_>) -> Result<()> {
        let mut rows = self.0.prepare_cached(&selection(section)).map_err(database)?;
        if !section.table.is_by_form {
            return read(section, &mut rows, None, each);
        }
        let sql = "SELECT seq FROM forms AS t WHERE t.account <> 'deleted' ORDER BY id";
        let mut forms = self.0.prepare_cached(sql).map_err(database)?;
        let mut forms = forms.query([]).map_err(database)?;
        while let Some(form) = forms.next().map_err(database)? {
            let form: i64 = form.get(0).map_err(database)?;
            read(section, &mut rows, Some(form), each)?;
        }
        Ok(())
    }
}

/// Returns the statement that reads a table, or its rows of one form.
fn selection(section: &Section) -> String {
    let table = section.table;
    let columns: Vec<_> = section.columns.iter().map(|column| column.sqlite).collect();
    let conditions = [if table.is_by_form { "t.form = ?" } else { "" }, table.only];
    let conditions: Vec<_> = conditions.into_iter().filter(|it| !it.is_empty()).collect();
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

fn read(
    section: &Section,
    rows: &mut rusqlite::Statement<'_>,
    form: Option<i64>,
    each: &mut Each<'_>,
) -> Result<()> {
    let mut rows = rows.query(params_from_iter(form)).map_err(database)?;
    let mut values = Vec::with_capacity(section.columns.len());
    while let Some(row) = rows.next().map_err(database)? {
        values.clear();
        for (place, column) in section.columns.iter().enumerate() {
            values.push(match (column.kind, row.get_ref(place).map_err(database)?) {
                (_, ValueRef::Null) => Value::Null,
                (Kind::Bool, ValueRef::Integer(number)) => Value::Bool(number != 0),
                (Kind::Int, ValueRef::Integer(number)) => Value::Int(number),
                (Kind::Bytes, ValueRef::Blob(bytes)) => Value::Bytes(bytes.to_owned()),
                (Kind::Plain | Kind::Text | Kind::TextInBytes, ValueRef::Text(text)) => {
                    Value::Text(std::str::from_utf8(text).map_err(damaged)?.to_owned())
                }
                _ => return Err(archive::mistyped(column)),
            });
        }
        each(&values)?;
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
    /// [`StoreError::Unfit`] if a file of this name exists, or the file cannot be created.
    fn begin(path: &Path) -> Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| {
                connect::unfit(format!("cannot create the folder `{}`: {error}", folder.display()))
            })?;
        }
        let file = PartFile::begin(path).map_err(|error| match error {
            StoreError::Exists(file) => connect::unfit(format!(
                "{file} exists already; name a directory without data, or move this file away"
            )),
            other => other,
        })?;
        refuse_logs(path)?;
        for end in LOGS {
            // Leftover of a restore that was killed.
            let _ = std::fs::remove_file(beside(file.path(), end));
        }
        let mut conn = connect::first(file.path())?;
        migrate::migrate(file.path(), &mut conn, migrate::MIGRATIONS)?;
        conn.execute_batch(UNSAFE).map_err(database)?;
        conn.execute_batch("BEGIN").map_err(database)?;
        Ok(Self { snapshot: Snapshot(conn), path: path.to_owned(), file })
    }

    /// Commits, syncs and checks the file, then gives it its final name.
    fn keep(self) -> Result<()> {
        // On an error, `conn` is dropped before `file`: closing the file would release its locks.
        let Self { file, path, snapshot: Snapshot(conn) } = self;
        conn.execute_batch("COMMIT; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL")
            .map_err(database)?;
        conn.close().map_err(|(_, error)| database(error))?;
        if let Some(damage) = check::quick(file.path())? {
            return Err(connect::unfit(format!(
                "the restored file is damaged ({damage}); check the disk, and restore again"
            )));
        }
        refuse_logs(&path)?;
        file.keep().map_err(|error| match error {
            StoreError::Exists(file) => connect::unfit(format!(
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
        let mut inserts = Inserts::prepare(self.conn())?;
        for row in rows {
            let (form, row) = archive::submission(section, row)?;
            inserts.insert(insert::form_seq(self.conn(), &form)?, &row)?;
        }
        Ok(())
    }

    fn write_rows(&self, section: &Section, rows: &[Vec<Value>]) -> Result<()> {
        let mut insertion = self.conn().prepare_cached(&insertion(section)).map_err(database)?;
        let failed = |error| {
            connect::unfit(format!(
                "a row of the table `{}` of the archive cannot be restored: {error}",
                section.table.name
            ))
        };
        for row in rows {
            let own = section.columns.iter().zip(row).filter(|(column, _)| !column.into.is_empty());
            let own = own.map(|(_, value)| value);
            let derived = derived(section, row)?;
            insertion
                .execute(params_from_iter(own.chain(&derived).map(Parameter)))
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
        update.and_then(|mut update| update.execute(values)).map(drop).map_err(database)
    }
}

/// Rejects log files of another database: SQLite would replay them into the restored file.
fn refuse_logs(path: &Path) -> Result<()> {
    let left = LOGS.map(|end| beside(path, end)).into_iter().find(|left| left.exists());
    match left {
        None => Ok(()),
        Some(left) => Err(connect::unfit(format!(
            "there is a log of another database, `{}`; move it away with its database",
            left.display()
        ))),
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Returns the statement that inserts a row.
fn insertion(section: &Section) -> String {
    if section.table.name == AUDIT_HEADS {
        // A restored chain starts after its dropped entries; each entry then advances the head.
        return "INSERT INTO audit_heads (account, place, hash)
                SELECT ?1, COALESCE(s.place, 0), COALESCE(s.hash, zeroblob(32))
                FROM (SELECT ?2, ?3) LEFT JOIN audit_starts AS s ON s.account = ?1"
            .to_owned();
    }
    let own = section.columns.iter().map(|column| column.into).filter(|into| !into.is_empty());
    let mut columns: Vec<_> = own.collect();
    if section.table.name == UNLISTED {
        columns.extend(["utm_source", "utm_medium", "utm_campaign", "text"]);
    }
    let value = |column: &&str| match *column {
        "form" => "(SELECT seq FROM forms WHERE id = ?)",
        _ => "?",
    };
    let values: Vec<_> = columns.iter().map(value).collect();
    let (table, columns, values) = (section.table.name, columns.join(", "), values.join(", "));
    format!("INSERT INTO {table} ({columns}) VALUES ({values})")
}

/// Returns the derived columns of a row: UTM values and searched text of unlisted submissions.
fn derived(section: &Section, row: &[Value]) -> Result<Vec<Value>> {
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
impl Source for FileTarget {
    async fn submissions(&mut self) -> Result<u64> {
        self.snapshot.submissions().await
    }

    async fn read(&mut self, section: &Section, each: &mut Each<'_>) -> Result<()> {
        self.snapshot.read(section, each).await
    }
}

#[async_trait]
impl Target for FileTarget {
    async fn write(&mut self, section: &Section, rows: Vec<Vec<Value>>) -> Result<()> {
        match section.table.name {
            SUBMISSIONS => self.write_submissions(section, &rows),
            _ => self.write_rows(section, &rows),
        }
    }

    async fn finish(&mut self) -> Result<()> {
        let sql = "UPDATE forms SET submission_count =
                     (SELECT COUNT(*) FROM submissions AS s WHERE s.form = forms.seq)";
        self.conn().execute(sql, []).map_err(database)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::archive::TABLES;

    /// Tables and columns that are not in an archive. `docs/archive.md` gives the reasons.
    const LEFT: &[&str] = &[
        "schema_migrations",
        "chores",
        "sqlite_sequence",
        "imports",
        "hidden",
        "forms.version",
        "forms.intake_version",
        "deleted_forms",
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
        let conn = FileTarget::begin(&folder.path().join("sheaf.db")).unwrap().snapshot.0;
        let sql = "SELECT m.name, c.name FROM sqlite_schema AS m
                   JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'";
        let mut all = conn.prepare(sql).unwrap();
        let columns = all.query_map([], |row| row.try_into()).unwrap();
        for column in columns {
            let (table, column): (String, String) = column.unwrap();
            let is_in = TABLES
                .iter()
                .any(|it| it.name == table && it.columns.iter().any(|one| one.into == column));
            let is_left = [table.clone(), format!("{table}.{column}")]
                .iter()
                .any(|name| LEFT.contains(&name.as_str()));
            assert!(is_in != is_left, "{table}.{column}");
        }
    }
}
