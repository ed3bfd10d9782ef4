//! The file as the source of a move: read by this process alone, so that nobody writes behind it.
//! Nothing in it is changed.

use super::super::moving::{Row, Table, Value};
use super::super::row::{count, damaged, database};
use super::super::{Hash, Result, StoreError};
use super::lifecycle::DELETED;
use super::{audit, check, connect, import, migrate};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql, params_from_iter};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a hash of the source begins with.
const KIND: &[u8] = b"sheaf move 1";
/// How often a file that somebody has open is tried, and how long it is left in between.
const TRIES_MAX: usize = 10;
const TRIED_EVERY: Duration = Duration::from_millis(100);

/// Refuses a file in which rows of deleted forms are left: nobody would find them after the move.
fn check_deletions(path: &Path, conn: &Connection) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM forms WHERE account = ?)";
    if conn.query_row(sql, [DELETED], |row| row.get(0)).map_err(database)? {
        return Err(connect::unfit(format!(
            "`{}` has rows of deleted forms; run `sheaf form delete` or `sheaf account delete` \
             again, which removes them",
            path.display()
        )));
    }
    Ok(())
}

/// A file that is read.
pub(in crate::store) struct Source {
    conn: Connection,
    path: PathBuf,
}

impl Source {
    /// Opens a file that is there, to look at it while others write.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for a file that is not ours or is damaged.
    pub(in crate::store) fn look(path: &Path) -> Result<Self> {
        come_forward(path)?;
        let conn = connect::existing(path)?;
        // One state of it, whoever writes meanwhile.
        conn.execute_batch("BEGIN").map_err(database)?;
        check_deletions(path, &conn)?;
        Ok(Self { conn, path: path.to_owned() })
    }

