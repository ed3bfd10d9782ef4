//! The gateway: serves the dashboard, signs its owner in, and forwards to an upstream.
//!
//! [`router`] is the whole of it. It knows no service and no database: accounts and keys come
//! through the traits [`Accounts`] and [`Keys`], and the upstream is any [`tower::Service`], be it
//! a router in the same process or the HTTP client of [`upstream`].
//!
//! It never lets an API key out to the browser, never copies a client's headers or path to the
//! upstream, never reads the environment or a file, and never logs a cookie, a key or a password.
//!
//! In reading order: `auth`, who may come in; `forward` and [`upstream`]; [`assets`] and
//! `security`; [`static_export`], for servers of plain files; `first_rows`, a page with its first
//! rows; `reports`; `audit`, what is noted of all this.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{any, delete, get, post, put};
use futures_util::FutureExt as _;
use tower::Service;

pub mod assets;
mod audit;
mod auth;
mod body;
pub mod clock;
mod error;
mod first_rows;
mod forward;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod reports;
pub mod secret;
mod security;
pub mod static_export;
pub mod upstream;

pub use assets::Assets;
pub use auth::accounts::{
    Accounts, Added, Credentials, EmailSet, Keys, SessionProof, SessionRecord, SignInRecord,
    Standing, StoreError,
};
pub use auth::login_throttle::Tries;
pub use auth::people::INVITATION_S;
pub use auth::roles::{Least, PROOF_S, least};
pub use auth::signed_in::{ABSOLUTE_S, IDLE_S, TOUCH_S};
pub use auth::{identity, password};
pub use clock::{Clock, SystemClock};
pub use forward::{ENDPOINTS, Endpoint};
pub use secret::Secret;

use error::Error;

/// How the gateway is set up.
pub struct Config {
    /// Whether browsers come over TLS: cookies get the `__Host-` prefix and `Secure`, and pages
    /// tell browsers to use TLS only.
    pub secure_cookies: bool,
    /// The dashboard.
    pub assets: Assets,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who says who comes, in place of passwords and links; `None` where people sign in here.
    pub identity: Option<auth::identity::Rules>,
    /// Who counts tries to sign in for several gateways; `None` where there is one.
    pub tries: Option<Arc<dyn Tries>>,
    /// The longest that a page waits for each answer that its first rows need.
    pub first_rows_wait: Duration,
}

/// The default of [`Config::first_rows_wait`]: by then a browser has mostly loaded the files that
/// the head of the page names.
const FIRST_ROWS_WAIT: Duration = Duration::from_secs(1);

impl Default for Config {
    /// Plain http, the embedded dashboard, the system's clock.
    fn default() -> Self {
        let clock = Arc::new(SystemClock::default());
        Self {
            secure_cookies: false,
            assets: Assets::embedded(),
            clock,
            identity: None,
            tries: None,
            first_rows_wait: FIRST_ROWS_WAIT,
        }
    }
}

/// What all handlers share.
struct Gateway {
    secure_cookies: bool,
    clock: Arc<dyn Clock>,
    assets: Assets,
    /// The page as rows are put into it; none where it is not built.
    frame: Option<first_rows::Frame>,
    first_rows_wait: Duration,
    accounts: Arc<dyn Accounts>,
    credentials: Credentials,
    account_api: Option<Router>,
    throttle: auth::login_throttle::Door,
    passwords: auth::password::Passwords,
    identity: Option<auth::identity::Rules>,
    /// When the log last told that somebody was not believed.
    stranger_told_at: Mutex<Option<Duration>>,
}

