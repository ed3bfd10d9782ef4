//! Specification, section 8 (Limits).

use crate::app::{App, TestKey, TestResponse, at, submission};
use axum::body::Body;
use contract::{AccountId, Environment, Plan};
use http::Request;
use serde_json::json;

const PATH: &str = "/v1/submissions/sub_x";

async fn set_up(plan: Plan) -> (App, AccountId, TestKey) {
    let app = App::start().await;
    let account = app.account(plan).await;
    let key = app.key(&account, Environment::Live).await;
    (app, account, key)
}

/// Returns limit, remaining requests and reset time from the rate limit headers.
fn rate_limit_headers(answer: &TestResponse) -> [u64; 3] {
    ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map(|name| {
        let value = answer.header(name);
        value.parse().unwrap_or_else(|_| panic!("`{name}` is {value:?}: {answer:?}"))
    })
}

/// Sends requests at the plan's burst rate until one is refused.
///
/// Returns the number of accepted requests and the refusal.
async fn exhaust_quota(app: &App, key: &TestKey, plan: Plan) -> (u32, TestResponse) {
    let mut count = 0;
    loop {
        let answer = app.get(key, PATH).await;
        if answer.status == 429 {
            return (count, answer);
        }
        count += 1;
        if count % plan.burst_requests() == 0 {
            app.clock.advance_ms(1000);
        }
    }
}

#[tokio::test]
async fn rule_1_key_gets_window_limit_of_plan() {
    for (plan, requests) in [(Plan::Free, 100), (Plan::Pro, 500), (Plan::Business, 2500)] {
        let (app, _, key) = set_up(plan).await;
        let (count, refused) = exhaust_quota(&app, &key, plan).await;
        assert_eq!(count, requests, "{plan}");
        assert_eq!(rate_limit_headers(&refused)[..2], [u64::from(requests), 0]);
    }
}

#[tokio::test]
async fn rule_1_key_gets_burst_limit_of_plan() {
    for (plan, requests) in
        [(Plan::Free, 2), (Plan::Pro, 10), (Plan::Business, 50), (Plan::Enterprise, 500)]
    {
        let (app, _, key) = set_up(plan).await;
        for n in 0..requests {
            assert_eq!(app.get(&key, PATH).await.status, 404, "{plan} {n}");
        }
        assert_eq!(app.get(&key, PATH).await.status, 429, "{plan}");
        app.clock.advance_ms(999);
        assert_eq!(app.get(&key, PATH).await.status, 429, "{plan}");
        app.clock.advance_ms(1);
        assert_eq!(app.get(&key, PATH).await.status, 404, "{plan}");
    }
}

#[tokio::test]
async fn rule_1_window_is_rolling() {
    let (app, _, key) = set_up(Plan::Free).await;
    // 50 requests now and 50 seven minutes later: when the first 50 expire, only 50 are free.
    for n in 0..100 {
        assert_eq!(app.get(&key, PATH).await.status, 404, "{n}");
        app.clock.advance_ms(if n == 49 { 420_000 } else { 1000 });
    }
    assert_eq!(app.get(&key, PATH).await.status, 429);
    app.clock.advance_ms(901_000 - 420_000 - 50_000);
    let (count, _) = exhaust_quota(&app, &key, Plan::Free).await;
    assert!((49..=51).contains(&count), "{count}");
}

#[tokio::test]
async fn rule_1_keys_have_separate_windows() {
    let (app, account, key) = set_up(Plan::Free).await;
    let (_, refused) = exhaust_quota(&app, &key, Plan::Free).await;
    assert_eq!(refused.status, 429);
    let other = app.key(&account, Environment::Live).await;
    let test = app.key(&account, Environment::Test).await;
    assert_eq!(rate_limit_headers(&app.get(&other, PATH).await)[1], 99);
    assert_eq!(rate_limit_headers(&app.get(&test, PATH).await)[1], 99);
}

#[tokio::test]
async fn rule_1_dashboard_has_window_per_environment() {
    let (app, account, key) = set_up(Plan::Free).await;
    let (_, refused) = exhaust_quota(&app, &key, Plan::Free).await;
    assert_eq!(refused.status, 429);
    for environment in Environment::ALL {
        let account_id = account.clone();
        let (role, forms) = (contract::Role::Owner, contract::FormAccess::default());
        let principal = contract::account::Principal { account_id, role, forms, environment };
        let request = Request::get(PATH).extension(principal);
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(rate_limit_headers(&answer)[..2], [100, 99], "limit of the account's plan");
    }
}

