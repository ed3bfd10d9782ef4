//! `OpenAPI` document: its snapshot, its page, and its agreement with the router.

use crate::app::{App, read};
use axum::body::Body;
use contract::{Environment, Plan};
use http::{Method, Request};
use serde_json::Value;
use tower::ServiceExt;

const SNAPSHOT: &str = include_str!("../../../../docs/openapi.json");
const OUT_OF_DATE: &str = "docs/openapi.json is out of date; run `cargo run -p sheaf -- openapi > \
    docs/openapi.json`";

/// Returns the method and path of every operation.
fn operations(document: &Value) -> Vec<(Method, String)> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            found.push((method.to_uppercase().parse().unwrap(), path.clone()));
        }
    }
    found
}

#[test]
fn document_matches_snapshot() {
    assert!(SNAPSHOT == format!("{:#}\n", api::openapi_document()), "{OUT_OF_DATE}");
}

#[tokio::test]
async fn document_and_page_are_public_and_cacheable() {
    let app = App::start().await;
    let answer = app.send(Request::get("/openapi.json").body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("x-ratelimit-limit"), "300");
    assert_eq!(answer.header("x-ratelimit-remaining"), "299");
    assert_eq!(answer.json(), serde_json::from_str::<Value>(SNAPSHOT).unwrap());
    for path in ["/openapi.json", "/docs"] {
        let first = app.send(Request::get(path).body(Body::empty()).unwrap()).await;
        let etag = first.header("etag").to_owned();
        assert!(etag.len() > 20 && first.header("cache-control") == "no-cache");
        let again = Request::get(path).header("if-none-match", format!("\"x\", W/{etag}"));
        let again = app.send(again.body(Body::empty()).unwrap()).await;
        assert_eq!((again.status, again.body.as_str()), (304, ""));
        assert_eq!(again.header("etag"), etag);
    }
    let page = app.send(Request::get("/docs").body(Body::empty()).unwrap()).await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(page.body.starts_with("<!doctype html>") && page.body.ends_with("</html>"));
}

#[tokio::test]
async fn document_routes_are_rate_limited() {
    let app = App::start().await;
    let send = async |method: &str, path: &str| {
        app.send(Request::builder().method(method).uri(path).body(Body::empty()).unwrap()).await
    };
    assert_eq!(send("POST", "/docs").await.error(), (405, "method_not_allowed".to_owned()));
    for _ in 0..9 {
        assert_eq!(send("GET", "/docs").await.status, 200);
    }
    let refused = send("GET", "/openapi.json").await;
    assert_eq!(refused.error(), (429, "rate_limit_exceeded".to_owned()));
    assert!(refused.json()["retry_after"].is_u64() && !refused.header("retry-after").is_empty());
    // A path below `/docs` is unknown and requires a key, like any other.
    assert_eq!(send("GET", "/docs/x").await.status, 429);
}

/// Returns whether only the gateway serves a path.
fn is_gateway_path(path: &str) -> bool {
    let first = path.split('/').nth(1).unwrap();
    ["session", "sessions", "password", "people"].contains(&first) || path == "/account/email"
}

#[tokio::test]
async fn routed_methods_match_document() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    let all_operations = operations(&api::openapi_document());
    let methods = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::TRACE,
    ];
    for (_, path) in all_operations.iter().filter(|(_, path)| !is_gateway_path(path)) {
        let documented: Vec<_> =
            all_operations.iter().filter(|it| it.1 == *path).map(|it| it.0.clone()).collect();
        for method in &methods {
            let plain_path = path.replace(['{', '}'], "");
            let request = Request::builder()
                .method(method)
                .uri(plain_path)
                .header("x-api-key", &key.secret)
                .extension(account.clone())
                .extension(contract::Role::Owner)
                .extension(contract::FormAccess::default())
                .body(Body::empty())
                .unwrap();
            app.clock.advance_ms(1000);
            let router = match path.split('/').nth(1) {
                Some("account") => app.account.clone(),
                Some("f") => api::intake_router(app.service.clone()),
                Some("n") => api::notification_links_router(app.service.clone()),
                _ => app.public.clone(),
            };
            let answer = read(router.oneshot(request).await.unwrap()).await;
            if documented.contains(method) {
                let is_there =
                    answer.status != 405 && !answer.body.contains("nothing at this path");
                assert!(is_there, "{method} {path} is described, but not routed");
            } else {
                assert_eq!(answer.status, 405, "{method} {path} is routed, but not described");
                let allow = answer.header("allow");
                for method in &documented {
                    assert!(allow.contains(method.as_str()), "{path}: {allow}");
                }
            }
        }
    }
}

#[test]
fn document_is_complete_and_consistent() {
    let document = api::openapi_document();
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(document.pointer(reference).is_some(), "{reference} does not exist");
    }
    let mut ids = Vec::new();
    for (method, path) in operations(&document) {
        let operation = &document["paths"][&path][method.as_str().to_lowercase()];
        ids.push(operation["operationId"].as_str().unwrap().to_owned());
        let tag = &operation["tags"][0];
        assert!(document["tags"].as_array().unwrap().iter().any(|it| it["name"] == *tag));
        // Operations that the specification does not have are marked.
        let is_specified = path.starts_with("/v1/") && path.contains("/submissions");
        assert_eq!(tag.as_str().unwrap().contains("additive"), !is_specified, "{path}");
        let in_template = path.matches('{').count();
        let empty = Vec::new();
        let parameters = operation["parameters"].as_array().unwrap_or(&empty);
        assert_eq!(
            parameters.iter().filter(|it| it["in"] == "path").count(),
            in_template,
            "{path}"
        );
        if is_specified {
            assert_eq!(operation["security"], serde_json::json!([{"ApiKey": []}]));
            for status in ["400", "401", "403", "404", "429", "500"] {
                assert!(operation["responses"][status].is_object(), "{path}: {status}");
            }
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "operation ids are not unique");
}
