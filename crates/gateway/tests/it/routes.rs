//! Tests of all routes: a session is required, and every error is the specified JSON.

use contract::Environment;
use gateway::ENDPOINTS;
use http::Method;

use crate::app::TestApp;

/// Returns the method and path of every route that requires a session.
pub(crate) fn session_routes() -> Vec<(Method, String)> {
    let mut routes = Vec::new();
    for environment in Environment::ALL {
        for endpoint in &ENDPOINTS {
            let path =
                endpoint.template.replace("{form}", "frm_1").replace("{submission}", "sub_1");
            for method in endpoint.methods.split(", ") {
                routes.push((method.parse().unwrap(), format!("/api/{environment}{path}")));
            }
        }
    }
    let others = [
        (Method::DELETE, "/session"),
        (Method::GET, "/sessions"),
        (Method::DELETE, "/sessions"),
        (Method::DELETE, "/sessions/ses_1"),
        (Method::PUT, "/password"),
        (Method::POST, "/session/proof"),
        (Method::GET, "/people"),
        (Method::POST, "/people"),
        (Method::PATCH, "/people/psn_bob"),
        (Method::DELETE, "/people/psn_bob"),
        (Method::POST, "/people/psn_bob/link"),
        (Method::GET, "/api"),
        (Method::GET, "/api/"),
        (Method::GET, "/api/unknown"),
        (Method::POST, "/api/live/v1/x"),
        (Method::GET, "/account"),
        (Method::GET, "/account/"),
        (Method::GET, "/account/forms"),
        (Method::GET, "/account/keys"),
        (Method::POST, "/account/keys"),
        (Method::DELETE, "/account/keys/key_1"),
        (Method::GET, "/account/unknown"),
    ];
    routes.extend(others.map(|(method, path)| (method, path.to_owned())));
    routes
}

#[tokio::test]
async fn routes_without_session_return_401() {
    let app = TestApp::new();
    for cookie in
        ["", "sheaf=", "sheaf=0123456789abcdefghijABCDEFGHIJ_-0123456789a", "sheaf=x; a=b"]
    {
        for (method, path) in session_routes() {
            let answer = app.call(method.clone(), &path, cookie).await;
            assert_eq!(answer.status, 401, "{method} {path}");
            answer.assert_error(401, "unauthorized");
            assert_eq!(answer.header("cache-control"), "no-store");
        }
    }
    assert!(app.seen.lock().unwrap().is_empty(), "something was forwarded");
}

#[tokio::test]
async fn endpoints_are_forwarded_with_session() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    for (method, path) in
        session_routes().iter().filter(|(_, path)| path.contains("_1") && path.starts_with("/api"))
    {
        let answer = app.call(method.clone(), path, &cookie).await;
        assert_eq!((answer.status.as_u16(), &*answer.body), (200, br#"{"data":1}"#.as_slice()));
        let seen = app.seen.lock().unwrap().pop().unwrap();
        assert_eq!(seen.method(), method);
        assert_eq!(format!("/api/live{}", seen.uri()).len(), path.len());
        assert!(path.ends_with(&seen.uri().to_string()));
    }
}

#[tokio::test]
async fn wrong_method_returns_405_with_allow() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    for (method, path, allow) in [
        (Method::POST, "/api/live/v1/forms/frm_1/submissions", "GET"),
        (Method::DELETE, "/api/live/v1/forms/frm_1/submissions/export", "GET"),
        (Method::PATCH, "/api/test/v1/submissions/sub_1", "GET, DELETE"),
        (Method::CONNECT, "/api/test/v1/submissions/sub_1", "GET, DELETE"),
        (Method::PUT, "/session", "GET, HEAD, POST, DELETE"),
        (Method::GET, "/session/email-link", "POST"),
        (Method::POST, "/", "GET, HEAD"),
        (Method::DELETE, "/theme.js", "GET, HEAD"),
    ] {
        let answer = app.call(method.clone(), path, &cookie).await;
        answer.assert_error(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
        assert_eq!(answer.headers.get_all("allow").iter().count(), 1);
    }
    let head = app.call(Method::HEAD, "/api/test/v1/submissions/sub_1", &cookie).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (405, 0));
    assert!(app.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn unknown_path_returns_404() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    for path in ["/api", "/api/", "/api/live", "/api/live/v1/forms", "/apix", "/v2", "/session/x"] {
        app.call(Method::GET, path, &cookie).await.assert_error(404, "not_found");
    }
}

#[tokio::test]
async fn account_router_gets_only_allowed_headers() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let mut request = crate::app::dashboard_request(Method::GET, "/account/forms?x=1", &cookie);
    for name in ["x-api-key", "authorization", "x-forwarded-for", "x-anything"] {
        request.headers_mut().insert(name, "theirs".parse().unwrap());
    }
    let answer = app.send(request).await;
    assert_eq!(answer.body, "acc_ada /account/forms?x=1 accept ");
    let answer = app.post("/account/keys", &cookie, r#"{"name":"a"}"#).await;
    assert_eq!(answer.body, r#"acc_ada /account/keys accept,content-type {"name":"a"}"#);
    // The inner router must read its own path parameters, not the gateway's.
    assert_eq!(app.call(Method::DELETE, "/account/keys/key_1", &cookie).await.body, "key_1");
    for path in
        ["/account/keys/key_%31", "/account//keys", "/account/keys/..", "/account/keys/key_1%2f"]
    {
        app.call(Method::DELETE, path, &cookie).await.assert_error(404, "not_found");
    }
}

#[tokio::test]
async fn large_or_non_json_bodies_are_refused() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let big = format!("\"{}\"", "x".repeat(256 * 1024));
    app.post("/account/keys", &cookie, &big).await.assert_error(413, "validation_error");
    let post = |kind: &str, encoding: Option<&str>| {
        let mut request = crate::app::dashboard_request(Method::POST, "/account/keys", &cookie);
        request.headers_mut().insert("content-type", kind.parse().unwrap());
        if let Some(encoding) = encoding {
            request.headers_mut().insert("content-encoding", encoding.parse().unwrap());
        }
        app.send(request)
    };
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json2", ""] {
        post(kind, None).await.assert_error(415, "validation_error");
    }
    post("application/json", Some("gzip")).await.assert_error(415, "validation_error");
    assert_eq!(post("Application/JSON; charset=utf-8", None).await.status, 200);
}

