//! The tables of an archive, ordered so that each table comes after the tables that it refers to.
//!
//! Derived columns, such as counts and search texts, are not in an archive: a restore derives them
//! again. The texts here are parts of SQL statements, and never contain values.

use super::quoted;
use Kind::{Bool, Bytes, Int, Plain, Text, TextInBytes};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer.
    Int,
    /// A boolean; in SQLite 1 or 0.
    Bool,
    /// A text without control characters.
    Plain,
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
    pub into: &'static str,
    /// The PostgreSQL expression that reads it.
    pub postgres: &'static str,
    /// Its type.
    pub kind: Kind,
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
    pub only: &'static str,
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
    pub(super) fn whole(table: &'static Table) -> Self {
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
                quoted(name)
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

const fn is(name: &'static str, kind: Kind) -> Column {
    Column { name, sqlite: name, into: name, postgres: name, kind }
}

/// The form id. SQLite stores the sequence number of the form.
const FORM: Column = Column {
    sqlite: "(SELECT f.id FROM forms AS f WHERE f.seq = t.form)",
    into: "form",
    ..is("form_id", Plain)
};

const fn table(
    name: &'static str,
    order: &'static [&'static str],
    columns: &'static [Column],
) -> Table {
    Table { name, columns, order, is_by_form: false, only: "" }
}

const fn by_form(
    name: &'static str,
    order: &'static [&'static str],
    columns: &'static [Column],
) -> Table {
    Table { is_by_form: true, ..table(name, order, columns) }
}

/// Returns a table of rows that belong to submissions. SQLite may have orphaned rows, which are
/// excluded.
const fn of_submissions(name: &'static str, columns: &'static [Column]) -> Table {
    let only = "EXISTS (SELECT 1 FROM submissions AS s WHERE s.form = t.form
        AND s.submitted_at = t.submitted_at AND s.id = t.id)";
    Table { only, ..by_form(name, BY_INSTANT, columns) }
}

const ALONE: &[&str] = &[];
const BY_INSTANT: &[&str] = &["submitted_at", "id"];
const BY_SEQ: &[&str] = &["seq"];
const BY_TOKEN: &[&str] = &["token"];
const BY_ACCOUNT: &[&str] = &["account"];

