//! The tables of an archive, ordered so that each table comes after the tables that it refers to.
//!
//! Derived columns, such as counts and search texts, are not in an archive: a restore derives them
//! again. The texts here are parts of SQL statements, and never contain values.

use super::truncate_quote;
use ColumnKind::{Bool, Bytes, Int, PlainText, Text, TextInBytes};

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
pub struct Column {
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
    pub columns: &'static [Column],
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
    pub columns: Vec<&'static Column>,
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

const fn column(name: &'static str, kind: ColumnKind) -> Column {
    Column { name, sqlite: name, sqlite_target: name, postgres: name, kind }
}

/// The form id. SQLite stores the sequence number of the form.
const FORM: Column = Column {
    sqlite: "(SELECT f.id FROM forms AS f WHERE f.seq = t.form)",
    sqlite_target: "form",
    ..column("form_id", PlainText)
};

const fn table(
    name: &'static str,
    order: &'static [&'static str],
    columns: &'static [Column],
) -> Table {
    Table { name, columns, order, is_by_form: false, sqlite_filter: "" }
}

const fn table_by_form(
    name: &'static str,
    order: &'static [&'static str],
    columns: &'static [Column],
) -> Table {
    Table { is_by_form: true, ..table(name, order, columns) }
}

/// Returns a table of rows that belong to submissions. SQLite may have orphaned rows, which are
/// excluded.
const fn table_of_submissions(name: &'static str, columns: &'static [Column]) -> Table {
    let only = "EXISTS (SELECT 1 FROM submissions AS s WHERE s.form = t.form
        AND s.submitted_at = t.submitted_at AND s.id = t.id)";
    Table { sqlite_filter: only, ..table_by_form(name, BY_INSTANT, columns) }
}

const NO_ORDER: &[&str] = &[];
const BY_INSTANT: &[&str] = &["submitted_at", "id"];
const BY_SEQ: &[&str] = &["seq"];
const BY_TOKEN: &[&str] = &["token"];
const BY_ACCOUNT: &[&str] = &["account"];

