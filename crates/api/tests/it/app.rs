//! Test fixture: the real routers over a real database, at a time that the test sets. The
//! specification's tests at the root use this file too.
//!
//! The database is a SQLite file, or PostgreSQL if `SHEAF_TEST_STORE` is `postgres`.

use api::Service;
use axum::Router;
use axum::body::Body;
use contract::{
    Account, AccountId, ApiKey, Environment, Field, FieldType, Form, Metadata, NewKey, Plan,
    Submission, Timestamp,
};
use http::{HeaderMap, Method, Request};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use store::clock::{Clock, FixedClock};
use store::{AccountRecord, FormRecord, Store};
use store::{ids, keys};
use store_postgres::{PostgresStore, Setup};
use store_sqlite::SqliteStore;
use tempfile::TempDir;
use test_servers::Postgres;
use tower::ServiceExt;

/// A running service and its parts.
pub(crate) struct App {
    pub(crate) folder: TempDir,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) service: Service,
    pub(crate) public: Router,
    pub(crate) account: Router,
    /// Name of the database, if it is PostgreSQL.
    pub(crate) database: Option<String>,
}

/// A key with its secret.
pub(crate) struct TestKey {
    pub(crate) record: ApiKey,
    pub(crate) secret: String,
}

/// A response with its whole body.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl TestResponse {
    /// Parses the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {:?}", self.status, self.body))
    }

    /// Returns the header of this name, or an empty text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns the ids of the submissions in `data`.
    pub(crate) fn ids(&self) -> Vec<String> {
        let json = self.json();
        let rows = json["data"].as_array().unwrap_or_else(|| panic!("no list: {json}"));
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the status and the code of an error response.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status, self.json()["error"].as_str().unwrap_or_default().to_owned())
    }
}

