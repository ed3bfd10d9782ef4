//! Tests of forwarding to an upstream in the same process: requests and responses.

use std::io::Read as _;
use std::sync::Arc;

use axum::body::Body;
use axum::response::IntoResponse;
use contract::account::Principal;
use contract::{Environment, FormAccess, Role};
use gateway::Credentials;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use proptest::prelude::*;
use tower::ServiceExt;

use crate::app::{ReceivedResponse, SUBMISSION, Seen, TestApp, dashboard_request};
use crate::memory::{LIVE_KEY, OWNER, READER, TEST_KEY};

/// Sends a request with these headers and returns the headers that the upstream received.
async fn headers_seen(app: &TestApp, path: &str, headers: &[(&str, &str)]) -> Vec<String> {
    let cookie = app.sign_in().await;
    let mut request = dashboard_request(Method::GET, path, &cookie);
    for (name, value) in headers {
        let name: http::HeaderName = name.parse().unwrap();
        request.headers_mut().append(name, value.parse().unwrap());
    }
    assert_eq!(app.send(request).await.status, 200);
    let seen = app.seen.lock().unwrap().pop().unwrap();
    let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
    seen.headers().iter().map(|(name, value)| format!("{name}: {}", text(value))).collect()
}

#[tokio::test]
async fn upstream_receives_only_gateway_headers() {
    let app = TestApp::new();
    let headers = [
        ("X-API-Key", "svc_sk_live_theirs"),
        ("x-api-key", "again"),
        ("X-Api-KEY", "and again"),
        ("X_API_KEY", "with bars"),
        ("authorization", "Bearer theirs"),
        ("te", "trailers"),
        ("connection", "x-api-key, accept, close"),
        ("upgrade", "websocket"),
        ("forwarded", "for=1.2.3.4"),
        ("x-forwarded-for", "1.2.3.4"),
        ("x-forwarded-host", "evil"),
        ("x-original-url", "/admin"),
        ("x-http-method-override", "DELETE"),
        ("accept", "text/evil"),
        ("content-type", "application/json"),
        ("content-length", "3"),
        ("range", "bytes=0-1"),
        ("host", "evil.test"),
        ("proxy-authorization", "x"),
        ("x-anything", "at all"),
    ];
    for (path, key) in [(SUBMISSION, LIVE_KEY), ("/api/test/v1/submissions/sub_1", TEST_KEY)] {
        let seen = headers_seen(&app, path, &headers).await;
        assert_eq!(seen, ["accept: application/json, text/csv", &format!("x-api-key: {key}")]);
    }
}

#[tokio::test]
async fn in_process_upstream_gets_principal_without_key() {
    let seen = Seen::default();
    let record = Arc::clone(&seen);
    let upstream = tower::service_fn(move |request: Request<Body>| {
        record.lock().unwrap().push(request.map(|_| ()));
        let json = [(http::header::CONTENT_TYPE, "application/json")];
        std::future::ready(Ok::<_, std::convert::Infallible>((json, "{}").into_response()))
    });
    let assets = gateway::Assets::new([]);
    let app = TestApp::with_parts(assets, upstream, false, Credentials::Principal, None);
    for (person, role) in [(OWNER, Role::Owner), (READER, Role::Reader)] {
        let cookie = app.sign_in_as(person).await;
        for environment in Environment::ALL {
            let path = format!("/api/{environment}/v1/submissions/sub_1");
            let mut request = dashboard_request(Method::GET, &path, &cookie);
            request.headers_mut().insert("x-api-key", "svc_sk_live_theirs".parse().unwrap());
            assert_eq!(app.send(request).await.status, 200);
            let seen = seen.lock().unwrap().pop().unwrap();
            let names: Vec<_> = seen.headers().keys().map(http::HeaderName::as_str).collect();
            assert_eq!(names, ["accept"]);
            let account_id = "acc_ada".parse().unwrap();
            let forms = FormAccess::default();
            let principal = Principal { account_id, role, forms, environment };
            assert_eq!(seen.extensions().get::<Principal>(), Some(&principal));
        }
    }
}