#[tokio::test]
async fn method_and_path_errors_precede_body_errors() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let status_of = async |method: Method, path: &str| {
        let mut request = crate::app::dashboard_request(method, path, &cookie);
        request.headers_mut().insert("content-type", "text/plain".parse().unwrap());
        app.send(request).await.status.as_u16()
    };
    assert_eq!(status_of(Method::PUT, "/account/forms").await, 405);
    assert_eq!(status_of(Method::PATCH, "/account/keys").await, 405);
    assert_eq!(status_of(Method::POST, "/account/unknown").await, 404);
    assert_eq!(status_of(Method::POST, "/account/keys").await, 415);
    let bare = app.call(Method::POST, "/account/keys", &cookie).await;
    assert_eq!(bare.body, "acc_ada /account/keys accept ", "an action may need no body");
}

#[tokio::test]
async fn broken_store_returns_500_without_details() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    *app.store.broken.lock().unwrap() = true;
    let answer = app.call(Method::GET, "/session", &cookie).await;
    answer.assert_error(500, "internal_error");
    assert!(!answer.error_body().message.contains("fire"));
}

/// Lists the paths that the router itself reports. A new path must be added to `session_routes`
/// above and to `api/src/openapi/session.rs`, and so to the matrix of `sheaf/tests/it/matrix`.
#[tokio::test]
async fn router_has_only_known_paths() {
    let texts = |router: &axum::Router| -> Vec<String> {
        format!("{router:?}").split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let always = texts(&axum::Router::new());
    let mut paths = texts(&TestApp::new().router);
    paths.retain(|text| text.starts_with('/') && !always.contains(text));
    paths.sort();
    paths.dedup();
    let expected = [
        "/account",
        "/account/",
        "/account/email",
        "/account/{*path}",
        "/api",
        "/api/",
        "/api/{*path}",
        "/csp-report",
        "/password",
        "/people",
        "/people/{id}",
        "/people/{id}/link",
        "/session",
        "/session/email-link",
        "/session/link",
        "/session/proof",
        "/sessions",
        "/sessions/{id}",
    ];
    assert_eq!(paths, expected);
}

#[tokio::test]
async fn csp_report_needs_no_csrf_header() {
    let app = TestApp::new();
    for body in [r#"{"csp-report":{"violated-directive":"script-src"}}"#, "nonsense", ""] {
        let request = http::Request::post("/csp-report").header("sec-fetch-site", "same-origin");
        let request = request.body(axum::body::Body::from(body)).unwrap();
        let answer = app.send(request).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (204, 0));
    }
    app.call(Method::GET, "/csp-report", "").await.assert_error(405, "method_not_allowed");
}