    /// Opens a file that is there, and keeps all others from it until this is dropped.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for a file that is not ours, is damaged, or is open elsewhere.
    pub(in crate::store) fn take(path: &Path) -> Result<Self> {
        come_forward(path)?;
        for _ in 0..TRIES_MAX {
            match connect::alone(path) {
                Ok(conn) => {
                    check_deletions(path, &conn)?;
                    return Ok(Self { conn, path: path.to_owned() });
                }
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    std::thread::sleep(TRIED_EVERY);
                }
                Err(error) => return Err(database(error)),
            }
        }
        Err(connect::unfit(format!(
            "`{}` is open elsewhere; stop the server and what else uses it, so that nothing is \
             written there after it was read",
            path.display()
        )))
    }

    /// Returns the file.
    pub(in crate::store) fn path(&self) -> &Path {
        &self.path
    }

    /// Finds the first note of the audit log that does not fit.
    pub(in crate::store) fn audit_finding(&self) -> Result<Option<String>> {
        let report = audit::look_through(&self.conn).map_err(database)?;
        Ok(report.chains.into_iter().find_map(|chain| chain.finding))
    }

    /// Returns a hash by which the file is known, whatever comes into it.
    pub(in crate::store) fn identity(&self) -> Result<Hash> {
        let sql = "SELECT quote(value) FROM secrets WHERE name = 'cursor'
                   UNION ALL SELECT id FROM (SELECT id FROM accounts ORDER BY seq LIMIT 1)";
        let mut hash = Sha256::new_with_prefix(KIND);
        let mut known = self.conn.prepare(sql).map_err(database)?;
        let mut rows = known.query([]).map_err(database)?;
        while let Some(row) = rows.next().map_err(database)? {
            hash.update(row.get::<_, String>(0).map_err(database)?);
        }
        Ok(hash.finalize().into())
    }

    /// Adds to a hash what changes whenever the submissions of a form do.
    pub(in crate::store) fn versions(&self, hash: &mut Sha256) -> Result<()> {
        let sql = "SELECT seq, version FROM forms ORDER BY seq";
        let mut versions = self.conn.prepare(sql).map_err(database)?;
        let mut rows = versions.query([]).map_err(database)?;
        while let Some(row) = rows.next().map_err(database)? {
            let (seq, version): (i64, i64) = row.try_into().map_err(database)?;
            hash.update(seq.to_be_bytes());
            hash.update(version.to_be_bytes());
        }
        Ok(())
    }

    /// Lists the forms and how many submissions each counts.
    pub(in crate::store) fn forms(&self) -> Result<Vec<(String, u64)>> {
        self.counted("SELECT id, submission_count FROM forms ORDER BY id")
    }

    /// Lists the forms into which an import is under way, and how many submissions it brought.
    pub(in crate::store) fn unfinished(&self) -> Result<Vec<(String, u64)>> {
        self.counted(
            "SELECT f.id, i.inserted FROM imports AS i JOIN forms AS f ON f.seq = i.form
             ORDER BY f.id",
        )
    }

    fn counted(&self, sql: &'static str) -> Result<Vec<(String, u64)>> {
        let mut all = self.conn.prepare(sql).map_err(database)?;
        let rows = all.query_map([], |row| row.try_into()).map_err(database)?;
        let each = |row: rusqlite::Result<(String, i64)>| {
            let (id, rows) = row.map_err(database)?;
            Ok((id, count(rows)?))
        };
        rows.map(each).collect()
    }

    /// Reads the rows of a table behind a key, or all of them, in the order of the key, until
    /// `take` returns `false`.
    pub(in crate::store) fn read(
        &self,
        table: &Table,
        behind: Option<&[Value]>,
        mut take: impl FnMut(Row) -> Result<bool>,
    ) -> Result<()> {
        let mut all = self.conn.prepare(&statement(table, behind.is_some())).map_err(database)?;
        let key = params_from_iter(behind.unwrap_or_default());
        let mut rows = all.query(key).map_err(database)?;
        while let Some(row) = rows.next().map_err(database)? {
            let value = |place: usize| value(row.get_ref(place).map_err(database)?);
            let (columns, key) = (table.columns.len(), table.key.len());
            let values = (0..columns).map(value).collect::<Result<_>>()?;
            let key = (columns..columns + key).map(value).collect::<Result<_>>()?;
            if !take(Row { values, key })? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Brings a file to the newest schema, as whatever opens it does, and closes it again.
fn come_forward(path: &Path) -> Result<()> {
    let mut conn = connect::first(path)?;
    check::at_open(path)?;
    migrate::migrate(path, &mut conn, migrate::MIGRATIONS)?;
    if let Err(error) = import::recover(path, &mut conn) {
        tracing::warn!(%error, "what a killed import left is not moved; nobody sees it");
    }
    Ok(())
}

/// The statement that reads a table: its columns and its key, by the key.
fn statement(table: &Table, is_behind: bool) -> String {
    let columns: Vec<_> = table.columns.iter().map(|column| column.from).collect();
    let (columns, key) = (columns.join(", "), table.key.join(", "));
    let places = vec!["?"; table.key.len()].join(", ");
    let behind = if is_behind { format!("({key}) > ({places})") } else { String::new() };
    let both: Vec<_> =
        [behind.as_str(), table.only].into_iter().filter(|it| !it.is_empty()).collect();
    let only =
        if both.is_empty() { String::new() } else { format!("WHERE {}", both.join(" AND ")) };
    format!("SELECT {columns}, {key} FROM {} AS t {only} ORDER BY {key}", table.from)
}

fn value(value: ValueRef<'_>) -> Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8(text.to_owned()).map_err(damaged)?),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
        ValueRef::Real(number) => return Err(damaged(format!("`{number}` stands for a number"))),
    })
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Bool(is) => ValueRef::Integer((*is).into()),
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// An error of a file that is not there.
pub(in crate::store) fn absent(path: &Path) -> StoreError {
    connect::unfit(format!("there is no file `{}`; name the one to move", path.display()))
}

#[cfg(test)]
mod tests {
    use super::super::super::moving::TABLES;
    use super::*;

    /// What is not moved, and why stands in the decision about moving.
    const LEFT: &[&str] = &[
        "schema_migrations",
        "chores",
        "sqlite_sequence",
        "imports",
        "hidden",
        "forms.version",
        "forms.intake_version",
        // Numbers that the database does not use.
        "deleted_forms",
        // With the submissions themselves.
        "submission_texts",
    ];

    #[test]
    fn every_column_is_moved_or_left_on_purpose() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.db");
        come_forward(&path).unwrap();
        let conn = connect::existing(&path).unwrap();
        let sql = "SELECT m.name, c.name FROM sqlite_schema AS m
                   JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'";
        let mut all = conn.prepare(sql).unwrap();
        let columns = all.query_map([], |row| row.try_into()).unwrap();
        for column in columns {
            let (table, column): (String, String) = column.unwrap();
            let is_moved = TABLES.iter().any(|it| {
                let is_key = it.key.contains(&format!("t.{column}").as_str());
                let is_read = it.columns.iter().any(|one| one.from == column);
                it.from == table && (is_key || is_read)
            });
            let is_left = [table.clone(), format!("{table}.{column}")]
                .iter()
                .any(|name| LEFT.contains(&name.as_str()));
            assert!(is_moved != is_left, "{table}.{column}");
        }
    }
}
