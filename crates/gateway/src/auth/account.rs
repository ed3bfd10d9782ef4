//! Hands `/account/…` to the router of the owner's dashboard actions, as whoever is signed in.
//!
//! What that router sees is a new request: of the client's, only the method, the path, the query
//! and a JSON body are in it.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use contract::BODY_BYTES_MAX;
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode, Uri};
use tower::ServiceExt;

use crate::audit::Asking;
use crate::auth::roles::Admitted;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;
use crate::{Gateway, body};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Answers as the account's router does; 404 where there is none, in front of a foreign server.
pub(crate) async fn call(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
    request: Request,
) -> Result<Response, Error> {
    let Some(api) = gateway.account_api.clone() else { return Err(Error::NotFound) };
    let (parts, body) = request.into_parts();
    if !is_plain(parts.uri.path()) {
        return Err(Error::NotFound);
    }
    let path = parts.uri.path();
    let admitted = asking.admit(&gateway, &signed_in, &parts.method, path).await?;
    let mut inner = Request::new(Body::empty());
    // An act such as "release" is asked for by its address alone.
    let is_bare = body.is_end_stream() && !parts.headers.contains_key(CONTENT_TYPE);
    let may_have_body = matches!(parts.method, Method::POST | Method::PUT | Method::PATCH);
    if may_have_body && !is_bare {
        match body::read_json(&parts.headers, body, BODY_BYTES_MAX).await {
            Ok(bytes) => *inner.body_mut() = Body::from(bytes),
            Err(error) => return untaken(api, admitted, &parts.method, parts.uri, error).await,
        }
        inner.headers_mut().insert(CONTENT_TYPE, JSON);
    }
    inner.headers_mut().insert(ACCEPT, JSON);
    admitted.mark(inner.extensions_mut());
    inner.extensions_mut().insert(asking.as_owner(&signed_in));
    *inner.method_mut() = parts.method;
    *inner.uri_mut() = parts.uri;
    let response = api.oneshot(inner).await.into_response();
    if response.status() == StatusCode::FORBIDDEN {
        asking.forbidden(&gateway, &signed_in);
    }
    Ok(response)
}

/// Answers a request whose body is not taken: as the router does where it does not take the method
/// or has no such path, since then the body does not matter. To ask which, nothing is done.
async fn untaken(
    api: Router,
    admitted: Admitted,
    method: &Method,
    uri: Uri,
    error: Error,
) -> Result<Response, Error> {
    let mut asked = Request::new(Body::empty());
    *asked.method_mut() = Method::OPTIONS;
    *asked.uri_mut() = uri;
    admitted.mark(asked.extensions_mut());
    let answer = api.oneshot(asked).await.into_response();
    let allow = answer.headers().get(ALLOW).and_then(|value| value.to_str().ok());
    let is_taken = |allow: &str| allow.split(',').any(|name| name.trim() == method.as_str());
    if allow.is_some_and(is_taken) { Err(error) } else { Ok(answer) }
}

/// Tells whether a path has one reading only: no escapes, no dots, no empty segments.
fn is_plain(path: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_');
    path.bytes().all(allowed) && !path.contains("//")
}
