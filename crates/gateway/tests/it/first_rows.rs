//! Tests of pages with first rows: recipients, content, and responses that are late, refused or
//! full of markup.

use std::convert::Infallible;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse as _;
use axum::routing::get;
use bytes::Bytes;
use contract::Environment;
use gateway::Assets;
use http::header::{CONTENT_TYPE, COOKIE};
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::{Service, ServiceExt as _};

use crate::app::{ReceivedResponse, TestApp};
use crate::memory::{READER, StaticKeys};

const PAGE: &str = "<!doctype html><html lang=en><title>T</title><body>\
    <div class=\"shell first\"><div class=top-bar></div><div class=side-bar></div>\
    <div class=main><div class=page>SHAPES</div></div></div></body></html>";
const LIST: &str = "/live/forms/frm_1";
const ROWS: &str = "/api/live/v1/forms/frm_1/submissions?limit=100";
/// Request headers of a browser navigation.
const NAVIGATION_HEADERS: [(&str, &str); 3] =
    [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"), ("sec-fetch-site", "none")];

fn forms_json() -> Value {
    let field = json!({ "id": "fld_1", "key": "name", "name": "Name", "type": "text" });
    let form = |id: &str, mode: &str| {
        json!({
            "id": id, "name": format!("Form {id}"), "mode": mode, "analysis": true,
            "fields": [field], "created_at": "2026-03-01T00:00:00Z", "submission_count": 2,
            "last_submission_at": null,
        })
    };
    json!({ "data": [form("frm_t", "test"), form("frm_1", "live")] })
}

fn list_json(name: &str) -> Value {
    let row = json!({
        "id": "sub_1", "form_id": "frm_1", "answers": { "name": name },
        "metadata": { "submitted_at": "2026-03-01T00:00:00Z" },
    });
    let pagination = json!({ "total": 1, "limit": 100, "has_more": false, "next_cursor": null });
    json!({ "data": [row], "pagination": pagination })
}

fn json_response(status: u16, body: &Value) -> Response<Body> {
    let headers = [(CONTENT_TYPE, "application/json")];
    let mut response = (headers, Body::from(body.to_string())).into_response();
    *response.status_mut() = status.try_into().unwrap();
    response.headers_mut().insert("x-ratelimit-limit", "100".parse().unwrap());
    response
}

fn app_with_upstream<U>(upstream: U, managed: bool) -> TestApp
where
    U: Service<Request<Body>, Response = Response<Body>> + Clone + Send + Sync + 'static,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    U::Future: Send,
{
    let account = Router::new().route("/account/forms", get(async || axum::Json(forms_json())));
    app_with_account_api(upstream, managed.then_some(account))
}

fn app_with_account_api<U>(upstream: U, account: Option<Router>) -> TestApp
where
    U: Service<Request<Body>, Response = Response<Body>> + Clone + Send + Sync + 'static,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    U::Future: Send,
{
    let page =
        |name: &str, text: &'static str| (name.to_owned(), Bytes::from_static(text.as_bytes()));
    let assets = Assets::new([page("index.html", PAGE), page("index.html.br", "br")]);
    TestApp::with_parts(
        assets,
        upstream,
        false,
        StaticKeys::credentials_for(Environment::ALL.to_vec()),
        account,
    )
}

/// Returns an app with a fixed upstream response, and the number of upstream requests.
fn app_with_response(status: u16, body: Value, managed: bool) -> (TestApp, Arc<AtomicUsize>) {
    let requests = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&requests);
    let upstream = tower::service_fn(move |request: Request<Body>| {
        assert_eq!(request.uri(), "/v1/forms/frm_1/submissions?limit=100");
        count.fetch_add(1, Ordering::SeqCst);
        std::future::ready(Ok::<_, Infallible>(json_response(status, &body)))
    });
    (app_with_upstream(upstream, managed), requests)
}

async fn navigate(
    app: &TestApp,
    path: &str,
    cookie: &str,
    more: &[(&str, &str)],
) -> ReceivedResponse {
    app.send(navigation_request(Method::GET, path, cookie, more)).await
}

fn navigation_request(
    method: Method,
    path: &str,
    cookie: &str,
    more: &[(&str, &str)],
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path).header(COOKIE, cookie);
    for (name, value) in NAVIGATION_HEADERS.iter().chain(more) {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    // `more` replaces headers of the same name.
    for (name, value) in more {
        request.headers_mut().insert(
            http::HeaderName::try_from(*name).unwrap(),
            http::HeaderValue::from_str(value).unwrap(),
        );
    }
    request
}

