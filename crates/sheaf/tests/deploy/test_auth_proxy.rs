//! Auth proxy of the tests, in the position of oauth2-proxy. It identifies users by a cookie.
//!
//! It answers like oauth2-proxy: 202 with the e-mail address, or 401. The guest `nameless` is
//! accepted without an address, so that tests can check that a client cannot add one.

use axum::Router;
use axum::extract::Query;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use std::collections::HashMap;
use std::net::TcpListener;

const EMAIL: HeaderName = HeaderName::from_static("x-auth-request-email");

/// A running auth proxy. It ends with the process.
pub(crate) struct AuthProxy {
    pub(crate) address: String,
}

impl AuthProxy {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        std::thread::spawn(move || {
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, router()).await.unwrap();
            });
        });
        Self { address }
    }
}

fn router() -> Router {
    Router::new().route("/oauth2/auth", get(authenticate)).route("/oauth2/sign_in", get(sign_in))
}

async fn authenticate(headers: HeaderMap) -> Response {
    let cookie = headers.get("cookie").and_then(|cookie| cookie.to_str().ok()).unwrap_or("");
    match cookie {
        "guest=nameless" => StatusCode::ACCEPTED.into_response(),
        _ => match cookie.strip_prefix("guest=") {
            Some(email) => (StatusCode::ACCEPTED, [(EMAIL, email.to_owned())]).into_response(),
            None => StatusCode::UNAUTHORIZED.into_response(),
        },
    }
}

async fn sign_in(Query(query): Query<HashMap<String, String>>) -> String {
    format!("sign in, then go to {}", query.get("rd").map_or("/", String::as_str))
}
