//! Tests that the API key never reaches the browser. `World::send` searches every response of every
//! test for it; here the upstream echoes it wherever it can.

use std::convert::Infallible;

use axum::body::Body;
use futures_util::stream;
use http::{HeaderValue, Method, Response, StatusCode};

use crate::app::TestApp;
use crate::routes::session_routes;

/// An upstream that puts the received key into many headers and into the body, which it sends byte
/// by byte.
fn echoing_app(status: u16) -> TestApp {
    TestApp::with_responses(move |request| {
        let key = &request.headers()["x-api-key"];
        let body = format!(r#"{{"data":"{0}{0}"}}"#, key.to_str().unwrap());
        let pieces: Vec<_> = body.bytes().map(|b| Ok::<_, Infallible>(vec![b])).collect();
        let mut response = Response::new(Body::from_stream(stream::iter(pieces)));
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        let headers = response.headers_mut();
        for name in [
            "x-api-key",
            "set-cookie",
            "server",
            "x-echo",
            "location",
            "www-authenticate",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "retry-after",
        ] {
            headers.insert(name, key.clone());
        }
        let disposition = format!("attachment; filename=\"{}.csv\"", key.to_str().unwrap());
        headers.insert("content-disposition", HeaderValue::from_str(&disposition).unwrap());
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        response
    })
}

#[tokio::test]
async fn responses_of_routes_contain_no_key() {
    for status in [200, 204, 301, 400, 401, 403, 404, 429, 500, 503] {
        let app = echoing_app(status);
        let cookie = app.sign_in().await;
        let mut routes = session_routes();
        let (last, rest): (Vec<_>, Vec<_>) = routes
            .drain(..)
            .partition(|(method, path)| method == Method::DELETE && path == "/session");
        for (method, path) in rest.into_iter().chain(last) {
            let answer = app.call(method, &path, &cookie).await;
            assert!(!answer.headers.contains_key("x-api-key"));
        }
        assert!(app.seen.lock().unwrap().len() >= 8, "the upstream received too few requests");
    }
}

#[tokio::test]
async fn pages_and_errors_contain_no_key() {
    let app = TestApp::new();
    for path in ["/", "/sign-in", "/theme.js", "/favicon.svg", "/nothing"] {
        app.call(Method::GET, path, "").await;
    }
}
