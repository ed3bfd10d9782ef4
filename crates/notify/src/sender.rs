//! HTTP client for one request: a new connection to a checked address, no redirects, bounded in
//! time and in size.

use bytes::Bytes;
use contract::rate_limit::retry_after_s;
use http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::CertificateError;
use rustls::pki_types::ServerName;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use url::Host;

use crate::address::AddressPolicy;
use crate::target::{Target, UrlError};

/// Time limit from the resolution of the name to the head of the response.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(15);
/// Time limit of the connection to one address, and maximum number of addresses that are tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ADDRESSES_MAX: usize = 4;
/// Maximum size of the head of a response, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of bytes that are read of the body of a response, and that are returned.
const BODY_BYTES_MAX: usize = 64 * 1024;
const EXCERPT_BYTES_MAX: usize = 1024;
/// Value of the header `User-Agent`.
const AGENT: &str = "Sheaf";

/// A request to send.
pub(crate) struct OutgoingRequest<'a> {
    /// URL of the receiver.
    pub(crate) url: &'a str,
    /// Value of `Content-Type`.
    pub(crate) content_type: &'static str,
    /// Value of `webhook-id`.
    pub(crate) id: &'a str,
    /// Value of `webhook-timestamp`, in seconds.
    pub(crate) timestamp_s: i64,
    /// Value of `webhook-signature`.
    pub(crate) signature: &'a str,
    /// Body.
    pub(crate) body: String,
}

/// A response with any status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReceivedResponse {
    /// Status.
    pub(crate) status: u16,
    /// Delay that the receiver asks for.
    pub(crate) retry_after: Option<Duration>,
    /// Begin of the body, as text.
    pub(crate) excerpt: String,
}

/// Reasons why there is no response. The texts are for the owner of the form.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("{0}")]
    Url(#[from] UrlError),
    #[error("there was no response within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    #[error("the receiver cannot be reached: {0}")]
    Connect(io::Error),
    #[error("{}", describe_tls_error(.0))]
    Tls(io::Error),
    #[error("the receiver did not send a valid HTTP response: {0}")]
    Http(#[from] hyper::Error),
    #[error("the request is not valid: {0}")]
    Request(#[from] http::Error),
}

/// Sends requests to the receivers that its policy allows.
#[derive(Clone)]
pub(crate) struct Sender {
    policy: AddressPolicy,
    tls: TlsConnector,
    timeout: Duration,
}

impl Sender {
    /// Creates a sender.
    pub(crate) fn new(policy: AddressPolicy, tls: Arc<rustls::ClientConfig>) -> Self {
        Self { policy, tls: TlsConnector::from(tls), timeout: TIMEOUT }
    }

    /// Replaces [`TIMEOUT`].
    pub(crate) fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Returns the time limit of an attempt.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Sends a request and returns the response. The rest of a slow or large body is ignored.
    pub(crate) async fn send(
        &self,
        request: OutgoingRequest<'_>,
    ) -> Result<ReceivedResponse, SendError> {
        let deadline = Instant::now() + self.timeout;
        // The connection is a task. Dropping the set ends it.
        let mut connection = JoinSet::new();
        let response = timeout_at(deadline, self.exchange(request, &mut connection))
            .await
            .map_err(|_| SendError::Timeout(self.timeout))??;
        let (head, body) = response.into_parts();
        Ok(ReceivedResponse {
            status: head.status.as_u16(),
            retry_after: retry_after(&head.headers),
            excerpt: read_excerpt(body, deadline).await,
        })
    }

    async fn exchange(
        &self,
        request: OutgoingRequest<'_>,
        connection: &mut JoinSet<()>,
    ) -> Result<Response<Incoming>, SendError> {
        let target = self.policy.parse(request.url)?;
        let addresses = self.policy.resolve(&target).await?;
        let request = build_request(&target, request)?;
        let stream = connect(&addresses).await?;
        let mut http = if target.is_https() {
            let name = server_name(&target)?;
            let stream = self.tls.connect(name, stream).await.map_err(SendError::Tls)?;
            open_http(stream, connection).await?
        } else {
            open_http(stream, connection).await?
        };
        Ok(http.send_request(request).await?)
    }
}

/// Connects to the first address that accepts.
async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, SendError> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses.iter().take(ADDRESSES_MAX) {
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(SendError::Connect(last))
}

async fn open_http<S>(
    stream: S,
    connection: &mut JoinSet<()>,
) -> Result<http1::SendRequest<Full<Bytes>>, SendError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (http, driver) =
        http1::Builder::new().max_buf_size(HEAD_BYTES_MAX).handshake(TokioIo::new(stream)).await?;
    connection.spawn(async move {
        // The request reports the error.
        let _ = driver.await;
    });
    Ok(http)
}

/// Returns why a handshake failed. rustls names most problems of certificates by its own types.
fn describe_tls_error(error: &io::Error) -> String {
    let source = error.get_ref().and_then(|source| source.downcast_ref::<rustls::Error>());
    match source {
        Some(rustls::Error::InvalidCertificate(problem)) => {
            format!("the certificate is not valid: {}", describe_certificate(problem))
        }
        _ => format!("the TLS connection failed: {error}"),
    }
}

fn describe_certificate(problem: &CertificateError) -> String {
    let text = match problem {
        CertificateError::NotValidForNameContext { expected, .. } => {
            return format!("it is not for `{}`", expected.to_str());
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet"
        }
        CertificateError::Revoked => "it was revoked",
        CertificateError::UnknownIssuer => "its issuer is not trusted",
        CertificateError::BadEncoding => "it is malformed",
        CertificateError::BadSignature => "its signature is wrong",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "it is not for servers"
        }
        _ => "it cannot be verified",
    };
    text.to_owned()
}

