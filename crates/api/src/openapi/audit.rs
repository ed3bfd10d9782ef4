//! Descriptions of the routes for the audit log (additive).

use super::describe::{Describe, Op};
use super::samples;
use contract::Page;
use contract::audit::{Action, AuditEntry, AuditOutcome};
use contract::page::LIMIT_DEFAULT;
use serde_json::{Value, json};

/// `GET /account/audit`.
pub(crate) fn list_audit(op: Op<'_>) -> Op<'_> {
    let about = "Actions in the account: actor, object, time, network and outcome; newest first. \
        Entries of a signed-in user contain the user's email address at that time. Entries contain \
        no answers, secrets or full network addresses. They are stored for at least 400 days.";
    let op = op
        .title("listAudit", "List audit entries")
        .description(about)
        .add_pagination("Maximum entries per page.", LIMIT_DEFAULT);
    let page: Page<AuditEntry> = samples::parse_sample(&audit_page());
    add_audit_filters(op).add_json_response(200, "A page of entries.", &page).add_busy_reading()
}

/// `GET /account/audit/export`.
pub(crate) fn export_audit(op: Op<'_>) -> Op<'_> {
    let format = json!({"type": "string", "enum": ["ndjson", "csv"], "default": "ndjson"});
    let text = json!({"schema": {"type": "string"}});
    let content = json!({"application/x-ndjson": text, "text/csv": text});
    let about = "All matching entries, newest first, one per line, as a stream. The export itself \
        is an entry too.";
    let op = op
        .title("exportAudit", "Export the audit log")
        .description(about)
        .add_query_parameter("format", "Format of the file.", format);
    add_audit_filters(op).add_response(200, "The file.", &content).add_busy_writing()
}

/// Adds the parameters of a filter.
fn add_audit_filters(op: Op<'_>) -> Op<'_> {
    let mut kinds: Vec<&str> = Action::ALL.iter().map(|action| action.object_kind()).collect();
    kinds.dedup();
    let actions = Action::ALL.iter().map(|action| action.as_str());
    let actions: Vec<&str> = kinds.into_iter().chain(actions).collect();
    let outcomes = AuditOutcome::ALL.map(AuditOutcome::as_str);
    let object = json!({"type": "string", "pattern": "^[A-Za-z0-9_-]{0,80}$"});
    let date = || json!({"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]});
    op.add_query_parameter(
        "date_from",
        "Earliest time, inclusive: ISO 8601. Not after `date_to`.",
        date(),
    )
    .add_query_parameter("date_to", "Latest time, exclusive: ISO 8601.", date())
    .add_query_parameter(
        "action",
        "Action, or kind of actions.",
        json!({"type": "string", "enum": actions}),
    )
    .add_query_parameter(
        "outcome",
        "Outcome of the action.",
        json!({"type": "string", "enum": outcomes}),
    )
    .add_query_parameter("object", "Id of the object of the action.", object)
}

/// Example: a page of the audit log.
fn audit_page() -> Value {
    let person = json!({
        "id": "psn_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f", "email": "ada@example.com",
    });
    let actor = json!({
        "kind": "session", "id": "ses_Jq0yX2pQm1aZ8kLw", "person": person,
        "client": {"device": "desktop", "browser": "Firefox"},
    });
    let note = json!({
        "place": 12, "at": samples::sample_time(), "account": "acc_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f",
        "mode": "live", "actor": actor, "address": "203.0.113.0/24", "request": "7hq2m9x4kd",
        "action": "key.created",
        "object": {"kind": "key", "id": "key_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f"},
        "outcome": "ok", "code": null, "detail": {"name": "Website"},
        "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    });
    let pagination =
        json!({"total": 12, "limit": 1, "has_more": true, "next_cursor": "BgAAAAAAAAAM"});
    json!({"data": [note], "pagination": pagination})
}
