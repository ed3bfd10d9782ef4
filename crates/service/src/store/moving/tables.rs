//! What is moved: every table, in an order in which each finds what it needs.
//!
//! The texts here are parts of statements for both databases; no value ever is.

use Kind::{Bool, Bytes, BytesOfText, Int, Plain, Text};

/// What becomes of a value on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Kind {
    /// A number.
    Int,
    /// A number that becomes yes or no.
    Bool,
    /// A text that cannot hold what PostgreSQL does not keep.
    Plain,
    /// A text that people wrote.
    Text,
    /// Bytes.
    Bytes,
    /// A text that becomes bytes.
    BytesOfText,
    /// A text as it stands in an index.
    Indexed,
    /// Folded values that become a text to search.
    Searched,
}

/// A column.
#[derive(Debug)]
pub(in crate::store) struct Column {
    /// Its name in PostgreSQL.
    pub(in crate::store) name: &'static str,
    /// What it is read from in SQLite, where the table is `t`.
    pub(in crate::store) from: &'static str,
    /// What becomes of it.
    pub(in crate::store) kind: Kind,
}

/// When a table is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Step {
    /// Moved, and compared at the end.
    Both,
    /// Moved alone: what comes of it is compared under its own name.
    Moved,
    /// Compared alone: it comes of what was moved.
    Compared,
}

/// A table.
#[derive(Debug)]
pub(in crate::store) struct Table {
    /// By which it is known, also to people.
    pub(in crate::store) part: &'static str,
    /// Its name in PostgreSQL.
    pub(in crate::store) name: &'static str,
    /// What it is read from in SQLite, as `t`.
    pub(in crate::store) from: &'static str,
    /// Its columns.
    pub(in crate::store) columns: &'static [Column],
    /// The columns of its key in SQLite, which are no others' part.
    pub(in crate::store) key: &'static [&'static str],
    /// Which rows, if not all.
    pub(in crate::store) only: &'static str,
    /// When it is read.
    pub(in crate::store) step: Step,
}

/// The table of submissions, whose rows are summed by form.
pub(in crate::store) const SUBMISSIONS: &str = "submissions";
/// The ends of the chains of the audit log.
pub(in crate::store) const AUDIT_HEADS: &str = "audit_heads";

const fn is(name: &'static str, kind: Kind) -> Column {
    Column { name, from: name, kind }
}

/// The form, which SQLite knows by its number.
const FORM: Column = Column {
    name: "form_id",
    from: "(SELECT f.id FROM forms AS f WHERE f.seq = t.form)",
    kind: Plain,
};

const fn table(
    name: &'static str,
    from: &'static str,
    key: &'static [&'static str],
    columns: &'static [Column],
) -> Table {
    Table { part: name, name, from, columns, key, only: "", step: Step::Both }
}

/// A table of what belongs to a submission, and goes with it.
const fn of_submissions(
    name: &'static str,
    from: &'static str,
    columns: &'static [Column],
) -> Table {
    let only = "EXISTS (SELECT 1 FROM submissions AS s WHERE s.form = t.form
        AND s.submitted_at = t.submitted_at AND s.id = t.id)";
    Table { only, ..table(name, from, BY_INSTANT, columns) }
}

const BY_FORM: &[&str] = &["t.form"];
const BY_INSTANT: &[&str] = &["t.form", "t.submitted_at", "t.id"];
const BY_SEQ: &[&str] = &["t.seq"];
const BY_TOKEN: &[&str] = &["t.token"];
const BY_ACCOUNT: &[&str] = &["t.account"];

