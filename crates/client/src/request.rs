//! Sends requests with retries, up to a deadline. The requests have no bodies.

use crate::base::BaseUrl;
use crate::error::{Error, Refusal};
use crate::options::{Key, Options};
use crate::retry::{self, AttemptFailure, PossibleEffect};
use bytes::Bytes;
use contract::key::API_KEY_HEADER;
use contract::rate_limit::retry_after_s;
use contract::{ErrorBody, RateLimit};
use http::header::{ACCEPT, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt as _, Empty, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Maximum size of a response that is buffered, in bytes: a page of 100 large submissions.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Maximum size of an error response, in bytes.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// Maximum size of the response headers, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Timeout for connecting.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// Time after which an idle connection is closed.
const POOL_IDLE: Duration = Duration::from_secs(30);

/// Connections to one server, with the data common to all requests.
pub(crate) struct RequestSender {
    http: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    base: BaseUrl,
    key: HeaderValue,
    options: Options,
    /// Source of the jitter; see [`RequestSender::jitter`].
    began: Instant,
    /// Rate limit in the latest response that had one.
    rate_limit: Mutex<Option<RateLimit>>,
}

impl fmt::Debug for RequestSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("base", &self.base).finish_non_exhaustive()
    }
}

impl RequestSender {
    /// Creates the connection pool. No connection is opened yet.
    ///
    /// # Errors
    /// [`Error::SetUp`].
    pub(crate) fn new(base: BaseUrl, key: &Key, options: Options) -> Result<Self, Error> {
        let key = key.header_value().ok_or_else(|| {
            Error::set_up("the API key is empty or has invalid characters; copy it again")
        })?;
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_connect_timeout(Some(CONNECT_TIME));
        http.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| Error::set_up(format!("TLS cannot be set up: {error}")))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let http = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(POOL_IDLE)
            .http1_max_buf_size(HEAD_BYTES_MAX)
            .build(connector);
        let started_at = Instant::now();
        Ok(Self { http, base, key, options, began: started_at, rate_limit: Mutex::default() })
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn rate_limit(&self) -> Option<RateLimit> {
        *self.rate_limit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request, and returns the parsed JSON and the headers of the response.
    pub(crate) async fn send_for_json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
    ) -> Result<(T, HeaderMap), Error> {
        let method = &method;
        let attempt = || async move {
            let (parts, body) = self.send_once(method, path).await?.into_parts();
            let bytes = read_body(body, BODY_BYTES_MAX).await?;
            let read = serde_json::from_slice(&bytes).map_err(|error| {
                let error = Error::invalid_response(format!("`{path}`: {error}"));
                AttemptFailure { error, may_be_sent: true }
            })?;
            Ok((read, parts.headers))
        };
        self.send_with_retries(attempt).await.map_err(|(error, _)| error)
    }

    /// Sends a request, and ignores the content of the response. An error comes with the possible
    /// effect of the attempts before the failed one.
    pub(crate) async fn send_for_empty(
        &self,
        method: Method,
        path: &str,
    ) -> Result<(), (Error, PossibleEffect)> {
        let method = &method;
        let attempt = || async move {
            let response = self.send_once(method, path).await?;
            // Read to the end, so that the connection can be reused.
            read_body(response.into_body(), ERROR_BYTES_MAX).await.map(drop)
        };
        self.send_with_retries(attempt).await
    }

    /// Sends a request, and returns the response as soon as its headers are received.
    pub(crate) async fn send_for_head(
        &self,
        method: Method,
        path: &str,
    ) -> Result<Response<Incoming>, Error> {
        self.send_with_retries(|| self.send_once(&method, path)).await.map_err(|(error, _)| error)
    }

