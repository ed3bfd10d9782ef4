//! Routers of the API, and the middleware around each route ([`table`]).
//!
//! A request below `/v1` is first authenticated and counted, regardless of path and method. So
//! every response carries the rate-limit headers (specification, section 8.2). Then the request is
//! routed. Every error response is the specified JSON, including those for unknown paths, wrong
//! methods and panics (section 7).

mod table;

pub(crate) use table::all_routers;

use crate::Service;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::middleware::auth::{self, AuthError, Caller};
use crate::middleware::roles;
use aide::OperationInput;
use axum::Router;
use axum::extract::{ConnectInfo, FromRequestParts, RawPathParams, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use contract::audit::{Action, Actor};
use contract::key::KeyState;
use contract::rate_limit::{LIMIT_HEADER, REMAINING_HEADER, RESET_HEADER};
use contract::{AccountId, FormAccess, RateLimit, Role};
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{Extensions, HeaderName, HeaderValue, header};
use std::any::Any;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::str::FromStr;
use store::clock::Moment;

/// Maximum length of a request's path and query, in bytes.
const URI_BYTES_MAX: usize = 4096;

/// Returns the router of the specified API: everything below `/v1`, the `OpenAPI` document and its
/// page, and a JSON 404 for other paths.
///
/// Requests without a known key are counted by client address if they carry [`ConnectInfo`]. To
/// combine it with other routers, forward the paths for which [`is_public`] is true: the router has
/// its own fallback and matches full paths.
pub fn public_router(service: Service) -> Router {
    // A single middleware function: each further layer would be boxed and cloned for every request.
    let keyed = add_fallbacks(table::key_routes().into());
    let keyed = keyed.layer(from_fn_with_state(service.clone(), authenticate_and_limit));
    let open = add_method_fallback(table::document_routes().into());
    let open = open.layer(from_fn_with_state(service.clone(), limit_by_address));
    keyed.merge(open).with_state(service)
}

/// Returns whether a path belongs to the API, known or not.
pub fn is_public(path: &str) -> bool {
    matches!(path, "/v1" | "/openapi.json" | "/docs") || path.starts_with("/v1/")
}

/// Returns the router of the owner's routes: everything below `/account`.
///
/// It trusts the [`AccountId`], the [`Role`] and the [`FormAccess`] in the request's extensions,
/// and responds 401 without them. The caller must set all three and must reject other
/// origins. Mount it like [`public_router`].
pub fn account(service: Service) -> Router {
    let routes = add_json_errors(table::owner_routes().into());
    let routes = routes.layer(from_fn_with_state(service.clone(), require_session));
    routes.layer(from_fn(add_security_headers)).with_state(service)
}

/// Adds JSON errors for unknown paths and methods, the URI limit and the panic handler.
pub(crate) fn add_json_errors<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    add_fallbacks(routes).layer(from_fn(limit_uri_and_catch_panics))
}

/// Sets the fallbacks for unknown paths and methods.
pub(crate) fn add_fallbacks<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    add_method_fallback(routes.fallback(async || Error::unknown_path()))
}

/// Sets the fallback for unknown methods only, for a router merged with one that handles unknown
/// paths.
fn add_method_fallback<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    routes.method_not_allowed_fallback(async || Error::method_not_allowed())
}

/// Authenticates and counts a request before it is routed, and adds headers to its response.
async fn authenticate_and_limit(
    State(service): State<Service>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = address_of(&request);
    let moment = service.moment();
    let actor = request.extensions().get::<Actor>().cloned();
    let headers = request.headers();
    let extensions = request.extensions();
    let caller = auth::authenticate(&service, headers, extensions, moment.now).await;
    let (rate_limit, mut response) = match caller {
        Err(denied) => {
            let (state, error) = reject_unauthenticated(&service, moment, address, denied).await;
            (state, error.into_response())
        }
        Ok(caller) => {
            let (state, authorized) = count_and_authorize(&service, moment, &caller).await;
            let response = if let Err(error) = authorized {
                error.into_response()
            } else {
                request.extensions_mut().insert(caller.clone());
                limit_uri_and_catch_panics(request, next).await
            };
            let response =
                service.in_flight().charge_response(&caller.account.id, response, moment.now);
            let from = (actor, address);
            service.enqueue_refusal(&caller, response.status(), from, moment.now);
            (state, response)
        }
    };
    insert_rate_limit_headers(&mut response, rate_limit);
    insert_security_headers(&mut response);
    response
}