impl App {
    /// Starts a service with an empty database at noon of 2026-03-01.
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let is_file = std::env::var_os("SHEAF_TEST_STORE").is_none_or(|store| store != "postgres");
        let database = (!is_file).then(|| {
            let url = prepared_database();
            url.rsplit('/').next().unwrap().to_owned()
        });
        let store = open(folder.path(), database.as_deref()).await;
        Self { database, ..Self::over(folder, store).await }
    }

    /// Starts a service with a live key, and a live form with a field for each name.
    pub(crate) async fn with_form(names: &[&str]) -> (Self, TestKey, Form) {
        let app = Self::start().await;
        let account = app.account(Plan::Enterprise).await;
        let key = app.key(&account, Environment::Live).await;
        let form = app.form(&account, Environment::Live, names).await;
        (app, key, form)
    }

    /// Starts a service over an empty store, at the same time of day.
    pub(crate) async fn over(folder: TempDir, store: Arc<dyn Store>) -> Self {
        let clock = Arc::new(FixedClock::at(at("2026-03-01T12:00:00Z")));
        let service = Service::new(store.clone(), clock.clone()).await.unwrap();
        let public = api::public_router(service.clone());
        let account = api::account(service.clone());
        Self { folder, store, clock, service, public, account, database: None }
    }

    /// Adds an account.
    pub(crate) async fn account(&self, plan: Plan) -> AccountId {
        let created_at = self.clock.now();
        let id = ids::generate_account_id(created_at);
        let account = Account { id: id.clone(), email: format!("{id}@example.com"), plan };
        let record = AccountRecord { account, password_hash: None, created_at };
        self.store.insert_account(record).await.unwrap();
        id
    }

    /// Adds a key to an account.
    pub(crate) async fn key(&self, account: &AccountId, environment: Environment) -> TestKey {
        self.restricted_key(account, NewKey::unrestricted("a key", environment)).await
    }

    /// Adds a key with restrictions to an account.
    pub(crate) async fn restricted_key(&self, account: &AccountId, new: NewKey) -> TestKey {
        let (record, secret) = keys::generate_key(new, self.clock.now()).unwrap();
        self.store.insert_key(account, record.clone(), secret.hash()).await.unwrap();
        TestKey { record, secret: secret.expose().to_owned() }
    }

    /// Adds a form with a field for each name.
    pub(crate) async fn form(
        &self,
        account: &AccountId,
        environment: Environment,
        names: &[&str],
    ) -> Form {
        let created_at = self.clock.now();
        let field = |name: &&str| Field {
            id: ids::generate_field_id(created_at),
            key: (*name).to_owned(),
            name: (*name).to_owned(),
            kind: FieldType::Text,
            hidden: false,
        };
        let form = Form {
            id: ids::generate_form_id(created_at),
            name: "a form".to_owned(),
            environment,
            analysis: false,
            fields: names.iter().map(field).collect(),
            created_at,
            submission_count: 0,
            last_submission_at: None,
            trash_days: contract::trash::DAYS_DEFAULT,
        };
        let record = FormRecord { account_id: account.clone(), form: form.clone() };
        self.store.insert_form(record).await.unwrap();
        form
    }

    /// Adds submissions to a form.
    pub(crate) async fn submit(&self, form: &Form, submissions: Vec<Submission>) {
        let source = Box::new(submissions.into_iter().map(Ok));
        self.store.insert_submissions(&form.id, Vec::new(), source).await.unwrap();
    }

    /// Sends a request unchanged, and reads the whole response.
    pub(crate) async fn send(&self, request: Request<Body>) -> TestResponse {
        read(self.public.clone().oneshot(request).await.unwrap()).await
    }

    /// Sends a request with a key.
    pub(crate) async fn call(&self, method: Method, key: &TestKey, path: &str) -> TestResponse {
        let request = Request::builder().method(method).uri(path).header("x-api-key", &key.secret);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    /// Sends a GET with a key.
    pub(crate) async fn get(&self, key: &TestKey, path: &str) -> TestResponse {
        self.call(Method::GET, key, path).await
    }

    /// Sends a request of a signed-in owner to a route below `/account`.
    pub(crate) async fn act(
        &self,
        owner: &AccountId,
        method: Method,
        path: &str,
        body: &str,
    ) -> TestResponse {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json")
            .extension(owner.clone())
            .extension(contract::Role::Owner)
            .extension(contract::FormAccess::default())
            .body(Body::from(body.to_owned()));
        read(self.account.clone().oneshot(request.unwrap()).await.unwrap()).await
    }

    /// Breaks the database of the running service: submissions can no longer be read.
    pub(crate) fn break_database(&self) {
        let cascade = if self.database.is_some() { " CASCADE" } else { "" };
        self.sql(&format!("DROP TABLE submissions{cascade}"));
    }

    /// Runs statements in the database from outside the service.
    pub(crate) fn sql(&self, statements: &str) {
        if let Some(name) = &self.database {
            cluster().run_sql(name, statements).unwrap();
            return;
        }
        let conn = rusqlite::Connection::open(self.folder.path().join("sheaf.db")).unwrap();
        conn.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        conn.execute_batch(statements).unwrap();
    }
}

/// Opens the database like a service at its start.
pub(crate) async fn open(folder: &Path, database: Option<&str>) -> Arc<dyn Store> {
    let Some(name) = database else {
        let open = |file: &Path| SqliteStore::open(file).unwrap();
        let file = folder.join("sheaf.db");
        test_servers::copy_prepared_file(&file, |file| drop(open(file))).unwrap();
        return Arc::new(open(&file));
    };
    let url = cluster().url(name);
    let setup = Setup { connections_max: 4, ..Setup::with_defaults(&url) };
    Arc::new(PostgresStore::open(&setup).await.unwrap())
}

/// Returns the URL of a database for this test only, with the current schema and no data.
pub(crate) fn prepared_database() -> String {
    let prepare = async |url: &str| {
        PostgresStore::open(&Setup::with_defaults(url)).await.unwrap();
    };
    cluster().create_prepared_database(prepare).unwrap()
}

