//! Tests of the CSRF check: it covers every route and runs before everything else.

use http::Method;

use crate::app::{TestApp, dashboard_request, password_body};
use crate::routes::session_routes;

#[tokio::test]
async fn requests_of_other_sites_return_403() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let mut routes = session_routes();
    routes.push((Method::GET, "/session".to_owned()));
    routes.push((Method::POST, "/session".to_owned()));
    for (method, path) in routes {
        let mut bare = dashboard_request(method.clone(), &path, &cookie);
        bare.headers_mut().remove("x-sheaf-csrf");
        let mut cross = dashboard_request(method.clone(), &path, &cookie);
        cross.headers_mut().insert("sec-fetch-site", "cross-site".parse().unwrap());
        let mut origin = dashboard_request(method.clone(), &path, &cookie);
        origin.headers_mut().insert("origin", "http://127.0.0.1:9999".parse().unwrap());
        origin.headers_mut().insert("host", "127.0.0.1:8080".parse().unwrap());
        for forged in [bare, cross, origin] {
            let answer = app.send(forged).await;
            assert_eq!(answer.status, 403, "{method} {path}");
            answer.assert_error(403, "forbidden");
        }
    }
    assert!(app.seen.lock().unwrap().is_empty());
    assert_eq!(app.store.sessions.lock().unwrap().len(), 1, "a session was created or deleted");
}

#[tokio::test]
async fn form_of_other_site_cannot_sign_in() {
    let app = TestApp::new();
    let body = password_body(crate::memory::EMAIL, crate::memory::PASSWORD);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let mut forged = dashboard_request(Method::POST, "/session", "");
        forged.headers_mut().insert("content-type", kind.parse().unwrap());
        *forged.body_mut() = axum::body::Body::from(body.clone());
        app.send(forged).await.assert_error(415, "validation_error");
    }
    assert!(app.store.sessions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn responses_have_no_cors_headers() {
    let app = TestApp::new();
    let mut request = dashboard_request(Method::OPTIONS, "/session", "");
    request.headers_mut().insert("origin", "https://evil.test".parse().unwrap());
    request.headers_mut().insert("access-control-request-headers", "x-sheaf-csrf".parse().unwrap());
    let answer = app.send(request).await;
    assert!(!answer.status.is_success());
    assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("access-control")));
}
