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

use crate::audit::Asking;
use crate::auth::roles::Admitted;
use crate::auth::signed_in::SignedIn;
use crate::error::Error;
use crate::secret::Secret;
use crate::upstream::{UpstreamError, told};
use crate::{Credentials, Gateway};

use self::target::Target;
pub use self::target::{ENDPOINTS, Endpoint};

/// Maximum length of a forwarded query, in bytes.
const QUERY_BYTES_MAX: usize = 4096;

const API_KEY: HeaderName = HeaderName::from_static(API_KEY_HEADER);

/// Forwards a request under `/api` and returns the upstream's response.
pub(crate) async fn call<U>(
    State(gateway): State<Arc<Gateway>>,
    signed_in: SignedIn,
    asking: Asking,
    upstream: U,
    request: Request,
) -> Result<Response, Error>
where
    U: Service<http::Request<Body>, Response = http::Response<Body>>,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let target = Target::parse(request.uri().path()).ok_or(Error::NotFound)?;
    if !target.endpoint.allows(request.method()) {
        return Err(Error::MethodNotAllowed(target.endpoint.methods));
    }
    let environment = target.environment;
    let (method, path) = (request.method(), request.uri().path());
    let admitted = asking.admit(&gateway, &signed_in, method, path).await?;
    let mut forwarded = rebuild(request.method(), &target.path, request.uri().query())?;
    let key = match &gateway.credentials {
        Credentials::Keys(keys) => {
            let key = keys.key_for(&admitted.account_id, admitted.role, environment).await?;
            let key = key.ok_or(Error::NoKey(environment))?;
            forwarded.headers_mut().insert(API_KEY, header(&key)?);
            Some(key)
        }
        Credentials::Principal => {
            let Admitted { account_id, role, .. } = admitted;
            forwarded.extensions_mut().insert(Principal { account_id, role, environment });
            None
        }
    };
    // Extensions exist only within this process; the HTTP client does not send them.
    forwarded.extensions_mut().insert(asking.as_owner(&signed_in));
    let squeezes = compress::is_taken(request.headers());
    let response = upstream.oneshot(forwarded).await;
    let response = response.map_err(|error| failure(error.into().as_ref()))?;
    compress::squeeze(answer::relay(response, key), squeezes).await
}

fn rebuild(method: &Method, path: &str, query: Option<&str>) -> Result<http::Request<Body>, Error> {
    let path_and_query = match query {
        None => PathAndQuery::try_from(path),
        Some(query) if is_sound(query) => PathAndQuery::try_from(format!("{path}?{query}")),
        Some(_) => return Err(Error::Invalid("the query is too long or not percent-encoded")),
    };
    let path_and_query = path_and_query.map_err(|_| Error::Invalid("the query is not valid"))?;
    let mut request = http::Request::new(Body::empty());
    *request.method_mut() = method.clone();
    *request.uri_mut() = Uri::from(path_and_query);
    request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json, text/csv"));
    Ok(request)
}

fn header(key: &Secret) -> Result<HeaderValue, Error> {
    key.header().ok_or_else(|| {
        tracing::error!("the upstream API key contains characters that a header cannot contain");
        Error::UpstreamFailed
    })
}

/// Returns the request that is forwarded for a client's path and query, if any.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzzed(
    method: &Method,
    path: &str,
    query: Option<&str>,
) -> Option<http::Request<Body>> {
    let target = Target::parse(path)?;
    rebuild(method, &target.path, query).ok()
}

fn is_sound(query: &str) -> bool {
    query.len() <= QUERY_BYTES_MAX && query.bytes().all(|b| b.is_ascii_graphic() && b != b'#')
}

/// Distinguishes a timeout from other upstream failures, and logs the details that the browser must
/// not see.
fn failure(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Error {
    tracing::warn!(error = told(error), "the upstream failed");
    match error.downcast_ref::<UpstreamError>() {
        Some(UpstreamError::TimedOut) => Error::UpstreamSlow,
        _ => Error::UpstreamFailed,
    }
}