/// Every table.
pub const TABLES: &[Table] = &[
    // SQLite keeps deleted forms in the account `deleted` until their last row is removed.
    Table {
        only: "t.id <> 'deleted'",
        ..table(
            "accounts",
            BY_SEQ,
            &[
                is("id", Plain),
                is("seq", Int),
                is("email", Text),
                is("email_folded", Text),
                is("plan", Plain),
                is("created_at", Int),
            ],
        )
    },
    table(
        "people",
        BY_SEQ,
        &[
            is("id", Plain),
            is("seq", Int),
            is("account", Plain),
            is("email", Text),
            is("email_folded", Text),
            is("role", Plain),
            is("password_hash", Plain),
            is("created_at", Int),
        ],
    ),
    table("links", BY_TOKEN, &[is("token", Bytes), is("person", Plain), is("expires_at", Int)]),
    table(
        "sessions",
        BY_TOKEN,
        &[
            is("token", Bytes),
            is("person", Plain),
            is("created_at", Int),
            is("proven_at", Int),
            is("seen_at", Int),
            is("device", Text),
            is("browser", Text),
        ],
    ),
    table(
        "identities",
        &["digest"],
        &[
            is("digest", Bytes),
            is("issuer", Text),
            is("subject", Text),
            is("person", Plain),
            is("created_at", Int),
        ],
    ),
    table("identity_sessions", BY_TOKEN, &[is("token", Bytes), is("identity", Bytes)]),
    table(
        "keys",
        BY_SEQ,
        &[
            is("id", Plain),
            is("seq", Int),
            is("account", Plain),
            is("secret", Bytes),
            is("name", Text),
            is("environment", Plain),
            is("prefix", Plain),
            is("last4", Plain),
            is("created_at", Int),
            is("last_used_at", Int),
            is("revoked_at", Int),
        ],
    ),
    table("secrets", &["name"], &[is("name", Plain), is("value", Bytes)]),
    Table {
        only: "t.account <> 'deleted'",
        ..table(
            "forms",
            BY_SEQ,
            &[
                Column { sqlite: "id", into: "id", ..is("form_id", Plain) },
                is("seq", Int),
                is("account", Plain),
                is("name", Text),
                is("environment", Plain),
                is("analysis", Bool),
                is("created_at", Int),
                is("intake", Plain),
                is("trash_days", Int),
            ],
        )
    },
    by_form(
        "fields",
        &["place"],
        &[
            FORM,
            is("place", Int),
            is("id", Plain),
            is("key", Text),
            is("name", Text),
            is("kind", Plain),
            is("hidden", Bool),
        ],
    ),
    by_form("removed_fields", &["key"], &[FORM, is("key", Text), is("place", Int)]),
    by_form("insight_categories", ALONE, &[FORM, is("categories", Plain)]),
    table(
        "insight_usage",
        &["account", "environment", "day"],
        &[is("account", Plain), is("environment", Plain), is("day", Int), is("used", Int)],
    ),
    table(AUDIT_STARTS, BY_ACCOUNT, &[is("account", Plain), is("place", Int), is("hash", Bytes)]),
    table(AUDIT_HEADS, BY_ACCOUNT, &[is("account", Plain), is("place", Int), is("hash", Bytes)]),
    table(
        AUDIT,
        &["account", "place"],
        &[
            is("account", Plain),
            is("place", Int),
            is("seq", Int),
            is("at", Int),
            is("environment", Plain),
            is("actor_kind", Plain),
            is("actor_id", Plain),
            is("device", Plain),
            is("browser", Plain),
            is("address", Plain),
            is("request", Plain),
            is("action", Plain),
            is("object_kind", Plain),
            is("object_id", Plain),
            is("outcome", Plain),
            is("code", Plain),
            is("detail", Plain),
            is("prev_hash", Bytes),
            is("hash", Bytes),
        ],
    ),
    // The hidden rows of an unfinished import are not part of the data.
    Table {
        only: "NOT EXISTS (SELECT 1 FROM hidden AS h CROSS JOIN imports AS i ON i.seq = h.import
            WHERE h.form = t.form AND h.submitted_at = t.submitted_at AND h.id = t.id)",
        ..by_form(
            SUBMISSIONS,
            BY_INSTANT,
            &[FORM, is("submitted_at", Int), is("id", Plain), is("json", Plain)],
        )
    },
    by_form(
        UNLISTED,
        &["state", "submitted_at", "id"],
        &[
            FORM,
            is("state", Plain),
            is("submitted_at", Int),
            is("id", Plain),
            is("moved_at", Int),
            is("batch", Plain),
            is("reason", Plain),
            is("fields", Plain),
            is("json", Plain),
            Column {
                sqlite: "text IS NOT NULL",
                into: "",
                postgres: "searched IS NOT NULL",
                ..is(IS_INDEXED, Bool)
            },
            is("analysis", Plain),
            is("correction", Plain),
            is("corrected_at", Int),
        ],
    ),
    by_form(
        "receipts",
        &["key"],
        &[
            FORM,
            is("key", TextInBytes),
            is("request", Bytes),
            is("id", Plain),
            is("submitted_at", Int),
        ],
    ),
    of_submissions("insight_queue", &[FORM, is("submitted_at", Int), is("id", Plain)]),
    of_submissions(
        "insight_retries",
        &[FORM, is("submitted_at", Int), is("id", Plain), is("tries", Int), is("due_at", Int)],
    ),
    of_submissions(
        "insight_corrections",
        &[
            FORM,
            is("submitted_at", Int),
            is("id", Plain),
            is("analysis", Plain),
            is("correction", Plain),
            is("corrected_at", Int),
        ],
    ),
    by_form(
        "insight_sweeps",
        ALONE,
        &[FORM, is("submitted_at", Int), is("id", Plain), is("again", Bool)],
    ),
];
