//! Forwards the endpoints of the specification (section 4) to the upstream: with the gateway's API
//! key, or in the same process with the [`Principal`] of the signed-in user.
//!
//! The upstream receives a new request. Its path is built from validated ids and its headers are
//! set by the gateway; only the method and the query come from the client. So there is nothing to
//! strip, and a client cannot reach another path, host or key.

mod answer;
pub(crate) mod compress;
pub(crate) mod redact;
mod target;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use contract::account::Principal;
use contract::key::API_KEY_HEADER;
use http::header::ACCEPT;
use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, Method, Uri};
use tower::{Service, ServiceExt};

use crate::audit::RequestActor;
use crate::auth::roles::Authorized;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;
use crate::secret::Secret;
use crate::upstream::{UpstreamError, describe_error};
use crate::{Credentials, Gateway};

use self::target::ForwardTarget;
pub use self::target::{ENDPOINTS, Endpoint};

/// Maximum length of a forwarded query, in bytes.
const QUERY_BYTES_MAX: usize = 4096;

const API_KEY: HeaderName = HeaderName::from_static(API_KEY_HEADER);

/// Forwards a request under `/api` and returns the upstream's response.
pub(crate) async fn forward_request<U>(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    actor: RequestActor,
    upstream: U,
    request: Request,
) -> Result<Response, Error>
where
    U: Service<http::Request<Body>, Response = http::Response<Body>>,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let target = ForwardTarget::parse(request.uri().path()).ok_or(Error::NotFound)?;
    if !target.endpoint.allows(request.method()) {
        return Err(Error::MethodNotAllowed(target.endpoint.methods));
    }
    let environment = target.environment;
    let method = request.method();
    let path = request.uri().path();
    let authorized = actor.authorize(&gateway, &signed_in, method, path).await?;
    let mut forwarded = rebuild_request(request.method(), &target.path, request.uri().query())?;
    let key = match &gateway.credentials {
        Credentials::Keys(keys) => {
            if !target.is_within(&authorized.forms) {
                return Err(Error::NotFound);
            }
            let key = keys.key_for(&authorized.account_id, authorized.role, environment).await?;
            let key = key.ok_or(Error::NoKey(environment))?;
            forwarded.headers_mut().insert(API_KEY, key_header(&key)?);
            Some(key)
        }
        Credentials::Principal => {
            let Authorized { account_id, role, forms } = authorized;
            let principal = Principal { account_id, role, forms, environment };
            forwarded.extensions_mut().insert(principal);
            None
        }
    };
    // Extensions exist only within this process; the HTTP client does not send them.
    forwarded.extensions_mut().insert(actor.actor_of_user(&signed_in));
    let accepts_gzip = compress::accepts_gzip(request.headers());
    let response = upstream.oneshot(forwarded).await;
    let response = response.map_err(|error| map_upstream_error(error.into().as_ref()))?;
    compress::compress_response(answer::relay_response(response, key), accepts_gzip).await
}

fn rebuild_request(
    method: &Method,
    path: &str,
    query: Option<&str>,
) -> Result<http::Request<Body>, Error> {
    let path_and_query = match query {
        None => PathAndQuery::try_from(path),
        Some(query) if is_valid_query(query) => PathAndQuery::try_from(format!("{path}?{query}")),
        Some(_) => return Err(Error::Invalid("the query is too long or not percent-encoded")),
    };
    let path_and_query = path_and_query.map_err(|_| Error::Invalid("the query is not valid"))?;
    let mut request = http::Request::new(Body::empty());
    *request.method_mut() = method.clone();
    *request.uri_mut() = Uri::from(path_and_query);
    request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json, text/csv"));
    Ok(request)
}

fn key_header(key: &Secret) -> Result<HeaderValue, Error> {
    key.to_header_value().ok_or_else(|| {
        tracing::error!("the upstream API key contains characters that a header cannot contain");
        Error::UpstreamFailed
    })
}

/// Returns the request that is forwarded for a client's path and query, if any.
#[cfg(any(test, fuzzing))]
pub(crate) fn rebuild_for_fuzzing(
    method: &Method,
    path: &str,
    query: Option<&str>,
) -> Option<http::Request<Body>> {
    let target = ForwardTarget::parse(path)?;
    rebuild_request(method, &target.path, query).ok()
}

fn is_valid_query(query: &str) -> bool {
    query.len() <= QUERY_BYTES_MAX && query.bytes().all(|b| b.is_ascii_graphic() && b != b'#')
}

/// Distinguishes a timeout from other upstream failures, and logs the details that the browser must
/// not see.
fn map_upstream_error(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Error {
    tracing::warn!(error = describe_error(error), "the upstream failed");
    match error.downcast_ref::<UpstreamError>() {
        Some(UpstreamError::TimedOut) => Error::UpstreamTimedOut,
        _ => Error::UpstreamFailed,
    }
}
