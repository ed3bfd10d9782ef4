//! Analyst that calls an external service by chat completions.
//!
//! It sends the text of answers and the categories of the form, but no data that identify the
//! submission, the respondent or the owner of the form. All waits are bounded, and redirects are
//! not followed. Without a valid response the submission stays pending. The key appears in no
//! message and no log.

use analysis::prose::Prose;
use analysis::{AnalysisBatch, AnalysisError, Analyst};
use async_trait::async_trait;
use bytes::Bytes;
use contract::Insight;
use contract::insight::Categories;
use contract::rate_limit::retry_after_s;
use futures_util::future::join_all;
use gateway::upstream::{Trust, describe_error, https_connector, refused_certificate};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::net::IpAddr;
use std::time::Duration;

use super::analyst_protocol;
use crate::error::{Error, Result};

/// Number of submissions analysed concurrently, each by its own request.
const BATCH_MAX: usize = 8;
/// Maximum size of a response body, and of a response head, in bytes.
const ANSWER_BYTES_MAX: usize = 256 * 1024;
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of attempts while the endpoint is busy or failing.
const ATTEMPTS_MAX: u32 = 3;
/// Pause after the endpoint denied access.
const DENIED_PAUSE: Duration = Duration::from_mins(5);

/// Timeouts and pauses.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndpointTimeouts {
    /// Timeout of a connection.
    pub(super) connect: Duration,
    /// Timeout of a whole response.
    pub(super) answer: Duration,
    /// Pause before the second attempt, doubled before the third. If the endpoint asks for more
    /// than ten times this pause, analysis pauses for as long as it asks.
    pub(super) pause: Duration,
}

impl Default for EndpointTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            answer: Duration::from_mins(1),
            pause: Duration::from_secs(1),
        }
    }
}

/// Client of an external analyst.
pub(super) struct Endpoint {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    model: String,
    headers: HeaderMap,
    timeouts: EndpointTimeouts,
}

/// Outcome of one request.
enum RequestOutcome {
    /// A response to parse, valid or not.
    Response(Bytes),
    /// A temporary failure, with the delay that the endpoint asks for.
    Retry(String, Option<Duration>),
    /// The endpoint denied access.
    Denied(String),
    /// The endpoint rejected this text.
    TextRejected(String),
}

