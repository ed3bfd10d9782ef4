//! The HTTP client for an upstream on another host.
//!
//! Scheme, host and port are fixed at startup; a request supplies only path and query. The client
//! follows no redirects, and every wait has a timeout.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use http::header::TRANSFER_ENCODING;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Response, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower::Service;

mod breaker;
pub(crate) mod idle_timeout;
mod tls;

use crate::clock::Clock;

use self::breaker::Breaker;
pub use self::tls::{
    InvalidAuthorities, Trust, describe_error, https_connector, refused_certificate,
};
use crate::upstream::idle_timeout::IdleTimeoutBody;

/// Maximum size of a response head in bytes, accurate to one read, and maximum number of headers.
const HEAD_BYTES_MAX: usize = 64 * 1024;
const HEADERS_MAX: usize = 64;
/// Time after which an idle connection is closed.
const POOL_IDLE: Duration = Duration::from_secs(30);

/// Reasons why the upstream gave no response.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The upstream was unreachable, closed the connection early, or violated HTTP.
    #[error("the upstream failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// No trusted authority signed the upstream's certificate.
    #[error(
        "the upstream's certificate is refused ({0}); configure the certificate of the authority \
         that signed it"
    )]
    Untrusted(String),
    /// Only the end of the connection delimits the response, so a truncated response would look
    /// complete.
    #[error("the upstream's response has no length: it needs `content-length` or chunked encoding")]
    UnframedBody,
    /// The upstream did not respond, or stopped sending, for too long.
    #[error("the upstream timed out")]
    TimedOut,
    /// The circuit breaker is open after repeated failures.
    #[error("the upstream is paused after {} consecutive failures", breaker::FAILURES_MAX)]
    CircuitOpen,
}

/// Reasons why an address cannot be an upstream.
#[derive(Debug, thiserror::Error)]
pub enum InvalidUpstream {
    /// The scheme is not `http` or `https`, or the host is missing.
    #[error("the upstream must be `http://host` or `https://host`, with or without a port")]
    NotAbsolute,
    /// The address contains a user name, a password or a query.
    #[error("the upstream's address must not contain a user name or a query; pass keys in a file")]
    UserInfoOrQuery,
    /// The TLS library failed to initialise.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Timeouts of the client.
#[derive(Debug, Clone, Copy)]
pub struct UpstreamTimeouts {
    /// For establishing a connection.
    pub connect: Duration,
    /// From sending the request to receiving the head of the response.
    pub first_byte: Duration,
    /// The same for an export, because a server may prepare the whole file before it sends the
    /// first byte.
    pub export_first_byte: Duration,
    /// For the next chunk of the response body.
    pub next_byte: Duration,
}

impl UpstreamTimeouts {
    /// Returns the timeout for the response head of a request for `path`.
    fn first_byte_timeout(&self, path: &str) -> Duration {
        if path.ends_with("/export") { self.export_first_byte } else { self.first_byte }
    }
}

impl Default for UpstreamTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(2),
            first_byte: Duration::from_secs(10),
            export_first_byte: Duration::from_secs(30),
            next_byte: Duration::from_secs(30),
        }
    }
}

/// An HTTP client for one upstream. Clones share their connections.
#[derive(Clone)]
pub struct UpstreamClient {
    client: Client<HttpsConnector<HttpConnector>, Body>,
    base: Arc<BaseUrl>,
    timeouts: UpstreamTimeouts,
    breaker: Arc<Breaker>,
}

struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    /// Path in front of `/v1`: empty, or with a leading and without a trailing `/`.
    prefix: String,
}

/// Creates a client for the server at `base`: `http://host:port`, or `https` with a certificate
/// that `trust` accepts. `base` may have a path, below which `/v1` is expected. After five
/// consecutive failures requests fail immediately for two seconds, measured by `clock`.
///
/// # Errors
/// If `base` is not such an address, or TLS cannot be initialised.
pub fn upstream_client(
    base: &Uri,
    timeouts: UpstreamTimeouts,
    trust: &Trust,
    clock: Arc<dyn Clock>,
) -> Result<UpstreamClient, InvalidUpstream> {
    let base = Arc::new(BaseUrl::parse(base)?);
    let connector = https_connector(timeouts.connect, trust)?;
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE)
        .http1_max_buf_size(HEAD_BYTES_MAX)
        .http1_max_headers(HEADERS_MAX)
        .build(connector);
    Ok(UpstreamClient { client, base, timeouts, breaker: Breaker::new(clock) })
}

impl UpstreamClient {
    /// Returns whether requests currently fail immediately because of repeated failures.
    pub fn is_circuit_open(&self) -> bool {
        self.breaker.is_open()
    }

