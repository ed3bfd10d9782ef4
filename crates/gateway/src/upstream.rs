//! An upstream on another machine: the HTTP client.
//!
//! Its scheme, host and port are fixed at the start; a request brings a path and a query only.
//! It follows no redirect, and waits for nothing without an end.

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
pub use self::tls::{NoAuthority, Trust, connector, refused_certificate, told};
use crate::upstream::idle_timeout::Patient;

/// Largest head of an answer, in bytes, give or take one read, and most headers in it.
const HEAD_BYTES_MAX: usize = 64 * 1024;
const HEADERS_MAX: usize = 64;
/// How long an unused connection is kept.
const POOL_IDLE: Duration = Duration::from_secs(30);

/// Why the upstream gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// It could not be reached, broke off, or did not speak HTTP.
    #[error("the upstream failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Nobody who is believed vouches for it.
    #[error(
        "the upstream's certificate is refused ({0}); the gateway must be told of the authority \
         that vouches for it"
    )]
    Untrusted(String),
    /// Its answer ends with the connection alone, so that nobody could tell a part from the whole.
    #[error("the upstream's answer does not say where it ends: it needs a length, or chunks")]
    Endless,
    /// It did not answer, or went silent, for too long.
    #[error("the upstream took too long")]
    TimedOut,
    /// It failed again and again, and is left alone for a moment.
    #[error("the upstream is left alone, since it failed {} times in a row", breaker::FAILURES_MAX)]
    LeftAlone,
}

/// An address that cannot be an upstream's.
#[derive(Debug, thiserror::Error)]
pub enum InvalidUpstream {
    /// Not `http` or `https`, or no host.
    #[error("an upstream's address is `http://host` or `https://host`, with or without a port")]
    NotAbsolute,
    /// With a name, a password or a query.
    #[error("an upstream's address has no user name and no query; keys are given by a file")]
    Extra,
    /// The TLS library would not start.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// How long the client waits.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the connection.
    pub connect: Duration,
    /// For the head of the answer, from the request on.
    pub first_byte: Duration,
    /// The same for an export: a server may put a file together before it sends the first of it.
    pub export_first_byte: Duration,
    /// For the next piece of the answer's body.
    pub next_byte: Duration,
}

impl Patience {
    /// For the head of the answer to a request for this path.
    fn first_byte_of(&self, path: &str) -> Duration {
        if path.ends_with("/export") { self.export_first_byte } else { self.first_byte }
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(2),
            first_byte: Duration::from_secs(10),
            export_first_byte: Duration::from_secs(30),
            next_byte: Duration::from_secs(30),
        }
    }
}

/// The client of one upstream. Clones share their connections.
#[derive(Clone)]
pub struct Remote {
    client: Client<HttpsConnector<HttpConnector>, Body>,
    base: Arc<Base>,
    patience: Patience,
    breaker: Arc<Breaker>,
}

struct Base {
    scheme: Scheme,
    authority: Authority,
    /// What stands before `/v1`; empty, or begins with `/` and does not end with it.
    prefix: String,
}

/// Returns the client of the server at `base`: `http://host:port`, or `https` with a certificate
/// for which somebody vouches who is believed; a path may follow, under which `/v1` lies. After
/// five failures in a row it is left alone for two seconds at a time by `clock`.
///
/// # Errors
/// When `base` is no such address.
pub fn remote(
    base: &Uri,
    patience: Patience,
    trust: &Trust,
    clock: Arc<dyn Clock>,
) -> Result<Remote, InvalidUpstream> {
    let base = Arc::new(Base::parse(base)?);
    let connector = connector(patience.connect, trust)?;
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE)
        .http1_max_buf_size(HEAD_BYTES_MAX)
        .http1_max_headers(HEADERS_MAX)
        .build(connector);
    Ok(Remote { client, base, patience, breaker: Breaker::new(clock) })
}

impl Remote {
    /// Whether it failed so often that requests fail at once at this moment.
    pub fn is_left_alone(&self) -> bool {
        self.breaker.is_open()
    }
}

/// Where a request in origin form goes, by the upstream's address.
#[cfg(any(test, fuzzing))]
pub(crate) fn located(base: &'static str, uri: &Uri) -> Uri {
    let base = Base::parse(&Uri::from_static(base)).expect("an upstream's address");
    base.locate(uri).expect("an address")
}

impl Base {
    fn parse(base: &Uri) -> Result<Self, InvalidUpstream> {
        let (Some(scheme), Some(authority)) = (base.scheme(), base.authority()) else {
            return Err(InvalidUpstream::NotAbsolute);
        };
        if ![Scheme::HTTP, Scheme::HTTPS].contains(scheme) || authority.host().is_empty() {
            return Err(InvalidUpstream::NotAbsolute);
        }
        if authority.as_str().contains('@') || base.query().is_some() {
            return Err(InvalidUpstream::Extra);
        }
        let prefix = base.path().trim_end_matches('/').to_owned();
        Ok(Self { scheme: scheme.clone(), authority: authority.clone(), prefix })
    }

    /// Returns where a request in origin form goes.
    fn locate(&self, uri: &Uri) -> Result<Uri, http::Error> {
        let path_and_query = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path_and_query}", self.prefix))
            .build()
    }
}

impl Service<Request<Body>> for Remote {
    type Response = Response<Body>;
    type Error = UpstreamError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, UpstreamError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), UpstreamError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let (client, patience) = (self.client.clone(), self.patience);
        let (uri, breaker) = (self.base.locate(request.uri()), Arc::clone(&self.breaker));
        Box::pin(async move {
            *request.uri_mut() = uri.map_err(|error| UpstreamError::Failed(error.into()))?;
            let permit = breaker.admit().ok_or(UpstreamError::LeftAlone)?;
            let first_byte = patience.first_byte_of(request.uri().path());
            let answer = answer(client.request(request), first_byte, patience.next_byte).await;
            if answer.is_ok() {
                permit.answered();
            } else {
                permit.failed();
            }
            answer
        })
    }
}

/// Waits for the head of an answer; its body is waited for by whoever reads it.
async fn answer(
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
        return Err(UpstreamError::Endless);
    }
    Ok(head.map(|body| Body::new(Patient::new(body, next_byte))))
}

/// Whether an answer says where its body ends. One that ends with the connection alone would look
/// whole where it was cut.
fn is_framed(head: &Response<impl http_body::Body>) -> bool {
    let (body, mut codings) = (head.body(), head.headers().get_all(TRANSFER_ENCODING).iter());
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
        let base = Base::parse(&Uri::from_static(base)).ok();
        let uri = base.map(|base| base.locate(&Uri::from_static(request)).unwrap().to_string());
        assert_eq!(uri.as_deref(), expect);
    }

    #[test]
    fn the_host_is_the_upstreams_whatever_the_path() {
        check("http://a.test:9000", "/v1/x?y=z", Some("http://a.test:9000/v1/x?y=z"));
        check("https://a.test/", "/v1/x", Some("https://a.test/v1/x"));
        check("https://a.test/forms/", "/v1/x?y", Some("https://a.test/forms/v1/x?y"));
        check("http://a.test", "//evil.test/x", Some("http://a.test//evil.test/x"));
        check("http://a.test", "/@evil.test/x", Some("http://a.test/@evil.test/x"));
        check("http://a.test", "http://evil.test/x", Some("http://a.test/x"));
    }

    #[test]
    fn refuses_what_is_no_address_of_a_server() {
        check("/v1", "/", None);
        check("a.test:80", "/", None);
        check("ftp://a.test", "/", None);
        check("http://me:pass@a.test", "/", None);
        check("http://a.test/?key=x", "/", None);
    }
}