/// Returns the cluster that the services of this process share. It does not survive a power cut.
fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// Reads a whole response.
pub(crate) async fn read(response: axum::response::Response) -> TestResponse {
    let (parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, 100_000_000).await.unwrap();
    let body = String::from_utf8(bytes.to_vec()).unwrap();
    TestResponse { status: parts.status.as_u16(), headers: parts.headers, body }
}

/// Parses a timestamp.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Creates a submission of a form.
pub(crate) fn submission(form: &Form, id: &str, submitted_at: &str, answers: Value) -> Submission {
    Submission {
        id: format!("sub_{id}").parse().unwrap(),
        form_id: form.id.clone(),
        answers: serde_json::from_value(answers).unwrap(),
        metadata: Metadata::at(at(submitted_at)),
        ai_insights: None,
    }
}

/// Creates submissions with difficult data: equal times, line breaks, quotes, formulas, other
/// scripts, long numbers, lists, missing answers. The form has the fields `name` and `note`.
pub(crate) fn hostile(form: &Form, count: usize) -> Vec<Submission> {
    let entries = [
        "plain",
        "a, b",
        "say \"hi\"",
        "two\r\nlines\nand more",
        "=1+1",
        "+49 30 123",
        "-7",
        "@me",
        "\tx",
        "Straße",
        "STRASSE",
        "50%_'*",
        "日本語 ✓",
        "é e\u{301}",
        "",
        " ",
        "null",
        "[1,2]",
        "{\"a\":1}",
        "<script>alert(1)</script>",
        "\u{202e}right",
        "\u{feff}bom",
        "a;b; c",
    ];
    let utm = |n: usize, values: [Option<&str>; 4]| values[n % 4].map(str::to_owned);
    let make = |n: usize| {
        let mut made = submission(form, &format!("{n:05}"), "2026-01-01", serde_json::json!({}));
        let name = match n % 5 {
            0 => None,
            1 => Some(serde_json::from_str("12345678901234567890.10").unwrap()),
            2 => Some(serde_json::json!(["One, two", true, n])),
            3 => Some(n.is_multiple_of(2).into()),
            _ => Some(format!("person {n}").into()),
        };
        let note = (!n.is_multiple_of(7)).then(|| entries[n % entries.len()].into());
        made.answers.0.extend(name.map(|name| ("name".to_owned(), name)));
        made.answers.0.extend(note.map(|note| ("note".to_owned(), note)));
        let hours = i64::try_from(n / 3).unwrap();
        let micros = made.metadata.submitted_at.micros() + hours * 3_600_000_001;
        made.metadata.submitted_at = Timestamp::from_micros(micros).unwrap();
        made.metadata.utm_source = utm(n, [None, Some("google"), Some("Google"), Some("a, \"b\"")]);
        made.metadata.utm_medium = utm(n / 2, [None, Some("cpc"), None, Some("email")]);
        made.metadata.utm_campaign = utm(n / 3, [None, None, Some("spring 26"), Some("=x")]);
        made.metadata.completion_time_seconds = n.is_multiple_of(3).then_some(n as u64);
        made.metadata.ip_country = utm(n, [None, Some("DE"), Some(""), Some("US")]);
        made.metadata.device = utm(n / 2, [Some("mobile"), Some("desktop"), None, Some("none")]);
        made.metadata.browser = utm(n / 3, [Some("Firefox"), None, Some("a\\b"), Some("é")]);
        let categories = [&[][..], &["Price, delivery"], &["none", "Other"], &["Other"]];
        made.ai_insights = (!n.is_multiple_of(5)).then(|| contract::Insight {
            sentiment: utm(n / 5, [None, Some("positive"), Some("negative"), Some("mixed")]),
            sentiment_score: (n % 5 > 1).then(|| f64::from(u8::try_from(n % 10).unwrap()) / 10.0),
            categories: categories[n / 2 % 4].iter().map(|it| (*it).to_owned()).collect(),
            language: utm(n / 7, [Some("en"), None, Some("de"), Some("pt-BR")]),
        });
        made
    };
    (0..count).map(make).collect()
}