    /// Makes attempts until one succeeds, a retry cannot help, or the deadline is reached. An error
    /// is that of the last attempt, with the possible effect of the earlier ones.
    async fn send_with_retries<T, F>(
        &self,
        attempt: impl Fn() -> F,
    ) -> Result<T, (Error, PossibleEffect)>
    where
        F: Future<Output = Result<T, AttemptFailure>>,
    {
        let deadline = Instant::now() + self.options.deadline;
        let mut earlier = PossibleEffect::NotDone;
        // `next` is the number of the attempt after this one.
        for next in 2.. {
            let remaining = deadline.saturating_duration_since(Instant::now());
            let timeout = self.options.attempt_timeout.min(remaining);
            let result = tokio::time::timeout(timeout, attempt()).await.unwrap_or_else(|_| {
                Err(AttemptFailure { error: Error::TimedOut(timeout), may_be_sent: true })
            });
            let failure = match result {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let remaining = deadline.saturating_duration_since(Instant::now());
            match retry::retry_delay(&self.options, &failure, next, remaining, self.jitter()) {
                Some(wait) => {
                    if failure.may_have_effect() {
                        earlier = PossibleEffect::MayBeDone;
                    }
                    tokio::time::sleep(wait).await;
                }
                None => return Err((failure.error, earlier)),
            }
        }
        unreachable!("the number of attempts is limited")
    }

    /// Sends a request once. A status that is not a success is a failure.
    async fn send_once(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<Response<Incoming>, AttemptFailure> {
        let not_sent = |error| AttemptFailure { error, may_be_sent: false };
        let uri =
            self.base.url_of(path).map_err(|error| not_sent(Error::invalid_response(error)))?;
        let request = Request::builder()
            .method(method.clone())
            .uri(uri)
            .header(API_KEY_HEADER, self.key.clone())
            .header(ACCEPT, "application/json, text/csv")
            .header(USER_AGENT, concat!("sheaf-client/", env!("CARGO_PKG_VERSION")))
            .body(Empty::new())
            .map_err(|error| not_sent(Error::invalid_response(error)))?;
        let response = self.http.request(request).await.map_err(|error| AttemptFailure {
            may_be_sent: !error.is_connect(),
            error: Error::Unreachable(error.into()),
        })?;
        self.record_rate_limit(response.headers());
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(read_error_response(response).await)
        }
    }

    fn record_rate_limit(&self, headers: &HeaderMap) {
        let read = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
        if let Some(rate_limit) = RateLimit::from_headers(read) {
            *self.rate_limit.lock().unwrap_or_else(PoisonError::into_inner) = Some(rate_limit);
        }
    }

    /// Returns jitter from 0 to 1 that differs between clients and calls. It need not be
    /// unpredictable, so the nanoseconds of the clock are enough.
    fn jitter(&self) -> f64 {
        f64::from(self.began.elapsed().subsec_nanos() % 1000) / 1000.0
    }
}

/// Reads a body to its end, at most `bytes_max` bytes.
async fn read_body(body: Incoming, bytes_max: usize) -> Result<Bytes, AttemptFailure> {
    let collected = Limited::new(body, bytes_max).collect().await.map_err(|error| {
        let error = if error.is::<LengthLimitError>() {
            Error::invalid_response(format!("the response has more than {bytes_max} bytes"))
        } else {
            Error::Unreachable(error)
        };
        AttemptFailure { error, may_be_sent: true }
    })?;
    Ok(collected.to_bytes())
}

/// Reads an error response. Its body takes precedence over `Retry-After`; an unreadable body is
/// ignored.
async fn read_error_response(response: Response<Incoming>) -> AttemptFailure {
    let (parts, body) = response.into_parts();
    let bytes = read_body(body, ERROR_BYTES_MAX).await.unwrap_or_default();
    let body: Option<ErrorBody> = serde_json::from_slice(&bytes).ok();
    let header_s = retry_after_s(|name| parts.headers.get(name)?.to_str().ok().map(str::to_owned));
    let retry_after_s = body.as_ref().and_then(|body| body.retry_after).or(header_s);
    let retry_after = retry_after_s.map(Duration::from_secs);
    let status = parts.status.as_u16();
    AttemptFailure { error: Refusal { status, body, retry_after }.into(), may_be_sent: true }
}
