//! The list of all tables.

use super::ColumnKind::{Bool, Bytes, Int, PlainText, Text, TextInBytes};
use super::form_settings::{NOTIFICATIONS, SAVED_VIEWS, WEBHOOKS};
use super::{
    AUDIT, AUDIT_HEADS, AUDIT_STARTS, BY_ACCOUNT, BY_INSTANT, BY_SEQ, BY_TOKEN, FORM, IS_INDEXED,
    NO_ORDER, SUBMISSIONS, Table, TableColumn, UNLISTED, column, table, table_by_form,
    table_of_submissions,
};

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
            column("unread_from", Int),
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
            column("access", PlainText),
            column("forms", PlainText),
            column("expires_at", Int),
        ],
    ),
    table("secrets", &["name"], &[column("name", PlainText), column("value", Bytes)]),
    Table {
        sqlite_filter: "t.account <> 'deleted'",
        ..table(
            "forms",
            BY_SEQ,
            &[
                TableColumn { sqlite: "id", sqlite_target: "id", ..column("form_id", PlainText) },
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
        "account_triage",
        BY_ACCOUNT,
        &[column("account", PlainText), column("settings", PlainText)],
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
                column("triage", PlainText),
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
            TableColumn {
                sqlite: "text IS NOT NULL",
                sqlite_target: "",
                postgres: "searched IS NOT NULL",
                ..column(IS_INDEXED, Bool)
            },
            column("analysis", PlainText),
            column("correction", PlainText),
            column("corrected_at", Int),
            column("triage", PlainText),
        ],
    ),
    table_by_form(
        "notes",
        &["submitted_at", "submission", "id"],
        &[
            FORM,
            column("submitted_at", Int),
            column("submission", PlainText),
            column("id", PlainText),
            column("author", PlainText),
            column("text", Text),
            column("created_at", Int),
            column("edited_at", Int),
        ],
    ),
    table_by_form(
        "triage_history",
        &["submitted_at", "submission", "place"],
        &[
            FORM,
            column("submitted_at", Int),
            column("submission", PlainText),
            column("place", Int),
            column("at", Int),
            column("person", PlainText),
            column("change", PlainText),
        ],
    ),
    table_by_form(
        "read_marks",
        &["submitted_at", "submission", "person"],
        &[
            FORM,
            column("submitted_at", Int),
            column("submission", PlainText),
            column("person", PlainText),
        ],
    ),
    SAVED_VIEWS,
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
    WEBHOOKS,
    table_by_form(
        "deliveries",
        &["submission", "seq"],
        &[
            FORM,
            column("seq", Int),
            column("nonce", PlainText),
            column("webhook", PlainText),
            column("event", PlainText),
            column("submitted_at", Int),
            column("submission", PlainText),
            column("created_at", Int),
            column("state", PlainText),
            column("due_at", Int),
            column("retries", Int),
            column("body", Text),
            column("body_format", PlainText),
            column("attempts", PlainText),
        ],
    ),
    NOTIFICATIONS,
    table_by_form(
        "pending_mails",
        &["seq"],
        &[
            FORM,
            column("seq", Int),
            column("notification", PlainText),
            column("submitted_at", Int),
            column("submission", PlainText),
            column("created_at", Int),
        ],
    ),
    table(
        "account_mails",
        &["seq"],
        &[
            column("seq", Int),
            column("content", Text),
            column("created_at", Int),
            column("due_at", Int),
            column("retries", Int),
        ],
    ),
    table(
        "mail_usage",
        &["account", "kind", "day"],
        &[
            column("account", PlainText),
            column("kind", PlainText),
            column("day", Int),
            column("used", Int),
        ],
    ),
    table(
        "auto_reply_addresses",
        &["day", "address"],
        &[column("day", Int), column("address", Bytes)],
    ),
];
