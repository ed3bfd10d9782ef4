//! Every route of the `OpenAPI` document, by the role that it requires.

use serde_json::Value;

/// Routes that only programs with a key use: the gateway does not forward them.
pub(super) const FOR_KEYS: [&str; 2] = ["GET /v1/forms", "GET /v1/forms/{form_id}"];

/// Routes that a reader may use, including those of the reader's own sessions.
pub(super) const FOR_READERS: [&str; 36] = [
    "GET /v1/forms/{form_id}/submissions",
    "GET /v1/forms/{form_id}/submissions/export",
    "GET /v1/submissions/{id}",
    "GET /account/forms",
    "GET /account/forms/{form_id}",
    "GET /account/forms/{form_id}/analysis",
    "GET /account/forms/{form_id}/categories",
    "GET /account/forms/{form_id}/intake",
    "GET /account/forms/{form_id}/summary",
    "GET /account/forms/{form_id}/distributions",
    "GET /account/forms/{form_id}/spam",
    "GET /account/forms/{form_id}/trash",
    "GET /account/triage",
    "GET /account/preferences",
    "PUT /account/preferences",
    "GET /account/unread",
    "GET /account/events",
    "GET /account/inbox",
    "GET /account/inbox/summary",
    "GET /account/forms/{form_id}/triage",
    "GET /account/forms/{form_id}/submissions/{id}",
    // Only their own read state.
    "PATCH /account/forms/{form_id}/submissions",
    "GET /account/forms/{form_id}/views",
    // Only private views.
    "POST /account/forms/{form_id}/views",
    "PATCH /account/forms/{form_id}/views/{view_id}",
    "DELETE /account/forms/{form_id}/views/{view_id}",
    "GET /account/insight",
    "GET /account/submissions/{id}/insight",
    "POST /session/proof",
    "DELETE /session",
    "GET /sessions",
    "DELETE /sessions",
    "DELETE /sessions/{session_id}",
    "PUT /account/email",
    "PUT /password",
    "GET /session",
];

/// Routes that an editor may use in addition to those of a reader.
pub(super) const FOR_EDITORS: [&str; 8] = [
    "POST /account/forms/{form_id}/submissions/{id}/notes",
    "PUT /account/forms/{form_id}/submissions/{id}/notes/{note_id}",
    "DELETE /account/forms/{form_id}/submissions/{id}/notes/{note_id}",
    "POST /account/forms/{form_id}/spam/{id}/release",
    "POST /account/forms/{form_id}/spam",
    "POST /account/forms/{form_id}/spam/restore",
    "POST /account/forms/{form_id}/trash",
    "POST /account/forms/{form_id}/trash/restore",
];

/// Routes for owners only.
pub(super) const FOR_OWNERS: [&str; 44] = [
    "GET /account/audit",
    "GET /account/audit/export",
    "DELETE /v1/submissions/{id}",
    "POST /account/forms",
    "PUT /account/forms/{form_id}",
    "POST /account/forms/{form_id}/duplicate",
    "POST /account/forms/{form_id}/delete",
    "PUT /account/forms/{form_id}/fields",
    "PUT /account/forms/{form_id}/analysis",
    "PUT /account/forms/{form_id}/categories",
    "DELETE /account/forms/{form_id}/categories",
    "PUT /account/forms/{form_id}/intake",
    "PUT /account/triage",
    "DELETE /account/forms/{form_id}/spam",
    "DELETE /account/forms/{form_id}/spam/{id}",
    "PUT /account/forms/{form_id}/trash",
    "DELETE /account/forms/{form_id}/trash",
    "POST /account/forms/{form_id}/trash/delete",
    "GET /account/forms/{form_id}/webhooks",
    "POST /account/forms/{form_id}/webhooks",
    "PUT /account/forms/{form_id}/webhooks/{webhook_id}",
    "DELETE /account/forms/{form_id}/webhooks/{webhook_id}",
    "POST /account/forms/{form_id}/webhooks/{webhook_id}/rotate",
    "POST /account/forms/{form_id}/webhooks/{webhook_id}/test",
    "POST /account/forms/{form_id}/webhooks/{webhook_id}/replay",
    "GET /account/forms/{form_id}/webhooks/{webhook_id}/deliveries",
    "POST /account/forms/{form_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
    "GET /account/forms/{form_id}/notifications",
    "POST /account/forms/{form_id}/notifications",
    "PUT /account/forms/{form_id}/notifications/{notification_id}",
    "DELETE /account/forms/{form_id}/notifications/{notification_id}",
    "POST /account/forms/{form_id}/notifications/{notification_id}/confirmation",
    "POST /account/forms/{form_id}/notifications/{notification_id}/test",
    "PUT /account/forms/{form_id}/auto-reply",
    "PUT /account/submissions/{id}/insight",
    "DELETE /account/submissions/{id}/insight",
    "GET /account/keys",
    "POST /account/keys",
    "DELETE /account/keys/{key_id}",
    "GET /people",
    "POST /people",
    "PATCH /people/{person_id}",
    "DELETE /people/{person_id}",
    "POST /people/{person_id}/link",
];

/// Routes without a session.
pub(super) const FOR_ALL: [&str; 12] = [
    "POST /session",
    "POST /session/email-link",
    "POST /session/link",
    "POST /f/{form_id}",
    "OPTIONS /f/{form_id}",
    "GET /f/{form_id}/thanks",
    "GET /n/{notification_id}/{token}/confirm",
    "POST /n/{notification_id}/{token}/confirm",
    "GET /n/{notification_id}/{token}/unsubscribe",
    "POST /n/{notification_id}/{token}/unsubscribe",
    "GET /openapi.json",
    "GET /docs",
];

/// Returns every route of the document, as `METHOD /path`.
pub(super) fn documented_routes(document: &Value) -> Vec<String> {
    let paths = document["paths"].as_object().unwrap();
    let operations_of = |(path, operations): (&String, &Value)| -> Vec<String> {
        let methods = operations.as_object().unwrap().keys();
        methods.map(|method| format!("{} {path}", method.to_uppercase())).collect()
    };
    paths.iter().flat_map(operations_of).collect()
}