/// Returns the responses embedded in a page, with their addresses.
fn embedded_responses(page: &str) -> Vec<(String, Value)> {
    let blocks = page.split("<script type=\"application/json\" data-url=\"").skip(1);
    let one = |block: &str| {
        let (url, rest) = block.split_once('"').unwrap();
        let json = rest.split_once('>').unwrap().1.split_once("</script>").unwrap().0;
        (url.to_owned(), serde_json::from_str(json).unwrap())
    };
    blocks.map(one).collect()
}

fn body_text(answer: &ReceivedResponse) -> &str {
    std::str::from_utf8(&answer.body).unwrap()
}

/// Asserts that the response is the cacheable page without data of any user.
#[track_caller]
fn assert_plain_page(answer: &ReceivedResponse, why: &str) {
    assert_eq!((answer.status.as_u16(), body_text(answer)), (200, PAGE), "{why}");
    assert_eq!(answer.header("cache-control"), "no-cache", "{why}");
    assert!(answer.headers.contains_key("etag"), "{why}");
}

#[tokio::test]
async fn list_navigation_gets_rows_and_responses() {
    for path in [LIST, "/", "/live/forms"] {
        let (app, requests) = app_with_response(200, list_json("Ann"), true);
        let cookie = app.sign_in().await;
        let answer = navigate(&app, path, &cookie, &[]).await;
        let page = body_text(&answer);
        assert!(page.starts_with("<!doctype html><html data-lang=\"en\" lang=en>"), "{page}");
        let (before, after) = page.split_once("<div class=page>SHAPES</div>").unwrap();
        assert!(before.contains("data-key=\"sub_1\"") && before.contains(">Ann</div>"), "{page}");
        assert!(before.contains("<div class=\"page-title\">Form frm_1</div>"), "{page}");
        assert!(after.ends_with("</script></body></html>"), "{page}");
        let blocks = embedded_responses(page);
        let urls: Vec<_> = blocks.iter().map(|(url, _)| url.as_str()).collect();
        assert_eq!(urls, ["/session", "/account/forms", ROWS]);
        let session = app.call(Method::GET, "/session", &cookie).await;
        assert_eq!(blocks[0].1, serde_json::from_slice::<Value>(&session.body).unwrap());
        assert_eq!((&blocks[1].1, &blocks[2].1), (&forms_json(), &list_json("Ann")));
        assert!(page.contains("{&quot;x-ratelimit-limit&quot;:&quot;100&quot;}"), "{page}");
        assert_eq!(requests.load(Ordering::SeqCst), 1, "it counts as one request");
    }
}

#[tokio::test]
async fn all_pages_of_forms_are_embedded() {
    let pages = async |uri: http::Uri| {
        let (form, next) = match uri.query() {
            None => (0, json!("c-1")),
            Some("cursor=c-1") => (1, Value::Null),
            other => panic!("{other:?}"),
        };
        let pagination =
            json!({ "total": 2, "limit": 1, "has_more": next != Value::Null, "next_cursor": next });
        axum::Json(json!({ "data": [forms_json()["data"][form]], "pagination": pagination }))
    };
    let account = Router::new().route("/account/forms", get(pages));
    let upstream = tower::service_fn(|_: Request<Body>| {
        std::future::ready(Ok::<_, Infallible>(json_response(200, &list_json("Ann"))))
    });
    let app = app_with_account_api(upstream, Some(account));
    let cookie = app.sign_in().await;
    let answer = navigate(&app, LIST, &cookie, &[]).await;
    let page = body_text(&answer);
    let urls: Vec<_> = embedded_responses(page).into_iter().map(|(url, _)| url).collect();
    assert_eq!(urls, ["/session", "/account/forms", "/account/forms?cursor=c-1", ROWS]);
    assert!(page.contains("<div class=\"page-title\">Form frm_1</div>"), "{page}");
}