/// Counts a request of a known key. Fails if the limit is exceeded or the key is not active.
async fn count_and_authorize(
    service: &Service,
    moment: Moment,
    caller: &Caller,
) -> (RateLimit, Result<()>) {
    let limiter = service.rate_limiter();
    let plan = caller.account.plan;
    match limiter.admit(service.shared_limits(), &caller.rate_limit_key, plan, moment).await {
        Err(refusal) => (refusal.rate_limit, Err(Error::rate_limited(&refusal))),
        Ok(rate_limit) => {
            let checked = match caller.key_state {
                KeyState::Active => Ok(()),
                KeyState::Revoked => Err(Error::revoked()),
                KeyState::Expired => Err(Error::expired()),
            };
            (rate_limit, checked)
        }
    }
}

/// Counts a request without a known key by client address, and returns the error to send. A
/// failure of the store is not counted.
async fn reject_unauthenticated(
    service: &Service,
    moment: Moment,
    address: Option<IpAddr>,
    denied: AuthError,
) -> (RateLimit, Error) {
    let limiter = service.rate_limiter();
    let shared = service.shared_limits();
    let counted = match &denied {
        AuthError::Unknown(reason) => {
            if *reason != auth::MISSING_KEY {
                service.enqueue_anonymous_refusal(Action::Refused, "unknown_key", address);
            }
            limiter.admit_anonymous(shared, address, moment).await
        }
        AuthError::Store(_) => Ok(limiter.anonymous_rate_limit(shared, address, moment).await),
    };
    match counted {
        Ok(rate_limit) => (rate_limit, denied.into()),
        Err(refusal) => {
            service.enqueue_anonymous_refusal(Action::Limited, "rate_limit_exceeded", address);
            (refusal.rate_limit, Error::rate_limited(&refusal))
        }
    }
}

/// Counts a request to a route without a key by client address, and adds headers to its response.
pub(crate) async fn limit_by_address(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    let address = address_of(&request);
    let moment = service.moment();
    let shared = service.shared_limits();
    let counted = service.rate_limiter().admit_anonymous(shared, address, moment).await;
    let (rate_limit, mut response) = match counted {
        Ok(rate_limit) => (rate_limit, limit_uri_and_catch_panics(request, next).await),
        Err(refusal) => (refusal.rate_limit, Error::rate_limited(&refusal).into_response()),
    };
    insert_rate_limit_headers(&mut response, rate_limit);
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        // The docs page has its own policy and cache headers.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Returns the client's address, if the server set [`ConnectInfo`].
pub(crate) fn address_of(request: &Request) -> Option<IpAddr> {
    address_in(request.extensions())
}

/// Returns the client's address from the extensions of a request.
pub(crate) fn address_in(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get().map(|ConnectInfo(peer): &ConnectInfo<SocketAddr>| peer.ip())
}

const LIMIT: HeaderName = HeaderName::from_static(LIMIT_HEADER);
const REMAINING: HeaderName = HeaderName::from_static(REMAINING_HEADER);
const RESET: HeaderName = HeaderName::from_static(RESET_HEADER);

fn insert_rate_limit_headers(response: &mut Response, rate_limit: RateLimit) {
    let headers = response.headers_mut();
    headers.insert(LIMIT, rate_limit.limit.into());
    headers.insert(REMAINING, rate_limit.remaining.into());
    headers.insert(RESET, rate_limit.reset_s.into());
}

/// Responds 401 without a session, 429 to a user over the limit, 403 to a user whose role does not
/// allow the request, and 404 to one without access to its form. The gateway restricts editors and
/// readers further; this is a second check.
async fn require_session(State(service): State<Service>, request: Request, next: Next) -> Response {
    let extensions = request.extensions();
    let account = extensions.get::<AccountId>().cloned();
    let access = (extensions.get::<Role>(), extensions.get::<FormAccess>());
    let (Some(account), (Some(role), Some(forms))) = (account, access) else {
        return Error::unauthorized("not signed in; sign in first").into_response();
    };
    let person = extensions.get::<Actor>().and_then(Actor::person_or_id).unwrap_or_default();
    let limiter = service.rate_limiter();
    if let Err(refusal) = limiter.admit_user(&account, person, service.moment()) {
        let mut response = Error::rate_limited(&refusal).into_response();
        insert_rate_limit_headers(&mut response, refusal.rate_limit);
        return response;
    }
    let path = request.uri().path();
    let checked = roles::check_role(*role, request.method(), path);
    if let Err(error) = checked.and_then(|()| roles::check_forms(forms, path)) {
        return error.into_response();
    }
    let response = next.run(request).await;
    service.in_flight().charge_response(&account, response, service.now())
}

/// Rejects overlong URIs, and turns a panic of a route into a 500 response.
async fn limit_uri_and_catch_panics(request: Request, next: Next) -> Response {
    let uri = request.uri();
    let bytes = uri.path_and_query().map_or(0, |it| it.as_str().len());
    if bytes > URI_BYTES_MAX {
        let message = Message::AddressTooLong { most: URI_BYTES_MAX, count: bytes };
        return Error::validation(message).into_response();
    }
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    answer.unwrap_or_else(|cause| panic_response(cause.as_ref()))
}

/// Adds the cache and security headers to a response.
async fn add_security_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    insert_security_headers(&mut response);
    response
}