impl Endpoint {
    /// Returns the analyst for a base URL, without `/chat/completions`.
    ///
    /// # Errors
    /// An invalid URL, or a key that cannot be sent in a header.
    pub(super) fn new(
        base: &str,
        model: &str,
        key: Option<&str>,
        timeouts: EndpointTimeouts,
        trust: &Trust,
    ) -> Result<Self> {
        let uri: Uri =
            format!("{}/chat/completions", base.trim_end_matches('/')).parse().map_err(|_| {
                Error::invalid(format!("`--insight-url` must be a URL, but is `{base}`"))
            })?;
        if uri.scheme_str() == Some("http") && !is_local(&uri) {
            tracing::warn!("answers are sent to `{base}` without TLS; use `https`");
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = key {
            let mut value = HeaderValue::try_from(format!("Bearer {key}")).map_err(|_| {
                Error::invalid("the key for `--insight-url` has invalid characters")
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = build_client(timeouts, trust).map_err(|error| {
            Error::invalid(format!("TLS cannot be set up for `--insight-url`: {error}"))
        })?;
        Ok(Self { client, uri, model: model.to_owned(), headers, timeouts })
    }

    async fn analyse_text(
        &self,
        categories: &Categories,
        prose: &Prose,
    ) -> Result<Insight, AnalysisError> {
        let body = Bytes::from(
            analyst_protocol::build_request(&self.model, categories, prose).to_string(),
        );
        let mut pause = self.timeouts.pause;
        for rest in (0..ATTEMPTS_MAX).rev() {
            let (reason, retry_after) = match self.send_with_timeout(body.clone()).await {
                RequestOutcome::Response(answer) => {
                    return analyst_protocol::parse_response(&answer, categories).map_err(
                        |reason| AnalysisError::Text { reason: reason.to_owned(), actions: 1 },
                    );
                }
                RequestOutcome::TextRejected(reason) => {
                    return Err(AnalysisError::Text { reason, actions: 0 });
                }
                RequestOutcome::Denied(reason) => {
                    return Err(AnalysisError::Unavailable {
                        why: reason,
                        retry_after: Some(DENIED_PAUSE),
                    });
                }
                RequestOutcome::Retry(reason, retry_after) => (reason, retry_after),
            };
            let wait = retry_after.unwrap_or_default().max(pause);
            if rest == 0 || wait > self.timeouts.pause * 10 {
                return Err(AnalysisError::Unavailable { why: reason, retry_after });
            }
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        unreachable!("the last attempt returns")
    }

    async fn send_with_timeout(&self, body: Bytes) -> RequestOutcome {
        let exchange = tokio::time::timeout(self.timeouts.answer, self.send_request(body)).await;
        exchange
            .unwrap_or_else(|_| RequestOutcome::Retry("it did not answer in time".to_owned(), None))
    }

    async fn send_request(&self, body: Bytes) -> RequestOutcome {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        let response = match self.client.request(request).await {
            Ok(response) => response,
            Err(error) => return connection_error(&error),
        };
        let status = response.status();
        let retry_after = retry_after(response.headers());
        if status != StatusCode::OK {
            return status_error(status, retry_after);
        }
        match Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await {
            Ok(body) => RequestOutcome::Response(body.to_bytes()),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => {
                // The response was paid for. An empty body is handled like an invalid response.
                RequestOutcome::Response(Bytes::new())
            }
            Err(error) => RequestOutcome::Retry(format!("its response ended early: {error}"), None),
        }
    }
}

#[async_trait]
impl Analyst for Endpoint {
    fn batch_max(&self) -> usize {
        BATCH_MAX
    }

    async fn analyse(&self, batch: AnalysisBatch) -> Vec<Result<Insight, AnalysisError>> {
        let requests = batch.texts.iter().map(|prose| self.analyse_text(&batch.categories, prose));
        let mut results = join_all(requests).await;
        let is_refused = |result: &_| matches!(result, Err(AnalysisError::Text { actions: 0, .. }));
        if results.len() > 1 && results.iter().all(is_refused) {
            // If all texts are rejected, the cause is not in the texts. Pausing avoids sending all
            // pending submissions in vain.
            for result in &mut results {
                if let Err(AnalysisError::Text { reason, .. }) = result {
                    let reason = std::mem::take(reason);
                    *result = Err(AnalysisError::Unavailable {
                        why: reason,
                        retry_after: Some(DENIED_PAUSE),
                    });
                }
            }
        }
        results
    }
}

fn build_client(
    timeouts: EndpointTimeouts,
    trust: &Trust,
) -> std::result::Result<Client<HttpsConnector<HttpConnector>, Full<Bytes>>, rustls::Error> {
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .http1_max_buf_size(HEAD_BYTES_MAX)
        .build(https_connector(timeouts.connect, trust)?))
}

fn connection_error(error: &(dyn std::error::Error + 'static)) -> RequestOutcome {
    match refused_certificate(error) {
        Some(reason) => RequestOutcome::Denied(format!(
            "its certificate is rejected ({reason}); set its CA certificate with `--insight-ca`"
        )),
        None => {
            RequestOutcome::Retry(format!("it cannot be reached: {}", describe_error(error)), None)
        }
    }
}

fn status_error(status: StatusCode, retry_after: Option<Duration>) -> RequestOutcome {
    let why = format!("it answered {status}");
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            RequestOutcome::Retry(why, retry_after)
        }
        StatusCode::BAD_REQUEST
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::UNPROCESSABLE_ENTITY => RequestOutcome::TextRejected(why),
        status if status.is_server_error() => RequestOutcome::Retry(why, retry_after),
        _ => RequestOutcome::Denied(format!("{why}; check `--insight-url`, the model and the key")),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    retry_after_s(header).map(Duration::from_secs)
}

fn is_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
