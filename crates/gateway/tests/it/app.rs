//! A gateway with in-memory dependencies, and helpers that send it requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::IntoResponse;
use axum::routing::{delete, get, post, put};
use bytes::Bytes;
use contract::{AccountId, Environment, ErrorBody};
use gateway::{Assets, Config, Credentials};
use http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use tower::{Service, ServiceExt};

use crate::memory::{ManualClock, MemoryAccounts, OWNER, StaticKeys};

pub(crate) const INDEX: &str = "<!doctype html><script src=\"/theme.js\"></script>\
    <script type=\"module\">import init from '/dashboard-6e684c6c7bb9508d.js'; init();</script>";
pub(crate) const SCRIPT: &str = "/dashboard-6e684c6c7bb9508d.js";
pub(crate) const SUBMISSION: &str = "/api/live/v1/submissions/sub_1";

/// The requests that an upstream received.
pub(crate) type Seen = Arc<Mutex<Vec<Request<()>>>>;

pub(crate) struct TestApp {
    pub(crate) router: Router,
    pub(crate) store: Arc<MemoryAccounts>,
    pub(crate) clock: Arc<ManualClock>,
    /// Requests received by the upstream in this process.
    pub(crate) seen: Seen,
}

/// A response with its whole body.
pub(crate) struct ReceivedResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl ReceivedResponse {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn error_body(&self) -> ErrorBody {
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Asserts the status and the code of an error response.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, code: &str) {
        assert_eq!((self.status.as_u16(), self.error_body().error.as_str()), (status, code));
    }

    /// Returns the cookie of the response, as the browser would send it back.
    pub(crate) fn cookie(&self) -> String {
        self.header(SET_COOKIE.as_str()).split(';').next().unwrap().to_owned()
    }
}

impl TestApp {
    /// Creates a gateway with an upstream in this process that returns `{"data":1}` for everything.
    pub(crate) fn new() -> Self {
        Self::with_responses(|_| {
            ([(CONTENT_TYPE, "application/json")], Body::from(r#"{"data":1}"#)).into_response()
        })
    }

    /// The same, with the responses of `answer`.
    pub(crate) fn with_responses(
        answer: impl Fn(&Request<()>) -> Response<Body> + Clone + Send + Sync + 'static,
    ) -> Self {
        let seen = Seen::default();
        let record = Arc::clone(&seen);
        let upstream = tower::service_fn(move |request: Request<Body>| {
            let request = request.map(|_| ());
            let response = answer(&request);
            record.lock().unwrap().push(request);
            std::future::ready(Ok::<_, std::convert::Infallible>(response))
        });
        Self { seen, ..Self::with_upstream(upstream, false, Environment::ALL.to_vec(), true) }
    }

    /// Creates a gateway with e-mail, and an upstream that answers nothing.
    pub(crate) fn with_mail(mail: gateway::Mail) -> Self {
        let upstream =
            tower::service_fn(|_| async { Ok::<_, std::convert::Infallible>(Response::default()) });
        let config = Config { mail: Some(mail), assets: test_assets(), ..Config::default() };
        let credentials = StaticKeys::credentials_for(Environment::ALL.to_vec());
        Self::with_config(config, upstream, credentials, Some(account_api()))
    }

    /// Creates a gateway with any upstream.
    pub(crate) fn with_upstream<U>(
        upstream: U,
        tls: bool,
        keys: Vec<Environment>,
        managed: bool,
    ) -> Self
    where
        U: Service<Request<Body>, Response = Response<Body>> + Clone + Send + Sync + 'static,
        U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        U::Future: Send,
    {
        Self::with_parts(
            test_assets(),
            upstream,
            tls,
            StaticKeys::credentials_for(keys),
            managed.then(account_api),
        )
    }

    /// The same, with any dashboard and account router.
    pub(crate) fn with_parts<U>(
        assets: Assets,
        upstream: U,
        tls: bool,
        credentials: Credentials,
        account: Option<Router>,
    ) -> Self
    where
        U: Service<Request<Body>, Response = Response<Body>> + Clone + Send + Sync + 'static,
        U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        U::Future: Send,
    {
        let config = Config { secure_cookies: tls, assets, ..Config::default() };
        Self::with_config(config, upstream, credentials, account)
    }

    fn with_config<U>(
        config: Config,
        upstream: U,
        credentials: Credentials,
        account: Option<Router>,
    ) -> Self
    where
        U: Service<Request<Body>, Response = Response<Body>> + Clone + Send + Sync + 'static,
        U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        U::Future: Send,
    {
        let store = Arc::<MemoryAccounts>::default();
        let clock = Arc::<ManualClock>::default();
        let config = Config {
            clock: clock.clone(),
            // Long enough that rows are in their page on a busy machine too.
            first_rows_wait: Duration::from_mins(1),
            ..config
        };
        let router = gateway::router(config, store.clone(), credentials, upstream, account);
        Self { router, store, clock, seen: Seen::default() }
    }

    /// Sends a request unchanged, and checks what is true for every response.
    pub(crate) async fn send(&self, request: Request<Body>) -> ReceivedResponse {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let answer = ReceivedResponse { status: parts.status, headers: parts.headers, body };
        let text = format!("{:?} {}", answer.headers, String::from_utf8_lossy(&answer.body));
        assert!(!text.contains("CANARY"), "the response contains an API key: {text}");
        assert!(answer.headers.contains_key("content-security-policy"));
        assert!(answer.headers.contains_key("cache-control"));
        answer
    }

    /// Sends a request as the dashboard does.
    pub(crate) async fn call(&self, method: Method, path: &str, cookie: &str) -> ReceivedResponse {
        self.send(dashboard_request(method, path, cookie)).await
    }

    /// Signs the owner in and returns the cookie. Uses a link, because a password takes longer.
    pub(crate) async fn sign_in(&self) -> String {
        self.sign_in_as(OWNER).await
    }

    /// The same for any member.
    pub(crate) async fn sign_in_as(&self, person: &str) -> String {
        let (token, hash) = gateway::secret::generate_token();
        let link = (person.parse().unwrap(), contract::Timestamp::MAX);
        self.store.links.lock().unwrap().insert(hash, link);
        let body = serde_json::json!({ "token": token }).to_string();
        let answer = self.post("/session", "", &body).await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.cookie()
    }

    /// Posts JSON as the dashboard does.
    pub(crate) async fn post(&self, path: &str, cookie: &str, body: &str) -> ReceivedResponse {
        self.send_body(Method::POST, path, cookie, body).await
    }

    /// Sends a request with a JSON body.
    pub(crate) async fn send_body(
        &self,
        method: Method,
        path: &str,
        cookie: &str,
        body: &str,
    ) -> ReceivedResponse {
        let mut request = dashboard_request(method, path, cookie);
        request.headers_mut().insert(CONTENT_TYPE, "application/json".parse().unwrap());
        *request.body_mut() = Body::from(body.to_owned());
        self.send(request).await
    }
}

/// Creates a request as the dashboard sends it.
pub(crate) fn dashboard_request(method: Method, path: &str, cookie: &str) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path).header("x-sheaf-csrf", "1");
    if !cookie.is_empty() {
        request = request.header(COOKIE, cookie);
    }
    request.body(Body::empty()).unwrap()
}

