//! The tables of an archive, ordered so that each table comes after the tables that it refers to.
//!
//! Derived columns, such as counts and search texts, are not in an archive: a restore derives them
//! again. The texts here are parts of SQL statements, and never contain values.

mod form_settings;
mod list;

pub use list::TABLES;

use super::truncate_quote;
use ColumnKind::PlainText;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// An integer.
    Int,
    /// A boolean; in SQLite 1 or 0.
    Bool,
    /// A text without control characters.
    PlainText,
    /// A user's text. PostgreSQL stores some of its control characters in another form.
    Text,
    /// Bytes.
    Bytes,
    /// A text that PostgreSQL stores as bytes.
    TextInBytes,
}

/// A column.
#[derive(Debug)]
pub struct TableColumn {
    /// Its name in the archive.
    pub name: &'static str,
    /// The SQLite expression that reads it, with the table as `t`.
    pub sqlite: &'static str,
    /// The SQLite column to write it to.
    pub sqlite_target: &'static str,
    /// The PostgreSQL expression that reads it.
    pub postgres: &'static str,
    /// Its type.
    pub kind: ColumnKind,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Its name, the same in both databases.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [TableColumn],
    /// The sort columns, the same in both databases and unique for each row. In a table by form
    /// they are unique within a form; if there are no sort columns, a form has at most one row.
    pub order: &'static [&'static str],
    /// Whether its rows belong to forms. They are read form by form, ordered by form id.
    pub is_by_form: bool,
    /// SQLite condition for the rows to dump; empty for all rows.
    pub sqlite_filter: &'static str,
}

/// A table in an archive, with the columns that the archive has.
#[derive(Debug)]
pub struct Section {
    /// The table.
    pub table: &'static Table,
    /// The columns, in the order of the archive.
    pub columns: Vec<&'static TableColumn>,
}

impl Section {
    /// Returns a table with all its columns.
    pub(super) fn all_columns(table: &'static Table) -> Self {
        Self { table, columns: table.columns.iter().collect() }
    }

    /// Finds a table and columns by their names.
    ///
    /// # Errors
    /// A table or column that this version does not know.
    pub(super) fn find(name: &str, columns: &[String]) -> Result<Self, String> {
        let unknown = |what: &str, name: &str| {
            format!(
                "the archive has the {what} `{}`, which this version does not know; use the \
                 version of sheaf that wrote it, or a newer one",
                truncate_quote(name)
            )
        };
        let table = TABLES.iter().find(|table| table.name == name);
        let table = table.ok_or_else(|| unknown("table", name))?;
        let find = |name: &String| {
            let found = table.columns.iter().find(|column| column.name == name);
            found.ok_or_else(|| unknown("column", name))
        };
        Ok(Self { table, columns: columns.iter().map(find).collect::<Result<_, _>>()? })
    }
}

/// The table of submissions.
pub const SUBMISSIONS: &str = "submissions";
/// The table of spam and trash.
pub const UNLISTED: &str = "unlisted";
/// Whether a row of [`UNLISTED`] has search texts and UTM values, which are derived. Rows from
/// intake have neither.
pub const IS_INDEXED: &str = "is_indexed";
/// The audit log: a chain of entries for each account.
pub const AUDIT: &str = "audit";
/// Number and hash of the last entry of each chain.
pub const AUDIT_HEADS: &str = "audit_heads";
/// Number and hash of the last entry that was dropped after its retention, per chain.
pub(super) const AUDIT_STARTS: &str = "audit_starts";

const fn column(name: &'static str, kind: ColumnKind) -> TableColumn {
    TableColumn { name, sqlite: name, sqlite_target: name, postgres: name, kind }
}

/// The form id. SQLite stores the sequence number of the form.
const FORM: TableColumn = TableColumn {
    sqlite: "(SELECT f.id FROM forms AS f WHERE f.seq = t.form)",
    sqlite_target: "form",
    ..column("form_id", PlainText)
};

const fn table(
    name: &'static str,
    order: &'static [&'static str],
    columns: &'static [TableColumn],
) -> Table {
    Table { name, columns, order, is_by_form: false, sqlite_filter: "" }
}

const fn table_by_form(
    name: &'static str,
    order: &'static [&'static str],
    columns: &'static [TableColumn],
) -> Table {
    Table { is_by_form: true, ..table(name, order, columns) }
}

/// Returns a table of rows that belong to submissions. SQLite may have orphaned rows, which are
/// excluded.
const fn table_of_submissions(name: &'static str, columns: &'static [TableColumn]) -> Table {
    let only = "EXISTS (SELECT 1 FROM submissions AS s WHERE s.form = t.form
        AND s.submitted_at = t.submitted_at AND s.id = t.id)";
    Table { sqlite_filter: only, ..table_by_form(name, BY_INSTANT, columns) }
}

const NO_ORDER: &[&str] = &[];
const BY_INSTANT: &[&str] = &["submitted_at", "id"];
const BY_SEQ: &[&str] = &["seq"];
const BY_TOKEN: &[&str] = &["token"];
const BY_ACCOUNT: &[&str] = &["account"];
