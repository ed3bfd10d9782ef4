//! The gateway: serves the dashboard, signs users in, and forwards API requests to an upstream.
//!
//! [`router`] is the entry point. The gateway depends on no service and no database: accounts and
//! keys are behind the traits [`Accounts`] and [`Keys`], and the upstream is any
//! [`tower::Service`], either a router in the same process or the HTTP client in [`upstream`].
//!
//! The gateway never sends an API key to the browser, never copies a client's headers or path to
//! the upstream, never reads the environment or a file, and never logs a cookie, a key or a
//! password.
//!
//! In reading order: `auth` (sessions and roles); `forward` and [`upstream`]; [`assets`] and
//! `security`; [`static_export`], for static file servers; `first_rows`, pages with prerendered
//! rows; `reports` (violations of the content security policy); `audit`.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{MethodRouter, any, delete, get, patch, post, put};
use futures_util::FutureExt as _;
use tower::Service;

mod accept_language;
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
    Accounts, AddMemberOutcome, Credentials, Keys, MemberRecord, SessionOwner, SessionProof,
    SessionRecord, SetEmailOutcome, StoreError,
};
pub use auth::email_code::EMAIL_CODE_S;
pub use auth::email_link::EMAIL_LINK_S;
pub use auth::login_throttle::SharedLoginAttempts;
pub use auth::mailer::{AccountMailer, AccountNotice, Mail, MailFailed};
pub use auth::people::INVITATION_S;
pub use auth::roles::REAUTHENTICATION_S;
pub use auth::signed_in::{ABSOLUTE_S, IDLE_S, TOUCH_S};
pub use auth::{identity, password};
pub use clock::{Clock, SystemClock};
pub use forward::{ENDPOINTS, Endpoint};
pub use secret::Secret;

use error::Error;

/// Settings of the gateway.
pub struct Config {
    /// Whether browsers connect over TLS: cookies get the `__Host-` prefix and `Secure`, and
    /// responses get `Strict-Transport-Security`.
    pub secure_cookies: bool,
    /// The files of the dashboard.
    pub assets: Assets,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Authentication by a reverse proxy, which replaces passwords and links; `None` where users
    /// sign in here.
    pub proxy_auth: Option<auth::identity::ProxyAuth>,
    /// Login attempt counter shared by several gateways; `None` where there is only one.
    pub login_attempts: Option<Arc<dyn SharedLoginAttempts>>,
    /// E-mail to members; `None` if the server cannot send e-mail.
    pub mail: Option<Mail>,
    /// Maximum wait for each API response that the first rows need.
    pub first_rows_wait: Duration,
}

/// Default of [`Config::first_rows_wait`]. After this time a browser has usually loaded the files
/// that the head of the page names.
const FIRST_ROWS_WAIT: Duration = Duration::from_secs(1);

impl Default for Config {
    /// Plain HTTP, the embedded dashboard, the system clock.
    fn default() -> Self {
        let clock = Arc::new(SystemClock::default());
        Self {
            secure_cookies: false,
            assets: Assets::embedded(),
            clock,
            proxy_auth: None,
            login_attempts: None,
            mail: None,
            first_rows_wait: FIRST_ROWS_WAIT,
        }
    }
}

/// State shared by all handlers.
struct Gateway {
    secure_cookies: bool,
    clock: Arc<dyn Clock>,
    assets: Assets,
    /// The page template with insertion points for rows; `None` if the dashboard is not built.
    page_template: Option<first_rows::PageTemplate>,
    first_rows_wait: Duration,
    accounts: Arc<dyn Accounts>,
    credentials: Credentials,
    account_api: Option<Router>,
    throttle: auth::login_throttle::LoginThrottle,
    passwords: auth::password::PasswordPool,
    proxy_auth: Option<auth::identity::ProxyAuth>,
    mail: Option<Arc<auth::mailer::GatewayMail>>,
    /// Time of the last log entry about a rejected proxy identity, for rate limiting.
    rejection_logged_at: Mutex<Option<Duration>>,
}

