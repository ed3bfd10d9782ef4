//! Forwards `/account/…` to the account API, as the signed-in user.
//!
//! The account API receives a new request that contains only the method, the path, the query and a
//! JSON body of the client's request.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use contract::BODY_BYTES_MAX;
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode, Uri};
use tower::ServiceExt;

use crate::audit::RequestActor;
use crate::auth::roles::Authorized;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;
use crate::{Gateway, body};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Returns the response of the account API, or 404 if there is no account API, as with a foreign
/// server.
pub(crate) async fn forward_to_account_api(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
    request: Request,
) -> Result<Response, Error> {
    let Some(api) = gateway.account_api.clone() else { return Err(Error::NotFound) };
    let (parts, body) = request.into_parts();
    if !is_plain(parts.uri.path()) {
        return Err(Error::NotFound);
    }
    let path = parts.uri.path();
    let authorized = actor.authorize(&gateway, &signed_in, &parts.method, path).await?;
    let mut inner = Request::new(Body::empty());
    // Some actions, such as `release`, are requested by their path and have no body.
    let is_bare = body.is_end_stream() && !parts.headers.contains_key(CONTENT_TYPE);
    let may_have_body = matches!(parts.method, Method::POST | Method::PUT | Method::PATCH);
    if may_have_body && !is_bare {
        match body::read_json(&parts.headers, body, BODY_BYTES_MAX).await {
            Ok(bytes) => *inner.body_mut() = Body::from(bytes),
            Err(error) => {
                return reject_unread_body(api, authorized, &parts.method, parts.uri, error).await;
            }
        }
        inner.headers_mut().insert(CONTENT_TYPE, JSON);
    }
    inner.headers_mut().insert(ACCEPT, JSON);
    authorized.insert_into(inner.extensions_mut());
    inner.extensions_mut().insert(actor.actor_of_user(&signed_in));
    *inner.method_mut() = parts.method;
    *inner.uri_mut() = parts.uri;
    let response = api.oneshot(inner).await.into_response();
    // The account API may refuse more than the table of roles; those refusals are audited too.
    if response.status() == StatusCode::FORBIDDEN {
        actor.record_forbidden(&gateway, &signed_in);
    }
    Ok(response)
}

/// Returns the error of an unreadable body, or the API's own response if it lacks the path or the
/// method, because then the body is irrelevant. An `OPTIONS` request finds that out without side
/// effects.
async fn reject_unread_body(
    api: Router,
    authorized: Authorized,
    method: &Method,
    uri: Uri,
    error: Error,
) -> Result<Response, Error> {
    let mut request = Request::new(Body::empty());
    *request.method_mut() = Method::OPTIONS;
    *request.uri_mut() = uri;
    authorized.insert_into(request.extensions_mut());
    let answer = api.oneshot(request).await.into_response();
    let allow = answer.headers().get(ALLOW).and_then(|value| value.to_str().ok());
    let is_taken = |allow: &str| allow.split(',').any(|name| name.trim() == method.as_str());
    if allow.is_some_and(is_taken) { Err(error) } else { Ok(answer) }
}

/// Returns whether a path is unambiguous: no escapes, no dots, no empty segments.
fn is_plain(path: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_');
    path.bytes().all(allowed) && !path.contains("//")
}