/// Returns the gateway's router, which answers every path.
///
/// `upstream` gets the four endpoints of the specification as requests for `/v1/…` with what
/// `credentials` says.
/// `account_api` gets `/account/…` with the signed-in owner's [`contract::AccountId`] among the
/// request's extensions; without it, in front of a foreign server, those paths are 404.
///
/// The server should put [`axum::extract::ConnectInfo`] of a `SocketAddr` into each request's
/// extensions: tries to sign in are counted by it. Without it all clients count as one. Where a
/// proxy says who comes in a header, what it sends bears [`identity::FromTrusted`].
pub fn router<U>(
    config: Config,
    accounts: Arc<dyn Accounts>,
    credentials: Credentials,
    upstream: U,
    account_api: Option<Router>,
) -> Router
where
    U: Service<http::Request<Body>, Response = http::Response<Body>>
        + Clone
        + Send
        + Sync
        + 'static,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    U::Future: Send,
{
    let Config { secure_cookies, assets, clock, identity, tries, first_rows_wait } = config;
    let headers = Arc::new(security::Headers::new(&assets.index(), secure_cookies));
    let gateway = Arc::new(Gateway {
        secure_cookies,
        clock,
        frame: first_rows::Frame::of(&assets.index()),
        first_rows_wait,
        assets,
        accounts,
        credentials,
        account_api,
        throttle: auth::login_throttle::Door::new(tries),
        passwords: auth::password::Passwords::default(),
        identity,
        stranger_told_at: Mutex::default(),
    });
    let behind = upstream.clone();
    let forward = any(move |state, signed_in, asking, request| {
        forward::call::<U>(state, signed_in, asking, upstream.clone(), request)
    });
    let dashboard = any(move |state, request| dashboard::<U>(state, behind.clone(), request));
    own_routes()
        .route("/api", forward.clone())
        .route("/api/", forward.clone())
        .route("/api/{*path}", forward)
        .route("/account", any(auth::account::call))
        .route("/account/", any(auth::account::call))
        .route("/account/{*path}", any(auth::account::call))
        .layer(from_fn_with_state(Arc::clone(&gateway), auth::csrf::guard))
        .merge(reports::routes(Arc::clone(&gateway.clock)))
        .fallback(dashboard)
        .layer(from_fn_with_state(Arc::clone(&gateway), auth::proxy_auth::guard))
        .with_state(gateway)
        .layer(from_fn(caught))
        .layer(map_response(move |answer| std::future::ready(headers.on(answer))))
}

/// Answers where a route panics.
async fn caught(request: Request, next: Next) -> Result<Response, error::Error> {
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    answer.map_err(|cause| error::Error::of_panic(cause.as_ref()))
}

/// What the gateway does itself: who is signed in, and who may come in.
fn own_routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route(
            "/session",
            get(auth::session::show)
                .post(auth::session::sign_in)
                .delete(auth::session::sign_out)
                .fallback(async || Error::MethodNotAllowed("GET, HEAD, POST, DELETE")),
        )
        .route(
            "/session/link",
            post(auth::session::show_link).fallback(async || Error::MethodNotAllowed("POST")),
        )
        .route(
            "/session/proof",
            post(auth::access::prove).fallback(async || Error::MethodNotAllowed("POST")),
        )
        .route(
            "/sessions",
            get(auth::access::list)
                .delete(auth::access::end_others)
                .fallback(async || Error::MethodNotAllowed("GET, HEAD, DELETE")),
        )
        .route(
            "/sessions/{id}",
            delete(auth::access::end).fallback(async || Error::MethodNotAllowed("DELETE")),
        )
        .route(
            "/password",
            put(auth::access::set_password).fallback(async || Error::MethodNotAllowed("PUT")),
        )
        .route(
            "/account/email",
            put(auth::access::set_email).fallback(async || Error::MethodNotAllowed("PUT")),
        )
        .route(
            "/people",
            get(auth::people::list)
                .post(auth::people::add)
                .fallback(async || Error::MethodNotAllowed("GET, HEAD, POST")),
        )
        .route(
            "/people/{id}",
            delete(auth::people::remove).fallback(async || Error::MethodNotAllowed("DELETE")),
        )
        .route(
            "/people/{id}/link",
            post(auth::people::link).fallback(async || Error::MethodNotAllowed("POST")),
        )
}

/// All that is none of the gateway's own paths: the dashboard's files and pages.
async fn dashboard<U>(
    State(gateway): State<Arc<Gateway>>,
    upstream: U,
    request: Request,
) -> Result<Response, Error>
where
    U: Service<http::Request<Body>, Response = http::Response<Body>> + Send + 'static,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    U::Future: Send,
{
    let (parts, _) = request.into_parts();
    if let Some(page) = first_rows::answer(&gateway, upstream, &parts).await {
        return Ok(page);
    }
    gateway.assets.answer(&parts.method, parts.uri.path(), &parts.headers)
}