/// Returns the gateway's router, which answers every path.
///
/// `upstream` receives the endpoints of the specification as requests for `/v1/…`, authenticated
/// by `credentials`. `account_api` receives `/account/…` with the signed-in user's
/// [`contract::AccountId`] in the request extensions. If it is `None`, as with a foreign server,
/// those paths return 404.
///
/// The server should put [`axum::extract::ConnectInfo`] of a `SocketAddr` into the extensions of
/// each request, because login attempts are counted by it. Without it all clients count as one.
/// Where a proxy identifies users by a header, requests from that proxy must carry
/// [`identity::TrustedPeer`].
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
    let Config {
        secure_cookies,
        assets,
        clock,
        proxy_auth: identity,
        login_attempts: tries,
        mail,
        first_rows_wait,
    } = config;
    let headers = Arc::new(security::SecurityHeaders::new(&assets.index_html(), secure_cookies));
    let gateway = Arc::new(Gateway {
        secure_cookies,
        clock,
        page_template: first_rows::PageTemplate::parse(&assets.index_html()),
        first_rows_wait,
        assets,
        accounts,
        credentials,
        account_api,
        throttle: auth::login_throttle::LoginThrottle::new(tries),
        passwords: auth::password::PasswordPool::default(),
        proxy_auth: identity,
        mail: mail.map(|mail| Arc::new(auth::mailer::GatewayMail::new(mail))),
        rejection_logged_at: Mutex::default(),
    });
    let dashboard_upstream = upstream.clone();
    let forward = any(move |state, signed_in, actor, request| {
        forward::forward_request::<U>(state, signed_in, actor, upstream.clone(), request)
    });
    let dashboard =
        any(move |state, request| serve_dashboard::<U>(state, dashboard_upstream.clone(), request));
    own_routes()
        .route("/api", forward.clone())
        .route("/api/", forward.clone())
        .route("/api/{*path}", forward)
        .route("/account", any(auth::account::forward_to_account_api))
        .route("/account/", any(auth::account::forward_to_account_api))
        .route("/account/{*path}", any(auth::account::forward_to_account_api))
        // Routes added above get the CSRF check. Reports and the dashboard, added below, do not:
        // browsers send those requests without the header.
        .layer(from_fn_with_state(Arc::clone(&gateway), auth::csrf::reject_cross_site))
        .merge(reports::routes(Arc::clone(&gateway.clock)))
        .fallback(dashboard)
        .layer(from_fn_with_state(
            Arc::clone(&gateway),
            auth::proxy_auth::reject_untrusted_identity,
        ))
        .with_state(gateway)
        // The security headers are the outermost layer, so that the response to a panic has them
        // too.
        .layer(from_fn(catch_panics))
        .layer(map_response(move |answer| std::future::ready(headers.add_to_response(answer))))
}

/// Returns a 500 response if a route panics.
async fn catch_panics(request: Request, next: Next) -> Result<Response, error::Error> {
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    answer.map_err(|cause| error::Error::from_panic(cause.as_ref()))
}

/// Returns the routes for sessions, passwords and members.
fn own_routes() -> Router<Arc<Gateway>> {
    use auth::{access, email_link, people, session};
    let only = |methods: &'static str, route: MethodRouter<Arc<Gateway>>| {
        route.fallback(move || async move { Error::MethodNotAllowed(methods) })
    };
    Router::new()
        .route(
            "/session",
            only(
                "GET, HEAD, POST, DELETE",
                get(session::show_session).post(session::sign_in).delete(session::sign_out),
            ),
        )
        .route("/session/link", only("POST", post(session::show_link)))
        .route("/session/email-link", only("POST", post(email_link::request_link)))
        .route("/session/proof", only("POST", post(access::reauthenticate)))
        .route(
            "/sessions",
            only(
                "GET, HEAD, DELETE",
                get(access::list_sessions).delete(access::end_other_sessions),
            ),
        )
        .route("/sessions/{id}", only("DELETE", delete(access::end_session)))
        .route("/password", only("PUT", put(access::set_password)))
        .route("/account/email", only("PUT", put(access::set_email)))
        .route(
            "/people",
            only("GET, HEAD, POST", get(people::list_members).post(people::add_member)),
        )
        .route(
            "/people/{id}",
            only("PATCH, DELETE", patch(people::change_member).delete(people::remove_member)),
        )
        .route("/people/{id}/link", only("POST", post(people::create_member_link)))
}

/// Serves the dashboard's files and pages: every path that is not a route of the gateway.
async fn serve_dashboard<U>(
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
    if let Some(page) = first_rows::serve_page(&gateway, upstream, &parts).await {
        return Ok(page);
    }
    gateway.assets.serve_path(&parts.method, parts.uri.path(), &parts.headers)
}