#[tokio::test]
async fn page_with_rows_is_not_cacheable() {
    let (app, _) = app_with_response(200, list_json("Ann"), true);
    let cookie = app.sign_in().await;
    let plain = navigate(&app, LIST, "", &[]).await;
    let answer = navigate(&app, LIST, &cookie, &[("if-none-match", plain.header("etag"))]).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, "no-store"));
    assert!(!answer.headers.contains_key("etag"));
    for name in ["cookie", "accept-encoding", "accept-language", "sec-fetch-mode"] {
        assert!(answer.header("vary").contains(name), "{name}");
    }
    let policy = "content-security-policy";
    assert_eq!(answer.header(policy), plain.header(policy));
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
}

#[tokio::test]
async fn other_requests_get_plain_page() {
    let (app, requests) = app_with_response(200, list_json("Ann"), true);
    let cookie = app.sign_in().await;
    assert_plain_page(&navigate(&app, LIST, "", &[]).await, "no session cookie");
    assert_plain_page(
        &navigate(&app, LIST, "sheaf=nonsense", &[]).await,
        "an invalid session cookie",
    );
    assert_plain_page(&navigate(&app, &format!("{LIST}?search=x"), &cookie, &[]).await, "a filter");
    assert_plain_page(&navigate(&app, "/settings/keys", &cookie, &[]).await, "not a list");
    for (name, value) in [
        ("sec-fetch-mode", "cors"),
        ("sec-fetch-dest", "iframe"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-purpose", "prefetch"),
    ] {
        assert_plain_page(&navigate(&app, LIST, &cookie, &[(name, value)]).await, value);
    }
    let bare = Request::builder().uri(LIST).header(COOKIE, &cookie).body(Body::empty()).unwrap();
    assert_plain_page(&app.send(bare).await, "no `sec-fetch` headers");
    let head = app.send(navigation_request(Method::HEAD, LIST, &cookie, &[])).await;
    assert_eq!((head.body.len(), head.header("cache-control")), (0, "no-cache"));
    app.clock.advance(gateway::IDLE_S);
    assert_plain_page(&navigate(&app, LIST, &cookie, &[]).await, "the session has expired");
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn failing_store_gives_plain_page() {
    let (app, _) = app_with_response(200, list_json("Ann"), true);
    let cookie = app.sign_in().await;
    *app.store.broken.lock().unwrap() = true;
    assert_plain_page(&navigate(&app, LIST, &cookie, &[]).await, "the store is broken");
}

#[tokio::test]
async fn rows_of_foreign_forms_are_left_out() {
    let (app, requests) = app_with_response(200, list_json("Ann"), true);
    let cookie = app.sign_in().await;
    // A form of another account, and a form of this account under the other environment.
    for path in ["/live/forms/frm_other", "/test/forms/frm_1"] {
        let answer = navigate(&app, path, &cookie, &[]).await;
        let page = body_text(&answer);
        assert!(page.contains("SHAPES") && !page.contains("data-key"), "{path}: {page}");
        assert_eq!(embedded_responses(page).len(), 2, "{path}: only session and forms");
    }
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn rows_of_other_forms_are_left_out_for_limited_member() {
    let (app, requests) = app_with_response(200, list_json("Ada"), false);
    let (owner, cookie) = (app.sign_in().await, app.sign_in_as(READER).await);
    for (forms, count) in [(r#"["frm_2"]"#, 0), (r#"["frm_1"]"#, 1)] {
        let change = format!(r#"{{"forms":{forms}}}"#);
        let path = format!("/people/{READER}");
        assert_eq!(app.send_body(Method::PATCH, &path, &owner, &change).await.status, 204);
        let page = navigate(&app, LIST, &cookie, &[]).await;
        assert_eq!(body_text(&page).contains("sub_1"), count == 1, "{forms}");
        assert_eq!(requests.load(Ordering::SeqCst), count, "{forms}");
    }
}

#[tokio::test]
async fn submitted_markup_is_not_executable() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=\"alert(1)\"><!--";
    let (app, _) = app_with_response(200, list_json(evil), true);
    let cookie = app.sign_in().await;
    let answer = navigate(&app, LIST, &cookie, &[]).await;
    let page = body_text(&answer);
    assert!(
        !page.contains("<img") && !page.contains("<script>") && !page.contains("<!--"),
        "{page}"
    );
    assert_eq!(page.matches("<script").count(), 3, "only data blocks: {page}");
    assert_eq!(
        embedded_responses(page)[2].1,
        list_json(evil),
        "the dashboard reads the original text"
    );
    assert!(page.contains("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"), "{page}");
}

#[tokio::test]
async fn refused_responses_are_left_out() {
    let refused = json!({ "error": "rate_limited", "message": "m", "retry_after": 3 });
    for (status, body) in [(429, refused.clone()), (404, refused), (200, json!({ "data": "odd" }))]
    {
        let (app, _) = app_with_response(status, body, true);
        let cookie = app.sign_in().await;
        let answer = navigate(&app, LIST, &cookie, &[]).await;
        let page = body_text(&answer);
        assert!(page.contains("SHAPES") && !page.contains("data-drawn"), "{status}: {page}");
        let expected = if status == 200 { 3 } else { 2 };
        assert_eq!(embedded_responses(page).len(), expected, "{status}");
    }
}

#[tokio::test]
async fn page_head_does_not_wait_for_upstream() {
    let upstream = tower::service_fn(|_: Request<Body>| async {
        std::future::pending::<()>().await;
        Ok::<_, Infallible>(Response::new(Body::empty()))
    });
    let app = app_with_upstream(upstream, true);
    let cookie = app.sign_in().await;
    let request = navigation_request(Method::GET, LIST, &cookie, &[]);
    let mut body = app.router.clone().oneshot(request).await.unwrap().into_body();
    let head = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(head.ends_with(b"<div class=top-bar>"), "{head:?}");
    // Paused time advances as soon as all tasks are idle, so the timeout for the upstream fires
    // immediately.
    tokio::time::pause();
    let rest = body.collect().await.unwrap().to_bytes();
    let rest = std::str::from_utf8(&rest).unwrap();
    assert!(rest.contains("<div class=main><div class=page>SHAPES"), "{rest}");
    assert_eq!(embedded_responses(rest).len(), 2, "{rest}");
}

#[tokio::test]
async fn fields_come_from_answers_without_form_list() {
    let (app, requests) = app_with_response(200, list_json("Ann"), false);
    let cookie = app.sign_in().await;
    let answer = navigate(&app, LIST, &cookie, &[]).await;
    let page = body_text(&answer);
    assert!(page.contains("<span>name</span>") && page.contains(">Ann</div>"), "{page}");
    let urls: Vec<_> = embedded_responses(page).into_iter().map(|(url, _)| url).collect();
    assert_eq!(urls, ["/session", ROWS]);
    let start = navigate(&app, "/", &cookie, &[]).await;
    assert_eq!(embedded_responses(body_text(&start)).len(), 1, "the first form is unknown");
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn rows_use_browser_language() {
    let (app, _) = app_with_response(200, list_json("Ann"), true);
    let cookie = app.sign_in().await;
    let answer =
        navigate(&app, LIST, &cookie, &[("accept-language", "de-AT,de;q=0.9,en;q=0.8")]).await;
    let page = body_text(&answer);
    assert!(
        page.contains("data-lang=\"de\"") && page.contains("<span>Eingegangen</span>"),
        "{page}"
    );
}

#[tokio::test]
async fn page_is_compressed_as_accepted() {
    let (app, _) = app_with_response(200, list_json("Ann"), true);
    let cookie = app.sign_in().await;
    let whole = navigate(&app, LIST, &cookie, &[]).await;
    let brotli = navigate(&app, LIST, &cookie, &[("accept-encoding", "gzip, br")]).await;
    assert_eq!(brotli.header("content-encoding"), "br");
    let mut unpacked = Vec::new();
    brotli::Decompressor::new(&brotli.body[..], 4096).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, whole.body);
    let gzip = navigate(&app, LIST, &cookie, &[("accept-encoding", "gzip")]).await;
    assert_eq!(gzip.header("content-encoding"), "gzip");
    unpacked.clear();
    flate2::read::GzDecoder::new(&gzip.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, whole.body);
    assert!(!whole.headers.contains_key("content-encoding"));
}

#[tokio::test]
async fn navigation_updates_last_use() {
    let (app, _) = app_with_response(200, list_json("Ann"), true);
    let cookie = app.sign_in().await;
    for (passed_s, touches) in [(1, 0), (gateway::TOUCH_S, 1), (1, 1)] {
        app.clock.advance(passed_s);
        navigate(&app, LIST, &cookie, &[]).await;
        assert_eq!(*app.store.touches.lock().unwrap(), touches);
    }
}