/// Sets the client address of a request.
pub(crate) fn with_client_address(mut request: Request<Body>, address: &str) -> Request<Body> {
    let peer: SocketAddr = format!("{address}:1234").parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

pub(crate) fn password_body(email: &str, password: &str) -> String {
    serde_json::json!({ "email": email, "password": password }).to_string()
}

pub(crate) fn test_assets() -> Assets {
    let file =
        |name: &str, text: &'static str| (name.to_owned(), Bytes::from_static(text.as_bytes()));
    Assets::new([
        file("index.html", INDEX),
        file("index.html.br", "index as br"),
        file(&SCRIPT[1..], "script"),
        file(&format!("{}.br", &SCRIPT[1..]), "script as br"),
        file(&format!("{}.gz", &SCRIPT[1..]), "script as gz"),
        file("dashboard-6e684c6c7bb9508d_bg.wasm", "\0asm"),
        file("theme.js", "theme"),
        file("favicon.svg", "<svg/>"),
        file("first.js", "script"),
        file("sheaf-975bdb86fa14ad47.webmanifest", "{}"),
        file("icon-192.png", "png"),
        file("alone.gz", "no form of another"),
    ])
}

/// A substitute for the account router that returns the account and the received request.
fn account_api() -> Router {
    async fn echo_request(request: axum::extract::Request) -> String {
        let id = request.extensions().get::<AccountId>().unwrap().to_string();
        let mut names: Vec<_> = request.headers().keys().map(ToString::to_string).collect();
        names.sort();
        let uri = request.uri().clone();
        let body = request.into_body().collect().await.unwrap().to_bytes();
        format!("{id} {uri} {} {}", names.join(","), String::from_utf8_lossy(&body))
    }
    async fn echo_key(axum::extract::Path(key): axum::extract::Path<String>) -> String {
        key
    }
    Router::new()
        .route("/account/forms", get(echo_request))
        .route("/account/keys", get(echo_request).post(echo_request))
        .route("/account/keys/{key}", delete(echo_key))
        .route("/account/forms/{form}/webhooks", post(echo_request))
        .route("/account/forms/{form}/webhooks/{webhook}", put(echo_request))
        .route("/account/forms/{form}/webhooks/{webhook}/rotate", post(echo_request))
        .route("/account/forms/{form}/notifications", post(echo_request))
        .route("/account/forms/{form}/notifications/{notification}", put(echo_request))
        .route("/account/forms/{form}/auto-reply", put(echo_request))
}