#[tokio::test]
async fn query_is_forwarded_unchanged() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    for query in ["?limit=20&search=a%20b%26c", "?", "?x=%2e%2e/&unknown=1", "?a=//evil.test/@b"] {
        let path = format!("/api/live/v1/forms/frm_1/submissions{query}");
        app.call(Method::GET, &path, &cookie).await;
        let seen = app.seen.lock().unwrap().pop().unwrap();
        assert_eq!(seen.uri().to_string(), format!("/v1/forms/frm_1/submissions{query}"));
    }
    let long = format!("{SUBMISSION}?{}", "x".repeat(5000));
    app.call(Method::GET, &long, &cookie).await.assert_error(400, "validation_error");
    assert!(app.seen.lock().unwrap().is_empty());
}

/// The upstream may be an axum router like the gateway's own. It must see its own path parameters,
/// not the gateway's, and no body of the client.
#[tokio::test]
async fn axum_router_can_be_upstream() {
    use axum::extract::Path;
    let upstream = axum::Router::new().route(
        "/v1/submissions/{id}",
        axum::routing::delete(async |Path(id): Path<String>, body: String| {
            ([("content-type", "application/json")], format!("{id}|{body}"))
        }),
    );
    let app = TestApp::with_upstream(upstream, false, contract::Environment::ALL.to_vec(), true);
    let cookie = app.sign_in().await;
    let mut request = dashboard_request(Method::DELETE, SUBMISSION, &cookie);
    *request.body_mut() = Body::from("smuggled");
    let answer = app.send(request).await;
    assert_eq!((answer.status.as_u16(), &*answer.body), (200, b"sub_1|".as_slice()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// For any path and query, the upstream receives a path of the table with plain ids, or
    /// nothing.
    #[test]
    fn forwarded_path_is_in_table(
        path in concat!(
            r"/api/live(/v1/submissions/|/v1/forms/|//|/\.\./)",
            r"(sub_|frm_)[A-Za-z0-9%./\\_-]{1,12}(/submissions(/export)?)?",
        ),
        query in r"(\?[!-~&&[^#]]{0,20})?",
    ) {
        let Ok(uri) = format!("{path}{query}").parse::<http::Uri>() else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let app = TestApp::new();
            let cookie = app.sign_in().await;
            let answer = app.call(Method::GET, &uri.to_string(), &cookie).await;
            let seen = app.seen.lock().unwrap().pop();
            prop_assert_eq!(seen.is_some(), answer.status == StatusCode::OK);
            let Some(seen) = seen else { return Ok(()) };
            prop_assert_eq!(seen.uri().host(), None);
            prop_assert_eq!(format!("/api/live{}", seen.uri().path()), uri.path());
            prop_assert_eq!(seen.uri().query(), uri.query());
            let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_');
            prop_assert!(seen.uri().path().bytes().all(plain));
            Ok(())
        })?;
    }
}

async fn relay_response(
    response: impl Fn() -> Response<Body> + Clone + Send + Sync + 'static,
) -> ReceivedResponse {
    let app = TestApp::with_responses(move |_| response());
    let cookie = app.sign_in().await;
    app.call(Method::GET, SUBMISSION, &cookie).await
}