/// Every table.
pub(in crate::store) const TABLES: &[Table] = &[
    table(
        "accounts",
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
    ),
    table(
        "people",
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
    table(
        "links",
        "links",
        BY_TOKEN,
        &[is("token", Bytes), is("person", Plain), is("expires_at", Int)],
    ),
    table(
        "sessions",
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
        "identities",
        &["t.digest"],
        &[
            is("digest", Bytes),
            is("issuer", Text),
            is("subject", Text),
            is("person", Plain),
            is("created_at", Int),
        ],
    ),
    table(
        "identity_sessions",
        "identity_sessions",
        BY_TOKEN,
        &[is("token", Bytes), is("identity", Bytes)],
    ),
    table(
        "keys",
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
    table("secrets", "secrets", &["t.name"], &[is("name", Plain), is("value", Bytes)]),
    table(
        "forms",
        "forms",
        BY_SEQ,
        &[
            Column { name: "form_id", from: "id", kind: Plain },
            is("seq", Int),
            is("account", Plain),
            is("name", Text),
            is("environment", Plain),
            is("analysis", Bool),
            is("created_at", Int),
            is("submission_count", Int),
            is("intake", Plain),
            is("trash_days", Int),
        ],
    ),
    table(
        "fields",
        "fields",
        &["t.form", "t.place"],
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
    table(
        "removed_fields",
        "removed_fields",
        &["t.form", "t.key"],
        &[FORM, is("key", Text), is("place", Int)],
    ),
    table("insight_categories", "insight_categories", BY_FORM, &[FORM, is("categories", Plain)]),
    table(
        "insight_usage",
        "insight_usage",
        &["t.account", "t.environment", "t.day"],
        &[is("account", Plain), is("environment", Plain), is("day", Int), is("used", Int)],
    ),
    table(
        "audit_starts",
        "audit_starts",
        BY_ACCOUNT,
        &[is("account", Plain), is("place", Int), is("hash", Bytes)],
    ),
    // A chain begins behind what was dropped of it, and each note that comes moves its end on.
    Table {
        part: "audit_chains",
        step: Step::Moved,
        ..table(
            AUDIT_HEADS,
            "audit_heads",
            BY_ACCOUNT,
            &[
                is("account", Plain),
                Column {
                    name: "place",
                    from: "COALESCE((SELECT s.place FROM audit_starts AS s
                        WHERE s.account = t.account), 0)",
                    kind: Int,
                },
                Column {
                    name: "hash",
                    from: "COALESCE((SELECT s.hash FROM audit_starts AS s
                        WHERE s.account = t.account), zeroblob(32))",
                    kind: Bytes,
                },
            ],
        )
    },
    table(
        "audit",
        "audit",
        &["t.account", "t.place"],
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
    Table {
        step: Step::Compared,
        ..table(
            AUDIT_HEADS,
            "audit_heads",
            BY_ACCOUNT,
            &[is("account", Plain), is("place", Int), is("hash", Bytes)],
        )
    },
    // Of an import under way nothing is moved: nobody saw it.
    Table {
        only: "NOT EXISTS (SELECT 1 FROM hidden AS h CROSS JOIN imports AS i ON i.seq = h.import
            WHERE h.form = t.form AND h.submitted_at = t.submitted_at AND h.id = t.id)",
        ..table(
            SUBMISSIONS,
            "submissions",
            BY_INSTANT,
            &[
                FORM,
                is("submitted_at", Int),
                is("id", Plain),
                is("utm_source", Kind::Indexed),
                is("utm_medium", Kind::Indexed),
                is("utm_campaign", Kind::Indexed),
                is("json", Plain),
                Column {
                    name: "searched",
                    from: "(SELECT x.text FROM submission_texts AS x WHERE x.form = t.form
                        AND x.submitted_at = t.submitted_at AND x.id = t.id)",
                    kind: Kind::Searched,
                },
            ],
        )
    },
    table(
        "unlisted",
        "unlisted",
        &["t.form", "t.state", "t.submitted_at", "t.id"],
        &[
            FORM,
            is("state", Plain),
            is("submitted_at", Int),
            is("id", Plain),
            is("moved_at", Int),
            is("batch", Plain),
            is("reason", Plain),
            is("fields", Plain),
            is("utm_source", Kind::Indexed),
            is("utm_medium", Kind::Indexed),
            is("utm_campaign", Kind::Indexed),
            is("json", Plain),
            Column { name: "searched", from: "text", kind: Kind::Searched },
            is("analysis", Plain),
            is("correction", Plain),
            is("corrected_at", Int),
        ],
    ),
    table(
        "receipts",
        "receipts",
        &["t.form", "t.key"],
        &[
            FORM,
            is("key", BytesOfText),
            is("request", Bytes),
            is("id", Plain),
            is("submitted_at", Int),
        ],
    ),
    of_submissions(
        "insight_queue",
        "insight_queue",
        &[FORM, is("submitted_at", Int), is("id", Plain)],
    ),
    of_submissions(
        "insight_retries",
        "insight_retries",
        &[FORM, is("submitted_at", Int), is("id", Plain), is("tries", Int), is("due_at", Int)],
    ),
    of_submissions(
        "insight_corrections",
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
    table(
        "insight_sweeps",
        "insight_sweeps",
        BY_FORM,
        &[FORM, is("submitted_at", Int), is("id", Plain), is("again", Bool)],
    ),
];
