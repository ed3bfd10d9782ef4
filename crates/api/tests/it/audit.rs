//! Audit log of the routes: one entry per change, nothing for a failed one, and never an answer or
//! a secret.

use crate::app::{App, TestKey, TestResponse, at, prepared_database, read, submission};
use crate::mail_server::MailServer;
use axum::body::Body;
use contract::account::ClientInfo;
use contract::audit::{ActingPerson, Actor, ActorKind, AuditEntry, AuditFilter, AuditPerson};
use contract::triage::Note;
use contract::webhook::{Attempt, WebhookFormat};
use contract::{
    AccountId, DeliveryId, Environment, Form, NoteId, NotificationId, Person, Plan, Role,
    SpamReason, View, WebhookId,
};
use http::{Method, Request};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use store::PersonRecord;
use store::audit::{AuditReport, AuditScope};
use store::clock::Clock as _;
use store::daily_limits::DailyLimits;
use store::mail::new_notification;
use store::new_submission::NewSubmission;
use store::outbox::{AttemptOutcome, AttemptRecord, LeaseQuery, new_webhook};
use store::triage::NoteOutcome;
use store_postgres::{PostgresStore, Setup};
use test_servers::Postgres;
use tower::ServiceExt;

const ANSWER: &str = "marked-answer-text";
/// Email address of the signed-in user, with a character that would end a line.
const EMAIL: &str = "ada\u{2028}@example.org";

/// Part of the URLs of webhooks. It is often a secret of the receiver.
const WEBHOOK_PATH: &str = "marked-webhook-path";
const NEW_WEBHOOK: &str = r#"{"url":"https://93.184.215.14/marked-webhook-path"}"#;
const WEBHOOK_SETTINGS: &str = r#"{"url":"https://93.184.215.14/marked-webhook-path?a","events":["submission.created"],"format":"json","enabled":true}"#;
const NOTIFICATION_SETTINGS: &str =
    r#"{"every":"hour","content":"link","time_zone":"UTC","language":"de","enabled":true}"#;
const AUTO_REPLY: &str = r#"{"enabled":true,"subject":"a","text":"b","language":"en"}"#;

/// An account with a form, four submissions, three in spam, a key for each environment, a webhook,
/// and two notifications.
struct AuditFixture {
    app: App,
    /// The PostgreSQL database, if it is not a file.
    database: Option<(PostgresStore, String)>,
    owner: AccountId,
    form: Form,
    key: TestKey,
    old_key: TestKey,
    webhook: WebhookId,
    /// Two deliveries that failed.
    deliveries: Vec<DeliveryId>,
    /// A confirmed notification and an unconfirmed one.
    notifications: [NotificationId; 2],
    /// A note about `sub_one`.
    note: NoteId,
    /// Accepts all e-mails.
    _mail: MailServer,
}

impl AuditFixture {
    async fn on_sqlite() -> Self {
        Self::from_app(App::start().await, None).await
    }

    async fn on_postgres() -> Self {
        let url = prepared_database();
        let setup = Setup { connections_max: 4, ..Setup::with_defaults(&url) };
        let store = PostgresStore::open(&setup).await.unwrap();
        let name = url.rsplit('/').next().unwrap().to_owned();
        let app = App::over(tempfile::tempdir().unwrap(), Arc::new(store.clone())).await;
        Self::from_app(app, Some((store, name))).await
    }

