//! What is answered without being routed: the same as by the router, and as soon as anything
//! changes, the change.

use crate::app::{Answer, App, Key, hostile, read, submission};
use axum::body::Body;
use contract::{Environment, Form, Plan};
use http::{Method, Request};
use serde_json::json;
use tower::ServiceExt;

fn request(method: &Method, key: Option<&str>, path: &str) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    let request = match key {
        Some(key) => request.header("x-api-key", key),
        None => request,
    };
    request.body(Body::empty()).unwrap()
}

async fn at_once(app: &App, key: &Key, path: &str) -> Option<Answer> {
    let request = request(&Method::GET, Some(&key.secret), path);
    match service::at_once(&app.service, &request, || None) {
        Some(response) => Some(read(response).await),
        None => None,
    }
}

async fn routed(app: &App, request: Request<Body>) -> Answer {
    read(app.public.clone().oneshot(request).await.unwrap()).await
}

/// An app with a form of one submission, and a key to it.
async fn world(plan: Plan) -> (App, Form, Key) {
    let app = App::start().await;
    let account = app.account(plan).await;
    let form = app.form(&account, Environment::Live, &["name"]).await;
    app.submit(&form, vec![submission(&form, "a", "2026-02-01", json!({"name": "Ada"}))]).await;
    let key = app.key(&account, Environment::Live).await;
    (app, form, key)
}

/// What both ways must agree on. Each counts its request, and the router tells the length, which
/// the socket does for the other.
fn told(answer: &Answer) -> (u16, u32, Vec<(String, String)>, String) {
    let remaining = answer.header("x-ratelimit-remaining").parse().unwrap();
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .filter(|(name, _)| name != "content-length" && name != "x-ratelimit-remaining")
        .collect();
    headers.sort();
    (answer.status, remaining, headers, answer.body.clone())
}

#[tokio::test]
async fn both_ways_answer_alike() {
    let (app, _, own) = world(Plan::Enterprise).await;
    let other_account = app.account(Plan::Enterprise).await;
    let other_form = app.form(&other_account, Environment::Live, &["name", "note"]).await;
    let rows = hostile(&other_form, 40);
    let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    app.submit(&other_form, rows).await;
    let other = app.key(&other_account, Environment::Live).await;
    let test = app.key(&other_account, Environment::Test).await;
    let revoked = app.key(&other_account, Environment::Live).await;
    let now = revoked.record.created_at;
    app.store.revoke_key(&other_account, &revoked.record.id, now).await.unwrap();
    let ids = ids.iter().map(String::as_str).chain(["sub_a", "sub_none"]);
    let mut statuses = Vec::new();
    for id in ids {
        let path = format!("/v1/submissions/{id}");
        for key in [&own, &other, &test, &revoked] {
            let at_once = told(&at_once(&app, key, &path).await.unwrap());
            let routed = request(&Method::GET, Some(&key.secret), &path);
            let routed = told(&self::routed(&app, routed).await);
            assert_eq!(at_once.1, routed.1 + 1, "{path}: each is counted once, together");
            assert_eq!((at_once.0, &at_once.2, &at_once.3), (routed.0, &routed.2, &routed.3));
            statuses.push(at_once.0);
            app.clock.advance_ms(100);
        }
    }
    statuses.sort_unstable();
    statuses.dedup();
    assert_eq!(statuses, [200, 403, 404]);
}

#[tokio::test]
async fn what_is_no_get_of_one_submission_by_a_known_key_is_routed_uncounted() {
    let (app, form, key) = world(Plan::Pro).await;
    let (own, unknown) = (key.secret.as_str(), service::secret::mint(Environment::Live));
    let list = format!("/v1/forms/{}/submissions", form.id);
    for (method, key, path) in [
        (Method::GET, Some(own), list.as_str()),
        (Method::GET, Some(own), "/v1/submissions/sub_a?x=1"),
        (Method::GET, Some(own), "/v1/submissions/sub_a/"),
        (Method::GET, Some(own), "/v1/submissions/frm_a"),
        (Method::GET, Some(own), "/v1/submissions/"),
        (Method::HEAD, Some(own), "/v1/submissions/sub_a"),
        (Method::DELETE, Some(own), "/v1/submissions/sub_a"),
        (Method::GET, Some(unknown.expose()), "/v1/submissions/sub_a"),
        (Method::GET, Some("svc_sk_live_guess"), "/v1/submissions/sub_a"),
        (Method::GET, None, "/v1/submissions/sub_a"),
    ] {
        let request = request(&method, key, path);
        assert!(service::at_once(&app.service, &request, || None).is_none(), "{method} {path}");
    }
    let first = at_once(&app, &key, "/v1/submissions/sub_a").await.unwrap();
    assert_eq!(first.header("x-ratelimit-remaining"), "499");
}

#[tokio::test]
async fn a_deletion_and_a_revocation_are_seen_at_once() {
    let (app, form, key) = world(Plan::Enterprise).await;
    let path = "/v1/submissions/sub_a";
    let status = async || at_once(&app, &key, path).await.unwrap().status;
    assert_eq!((status().await, status().await), (200, 200));
    app.store.delete_submission(&"sub_a".parse().unwrap()).await.unwrap();
    assert_eq!(status().await, 404);
    app.submit(&form, vec![submission(&form, "a", "2026-02-02", json!({"name": "Bo"}))]).await;
    let again = at_once(&app, &key, path).await.unwrap();
    assert!(again.status == 200 && again.body.contains("Bo"), "{}", again.body);
    // By another process, for all that this one knows.
    app.sql("UPDATE keys SET revoked_at = 1");
    assert_eq!(status().await, 403);
}

#[tokio::test]
async fn both_ways_count_in_one_window() {
    let (app, _, key) = world(Plan::Free).await;
    let path = "/v1/submissions/sub_a";
    assert_eq!(at_once(&app, &key, path).await.unwrap().status, 200);
    let second = routed(&app, request(&Method::GET, Some(&key.secret), path)).await;
    assert_eq!((second.status, second.header("x-ratelimit-remaining")), (200, "98"));
    let third = at_once(&app, &key, path).await.unwrap();
    assert_eq!(third.error(), (429, "rate_limit_exceeded".to_owned()));
    assert_eq!((third.header("retry-after"), third.header("x-ratelimit-remaining")), ("1", "98"));
}