#[tokio::test]
async fn only_allowed_headers_are_returned() {
    let answer = relay_response(|| {
        [
            ("content-type", "text/csv; charset=utf-8"),
            ("content-disposition", "attachment; filename=\"frm_1.csv\""),
            ("x-ratelimit-limit", "500"),
            ("x-ratelimit-remaining", "499"),
            ("x-ratelimit-reset", "1800000900"),
            ("set-cookie", "sheaf=theirs"),
            ("server", "foreign/1.0"),
            ("x-powered-by", "foreign"),
            ("access-control-allow-origin", "*"),
            ("access-control-allow-credentials", "true"),
            ("clear-site-data", "\"*\""),
            ("refresh", "0; url=https://evil.test"),
            ("link", "</evil.js>; rel=preload"),
            ("location", "https://evil.test"),
            ("cache-control", "public, max-age=999"),
            ("content-security-policy", "default-src *"),
        ]
        .into_response()
    })
    .await;
    let mut names: Vec<_> = answer.headers.keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "cache-control",
            "content-disposition",
            "content-length",
            "content-security-policy",
            "content-type",
            "cross-origin-embedder-policy",
            "cross-origin-opener-policy",
            "cross-origin-resource-policy",
            "permissions-policy",
            "referrer-policy",
            "x-content-type-options",
            "x-frame-options",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "x-xss-protection",
        ]
    );
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(
        answer.header("content-security-policy"),
        "default-src 'none'; frame-ancestors 'none'"
    );
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(answer.header("x-ratelimit-remaining"), "499");
}

