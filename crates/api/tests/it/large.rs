//! Large responses: pages that end early, and responses that are not read.

use crate::app::{App, submission};
use axum::body::Body;
use contract::{Environment, Plan};
use http::{Method, Request};
use serde_json::json;
use tower::ServiceExt;

const MIB: usize = 1 << 20;

#[tokio::test]
async fn pages_of_large_rows_are_complete() {
    let app = App::start().await;
    let owner = app.account(Plan::Pro).await;
    let key = app.key(&owner, Environment::Live).await;
    let form = app.form(&owner, Environment::Live, &["a"]).await;
    let submission = |n: usize| {
        let day = format!("2026-02-{:02}", 28 - n);
        submission(&form, &n.to_string(), &day, json!({"a": "x".repeat(300_000)}))
    };
    let rows: Vec<_> = (0..20).map(submission).collect();
    let expected: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    app.submit(&form, rows).await;
    for filter in ["", "search=xx&"] {
        let path = format!("/v1/forms/{}/submissions?{filter}limit=100", form.id);
        let mut ids = Vec::new();
        let mut pages = 0;
        let mut cursor = None::<String>;
        loop {
            let cursor_part = cursor.as_ref().map(|cursor| format!("&cursor={cursor}"));
            let page = app.get(&key, &(path.clone() + &cursor_part.unwrap_or_default())).await;
            assert!(page.body.len() < 2 * MIB + 1000, "{}", page.body.len());
            ids.extend(page.ids());
            pages += 1;
            let pagination = &page.json()["pagination"];
            assert_eq!((&pagination["total"], &pagination["limit"]), (&json!(20), &json!(100)));
            cursor = pagination["next_cursor"].as_str().map(str::to_owned);
            assert_eq!(pagination["has_more"], cursor.is_some());
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!((ids, pages), (expected.clone(), 4), "{filter}");
        app.clock.advance_ms(1000);
    }
}

#[tokio::test]
async fn large_responses_are_limited_per_account() {
    let app = App::start().await;
    let owner = app.account(Plan::Enterprise).await;
    let other = app.account(Plan::Enterprise).await;
    let mut durations = Vec::new();
    for (n, account) in [&owner, &other].into_iter().enumerate() {
        let key = app.key(account, Environment::Live).await;
        let form = app.form(account, Environment::Live, &["a"]).await;
        let text = json!({"a": "x".repeat(2 * MIB)});
        app.submit(&form, vec![submission(&form, &n.to_string(), "2026-02-01", text)]).await;
        durations.push((key, format!("/v1/forms/{}/submissions", form.id)));
    }
    let get_page = async |n: usize| {
        let (key, path) = &durations[n];
        let request = Request::builder().method(Method::GET).uri(path);
        let request = request.header("x-api-key", &key.secret).body(Body::empty()).unwrap();
        app.public.clone().oneshot(request).await.unwrap()
    };
    let mut unread = Vec::new();
    for _ in 0..31 {
        unread.push(get_page(0).await);
    }
    assert!(unread.iter().all(|answer| answer.status() == 200));
    let refused = get_page(0).await;
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert!(refused.headers().contains_key("x-ratelimit-remaining"));
    assert_eq!(get_page(1).await.status(), 200, "another account is not affected");
    unread.pop();
    assert_eq!(get_page(0).await.status(), 200);
}
