//! The analyst that asks another service, by chat completions as many of them have.
//!
//! It sends the prose of answers and the form's categories, and nothing that names the submission,
//! the person or the form's owner. It waits for nothing without an end, follows no redirect, and
//! where it gets no good answer the submission stays pending. Its key is in no message and no log.

use analysis::prose::Prose;
use analysis::{Analyst, Batch, Trouble};
use async_trait::async_trait;
use bytes::Bytes;
use contract::Insight;
use contract::insight::Categories;
use contract::rate_limit::retry_after_s;
use futures_util::future::join_all;
use gateway::upstream::{Trust, connector, refused_certificate, told};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::net::IpAddr;
use std::time::Duration;

use super::talk;
use crate::error::{Error, Result};

/// So many submissions are asked about at once, each by a request of its own.
const BATCH_MAX: usize = 8;
/// Largest answer, in bytes, and largest head of one.
const ANSWER_BYTES_MAX: usize = 256 * 1024;
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How often a request is sent while the endpoint is busy or broken.
const TRIES: u32 = 3;
/// How long nothing is asked where the endpoint refuses us as such.
const DENIED: Duration = Duration::from_mins(5);

/// How long it waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For a connection.
    pub(super) connect: Duration,
    /// For a whole answer.
    pub(super) answer: Duration,
    /// Before a second try; twice as long before a third. Who asks for a longer pause than ten of
    /// these is left alone altogether for so long.
    pub(super) pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            answer: Duration::from_mins(1),
            pause: Duration::from_secs(1),
        }
    }
}

/// The endpoint.
pub(super) struct Endpoint {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    model: String,
    headers: HeaderMap,
    patience: Patience,
}

/// What came of one request.
enum Reply {
    /// An answer that is to be read, whatever it says.
    Answer(Bytes),
    /// Not now: another try may help, after so long where it said so.
    Busy(String, Option<Duration>),
    /// Not to us.
    Denied(String),
    /// Not this text.
    Refused(String),
}

impl Endpoint {
    /// Returns the analyst at a base address, before `/chat/completions`.
    ///
    /// # Errors
    /// An address or a key that cannot go over the wire.
    pub(super) fn new(
        base: &str,
        model: &str,
        key: Option<&str>,
        patience: Patience,
        trust: &Trust,
    ) -> Result<Self> {
        let uri: Uri = format!("{}/chat/completions", base.trim_end_matches('/'))
            .parse()
            .map_err(|_| Error::refused(format!("`--insight-url` is no address: `{base}`")))?;
        if uri.scheme_str() == Some("http") && !is_local(&uri) {
            tracing::warn!("what people wrote goes to `{base}` without TLS; use `https`");
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = key {
            let mut value = HeaderValue::try_from(format!("Bearer {key}"))
                .map_err(|_| Error::refused("the key for `--insight-url` is no plain text"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = client(patience, trust).map_err(|error| {
            Error::refused(format!("TLS cannot be set up for `--insight-url`: {error}"))
        })?;
        Ok(Self { client, uri, model: model.to_owned(), headers, patience })
    }

    async fn label(&self, categories: &Categories, prose: &Prose) -> Result<Insight, Trouble> {
        let body = Bytes::from(talk::question(&self.model, categories, prose).to_string());
        let mut pause = self.patience.pause;
        for rest in (0..TRIES).rev() {
            let (why, asked_for) = match self.ask(body.clone()).await {
                Reply::Answer(answer) => {
                    return talk::answer(&answer, categories)
                        .map_err(|why| Trouble::Text { why: why.to_owned(), actions: 1 });
                }
                Reply::Refused(why) => return Err(Trouble::Text { why, actions: 0 }),
                Reply::Denied(why) => {
                    return Err(Trouble::Unavailable { why, retry_after: Some(DENIED) });
                }
                Reply::Busy(why, asked_for) => (why, asked_for),
            };
            let wait = asked_for.unwrap_or_default().max(pause);
            if rest == 0 || wait > self.patience.pause * 10 {
                return Err(Trouble::Unavailable { why, retry_after: asked_for });
            }
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        unreachable!("the last try returns")
    }

    async fn ask(&self, body: Bytes) -> Reply {
        let exchange = tokio::time::timeout(self.patience.answer, self.exchange(body)).await;
        exchange.unwrap_or_else(|_| Reply::Busy("it took too long to answer".to_owned(), None))
    }

    async fn exchange(&self, body: Bytes) -> Reply {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        let response = match self.client.request(request).await {
            Ok(response) => response,
            Err(error) => return unreached(&error),
        };
        let (status, retry_after) = (response.status(), retry_after(response.headers()));
        if status != StatusCode::OK {
            return refusal(status, retry_after);
        }
        match Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await {
            Ok(body) => Reply::Answer(body.to_bytes()),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => {
                // It was answered, and paid for; it reads as no answer at all.
                Reply::Answer(Bytes::new())
            }
            Err(error) => Reply::Busy(format!("its answer broke off: {error}"), None),
        }
    }
}

#[async_trait]
impl Analyst for Endpoint {
    fn batch_max(&self) -> usize {
        BATCH_MAX
    }

    async fn analyse(&self, batch: Batch) -> Vec<Result<Insight, Trouble>> {
        let asked = batch.texts.iter().map(|prose| self.label(&batch.categories, prose));
        let mut found = join_all(asked).await;
        let is_refused = |one: &_| matches!(one, Err(Trouble::Text { actions: 0, .. }));
        if found.len() > 1 && found.iter().all(is_refused) {
            // Then it is not the texts. Otherwise all that waits would be sent in vain.
            for one in &mut found {
                if let Err(Trouble::Text { why, .. }) = one {
                    let why = std::mem::take(why);
                    *one = Err(Trouble::Unavailable { why, retry_after: Some(DENIED) });
                }
            }
        }
        found
    }
}

fn client(
    patience: Patience,
    trust: &Trust,
) -> std::result::Result<Client<HttpsConnector<HttpConnector>, Full<Bytes>>, rustls::Error> {
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .http1_max_buf_size(HEAD_BYTES_MAX)
        .build(connector(patience.connect, trust)?))
}

fn unreached(error: &(dyn std::error::Error + 'static)) -> Reply {
    match refused_certificate(error) {
        Some(why) => Reply::Denied(format!(
            "its certificate is refused ({why}); name the file of the authority that vouches for \
             it with `--insight-ca`"
        )),
        None => Reply::Busy(format!("it cannot be reached: {}", told(error)), None),
    }
}

fn refusal(status: StatusCode, retry_after: Option<Duration>) -> Reply {
    let why = format!("it answered {status}");
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            Reply::Busy(why, retry_after)
        }
        StatusCode::BAD_REQUEST
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::UNPROCESSABLE_ENTITY => Reply::Refused(why),
        status if status.is_server_error() => Reply::Busy(why, retry_after),
        _ => Reply::Denied(format!("{why}; check `--insight-url`, the model and the key")),
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
