//! Table of all routes: a valid body, the access rule, and the status for authorised requests.

use super::fixture::{AccountFixture, ObjectIds};
use contract::Role;

/// Access rule of a route.
#[derive(Clone, Copy)]
pub(super) enum Access {
    /// Needs an API key of the object's account and environment.
    Key,
    /// Needs any API key, and concerns the key's account and environment. The path names no object.
    KeyOwn,
    /// Needs a session of this role or a higher one. The gateway forwards the request to the API.
    Forwarded(Role),
    /// Needs a session of this role in the account that owns the object in the path.
    Object(Role),
    /// Needs a session of this role, and concerns the signed-in user. The path names no object.
    Own(Role),
    /// Open to all, with this status.
    Open(u16),
}

/// One route.
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) template: &'static str,
    /// Query string with `?`, or an empty text.
    query: &'static str,
    pub(super) access: Access,
    pub(super) body: &'static str,
    /// Status for authorised requests.
    pub(super) status: u16,
    /// Whether the request ends its own session.
    pub(super) ends_session: bool,
}

impl Route {
    const fn new(method: &'static str, template: &'static str, door: Access) -> Self {
        let (query, body) = ("", "");
        Self { method, template, query, access: door, body, status: 200, ends_session: false }
    }

    const fn with_query(self, query: &'static str) -> Self {
        Self { query, ..self }
    }

    const fn with_body(self, body: &'static str) -> Self {
        Self { body, ..self }
    }

    const fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Returns the lowest role that may use the route with a session.
    pub(super) fn role(&self) -> Option<Role> {
        match self.access {
            Forwarded(role) | Object(role) | Own(role) => Some(role),
            Key | KeyOwn | Open(_) => None,
        }
    }

    pub(super) fn is_behind_gateway(&self) -> bool {
        let open = ["/v1/", "/f/", "/n/", "/openapi.json", "/docs", "/csp-report"];
        !open.iter().any(|path| self.template.starts_with(path))
    }

    /// Returns the path and query with the ids of an owner filled in.
    pub(super) fn fill_path(&self, ids: &ObjectIds, owner: &AccountFixture, mode: &str) -> String {
        let id = if self.template.contains("/spam/") { &ids.spam } else { &ids.submission };
        [self.template, self.query]
            .concat()
            .replace("{mode}", mode)
            .replace("{form_id}", &ids.form)
            .replace("{key_id}", &owner.key_id)
            .replace("{session_id}", &owner.session_id)
            .replace("{person_id}", &owner.person_id)
            .replace("{webhook_id}", &ids.webhook)
            .replace("{delivery_id}", &ids.delivery)
            .replace("{notification_id}", &ids.notification)
            .replace("{note_id}", &ids.note)
            .replace("{view_id}", &ids.view)
            .replace("{token}", "AAAAAAAAAAAAAAAAAAAAAA")
            .replace("{id}", id)
    }
}

use Access::{Forwarded, Key, KeyOwn, Object, Open, Own};
use Role::{Editor, Owner, Reader};

const FORM: &str = "/account/forms/{form_id}";

