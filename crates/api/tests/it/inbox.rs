//! The inbox: its pages against the lists of the forms, its cursors, and its summary.

use crate::app::{App, TestKey, TestResponse, at, hostile, read, submission};
use crate::triage::TriageFixture;
use axum::body::Body;
use contract::{AccountId, Environment, Form, FormAccess, Plan, Role, Submission};
use http::{Method, Request};
use serde_json::{Value, json};
use tower::ServiceExt;

/// An account with three live forms, of which the last is empty, and a test form.
struct InboxFixture {
    app: App,
    account: AccountId,
    key: TestKey,
    forms: Vec<Form>,
    other: Form,
}

impl InboxFixture {
    /// Creates the forms. Each instant has up to three submissions in each of the two forms.
    async fn start() -> Self {
        let app = App::start().await;
        let account = app.account(Plan::Enterprise).await;
        let mut forms = Vec::new();
        for _ in 0..3 {
            forms.push(app.form(&account, Environment::Live, &["name", "note"]).await);
        }
        for (form, count) in [(0, 40), (1, 23)] {
            app.submit(&forms[form], rows(&forms[form], &format!("{form}"), count)).await;
        }
        let other = app.form(&account, Environment::Test, &["name", "note"]).await;
        app.submit(&other, rows(&other, "t", 5)).await;
        let key = app.key(&account, Environment::Live).await;
        Self { app, account, key, forms, other }
    }

    async fn get(&self, path: &str) -> TestResponse {
        self.app.act(&self.account, Method::GET, path, "").await
    }