#[tokio::test]
async fn upstream_429_is_returned_unchanged() {
    let body = r#"{"error":"rate_limit_exceeded","message":"wait","retry_after":7}"#;
    let answer = relay_response(move || {
        let headers = [
            ("content-type", "application/json"),
            ("retry-after", "7"),
            ("x-ratelimit-limit", "100"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1800000007"),
        ];
        (StatusCode::TOO_MANY_REQUESTS, headers, body).into_response()
    })
    .await;
    assert_eq!((answer.status.as_u16(), &*answer.body), (429, body.as_bytes()));
    assert_eq!(answer.header("retry-after"), "7");
    assert_eq!(answer.header("x-ratelimit-reset"), "1800000007");
}

#[tokio::test]
async fn specified_errors_are_returned_unchanged() {
    for status in [400_u16, 403, 404, 405, 500, 503] {
        let answer = relay_response(move || {
            let json = [("content-type", "application/json")];
            let status = StatusCode::from_u16(status).unwrap();
            (status, json, r#"{"error":"theirs","message":"m"}"#).into_response()
        })
        .await;
        answer.assert_error(status, "theirs");
    }
    let no_content = relay_response(|| StatusCode::NO_CONTENT.into_response()).await;
    assert_eq!((no_content.status.as_u16(), no_content.body.len()), (204, 0));
}

#[tokio::test]
async fn unspecified_responses_become_502() {
    fn html(status: u16) -> impl Fn() -> Response<Body> + Clone {
        move || {
            let page = [("content-type", "text/html"), ("x-ratelimit-limit", "9")];
            let status = StatusCode::from_u16(status).unwrap();
            (status, page, "<script>alert(1)</script>").into_response()
        }
    }
    // A 401 would sign the owner out of the dashboard, and a 404 would remove a row from the list.
    for status in [200, 301, 302, 304, 401, 403, 404, 500, 502] {
        let answer = relay_response(html(status)).await;
        assert_eq!(answer.status, 502, "{status}");
        answer.assert_error(502, "internal_error");
        assert_eq!(answer.header("x-ratelimit-limit"), "9");
    }
    relay_response(html(504)).await.assert_error(504, "internal_error");
    let busy = relay_response(html(429)).await;
    busy.assert_error(429, "rate_limit_exceeded");
    assert_eq!((busy.error_body().retry_after, busy.header("retry-after")), (Some(30), "30"));
    let dated = relay_response(|| {
        let until = ("retry-after", "Sun, 01 Mar 2026 12:01:30 GMT");
        let page =
            [("content-type", "text/html"), until, ("date", "Sun, 01 Mar 2026 12:00:00 GMT")];
        (StatusCode::TOO_MANY_REQUESTS, page, "<h1>wait</h1>").into_response()
    });
    assert_eq!(dated.await.error_body().retry_after, Some(90));
    let unknown_key = relay_response(|| {
        let json = [("content-type", "application/json")];
        (StatusCode::UNAUTHORIZED, json, r#"{"error":"unauthorized","message":"m"}"#)
            .into_response()
    });
    unknown_key.await.assert_error(502, "internal_error");
    let encoded = relay_response(|| {
        [("content-type", "application/json"), ("content-encoding", "gzip")].into_response()
    });
    encoded.await.assert_error(502, "internal_error");
}

#[tokio::test]
async fn truncated_body_stays_truncated() {
    let app = TestApp::with_responses(|_| {
        let pieces = [Ok("[1,"), Err(std::io::Error::other("cut"))];
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        ([("content-type", "application/json")], body).into_response()
    });
    let cookie = app.sign_in().await;
    let request: Request<Body> = dashboard_request(Method::GET, SUBMISSION, &cookie);
    let response = app.router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.into_body().collect().await.is_err());
}

/// Returns the response to a body of `bytes` bytes, for a client that accepts `accepted`.
async fn compressed_response(
    bytes: usize,
    accepted: &str,
    more: &[(&'static str, &'static str)],
) -> ReceivedResponse {
    let more = more.to_vec();
    let app = TestApp::with_responses(move |_| {
        let body = format!("\"{}\"", "a".repeat(bytes - 2));
        let mut response = ([("content-type", "application/json")], body).into_response();
        response.headers_mut().extend(more.iter().map(|(name, value)| {
            (http::HeaderName::from_static(name), http::HeaderValue::from_static(value))
        }));
        response
    });
    let cookie = app.sign_in().await;
    let mut request =
        dashboard_request(Method::GET, "/api/live/v1/forms/frm_1/submissions", &cookie);
    request.headers_mut().insert("accept-encoding", accepted.parse().unwrap());
    app.send(request).await
}

#[tokio::test]
async fn pages_are_compressed_if_accepted() {
    let answer =
        compressed_response(90_000, "gzip, deflate, br", &[("x-ratelimit-remaining", "7")]).await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert_eq!(answer.header("vary"), "accept-encoding");
    assert_eq!(answer.header("x-ratelimit-remaining"), "7");
    assert!(answer.body.len() < 2_000, "{}", answer.body.len());
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*answer.body).read_to_string(&mut text).unwrap();
    assert_eq!(text, format!("\"{}\"", "a".repeat(89_998)));
}

#[tokio::test]
async fn small_large_and_file_bodies_stay_uncompressed() {
    let file = [("content-disposition", "attachment; filename=\"frm_1.json\"")];
    for (bytes, accepted, more) in [
        (4_095, "gzip", &[][..]),
        (1024 * 1024 + 1, "gzip", &[]),
        (90_000, "br", &[]),
        (90_000, "gzip;q=0, *", &[]),
        (90_000, "identity;q=0", &[]),
        (90_000, "*;q=0", &[]),
        (90_000, "gzip", &file),
    ] {
        let answer = compressed_response(bytes, accepted, more).await;
        assert_eq!(answer.header("content-encoding"), "", "{bytes} for {accepted}");
        assert_eq!(answer.body.len(), bytes);
    }
}

#[tokio::test]
async fn upstream_failure_returns_502() {
    let upstream = tower::service_fn(|_| async { Err(std::io::Error::other("secret detail")) });
    let app = TestApp::with_upstream(upstream, false, contract::Environment::ALL.to_vec(), true);
    let cookie = app.sign_in().await;
    let answer = app.call(Method::GET, SUBMISSION, &cookie).await;
    answer.assert_error(502, "internal_error");
    assert!(!answer.error_body().message.contains("secret detail"));
}

#[tokio::test]
async fn panic_returns_500_without_reason() {
    let app = TestApp::with_responses(|request| match request.uri().path() {
        "/v1/submissions/sub_boom" => panic!("a marked reason"),
        _ => ([("content-type", "application/json")], r#"{"data":1}"#).into_response(),
    });
    let cookie = app.sign_in().await;
    let answer = app.call(Method::GET, "/api/live/v1/submissions/sub_boom", &cookie).await;
    answer.assert_error(500, "internal_error");
    assert!(!answer.error_body().message.contains("marked"), "{}", answer.error_body().message);
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(app.call(Method::GET, SUBMISSION, &cookie).await.status, 200);
}