#[tokio::test]
async fn rule_2_responses_have_rate_limit_headers() {
    let (app, account, key) = set_up(Plan::Enterprise).await;
    let form = app.form(&account, Environment::Live, &[]).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({}))]).await;
    let test_form = app.form(&account, Environment::Test, &[]).await;
    let list = format!("/v1/forms/{}/submissions", form.id);
    let revoked = app.key(&account, Environment::Live).await;
    app.store.revoke_key(&account, &revoked.record.id, at("2026-03-01")).await.unwrap();

    let mut remaining = 50_000;
    for (method, path, status) in [
        ("GET", list.clone(), 200),
        ("HEAD", list.clone(), 200),
        ("GET", format!("{list}/export"), 200),
        ("GET", format!("{list}/export?format=json"), 200),
        ("GET", format!("{list}?limit=0"), 400),
        ("GET", format!("{list}?search={}", "x".repeat(5000)), 400),
        ("GET", format!("/v1/forms/{}/submissions", test_form.id), 403),
        ("GET", PATH.to_owned(), 404),
        ("GET", "/nowhere".to_owned(), 404),
        ("POST", list.clone(), 405),
        ("OPTIONS", list.clone(), 405),
        ("DELETE", "/v1/submissions/sub_1".to_owned(), 204),
    ] {
        let answer = app.call(method.parse().unwrap(), &key, &path).await;
        remaining -= 1;
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(rate_limit_headers(&answer)[..2], [50_000, remaining], "{method} {path}");
    }
    assert_eq!(
        (
            app.get(&revoked, &list).await.status,
            rate_limit_headers(&app.get(&revoked, &list).await)[1]
        ),
        (403, 49_998)
    );
    let anonymous = app.send(Request::get(&list).body(Body::empty()).unwrap()).await;
    assert_eq!((anonymous.status, &rate_limit_headers(&anonymous)[..2]), (401, &[300, 299][..]));
    app.break_database();
    let broken = app.get(&key, PATH).await;
    assert_eq!((broken.status, rate_limit_headers(&broken)[1]), (500, remaining - 1));
}

#[tokio::test]
async fn rule_2_reset_is_time_of_full_quota() {
    let (app, _, key) = set_up(Plan::Free).await;
    app.get(&key, PATH).await;
    app.clock.advance_ms(5000);
    let noon = u64::try_from(at("2026-03-01T12:00:00Z").seconds()).unwrap();
    let reset = rate_limit_headers(&app.get(&key, PATH).await)[2];
    assert_eq!(reset, noon + 5 + 901, "a one-second slot expires 900 s after its end");
    app.clock.advance_ms(901_000);
    assert_eq!(rate_limit_headers(&app.get(&key, PATH).await)[1], 99);
}

#[tokio::test]
async fn rule_3_refusal_has_exact_retry_time() {
    let (app, _, key) = set_up(Plan::Free).await;
    let (_, refused) = exhaust_quota(&app, &key, Plan::Free).await;
    assert_eq!(refused.error(), (429, "rate_limit_exceeded".to_owned()));
    let body = refused.json();
    let retry_after = body["retry_after"].as_u64().unwrap();
    assert_eq!(refused.header("retry-after"), retry_after.to_string());
    let message = body["message"].as_str().unwrap();
    let time = message.split(' ').next_back().unwrap();
    let rounded = at(time).seconds();
    assert_eq!(rounded, at("2026-03-01T12:00:00Z").seconds() + 901, "{message}");

    app.clock.advance_ms(i64::try_from(retry_after - 1).unwrap() * 1000);
    assert_eq!(app.get(&key, PATH).await.status, 429, "one second before `retry_after`");
    app.clock.advance_ms(1000);
    assert_eq!(app.get(&key, PATH).await.status, 404);
}

#[tokio::test]
async fn rule_3_refused_requests_do_not_count() {
    let (app, _, key) = set_up(Plan::Free).await;
    for _ in 0..50 {
        app.get(&key, PATH).await;
    }
    app.clock.advance_ms(1000);
    assert_eq!(rate_limit_headers(&app.get(&key, PATH).await)[1], 97);
}

#[tokio::test]
async fn export_counts_as_one_request() {
    let (app, account, key) = set_up(Plan::Free).await;
    let form = app.form(&account, Environment::Live, &["name", "note"]).await;
    app.submit(&form, crate::app::hostile(&form, 1000)).await;
    let path = format!("/v1/forms/{}/submissions/export", form.id);
    assert_eq!(rate_limit_headers(&app.get(&key, &path).await)[1], 99);
    assert_eq!(rate_limit_headers(&app.get(&key, PATH).await)[1], 98);
}