/// Returns the name or address that the certificate must have.
fn server_name(target: &Target) -> Result<ServerName<'static>, SendError> {
    match target.host() {
        Host::Ipv4(address) => Ok(IpAddr::V4(address).into()),
        Host::Ipv6(address) => Ok(IpAddr::V6(address).into()),
        Host::Domain(name) => {
            ServerName::try_from(name.to_owned()).map_err(|_| target.host_error().into())
        }
    }
}

fn build_request(
    target: &Target,
    request: OutgoingRequest<'_>,
) -> Result<Request<Full<Bytes>>, http::Error> {
    Request::post(target.path_and_query())
        .header(HOST, target.authority())
        .header(CONTENT_TYPE, request.content_type)
        .header(USER_AGENT, AGENT)
        .header("webhook-id", request.id)
        .header("webhook-timestamp", request.timestamp_s)
        .header("webhook-signature", request.signature)
        .body(Full::from(request.body))
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    retry_after_s(header).map(Duration::from_secs)
}

/// Returns the begin of a body. The receiver has already answered, so neither an error nor the end
/// of the time changes the result.
async fn read_excerpt(mut body: Incoming, deadline: Instant) -> String {
    let mut excerpt = Vec::new();
    let mut bytes_read = 0;
    while bytes_read < BODY_BYTES_MAX
        && let Ok(Some(Ok(frame))) = timeout_at(deadline, body.frame()).await
    {
        if let Ok(data) = frame.into_data() {
            bytes_read += data.len();
            let rest = EXCERPT_BYTES_MAX - excerpt.len();
            excerpt.extend_from_slice(&data[..rest.min(data.len())]);
        }
    }
    decode_excerpt(&excerpt, bytes_read > excerpt.len())
}

/// Returns bytes as text. If the bytes are cut, an incomplete character at their end is dropped.
fn decode_excerpt(bytes: &[u8], is_cut: bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let is_end = is_cut && chunks.peek().is_none();
        if !chunk.invalid().is_empty() && !is_end {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

#[cfg(test)]
#[path = "sender_tests.rs"]
mod tests;
