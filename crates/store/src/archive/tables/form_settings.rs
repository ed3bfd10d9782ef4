//! Tables of the settings of forms.

use super::ColumnKind::{Bool, Bytes, Int, PlainText, Text};
use super::{FORM, Table, column, table_by_form};

/// Saved views.
pub(super) const SAVED_VIEWS: Table = table_by_form(
    "saved_views",
    &["id"],
    &[
        FORM,
        column("id", PlainText),
        column("person", PlainText),
        column("name", Text),
        column("name_folded", Text),
        column("query", PlainText),
        column("dates", PlainText),
        column("columns", Text),
        column("is_default", Bool),
        column("created_at", Int),
    ],
);

/// Webhooks.
pub(super) const WEBHOOKS: Table = table_by_form(
    "webhooks",
    &["id"],
    &[
        FORM,
        column("id", PlainText),
        column("url", PlainText),
        column("events", Int),
        column("format", PlainText),
        column("created_at", Int),
        column("disabled_at", Int),
        column("disabled_reason", PlainText),
        column("failing_since", Int),
        column("secret", Bytes),
        column("old_secret", Bytes),
        column("old_secret_until", Int),
    ],
);

/// Notifications and auto-replies.
pub(super) const NOTIFICATIONS: Table = table_by_form(
    "notifications",
    &["id"],
    &[
        FORM,
        column("id", PlainText),
        column("kind", PlainText),
        column("email", Text),
        column("email_folded", Text),
        column("every", PlainText),
        column("content", PlainText),
        column("time_zone", PlainText),
        column("language", PlainText),
        column("subject", Text),
        column("text", Text),
        column("created_at", Int),
        column("confirmed_at", Int),
        column("disabled_at", Int),
        column("disabled_reason", PlainText),
        column("next_at", Int),
        column("retries", Int),
        column("refusals", Int),
        column("last_error", Text),
        column("view", PlainText),
    ],
);