    async fn from_app(app: App, database: Option<(PostgresStore, String)>) -> Self {
        let owner = app.account(Plan::Pro).await;
        let person = Person {
            id: signed_in_user().id,
            email: "ada@example.org".to_owned(),
            role: Role::Reader,
            has_password: false,
            created_at: app.clock.now(),
            forms: None,
        };
        let record = PersonRecord { account_id: owner.clone(), person, password_hash: None };
        app.store.insert_member(record).await.unwrap();
        let form = app.form(&owner, Environment::Live, &["name"]).await;
        let rows = ["one", "two", "three", "four"]
            .map(|id| submission(&form, id, "2026-02-01T00:00:00Z", json!({"name": ANSWER})));
        app.submit(&form, rows.into()).await;
        for id in ["odd1", "odd2", "odd3"] {
            let hostile = submission(&form, id, "2026-02-20T00:00:00Z", json!({"name": ANSWER}));
            let arrival = NewSubmission {
                form: form.id.clone(),
                version: app.store.find_intake(&form.id).await.unwrap().unwrap().version,
                submission: hostile,
                fields: Vec::new(),
                spam: Some(SpamReason::Honeypot),
                idempotency: None,
                rows_max: None,
            };
            app.store.insert_submission(arrival).await.unwrap();
        }
        let key = app.key(&owner, Environment::Live).await;
        let old_key = app.key(&owner, Environment::Test).await;
        let (webhook, deliveries) = insert_failed_deliveries(&app, &form).await;
        let mail = MailServer::start().await;
        app.service.set_mail(mail.service(&app, DailyLimits::default()).await);
        let mut notifications = Vec::new();
        for (email, confirmed) in [("a@notify.example", true), ("b@notify.example", false)] {
            let new = serde_json::from_value(json!({ "email": email })).unwrap();
            let record = new_notification(form.id.clone(), new, confirmed, app.clock.now());
            notifications.push(record.notification.id.clone());
            assert!(app.store.insert_notification(record).await.unwrap());
        }
        let notifications = notifications.try_into().unwrap();
        let note = Note {
            id: "nte_1".parse().unwrap(),
            author: Some(signed_in_user().id),
            text: ANSWER.to_owned(),
            created_at: app.clock.now(),
            edited_at: None,
        };
        let view = View {
            id: "view_1".parse().unwrap(),
            name: "A view".to_owned(),
            query: format!("search={ANSWER}"),
            dates: None,
            columns: String::new(),
            shared: true,
            is_default: false,
            created_at: app.clock.now(),
        };
        assert!(app.store.insert_view(&form.id, &signed_in_user().id, view).await.unwrap());
        let about = "sub_one".parse().unwrap();
        let noted =
            app.store.insert_note(&form.id, &about, note.clone(), Vec::new()).await.unwrap();
        assert_eq!(noted, NoteOutcome::Done);
        Self {
            app,
            database,
            owner,
            form,
            key,
            old_key,
            webhook,
            deliveries,
            notifications,
            note: note.id,
            _mail: mail,
        }
    }

    /// Verifies the whole log.
    async fn report(&self) -> AuditReport {
        match &self.database {
            Some((store, _)) => store.verify(Vec::new()).await.unwrap(),
            None => store_sqlite::verify(&self.file(), Vec::new()).unwrap(),
        }
    }

    fn file(&self) -> PathBuf {
        self.app.folder.path().join("sheaf.db")
    }

    /// Returns all cells of the log's table.
    fn cells(&self) -> Vec<String> {
        if let Some((_, name)) = &self.database {
            let query = "SELECT value FROM audit, jsonb_each_text(to_jsonb(audit))";
            return Postgres::shared()
                .run_sql(name, query)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect();
        }
        let conn = rusqlite::Connection::open(self.file()).unwrap();
        let mut query = conn.prepare("SELECT * FROM audit").unwrap();
        let columns = query.column_count();
        let cells = query.query_map([], |row| {
            let cell = |column| row.get_ref(column).unwrap().as_str_or_null().ok().flatten();
            let cells = (0..columns).map(|column| cell(column).unwrap_or_default().to_owned());
            Ok(cells.collect::<Vec<_>>())
        });
        cells.unwrap().flat_map(Result::unwrap).collect()
    }

    /// Sends an owner's request as the gateway forwards it.
    async fn act(&self, method: Method, path: &str, body: &str) -> TestResponse {
        let client =
            ClientInfo { device: Some("desktop".to_owned()), browser: Some("Firefox".to_owned()) };
        let account = self.owner.clone();
        let id = "psn_ada".parse().unwrap();
        let actor = Actor {
            address: Some("203.0.113.0/24".to_owned()),
            client,
            request: Some("request".to_owned()),
            ..Actor::default()
        };
        let person = ActingPerson { account, id, email: EMAIL.to_owned() };
        let actor = actor.with_session("ses_1", person);
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json")
            .extension(self.owner.clone())
            .extension(Role::Owner)
            .extension(contract::FormAccess::default())
            .extension(actor);
        let request = request.body(Body::from(body.to_owned())).unwrap();
        read(self.app.account.clone().oneshot(request).await.unwrap()).await
    }