/// Every table.
pub const TABLES: &[Table] = &[
    // SQLite keeps deleted forms in the account `deleted` until their last row is removed.
    Table {
        sqlite_filter: "t.id <> 'deleted'",
        ..table(
            "accounts",
            BY_SEQ,
            &[
                column("id", PlainText),
                column("seq", Int),
                column("email", Text),
                column("email_folded", Text),
                column("plan", PlainText),
                column("created_at", Int),
            ],
        )
    },
    table(
        "people",
        BY_SEQ,
        &[
            column("id", PlainText),
            column("seq", Int),
            column("account", PlainText),
            column("email", Text),
            column("email_folded", Text),
            column("role", PlainText),
            column("password_hash", PlainText),
            column("created_at", Int),
        ],
    ),
    table(
        "links",
        BY_TOKEN,
        &[column("token", Bytes), column("person", PlainText), column("expires_at", Int)],
    ),
    table(
        "sessions",
        BY_TOKEN,
        &[
            column("token", Bytes),
            column("person", PlainText),
            column("created_at", Int),
            column("proven_at", Int),
            column("seen_at", Int),
            column("device", Text),
            column("browser", Text),
        ],
    ),
    table(
        "identities",
        &["digest"],
        &[
            column("digest", Bytes),
            column("issuer", Text),
            column("subject", Text),
            column("person", PlainText),
            column("created_at", Int),
        ],
    ),
    table("identity_sessions", BY_TOKEN, &[column("token", Bytes), column("identity", Bytes)]),
    table(
        "keys",
        BY_SEQ,
        &[
            column("id", PlainText),
            column("seq", Int),
            column("account", PlainText),
            column("secret", Bytes),
            column("name", Text),
            column("environment", PlainText),
            column("prefix", PlainText),
            column("last4", PlainText),
            column("created_at", Int),
            column("last_used_at", Int),
            column("revoked_at", Int),
        ],
    ),
    table("secrets", &["name"], &[column("name", PlainText), column("value", Bytes)]),
    Table {
        sqlite_filter: "t.account <> 'deleted'",
        ..table(
            "forms",
            BY_SEQ,
            &[
                Column { sqlite: "id", sqlite_target: "id", ..column("form_id", PlainText) },
                column("seq", Int),
                column("account", PlainText),
                column("name", Text),
                column("environment", PlainText),
                column("analysis", Bool),
                column("created_at", Int),
                column("intake", PlainText),
                column("trash_days", Int),
            ],
        )
    },
    table_by_form(
        "fields",
        &["place"],
        &[
            FORM,
            column("place", Int),
            column("id", PlainText),
            column("key", Text),
            column("name", Text),
            column("kind", PlainText),
            column("hidden", Bool),
        ],
    ),
    table_by_form("removed_fields", &["key"], &[FORM, column("key", Text), column("place", Int)]),
    table_by_form("insight_categories", NO_ORDER, &[FORM, column("categories", PlainText)]),
    table(
        "insight_usage",
        &["account", "environment", "day"],
        &[
            column("account", PlainText),
            column("environment", PlainText),
            column("day", Int),
            column("used", Int),
        ],
    ),
    table(
        AUDIT_STARTS,
        BY_ACCOUNT,
        &[column("account", PlainText), column("place", Int), column("hash", Bytes)],
    ),
    table(
        AUDIT_HEADS,
        BY_ACCOUNT,
        &[column("account", PlainText), column("place", Int), column("hash", Bytes)],
    ),
    table(
        AUDIT,
        &["account", "place"],
        &[
            column("account", PlainText),
            column("place", Int),
            column("seq", Int),
            column("at", Int),
            column("environment", PlainText),
            column("actor_kind", PlainText),
            column("actor_id", PlainText),
            column("device", PlainText),
            column("browser", PlainText),
            column("address", PlainText),
            column("request", PlainText),
            column("action", PlainText),
            column("object_kind", PlainText),
            column("object_id", PlainText),
            column("outcome", PlainText),
            column("code", PlainText),
            column("detail", PlainText),
            column("prev_hash", Bytes),
            column("hash", Bytes),
        ],
    ),
    // The hidden rows of an unfinished import are not part of the data.
    Table {
        sqlite_filter:
            "NOT EXISTS (SELECT 1 FROM hidden AS h CROSS JOIN imports AS i ON i.seq = h.import
            WHERE h.form = t.form AND h.submitted_at = t.submitted_at AND h.id = t.id)",
        ..table_by_form(
            SUBMISSIONS,
            BY_INSTANT,
            &[
                FORM,
                column("submitted_at", Int),
                column("id", PlainText),
                column("json", PlainText),
            ],
        )
    },
    table_by_form(
        UNLISTED,
        &["state", "submitted_at", "id"],
        &[
            FORM,
            column("state", PlainText),
            column("submitted_at", Int),
            column("id", PlainText),
            column("moved_at", Int),
            column("batch", PlainText),
            column("reason", PlainText),
            column("fields", PlainText),
            column("json", PlainText),
            Column {
                sqlite: "text IS NOT NULL",
                sqlite_target: "",
                postgres: "searched IS NOT NULL",
                ..column(IS_INDEXED, Bool)
            },
            column("analysis", PlainText),
            column("correction", PlainText),
            column("corrected_at", Int),
        ],
    ),
    table_by_form(
        "receipts",
        &["key"],
        &[
            FORM,
            column("key", TextInBytes),
            column("request", Bytes),
            column("id", PlainText),
            column("submitted_at", Int),
        ],
    ),
    table_of_submissions(
        "insight_queue",
        &[FORM, column("submitted_at", Int), column("id", PlainText)],
    ),
    table_of_submissions(
        "insight_retries",
        &[
            FORM,
            column("submitted_at", Int),
            column("id", PlainText),
            column("tries", Int),
            column("due_at", Int),
        ],
    ),
    table_of_submissions(
        "insight_corrections",
        &[
            FORM,
            column("submitted_at", Int),
            column("id", PlainText),
            column("analysis", PlainText),
            column("correction", PlainText),
            column("corrected_at", Int),
        ],
    ),
    table_by_form(
        "insight_sweeps",
        NO_ORDER,
        &[FORM, column("submitted_at", Int), column("id", PlainText), column("again", Bool)],
    ),
];