    /// Returns whether repeated requests failed, without a response since.
    pub fn is_failing(&self) -> bool {
        self.breaker.is_failing()
    }
}

/// Returns the upstream's URI for a request in origin form, as `BaseUrl::resolve_uri` does.
#[cfg(any(test, fuzzing))]
pub(crate) fn resolve_for_fuzzing(base: &'static str, uri: &Uri) -> Uri {
    let base = BaseUrl::parse(&Uri::from_static(base)).expect("the address is valid");
    base.resolve_uri(uri).expect("the URI is valid")
}

impl BaseUrl {
    fn parse(base: &Uri) -> Result<Self, InvalidUpstream> {
        let (Some(scheme), Some(authority)) = (base.scheme(), base.authority()) else {
            return Err(InvalidUpstream::NotAbsolute);
        };
        if ![Scheme::HTTP, Scheme::HTTPS].contains(scheme) || authority.host().is_empty() {
            return Err(InvalidUpstream::NotAbsolute);
        }
        if authority.as_str().contains('@') || base.query().is_some() {
            return Err(InvalidUpstream::UserInfoOrQuery);
        }
        let prefix = base.path().trim_end_matches('/').to_owned();
        Ok(Self { scheme: scheme.clone(), authority: authority.clone(), prefix })
    }

    /// Returns the upstream's URI for a request in origin form.
    fn resolve_uri(&self, uri: &Uri) -> Result<Uri, http::Error> {
        let path_and_query = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path_and_query}", self.prefix))
            .build()
    }
}

impl Service<Request<Body>> for UpstreamClient {
    type Response = Response<Body>;
    type Error = UpstreamError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, UpstreamError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), UpstreamError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let client = self.client.clone();
        let timeouts = self.timeouts;
        let uri = self.base.resolve_uri(request.uri());
        let breaker = Arc::clone(&self.breaker);
        Box::pin(async move {
            *request.uri_mut() = uri.map_err(|error| UpstreamError::Failed(error.into()))?;
            let permit = breaker.admit().ok_or(UpstreamError::CircuitOpen)?;
            let first_byte = timeouts.first_byte_timeout(request.uri().path());
            let answer =
                wait_for_response(client.request(request), first_byte, timeouts.next_byte).await;
            if answer.is_ok() {
                permit.record_success();
            } else {
                permit.record_failure();
            }
            answer
        })
    }
}

/// Waits for the head of a response. The returned body applies its own timeout when it is read.
async fn wait_for_response(
    answer: ResponseFuture,
    first_byte: Duration,
    next_byte: Duration,
) -> Result<Response<Body>, UpstreamError> {
    let head = tokio::time::timeout(first_byte, answer).await;
    let head = head.map_err(|_| UpstreamError::TimedOut)?;
    let head = head.map_err(|error| match refused_certificate(&error) {
        Some(why) => UpstreamError::Untrusted(why),
        None => UpstreamError::Failed(error.into()),
    })?;
    if !is_framed(&head) {
        return Err(UpstreamError::UnframedBody);
    }
    Ok(head.map(|body| Body::new(IdleTimeoutBody::new(body, next_byte))))
}

/// Returns whether a response declares the length of its body. Without that, a truncated body would
/// look complete.
fn is_framed(head: &Response<impl http_body::Body>) -> bool {
    let body = head.body();
    let mut codings = head.headers().get_all(TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => body.is_end_stream() || body.size_hint().exact().is_some(),
        (Some(coding), None) => coding.as_bytes().eq_ignore_ascii_case(b"chunked"),
        (Some(_), Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &'static str, request: &'static str, expect: Option<&str>) {
        let base = BaseUrl::parse(&Uri::from_static(base)).ok();
        let uri =
            base.map(|base| base.resolve_uri(&Uri::from_static(request)).unwrap().to_string());
        assert_eq!(uri.as_deref(), expect);
    }

    #[test]
    fn upstream_host_is_independent_of_path() {
        check("http://a.test:9000", "/v1/x?y=z", Some("http://a.test:9000/v1/x?y=z"));
        check("https://a.test/", "/v1/x", Some("https://a.test/v1/x"));
        check("https://a.test/forms/", "/v1/x?y", Some("https://a.test/forms/v1/x?y"));
        check("http://a.test", "//evil.test/x", Some("http://a.test//evil.test/x"));
        check("http://a.test", "/@evil.test/x", Some("http://a.test/@evil.test/x"));
        check("http://a.test", "http://evil.test/x", Some("http://a.test/x"));
    }

    #[test]
    fn invalid_upstream_addresses_are_rejected() {
        check("/v1", "/", None);
        check("a.test:80", "/", None);
        check("ftp://a.test", "/", None);
        check("http://me:pass@a.test", "/", None);
        check("http://a.test/?key=x", "/", None);
    }
}