    /// Requests a page, one second after the page before, because of the rate limit.
    async fn inbox(&self, query: &str) -> TestResponse {
        self.app.clock.advance_ms(1000);
        let answer = self.get(&format!("/account/inbox?environment=live&{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        answer
    }

    /// Returns the rows of all pages, and checks the total of each page.
    async fn all_rows(&self, query: &str, limit: usize, total: usize) -> Vec<Value> {
        let mut rows = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.inbox(&format!("{query}&limit={limit}&cursor={cursor}")).await.json();
            rows.extend(page["data"].as_array().unwrap().iter().cloned());
            let pagination = &page["pagination"];
            assert_eq!(
                (&pagination["total"], &pagination["limit"]),
                (&json!(total), &json!(limit))
            );
            let next = pagination["next_cursor"].as_str();
            assert_eq!(pagination["has_more"], next.is_some());
            let Some(next) = next else { return rows };
            next.clone_into(&mut cursor);
        }
    }

    /// Returns the rows of the lists of all live forms, in the order of the inbox.
    async fn union_of_lists(&self, query: &str) -> Vec<Value> {
        let mut rows = Vec::new();
        for form in &self.forms {
            let path = format!("/v1/forms/{}/submissions?limit=100&{query}", form.id);
            let page = self.app.get(&self.key, &path).await.json();
            rows.extend(page["data"].as_array().unwrap().iter().cloned());
        }
        let place = |row: &Value| {
            let id = row["id"].as_str().unwrap().to_owned();
            (at(row["metadata"]["submitted_at"].as_str().unwrap()), id)
        };
        rows.sort_by_key(|row| std::cmp::Reverse(place(row)));
        rows
    }

    async fn error(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{path}");
        answer.json()["message"].as_str().unwrap().to_owned()
    }
}

/// Returns difficult rows with ids that no other form has, in an order of their own.
fn rows(form: &Form, name: &str, count: usize) -> Vec<Submission> {
    let mut rows = hostile(form, count);
    for (n, row) in rows.iter_mut().enumerate() {
        row.id = format!("sub_{}{name}{n}", n * 7 % 10).parse().unwrap();
    }
    rows
}

#[tokio::test]
async fn pages_are_the_union_of_the_lists() {
    let fixture = InboxFixture::start().await;
    for query in [
        "",
        "search=person",
        "search=nothing+has+this",
        "utm_source=google",
        "utm_source=Google&utm_medium=cpc",
        "date_from=2026-01-01T02:00:00Z&date_to=2026-01-01T06:00:00Z",
        "sentiment=positive,none&country=DE",
        "category=Other&seconds_min=1",
        "status=open&starred=false",
        "status=done",
    ] {
        let expected = fixture.union_of_lists(query).await;
        // A page for each submission takes long, so only the whole inbox is read that way.
        let limits: &[usize] = if query.is_empty() { &[1, 7, 100] } else { &[7, 100] };
        for &limit in limits {
            let rows = fixture.all_rows(query, limit, expected.len()).await;
            assert_eq!(rows, expected, "{query} by {limit}");
        }
    }
    assert_eq!(fixture.union_of_lists("").await.len(), 63);
    assert!(!fixture.union_of_lists("search=person").await.is_empty());
}

#[tokio::test]
async fn cursors_and_parameters_of_other_lists_are_rejected() {
    let fixture = InboxFixture::start().await;
    let next = |page: &TestResponse| -> String {
        page.json()["pagination"]["next_cursor"].as_str().unwrap().to_owned()
    };
    let cursor = next(&fixture.inbox("status=open&limit=3").await);
    fixture.inbox(&format!("status=open&limit=9&cursor={cursor}")).await;
    let list = format!("/v1/forms/{}/submissions?limit=3", fixture.forms[0].id);
    let of_form = next(&fixture.app.get(&fixture.key, &list).await);
    for query in [
        format!("environment=live&cursor={cursor}"),
        format!("environment=live&status=done&cursor={cursor}"),
        format!("environment=test&status=open&cursor={cursor}"),
        format!("environment=live&cursor={of_form}"),
        "environment=live&cursor=AQAG".to_owned(),
    ] {
        let message = fixture.error(&format!("/account/inbox?{query}")).await;
        assert!(message.contains("`cursor`"), "{message}");
    }
    let path = format!("{list}&status=open&cursor={cursor}");
    assert_eq!(fixture.app.get(&fixture.key, &path).await.status, 400);
    let other = fixture.app.account(Plan::Pro).await;
    let path = format!("/account/inbox?environment=live&status=open&cursor={cursor}");
    assert_eq!(fixture.app.act(&other, Method::GET, &path, "").await.status, 400);
    let field = &fixture.forms[0].fields[0].id;
    for path in ["/account/inbox", "/account/inbox/summary"] {
        for (query, problem) in [
            (String::new(), "`environment` is missing"),
            ("environment=all".to_owned(), "`environment` must be `live` or `test`"),
            ("environment=live&sort=-submitted_at".to_owned(), "`sort` is not a parameter"),
            (format!("environment=live&{field}=filled"), "is a field of one form"),
            ("environment=live&status=waiting".to_owned(), "unknown status `waiting`"),
            ("environment=live&read=true".to_owned(), "`read` needs a signed-in member"),
        ] {
            let message = fixture.error(&format!("{path}?{query}")).await;
            assert!(message.contains(problem), "{message}");
        }
    }
    for parameter in ["limit", "cursor", "time_zone"] {
        let path = format!("/account/inbox/summary?environment=live&{parameter}=5");
        let message = fixture.error(&path).await;
        assert!(message.contains(&format!("`{parameter}` is not a parameter")), "{message}");
    }
}

#[tokio::test]
async fn pages_of_large_submissions_end_early() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let mut ids = Vec::new();
    for form in 0..2 {
        let created = app.form(&account, Environment::Live, &["name"]).await;
        let row = |n: usize| {
            let length = if n.is_multiple_of(2) { 250_000 } else { 10 };
            let answers = json!({ "name": "x".repeat(length) });
            submission(&created, &format!("{n:02}_{form}"), "2026-01-01", answers)
        };
        let rows: Vec<Submission> = (0..20).map(row).collect();
        ids.extend(rows.iter().map(|row| row.id.to_string()));
        app.submit(&created, rows).await;
    }
    ids.sort_by(|a, b| b.cmp(a));
    let (mut listed, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/account/inbox?environment=live&limit=100&cursor={cursor}");
        let page = app.act(&account, Method::GET, &path, "").await;
        assert!(page.body.len() < 2 * 1024 * 1024 + 1000, "{} bytes", page.body.len());
        listed.extend(page.ids());
        match page.json()["pagination"]["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(listed, ids);
}

#[tokio::test]
async fn inbox_has_forms_of_environment_and_member_only() {
    let fixture = InboxFixture::start().await;
    let page = fixture.get("/account/inbox?environment=test").await.json();
    assert_eq!(page["pagination"]["total"], 5);
    let rows = page["data"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["form_id"] == fixture.other.id.as_str()));
    let summary = fixture.get("/account/inbox/summary?environment=test").await.json();
    assert_eq!(summary["data"]["total"], 5);
    let [first, second, _] = &fixture.forms[..] else { panic!("three forms") };
    let access = FormAccess(Some(vec![second.id.clone(), fixture.other.id.clone()]));
    let get = async |path: &str| {
        let request = Request::builder()
            .uri(path)
            .extension(fixture.account.clone())
            .extension(Role::Reader)
            .extension(access.clone());
        let request = request.body(Body::empty()).unwrap();
        read(fixture.app.account.clone().oneshot(request).await.unwrap()).await
    };
    let page = get("/account/inbox?environment=live&limit=100").await;
    let list = format!("/v1/forms/{}/submissions?limit=100", second.id);
    assert_eq!(page.json(), fixture.app.get(&fixture.key, &list).await.json());
    let summary = get("/account/inbox/summary?environment=live").await.json();
    assert_eq!(summary["data"]["total"], 23);
    let confirmation = json!({ "name": second.name }).to_string();
    let path = format!("/account/forms/{}/delete", second.id);
    let deleted = fixture.app.act(&fixture.account, Method::POST, &path, &confirmation).await;
    assert_eq!(deleted.status, 204);
    let page = get("/account/inbox?environment=live").await.json();
    assert_eq!((&page["data"], &page["pagination"]["total"]), (&json!([]), &json!(0)));
    let rows = fixture.all_rows("", 9, 40).await;
    assert!(rows.iter().all(|row| row["form_id"] == first.id.as_str()));
    // An account without forms has an empty inbox.
    let account = fixture.app.account(Plan::Free).await;
    let get = async |path: &str| fixture.app.act(&account, Method::GET, path, "").await.json();
    let empty = json!({"data": [], "pagination":
        {"total": 0, "limit": 20, "has_more": false, "next_cursor": null}});
    assert_eq!(get("/account/inbox?environment=live").await, empty);
    let summary = get("/account/inbox/summary?environment=live").await;
    assert_eq!(summary["data"]["total"], 0);
    assert_eq!(summary["data"]["statuses"], json!({"values": [], "others": 0, "missing": 0}));
}

#[tokio::test]
async fn summary_is_the_sum_of_the_forms() {
    let fixture = InboxFixture::start().await;
    for query in ["", "utm_source=google", "search=nothing+has+this"] {
        let path = format!("/account/inbox/summary?environment=live&{query}");
        let sum = fixture.get(&path).await.json()["data"].clone();
        let mut parts = Vec::new();
        for form in &fixture.forms {
            let path = format!("/account/forms/{}/summary?{query}", form.id);
            parts.push(fixture.get(&path).await.json()["data"].clone());
        }
        let total = |value: &Value| value["total"].as_u64().unwrap();
        assert_eq!(total(&sum), parts.iter().map(total).sum::<u64>(), "{query}");
        for property in ["sentiments", "countries", "devices", "statuses", "utm_campaigns"] {
            let count = |summary: &Value, value: &Value| -> u64 {
                let values = summary[property]["values"].as_array().unwrap();
                let found = values.iter().find(|it| it["value"] == *value);
                found.map_or(0, |it| it["count"].as_u64().unwrap())
            };
            let values = parts.iter().flat_map(|part| part[property]["values"].as_array().unwrap());
            for value in values.map(|it| &it["value"]) {
                let expected: u64 = parts.iter().map(|part| count(part, value)).sum();
                assert_eq!(count(&sum, value), expected, "{query} {property} {value}");
            }
            let missing = |summary: &Value| summary[property]["missing"].as_u64().unwrap();
            assert_eq!(missing(&sum), parts.iter().map(missing).sum::<u64>(), "{query}");
        }
        let bars = |summary: &Value| -> Vec<u64> {
            let ranges = summary["durations"].as_array().unwrap().iter();
            ranges.map(|range| range["count"].as_u64().unwrap()).collect()
        };
        let expected = (0..9).map(|bar| parts.iter().map(|part| bars(part)[bar]).sum());
        assert_eq!(bars(&sum), expected.collect::<Vec<u64>>(), "{query}");
        assert_eq!((&sum["times"]["buckets"], &sum["fields"]), (&json!([]), &json!([])));
        assert_eq!(sum["median_seconds_to_done"], Value::Null);
    }
}

#[tokio::test]
async fn read_state_is_that_of_the_member() {
    let fixture = TriageFixture::with(4).await;
    let later = fixture.app.form(&fixture.account, Environment::Live, &["name"]).await;
    let row = submission(&later, "later", "2026-04-02", json!({ "name": "Bea" }));
    fixture.app.submit(&later, vec![row]).await;
    let ids = async |member: (&contract::PersonId, Role), read: bool| {
        let path = format!("inbox?environment=live&read={read}");
        fixture.send_as(member, Method::GET, &path, "").await.ids()
    };
    let body = r#"{"ids":["sub_000","sub_002"],"set":{"read":true}}"#;
    let owner = (&fixture.owner, Role::Owner);
    let path = fixture.path("submissions");
    assert_eq!(fixture.send_as(owner, Method::PATCH, &path, body).await.status, 200);
    assert_eq!(ids(owner, true).await, ["sub_002", "sub_000"]);
    assert_eq!(ids(owner, false).await, ["sub_later", "sub_003", "sub_001"]);
    assert!(ids((&fixture.reader, Role::Reader), true).await.is_empty());
    let unread = fixture.data(Method::GET, "inbox/summary?environment=live&read=false", "").await;
    assert_eq!(unread["total"], 3);
}