    async fn read_entries(&self) -> Vec<AuditEntry> {
        // The queue of audit entries is written before these writes return.
        self.app.store.touch_key(&self.key.record.id, self.app.clock.now()).await.unwrap();
        self.app.store.delete_sessions(at("1970-01-01"), at("1970-01-01")).await.unwrap();
        let scope = AuditScope::Account(&self.owner);
        let filter = AuditFilter::default();
        let mut entries =
            self.app.store.list_audit_entries(scope, &filter, None, 1_000).await.unwrap().entries;
        entries.reverse();
        entries
    }

    /// Returns a request for every route that makes changes: route, path, body and audit action.
    #[expect(clippy::too_many_lines, reason = "as long as the list of routes")]
    fn change_requests(&self) -> Vec<(&'static str, String, String, &'static str)> {
        let form = &self.form.id;
        let key = &self.old_key.record.id;
        let path_of = |part: &str| format!("/account/forms/{form}{part}");
        let field = &self.form.fields[0].id;
        let fields = format!(r#"{{"fields":[{{"id":"{field}","name":"Renamed","type":"text"}}]}}"#);
        let insight_json = r#"{"sentiment":"negative","categories":[],"language":"en"}"#;
        let insight = "/account/submissions/sub_one/insight".to_owned();
        let post = |path: &str| path.to_owned();
        let requests = [
            (
                "POST /account/forms",
                post("/account/forms"),
                r#"{"name":"New","mode":"live","fields":[]}"#,
                "form.created",
            ),
            ("PUT /account/forms/{form_id}", path_of(""), r#"{"name":"Other"}"#, "form.renamed"),
            (
                "PUT /account/forms/{form_id}/fields",
                path_of("/fields"),
                fields.as_str(),
                "form.fields_changed",
            ),
            (
                "PUT /account/forms/{form_id}/analysis",
                path_of("/analysis"),
                r#"{"analysis":true}"#,
                "form.analysis_changed",
            ),
            (
                "PUT /account/forms/{form_id}/categories",
                path_of("/categories"),
                r#"{"categories":[{"name":"a","words":["b"]}]}"#,
                "form.categories_changed",
            ),
            (
                "DELETE /account/forms/{form_id}/categories",
                path_of("/categories"),
                "",
                "form.categories_changed",
            ),
            (
                "PUT /account/forms/{form_id}/intake",
                path_of("/intake"),
                r#"{"seconds_min":3}"#,
                "form.intake_changed",
            ),
            (
                "POST /account/forms/{form_id}/spam/{id}/release",
                path_of("/spam/sub_odd1/release"),
                "",
                "spam.released",
            ),
            (
                "DELETE /account/forms/{form_id}/spam/{id}",
                path_of("/spam/sub_odd2"),
                "",
                "spam.deleted",
            ),
            ("DELETE /account/forms/{form_id}/spam", path_of("/spam"), "", "spam.deleted"),
            (
                "PUT /account/submissions/{id}/insight",
                insight.clone(),
                insight_json,
                "insight.corrected",
            ),
            ("DELETE /account/submissions/{id}/insight", insight, "", "insight.reset"),
            (
                "POST /account/keys",
                post("/account/keys"),
                r#"{"name":"Website","mode":"live"}"#,
                "key.created",
            ),
            ("DELETE /account/keys/{key_id}", format!("/account/keys/{key}"), "", "key.revoked"),
            (
                "DELETE /v1/submissions/{id}",
                post("/v1/submissions/sub_two"),
                "",
                "submission.deleted",
            ),
            (
                "POST /account/forms/{form_id}/duplicate",
                path_of("/duplicate"),
                r#"{"name":"Copy"}"#,
                "form.duplicated",
            ),
            (
                "POST /account/forms/{form_id}/delete",
                path_of("/delete"),
                r#"{"name":"Other"}"#,
                "form.deleted",
            ),
        ];
        let of_settings = self.webhook_requests().into_iter().chain(self.notification_requests());
        let of_rows = self.move_requests().into_iter().chain(self.triage_requests());
        let of_settings = of_settings.chain(self.view_requests());
        let requests = of_rows.chain(of_settings).chain(requests);
        requests.map(|(route, path, body, action)| (route, path, body.to_owned(), action)).collect()
    }

    /// Returns requests that move submissions and leave `sub_one` and `sub_two` in the list.
    fn move_requests(&self) -> Vec<(&'static str, String, &'static str, &'static str)> {
        let path = |part: &str| format!("/account/forms/{}{part}", self.form.id);
        vec![
            (
                "POST /account/forms/{form_id}/spam",
                path("/spam"),
                r#"{"ids":["sub_two","sub_unknown"]}"#,
                "spam.marked",
            ),
            (
                "POST /account/forms/{form_id}/spam/{id}/release",
                path("/spam/sub_two/release"),
                "",
                "spam.released",
            ),
            (
                "POST /account/forms/{form_id}/spam",
                path("/spam"),
                r#"{"ids":["sub_one"]}"#,
                "spam.marked",
            ),
            (
                "POST /account/forms/{form_id}/spam/restore",
                path("/spam/restore"),
                r#"{"ids":["sub_one"]}"#,
                "spam.released",
            ),
            (
                "POST /account/forms/{form_id}/trash",
                path("/trash?search=answer"),
                r#"{"count":4}"#,
                "submission.trashed",
            ),
            (
                "POST /account/forms/{form_id}/trash/restore",
                path("/trash/restore"),
                r#"{"ids":["sub_one","sub_two"]}"#,
                "submission.restored",
            ),
            (
                "POST /account/forms/{form_id}/trash/delete",
                path("/trash/delete"),
                r#"{"ids":["sub_three"]}"#,
                "trash.deleted",
            ),
            ("DELETE /account/forms/{form_id}/trash", path("/trash"), "", "trash.deleted"),
            (
                "PUT /account/forms/{form_id}/trash",
                path("/trash"),
                r#"{"days":7}"#,
                "form.trash_changed",
            ),
        ]
    }

    /// Returns requests for triage and notes.
    fn triage_requests(&self) -> Vec<(&'static str, String, &'static str, &'static str)> {
        let path = |part: &str| format!("/account/forms/{}/submissions{part}", self.form.id);
        let note = path(&format!("/sub_one/notes/{}", self.note));
        vec![
            (
                "PUT /account/triage",
                "/account/triage".to_owned(),
                r#"{"statuses":[{"id":"waiting","name":"marked-answer-text"}]}"#,
                "account.triage_changed",
            ),
            (
                "PUT /account/preferences",
                "/account/preferences".to_owned(),
                r#"{"mention_emails":false}"#,
                "person.preferences_changed",
            ),
            (
                "PATCH /account/forms/{form_id}/submissions",
                path(""),
                r#"{"ids":["sub_one"],"set":{"status":"waiting","add_tags":["a\u2028b"]}}"#,
                "submission.updated",
            ),
            (
                "POST /account/forms/{form_id}/submissions/{id}/notes",
                path("/sub_one/notes"),
                r#"{"text":"marked-answer-text"}"#,
                "note.created",
            ),
            (
                "PUT /account/forms/{form_id}/submissions/{id}/notes/{note_id}",
                note.clone(),
                r#"{"text":"marked-answer-text, too"}"#,
                "note.edited",
            ),
            (
                "DELETE /account/forms/{form_id}/submissions/{id}/notes/{note_id}",
                note,
                "",
                "note.deleted",
            ),
        ]
    }

    /// Returns requests for shared views, which end with the deletion of one.
    fn view_requests(&self) -> Vec<(&'static str, String, &'static str, &'static str)> {
        let views = format!("/account/forms/{}/views", self.form.id);
        let view = format!("{views}/view_1");
        vec![
            (
                "POST /account/forms/{form_id}/views",
                views,
                r#"{"name":"New","query":"search=marked-answer-text","shared":true}"#,
                "view.created",
            ),
            (
                "PATCH /account/forms/{form_id}/views/{view_id}",
                view.clone(),
                r#"{"name":"a\u00a0b","query":"search=marked-answer-text"}"#,
                "view.changed",
            ),
            ("DELETE /account/forms/{form_id}/views/{view_id}", view, "", "view.deleted"),
        ]
    }

    /// Returns requests for webhooks, which end with the deletion of one.
    fn webhook_requests(&self) -> Vec<(&'static str, String, &'static str, &'static str)> {
        let webhooks = format!("/account/forms/{}/webhooks", self.form.id);
        let path = |part: &str| format!("{webhooks}/{}{part}", self.webhook);
        vec![
            (
                "POST /account/forms/{form_id}/webhooks",
                webhooks.clone(),
                NEW_WEBHOOK,
                "webhook.created",
            ),
            (
                "PUT /account/forms/{form_id}/webhooks/{webhook_id}",
                path(""),
                WEBHOOK_SETTINGS,
                "webhook.changed",
            ),
            (
                "POST /account/forms/{form_id}/webhooks/{webhook_id}/rotate",
                path("/rotate"),
                "",
                "webhook.secret_rotated",
            ),
            (
                "POST /account/forms/{form_id}/webhooks/{webhook_id}/test",
                path("/test"),
                "",
                "webhook.tested",
            ),
            (
                "POST /account/forms/{form_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
                path(&format!("/deliveries/{}/replay", self.deliveries[0])),
                "",
                "webhook.replayed",
            ),
            (
                "POST /account/forms/{form_id}/webhooks/{webhook_id}/replay",
                path("/replay"),
                r#"{"failed_since":"2026-01-01T00:00:00Z"}"#,
                "webhook.replayed",
            ),
            (
                "DELETE /account/forms/{form_id}/webhooks/{webhook_id}",
                path(""),
                "",
                "webhook.deleted",
            ),
        ]
    }

    /// Returns requests for notifications, which end with the deletion of one.
    fn notification_requests(&self) -> Vec<(&'static str, String, &'static str, &'static str)> {
        let form = format!("/account/forms/{}", self.form.id);
        let [confirmed, unconfirmed] =
            self.notifications.each_ref().map(|id| format!("{form}/notifications/{id}"));
        vec![
            (
                "POST /account/forms/{form_id}/notifications",
                format!("{form}/notifications"),
                r#"{"email":"c@notify.example"}"#,
                "notification.created",
            ),
            (
                "PUT /account/forms/{form_id}/notifications/{notification_id}",
                confirmed.clone(),
                NOTIFICATION_SETTINGS,
                "notification.changed",
            ),
            (
                "POST /account/forms/{form_id}/notifications/{notification_id}/confirmation",
                format!("{unconfirmed}/confirmation"),
                "",
                "notification.confirmation_sent",
            ),
            (
                "POST /account/forms/{form_id}/notifications/{notification_id}/test",
                format!("{confirmed}/test"),
                "",
                "notification.tested",
            ),
            (
                "DELETE /account/forms/{form_id}/notifications/{notification_id}",
                confirmed,
                "",
                "notification.deleted",
            ),
            (
                "PUT /account/forms/{form_id}/auto-reply",
                format!("{form}/auto-reply"),
                AUTO_REPLY,
                "form.auto_reply_changed",
            ),
        ]
    }

    async fn send(&self, route: &str, path: &str, body: &str) -> TestResponse {
        let method: Method = route.split(' ').next().unwrap().parse().unwrap();
        if path.starts_with("/v1/") {
            return self.app.call(method, &self.key, path).await;
        }
        self.act(method, path, body).await
    }
}

/// Inserts a webhook with two deliveries that failed.
async fn insert_failed_deliveries(app: &App, form: &Form) -> (WebhookId, Vec<DeliveryId>) {
    let now = app.clock.now();
    let url = format!("https://93.184.215.14/{WEBHOOK_PATH}");
    let record = new_webhook(form.id.clone(), url, &[], WebhookFormat::Json, now);
    let id = record.webhook.id.clone();
    assert!(app.store.insert_webhook(record).await.unwrap());
    let mut deliveries = Vec::new();
    for _ in 0..2 {
        deliveries.push(app.store.insert_test(&id, now).await.unwrap().unwrap());
    }
    let query = LeaseQuery { now, busy: Vec::new(), webhooks_max: 1, rows_max: 2, failing_max: 1 };
    let batch = app.store.lease_deliveries(query).await.unwrap().swap_remove(0);
    for leased in batch.deliveries {
        let attempt =
            Attempt { at: now, duration_ms: 1, status: None, error: None, response: None };
        let record = AttemptRecord {
            webhook: id.clone(),
            key: leased.key,
            lease_until: leased.lease_until,
            url: batch.webhook.webhook.url.clone(),
            format: batch.webhook.webhook.format,
            body: "{}".to_owned(),
            attempt,
            outcome: AttemptOutcome::Failed,
            disable: None,
        };
        app.store.record_attempt(record).await.unwrap();
    }
    (id, deliveries)
}

/// Returns the signed-in user as an entry names them.
fn signed_in_user() -> AuditPerson {
    let id = "psn_ada".parse().unwrap();
    let email = "ada @example.org".to_owned();
    AuditPerson { id, email }
}

/// Returns the routes that make changes, from the `OpenAPI` document.
fn changing_routes() -> BTreeSet<String> {
    let document = api::openapi_document();
    let mut routes = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let is_ours = path.starts_with("/account/") || path.starts_with("/v1/");
        let is_ours = is_ours && path != "/account/email";
        for method in methods.as_object().unwrap().keys().filter(|_| is_ours) {
            if matches!(method.as_str(), "post" | "put" | "patch" | "delete") {
                routes.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    routes
}

async fn every_change_writes_one_entry(fixture: AuditFixture) {
    let events = fixture.change_requests();
    let covered: BTreeSet<String> = events.iter().map(|act| act.0.to_owned()).collect();
    assert_eq!(covered, changing_routes(), "the test must cover every route that makes changes");
    for (route, path, body, action) in events {
        let before = fixture.read_entries().await.len();
        let answer = fixture.send(route, &path, &body).await;
        assert!(answer.status < 300, "{route}: {} {}", answer.status, answer.body);
        let entries = fixture.read_entries().await;
        assert_eq!(entries.len(), before + 1, "{route}: {:?}", &entries[before..]);
        let note = entries.last().unwrap();
        assert_eq!((note.action.as_str(), note.outcome.as_str()), (action, "ok"), "{route}");
        assert_eq!(note.account.as_ref(), Some(&fixture.owner), "{route}");
        assert_eq!(note.at, at("2026-03-01T12:00:00Z"), "{route}");
        assert!(note.object.is_some() && note.request.is_some(), "{route}: {note:?}");
        if action.starts_with("form.") || action.starts_with("spam.") {
            assert!(note.detail.contains_key("name") && note.environment.is_some(), "{route}");
        }
        if action.starts_with("insight.") {
            assert!(note.environment.is_some(), "{route}");
        }
        let kind = note.actor.kind;
        let id = note.actor.id.as_deref().unwrap();
        if path.starts_with("/v1/") {
            assert_eq!((kind, id), (ActorKind::Key, fixture.key.record.id.as_str()), "{route}");
            assert_eq!(note.actor.person, None, "{route}");
        } else {
            assert_eq!((kind, id), (ActorKind::Session, "ses_1"), "{route}");
            assert_eq!(note.actor.person, Some(signed_in_user()), "{route}");
            assert!(!note.detail.contains_key("person"), "{route}: {:?}", note.detail);
            assert_eq!(note.address.as_deref(), Some("203.0.113.0/24"), "{route}");
            assert_eq!(note.actor.client.browser.as_deref(), Some("Firefox"), "{route}");
        }
    }
    let report = fixture.report().await;
    assert!(report.chains.iter().all(|chain| chain.finding.is_none()), "{report:?}");
    if fixture.database.is_none() {
        assert_eq!(store_sqlite::check(&fixture.file()).unwrap().findings, Vec::<String>::new());
    }
}

async fn failed_change_writes_no_entry(fixture: AuditFixture) {
    for (route, path, body, _) in fixture.change_requests() {
        // Use an unknown id, or an invalid body.
        let (path, body) = match body.as_str() {
            "" => (
                path.replace("sub_", "sub_no").replace("key_", "key_no").replace("frm_", "frm_no"),
                body,
            ),
            _ => (path, "{}".to_owned()),
        };
        // These accept an empty body.
        let is_done =
            ["intake", "duplicate", "/account/triage"].iter().any(|it| route.contains(it));
        let refused = is_done || fixture.send(route, &path, &body).await.status >= 400;
        assert!(refused, "{route}");
    }
    for n in 0..8 {
        let body = format!(r#"{{"name":"{n}","mode":"live"}}"#);
        fixture.act(Method::POST, "/account/keys", &body).await;
    }
    let eleventh =
        fixture.act(Method::POST, "/account/keys", r#"{"name":"x","mode":"live"}"#).await;
    assert_eq!(eleventh.status, 409, "{}", eleventh.body);
    let entries = fixture.read_entries().await;
    assert_eq!(entries.len(), 8, "{entries:?}");
}

async fn export_start_and_end_are_audited(fixture: AuditFixture) {
    let path = format!("/v1/forms/{}/submissions/export?search=marked", fixture.form.id);
    let answer = fixture.app.get(&fixture.key, &path).await;
    assert_eq!(answer.status, 200);
    let entries = fixture.read_entries().await;
    let recorded: Vec<_> = entries
        .iter()
        .map(|note| (note.action.as_str(), Value::Object(note.detail.clone())))
        .collect();
    let detail = json!({"name": "a form", "format": "csv", "filtered": true});
    let mut ended = detail.clone();
    ended["rows"] = 4.into();
    assert_eq!(recorded, [("submission.export_begun", detail), ("submission.export_ended", ended)]);
    assert_eq!(entries[0].request, entries[1].request);
    // A client that disconnects leaves an export that failed.
    let request = Request::get(&path).header("x-api-key", &fixture.key.secret);
    let request = request.body(Body::empty()).unwrap();
    drop(fixture.app.public.clone().oneshot(request).await.unwrap());
    let entries = fixture.read_entries().await;
    let last = entries.last().unwrap();
    assert_eq!((last.outcome.as_str(), last.code.as_deref()), ("error", Some("broken_off")));
}

async fn only_refusals_are_audited_once_a_minute(fixture: AuditFixture) {
    let list = format!("/v1/forms/{}/submissions", fixture.form.id);
    for path in [&list, "/v1/submissions/sub_one"] {
        assert_eq!(fixture.app.get(&fixture.key, path).await.status, 200);
    }
    for path in ["/account/audit", "/account/keys", "/account/forms"] {
        assert_eq!(fixture.act(Method::GET, path, "").await.status, 200);
    }
    let ingest = api::intake_router(fixture.app.service.clone());
    for n in 0..20 {
        let request = Request::post(format!("/f/{}", fixture.form.id))
            .header("content-type", "application/json")
            .body(Body::from(format!(r#"{{"name":"{n}"}}"#)));
        let answer = read(ingest.clone().oneshot(request.unwrap()).await.unwrap()).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    assert_eq!(fixture.read_entries().await.len(), 0);
    for _ in 0..3 {
        assert_eq!(fixture.app.get(&fixture.old_key, &list).await.status, 403);
        assert_eq!(fixture.app.get(&fixture.old_key, "/v1/submissions/sub_one").await.status, 403);
    }
    fixture.app.clock.advance_ms(60_000);
    assert_eq!(fixture.app.get(&fixture.old_key, &list).await.status, 403);
    let entries = fixture.read_entries().await;
    let recorded: Vec<_> =
        entries.iter().map(|it| (it.action.as_str(), it.outcome.as_str())).collect();
    assert_eq!(recorded, [("request.refused", "denied"); 2]);
    assert_eq!(entries[0].actor.id.as_deref(), Some(fixture.old_key.record.id.as_str()));
    assert_eq!(entries[0].code.as_deref(), Some("forbidden"));
}

async fn rate_limiting_is_audited_once(fixture: AuditFixture) {
    let mut refused = 0;
    for _ in 0..400 {
        refused +=
            u32::from(fixture.app.get(&fixture.key, "/v1/submissions/sub_one").await.status == 429);
    }
    assert!(refused > 100, "{refused}");
    let entries = fixture.read_entries().await;
    let recorded: Vec<_> =
        entries.iter().map(|it| (it.action.as_str(), it.code.as_deref())).collect();
    assert_eq!(recorded, [("request.limited", Some("rate_limit_exceeded"))]);
}

async fn audit_pages_and_filters_are_complete(fixture: AuditFixture) {
    for n in 0..7 {
        fixture.app.clock.advance_ms(1_000);
        let path = format!("/account/forms/{}", fixture.form.id);
        fixture.act(Method::PUT, &path, &format!(r#"{{"name":"Name {n}"}}"#)).await;
    }
    let body = r#"{"name":"Website","mode":"live"}"#;
    let key = fixture.act(Method::POST, "/account/keys", body).await.json();
    let get = async |query: String| {
        let answer = fixture.act(Method::GET, &format!("/account/audit?{query}"), "").await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    };
    let mut numbers = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get(format!("limit=3{cursor}")).await;
        assert_eq!(page["pagination"]["total"], 8);
        numbers.extend(page["data"].as_array().unwrap().iter().map(|it| it["place"].clone()));
        let Some(next) = page["pagination"]["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(numbers, (1..=8).rev().map(Value::from).collect::<Vec<_>>());
    let count = async |query: String| get(query).await["pagination"]["total"].clone();
    assert_eq!(count("action=form".to_owned()).await, 7);
    assert_eq!(count("action=key.created".to_owned()).await, 1);
    assert_eq!(count("outcome=denied".to_owned()).await, 0);
    assert_eq!(count(format!("object={}", key["data"]["id"].as_str().unwrap())).await, 1);
    assert_eq!(count("date_from=2026-03-01T12:00:06Z".to_owned()).await, 3);
    assert_eq!(count("date_to=2026-03-01T12:00:06Z".to_owned()).await, 5);
    // A cursor is bound to its filter and its account.
    let wrong = fixture.act(Method::GET, &format!("/account/audit?action=key{cursor}"), "").await;
    assert_eq!(wrong.error(), (400, "validation_error".to_owned()));
    let other = fixture.app.account(Plan::Free).await;
    let path = format!("/account/audit?limit=3{cursor}");
    assert_eq!(fixture.app.act(&other, Method::GET, &path, "").await.status, 400);
    let empty = fixture.app.act(&other, Method::GET, "/account/audit", "").await.json();
    assert_eq!((&empty["data"], &empty["pagination"]["total"]), (&json!([]), &json!(0)));
}

/// Text that would break a line or change its direction.
const UNSAFE_TEXT: &str = "a\u{202e}b\u{2028}c\u{2029}d";

async fn audit_export_is_complete_and_line_based(fixture: AuditFixture) {
    let name = json!({"name": format!("=HYPERLINK({UNSAFE_TEXT})"), "mode": "live"}).to_string();
    assert_eq!(fixture.act(Method::POST, "/account/keys", &name).await.status, 201);
    for (route, path, body, _) in fixture.change_requests() {
        fixture.send(route, &path, &body).await;
    }
    let answer = fixture.act(Method::GET, "/account/audit/export", "").await;
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"audit-20260301.ndjson\""
    );
    let lines: Vec<AuditEntry> =
        answer.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let listed = fixture.read_entries().await;
    assert_eq!(lines, listed.into_iter().rev().collect::<Vec<_>>());
    assert_eq!(lines[0].action, "audit.exported");
    assert_eq!(lines.last().unwrap().detail["name"], "=HYPERLINK(a b c d)");
    assert_eq!(lines[0].actor.person, Some(signed_in_user()));
    assert!(!answer.body.contains(['\u{2028}', '\u{2029}', '\u{202e}', '\u{1b}', '\r']));

    let csv = fixture.act(Method::GET, "/account/audit/export?format=csv&action=key", "").await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    let mut read = csv::ReaderBuilder::new().from_reader(csv.body.as_bytes());
    let headers = read.headers().unwrap().clone();
    assert_eq!((&headers[0], &headers[12], headers.len()), ("place", "action", 19));
    let rows: Vec<csv::StringRecord> = read.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row[12].starts_with("key.")));
    assert_eq!((&headers[6], &headers[7]), ("person", "email"));
    assert!(rows.iter().all(|row| (&row[6], &row[7]) == ("psn_ada", "ada @example.org")));
}

async fn audit_log_contains_no_answers_or_secrets(fixture: AuditFixture) {
    let pasted = json!({"name": fixture.key.secret, "mode": "live"}).to_string();
    fixture.act(Method::POST, "/account/keys", &pasted).await;
    for (route, path, body, _) in fixture.change_requests() {
        fixture.send(route, &path, &body).await;
    }
    let path = format!("/v1/forms/{}/submissions/export?search={ANSWER}", fixture.form.id);
    fixture.app.get(&fixture.key, &path).await;
    fixture.read_entries().await;
    let cells = fixture.cells();
    for cell in &cells {
        let keys = [&fixture.key.secret[12..], &fixture.old_key.secret[12..]];
        for mark in [ANSWER, WEBHOOK_PATH, "whsec_"].into_iter().chain(keys) {
            assert!(!cell.contains(mark), "{cell}");
        }
    }
    assert!(cells.len() > 200, "{}", cells.len());
}

/// Runs each test over each store.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {
        /// Over SQLite.
        mod on_sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::AuditFixture::on_sqlite().await).await;
                }
            )+
        }

        /// Over PostgreSQL.
        mod on_postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::AuditFixture::on_postgres().await).await;
                }
            )+
        }
    };
}

on_both! {
    every_change_writes_one_entry,
    failed_change_writes_no_entry,
    export_start_and_end_are_audited,
    only_refusals_are_audited_once_a_minute,
    rate_limiting_is_audited_once,
    audit_pages_and_filters_are_complete,
    audit_export_is_complete_and_line_based,
    audit_log_contains_no_answers_or_secrets,
}