const SECURITY_HEADERS: [(HeaderName, &str); 3] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
];

fn insert_security_headers(response: &mut Response) {
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

fn panic_response(cause: &(dyn Any + Send)) -> Response {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::internal(format!("a handler panicked: {text}")).into_response()
}

/// Identifier in the path, in the parameter [`NamedResource::PARAMETER`]. A malformed one yields
/// 404, like an unknown one.
pub(crate) struct Id<T>(pub(crate) T);

impl<T, S> FromRequestParts<S> for Id<T>
where
    T: FromStr + NamedResource,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let parameters = RawPathParams::from_request_parts(parts, state).await.ok();
        let text = parameters.as_ref().and_then(|parameters| {
            parameters.iter().find(|(name, _)| *name == T::PARAMETER).map(|(_, text)| text)
        });
        let id = text.and_then(|text| text.parse().ok());
        id.map(Self).ok_or_else(|| Error::not_found(T::NOUN))
    }
}

impl<T> OperationInput for Id<T> {}

/// Identifier type with a name for paths and one for error messages.
pub(crate) trait NamedResource {
    /// Name of the path parameter.
    const PARAMETER: &'static str;
    /// Noun for the identified resource.
    const NOUN: &'static str;
}

impl NamedResource for contract::FormId {
    const PARAMETER: &'static str = "form_id";
    const NOUN: &'static str = "form";
}

impl NamedResource for contract::SubmissionId {
    const PARAMETER: &'static str = "id";
    const NOUN: &'static str = "submission";
}

impl NamedResource for contract::KeyId {
    const PARAMETER: &'static str = "key_id";
    const NOUN: &'static str = "active key";
}

impl NamedResource for contract::WebhookId {
    const PARAMETER: &'static str = "webhook_id";
    const NOUN: &'static str = "webhook";
}

impl NamedResource for contract::NotificationId {
    const PARAMETER: &'static str = "notification_id";
    const NOUN: &'static str = "notification";
}

impl NamedResource for contract::NoteId {
    const PARAMETER: &'static str = "note_id";
    const NOUN: &'static str = "note";
}

impl NamedResource for contract::ViewId {
    const PARAMETER: &'static str = "view_id";
    const NOUN: &'static str = "view";
}

impl NamedResource for contract::DeliveryId {
    const PARAMETER: &'static str = "delivery_id";
    const NOUN: &'static str = "delivery";
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::routing::get;
    use insta::assert_snapshot;
    use tower::ServiceExt;

    async fn send_get(path: &str) -> String {
        async fn boom() {
            panic!("a secret reason");
        }
        let router: Router = add_json_errors(Router::new().route("/boom", get(boom)));
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        format!("{status} {}", std::str::from_utf8(&body).unwrap())
    }

    #[tokio::test]
    async fn panic_returns_500_without_its_message() {
        assert_snapshot!(send_get("/boom").await, @r#"500 Internal Server Error {"error":"internal_error","message":"something failed on our side; try again"}"#);
    }

    #[tokio::test]
    async fn overlong_uri_returns_400() {
        assert_snapshot!(send_get(&format!("/boom?{}", "x".repeat(5000))).await, @r#"400 Bad Request {"error":"validation_error","message":"the address must have at most 4096 bytes, but has 5006"}"#);
    }
}