/// All routes.
pub(super) static ALL: [Route; 107] = [
    Route::new("GET", "/v1/forms", KeyOwn),
    Route::new("GET", "/v1/forms/{form_id}", Key),
    Route::new("GET", "/v1/forms/{form_id}/submissions", Key),
    Route::new("GET", "/v1/forms/{form_id}/submissions/export", Key),
    Route::new("GET", "/v1/submissions/{id}", Key),
    Route::new("DELETE", "/v1/submissions/{id}", Key).with_status(204),
    Route::new("GET", "/api/{mode}/v1/forms/{form_id}/submissions", Forwarded(Reader)),
    Route::new("GET", "/api/{mode}/v1/forms/{form_id}/submissions/export", Forwarded(Reader)),
    Route::new("GET", "/api/{mode}/v1/submissions/{id}", Forwarded(Reader)),
    Route::new("DELETE", "/api/{mode}/v1/submissions/{id}", Forwarded(Owner)).with_status(204),
    Route::new("OPTIONS", "/f/{form_id}", Open(204)),
    // Invalid JSON, so that nothing is inserted. `matrix.rs` tests accepted submissions.
    Route::new("POST", "/f/{form_id}", Open(400)).with_body("{"),
    Route::new("GET", "/account/forms", Own(Reader)),
    Route::new("POST", "/account/forms", Own(Owner))
        .with_body(r#"{"name":"x","mode":"test"}"#)
        .with_status(201),
    Route::new("GET", FORM, Object(Reader)),
    Route::new("PUT", FORM, Object(Owner)).with_body(r#"{"name":"taken"}"#),
    Route::new("POST", "/account/forms/{form_id}/duplicate", Object(Owner))
        .with_body("{}")
        .with_status(201),
    // A deletion must repeat the form's name, and this one is wrong.
    Route::new("POST", "/account/forms/{form_id}/delete", Object(Owner))
        .with_body(r#"{"name":"taken"}"#)
        .with_status(400),
    Route::new("PUT", "/account/forms/{form_id}/fields", Object(Owner))
        .with_body(r#"{"fields":[{"name":"taken"}]}"#),
    Route::new("GET", "/account/forms/{form_id}/analysis", Object(Reader)),
    Route::new("PUT", "/account/forms/{form_id}/analysis", Object(Owner))
        .with_body(r#"{"analysis":false,"again":true}"#),
    Route::new("GET", "/account/forms/{form_id}/categories", Object(Reader)),
    Route::new("PUT", "/account/forms/{form_id}/categories", Object(Owner))
        .with_body(r#"{"categories":[{"name":"taken","words":["x"]}]}"#),
    Route::new("DELETE", "/account/forms/{form_id}/categories", Object(Owner)),
    Route::new("GET", "/account/forms/{form_id}/intake", Object(Reader)),
    Route::new("PUT", "/account/forms/{form_id}/intake", Object(Owner))
        .with_body(r#"{"redirects":["https://evil.example/"]}"#),
    Route::new("GET", "/account/forms/{form_id}/summary", Object(Reader)),
    Route::new("GET", "/account/forms/{form_id}/distributions", Object(Reader)),
    Route::new("GET", "/account/forms/{form_id}/views", Object(Reader)),
    // Readers may create, change and delete private views only.
    Route::new("POST", "/account/forms/{form_id}/views", Object(Reader))
        .with_body(r#"{"name":"taken","query":"search=taken"}"#)
        .with_status(201),
    Route::new("PATCH", "/account/forms/{form_id}/views/{view_id}", Object(Reader))
        .with_body(r#"{"name":"taken, too"}"#),
    Route::new("DELETE", "/account/forms/{form_id}/views/{view_id}", Object(Reader))
        .with_status(204),
    Route::new("GET", "/account/triage", Own(Reader)),
    Route::new("GET", "/account/unread", Own(Reader)),
    Route::new("GET", "/account/preferences", Own(Reader)),
    Route::new("PUT", "/account/preferences", Own(Reader)).with_body(r#"{"mention_emails":false}"#),
    Route::new("PUT", "/account/triage", Own(Owner))
        .with_body(r#"{"statuses":[{"id":"taken","name":"taken"}]}"#),
    // Without ids.
    Route::new("GET", "/account/forms/{form_id}/triage", Object(Reader)).with_status(400),
    // Readers may change their own read marks only.
    Route::new("PATCH", "/account/forms/{form_id}/submissions", Object(Reader))
        .with_body(r#"{"filter":"","count":2,"set":{"status":"done"}}"#),
    Route::new("GET", "/account/forms/{form_id}/submissions/{id}", Object(Reader)),
    Route::new("POST", "/account/forms/{form_id}/submissions/{id}/notes", Object(Editor))
        .with_body(r#"{"text":"taken"}"#)
        .with_status(201),
    Route::new("PUT", "/account/forms/{form_id}/submissions/{id}/notes/{note_id}", Object(Editor))
        .with_body(r#"{"text":"taken"}"#),
    Route::new(
        "DELETE",
        "/account/forms/{form_id}/submissions/{id}/notes/{note_id}",
        Object(Editor),
    )
    .with_status(204),
    Route::new("GET", "/account/forms/{form_id}/spam", Object(Reader)),
    Route::new("DELETE", "/account/forms/{form_id}/spam", Object(Owner)),
    Route::new("DELETE", "/account/forms/{form_id}/spam/{id}", Object(Owner)),
    Route::new("POST", "/account/forms/{form_id}/spam/{id}/release", Object(Editor)),
    Route::new("POST", "/account/forms/{form_id}/spam", Object(Editor)).with_body(r#"{"ids":[]}"#),
    Route::new("GET", "/account/forms/{form_id}/trash", Object(Reader)),
    Route::new("POST", "/account/forms/{form_id}/trash", Object(Editor)).with_body(r#"{"ids":[]}"#),
    Route::new("PUT", "/account/forms/{form_id}/trash", Object(Owner)).with_body(r#"{"days":7}"#),
    Route::new("DELETE", "/account/forms/{form_id}/trash", Object(Owner)),
    Route::new("POST", "/account/forms/{form_id}/spam/restore", Object(Editor))
        .with_body(r#"{"ids":[]}"#),
    Route::new("POST", "/account/forms/{form_id}/trash/restore", Object(Editor))
        .with_body(r#"{"ids":[]}"#),
    Route::new("POST", "/account/forms/{form_id}/trash/delete", Object(Owner))
        .with_body(r#"{"ids":[]}"#),
    Route::new("GET", "/account/forms/{form_id}/webhooks", Object(Owner)),
    Route::new("POST", "/account/forms/{form_id}/webhooks", Object(Owner))
        .with_body(r#"{"url":"http://127.0.0.1:2/"}"#)
        .with_status(201),
    Route::new("PUT", "/account/forms/{form_id}/webhooks/{webhook_id}", Object(Owner)).with_body(
        r#"{"url":"http://127.0.0.1:2/","events":["submission.created"],"format":"json","enabled":true}"#,
    ),
    Route::new("DELETE", "/account/forms/{form_id}/webhooks/{webhook_id}", Object(Owner))
        .with_status(204),
    Route::new("POST", "/account/forms/{form_id}/webhooks/{webhook_id}/rotate", Object(Owner)),
    Route::new("POST", "/account/forms/{form_id}/webhooks/{webhook_id}/test", Object(Owner))
        .with_status(202),
    Route::new("POST", "/account/forms/{form_id}/webhooks/{webhook_id}/replay", Object(Owner))
        .with_body(r#"{"failed_since":"2026-03-01T00:00:00Z"}"#)
        .with_status(202),
    Route::new("GET", "/account/forms/{form_id}/webhooks/{webhook_id}/deliveries", Object(Owner)),
    Route::new(
        "POST",
        "/account/forms/{form_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
        Object(Owner),
    )
    .with_status(202),
    Route::new("GET", "/account/forms/{form_id}/notifications", Object(Owner)),
    Route::new("POST", "/account/forms/{form_id}/notifications", Object(Owner))
        .with_body(r#"{"email":"taken@example.org"}"#)
        .with_status(201),
    Route::new("PUT", "/account/forms/{form_id}/notifications/{notification_id}", Object(Owner))
        .with_body(
            r#"{"every":"day","content":"link","time_zone":"UTC","language":"de","enabled":false}"#,
        ),
    Route::new("DELETE", "/account/forms/{form_id}/notifications/{notification_id}", Object(Owner))
        .with_status(204),
    Route::new(
        "POST",
        "/account/forms/{form_id}/notifications/{notification_id}/confirmation",
        Object(Owner),
    )
    .with_status(204),
    Route::new(
        "POST",
        "/account/forms/{form_id}/notifications/{notification_id}/test",
        Object(Owner),
    )
    .with_status(204),
    Route::new("PUT", "/account/forms/{form_id}/auto-reply", Object(Owner))
        .with_body(r#"{"enabled":false,"subject":"taken","text":"taken","language":"en"}"#),
    // The token is wrong.
    Route::new("GET", "/n/{notification_id}/{token}/confirm", Open(404)),
    Route::new("POST", "/n/{notification_id}/{token}/confirm", Open(404)),
    Route::new("GET", "/n/{notification_id}/{token}/unsubscribe", Open(404)),
    Route::new("POST", "/n/{notification_id}/{token}/unsubscribe", Open(404)),
    // Without its parameter, because a stream would not end.
    Route::new("GET", "/account/events", Own(Reader)).with_status(400),
    Route::new("GET", "/account/inbox", Own(Reader)).with_query("?environment={mode}"),
    Route::new("GET", "/account/inbox/summary", Own(Reader)).with_query("?environment={mode}"),
    Route::new("GET", "/account/insight", Own(Reader)),
    Route::new("GET", "/account/submissions/{id}/insight", Object(Reader)),
    Route::new("PUT", "/account/submissions/{id}/insight", Object(Owner))
        .with_body(r#"{"sentiment":"negative"}"#),
    Route::new("DELETE", "/account/submissions/{id}/insight", Object(Owner)),
    Route::new("GET", "/account/audit", Own(Owner)),
    Route::new("GET", "/account/audit/export", Own(Owner)),
    Route::new("GET", "/account/keys", Own(Owner)),
    // The body may not name another account.
    Route::new("POST", "/account/keys", Own(Owner))
        .with_body(r#"{"name":"x","mode":"live","account":"acc_x"}"#)
        .with_status(400),
    Route::new("DELETE", "/account/keys/{key_id}", Object(Owner)),
    Route::new("GET", "/f/{form_id}/thanks", Open(200)),
    Route::new("GET", "/openapi.json", Open(200)),
    Route::new("GET", "/docs", Open(200)),
    Route::new("POST", "/csp-report", Open(204)).with_body(r#"{"csp-report":{}}"#),
    Route::new("GET", "/session", Open(200)),
    Route::new("POST", "/session", Open(400)).with_body("{}"),
    Route { ends_session: true, ..Route::new("DELETE", "/session", Own(Reader)).with_status(204) },
    Route::new("POST", "/session/email-link", Open(404)).with_body("{}"),
    Route::new("POST", "/session/link", Open(400)).with_body("{}"),
    Route::new("POST", "/session/proof", Own(Reader)).with_body("{}").with_status(400),
    Route::new("GET", "/people", Own(Owner)),
    Route::new("POST", "/people", Own(Owner)).with_body("{}").with_status(400),
    Route::new("PATCH", "/people/{person_id}", Object(Owner)).with_body(r#"{"role":"editor"}"#),
    Route::new("DELETE", "/people/{person_id}", Object(Owner)),
    Route::new("POST", "/people/{person_id}/link", Object(Owner)),
    Route::new("GET", "/sessions", Own(Reader)),
    Route::new("DELETE", "/sessions", Own(Reader)).with_status(204),
    Route::new("DELETE", "/sessions/{session_id}", Object(Reader)),
    Route::new("PUT", "/account/email", Own(Reader)).with_body("{}").with_status(400),
    Route::new("PUT", "/password", Own(Reader)).with_body(r#"{"new":"short"}"#).with_status(400),
];
