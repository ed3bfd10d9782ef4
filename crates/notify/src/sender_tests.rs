//! Tests of the HTTP client with real connections to this host.

use super::*;
use crate::address::Resolver;
use async_trait::async_trait;
use rustls::pki_types::PrivatePkcs8KeyDer;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

const BODY: &str = r#"{"type":"test"}"#;

/// Resolver that gives the next of its addresses for any name, and at last always the last one.
struct Sequence {
    addresses: Vec<&'static str>,
    calls: AtomicUsize,
}

#[async_trait]
impl Resolver for Sequence {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst).min(self.addresses.len() - 1);
        Ok(vec![self.addresses[call].parse().unwrap()])
    }
}

fn local_policy(addresses: &[&'static str]) -> AddressPolicy {
    let resolver = Sequence { addresses: addresses.to_vec(), calls: AtomicUsize::new(0) };
    let local = vec!["127.0.0.0/8".parse().unwrap()];
    AddressPolicy::new(true, local).with_resolver(Arc::new(resolver))
}

fn client_config(roots: rustls::RootCertStore) -> Arc<rustls::ClientConfig> {
    Arc::new(
        rustls::ClientConfig::builder_with_provider(Arc::new(
            rustls::crypto::ring::default_provider(),
        ))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth(),
    )
}

fn sender() -> Sender {
    Sender::new(local_policy(&["127.0.0.1"]), client_config(rustls::RootCertStore::empty()))
}

async fn send(sender: &Sender, url: &str) -> Result<ReceivedResponse, SendError> {
    let request = OutgoingRequest {
        url,
        content_type: "application/json",
        id: "dlv_1_a",
        timestamp_s: 1_772_357_400,
        signature: "v1,c2lnbmF0dXJl",
        body: BODY.to_owned(),
    };
    sender.send(request).await
}

/// Receives one request with the body [`BODY`].
async fn receive(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut request = Vec::new();
    while !request.ends_with(BODY.as_bytes()) {
        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0, "the request is incomplete");
    }
    String::from_utf8(request).unwrap()
}

/// Starts a receiver that sends `response` to each request and then waits for the end of the
/// connection. Returns its URL and the requests.
async fn start_receiver(response: impl Into<Vec<u8>>) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?token=1", listener.local_addr().unwrap());
    let (sender, requests) = mpsc::unbounded_channel();
    let response = response.into();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            sender.send(receive(&mut stream).await).unwrap();
            // The client may close the connection before it has read everything.
            let _ = stream.write_all(&response).await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
    });
    (url, requests)
}

fn response(status: u16, excerpt: &str) -> ReceivedResponse {
    ReceivedResponse { status, retry_after: None, excerpt: excerpt.to_owned() }
}

#[tokio::test]
async fn request_has_only_expected_headers() {
    let (url, mut requests) = start_receiver("HTTP/1.1 204 No Content\r\n\r\n").await;
    assert_eq!(send(&sender(), &url).await.unwrap(), response(204, ""));
    let request = requests.recv().await.unwrap();
    let mut lines: Vec<_> = request.split("\r\n").collect();
    assert_eq!(lines[0], "POST /hook?token=1 HTTP/1.1");
    assert_eq!(lines.pop().unwrap(), BODY);
    let host = format!("host: {}", url.split('/').nth(2).unwrap());
    let mut headers = lines[1..].to_vec();
    headers.sort_unstable();
    let expected = [
        "",
        "content-length: 15",
        "content-type: application/json",
        &host,
        "user-agent: Sheaf",
        "webhook-id: dlv_1_a",
        "webhook-signature: v1,c2lnbmF0dXJl",
        "webhook-timestamp: 1772357400",
    ];
    assert_eq!(headers, expected);
}

#[tokio::test]
async fn name_is_resolved_to_checked_address() {
    let (url, mut requests) = start_receiver("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let url = url.replace("127.0.0.1", "hook.example");
    assert_eq!(send(&sender(), &url).await.unwrap().status, 200);
    let request = requests.recv().await.unwrap();
    assert!(request.contains("\r\nhost: hook.example:"), "{request}");
}

#[tokio::test]
async fn changed_address_is_refused() {
    let (url, mut requests) = start_receiver("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let url = url.replace("127.0.0.1", "hook.example");
    let resolver =
        Sequence { addresses: vec!["93.184.215.14", "127.0.0.1"], calls: AtomicUsize::new(0) };
    let policy = AddressPolicy::new(true, Vec::new()).with_resolver(Arc::new(resolver));
    assert_eq!(policy.check_url(&url).await, Ok(()));
    let sender = Sender::new(policy, client_config(rustls::RootCertStore::empty()));
    let refused = send(&sender, &url).await;
    assert!(matches!(refused, Err(SendError::Url(UrlError::Host(_)))), "{refused:?}");
    assert!(requests.try_recv().is_err());
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let (target, mut target_requests) =
        start_receiver("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let head = format!("HTTP/1.1 307 Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
    let (url, _requests) = start_receiver(head).await;
    assert_eq!(send(&sender(), &url).await.unwrap(), response(307, ""));
    assert!(target_requests.try_recv().is_err());
}

#[tokio::test]
async fn missing_response_times_out() {
    let (url, _requests) = start_receiver("HTTP/1.1 200 OK\r\n").await;
    let limit = Duration::from_millis(100);
    let error = send(&sender().with_timeout(limit), &url).await.unwrap_err();
    assert!(matches!(error, SendError::Timeout(_)), "{error:?}");
    assert_eq!(error.to_string(), "there was no response within 0.1 s");
}

#[tokio::test]
async fn incomplete_body_keeps_status() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin";
    let (url, _requests) = start_receiver(head).await;
    let sender = sender().with_timeout(Duration::from_millis(100));
    assert_eq!(send(&sender, &url).await.unwrap(), response(200, "begin"));
}

#[tokio::test]
async fn large_body_is_cut() {
    let head = "HTTP/1.1 500 Oops\r\nContent-Length: 100000000\r\n\r\n";
    let mut bytes = head.as_bytes().to_vec();
    bytes.resize(100_000_000, b'x');
    let (url, _requests) = start_receiver(bytes).await;
    assert_eq!(send(&sender(), &url).await.unwrap(), response(500, &"x".repeat(1024)));
}

#[tokio::test]
async fn large_head_is_rejected() {
    let head = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(2 * HEAD_BYTES_MAX));
    let (url, _requests) = start_receiver(head).await;
    let refused = send(&sender(), &url).await;
    assert!(matches!(refused, Err(SendError::Http(_))), "{refused:?}");
}

#[tokio::test]
async fn other_protocol_is_rejected() {
    let (url, _requests) = start_receiver("220 smtp.example ESMTP\r\n").await;
    let error = send(&sender(), &url).await.unwrap_err();
    assert!(error.to_string().starts_with("the receiver did not send a valid HTTP response"));
}

#[tokio::test]
async fn closed_port_cannot_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let refused = send(&sender(), &url).await;
    assert!(matches!(refused, Err(SendError::Connect(_))), "{refused:?}");
}

#[tokio::test]
async fn retry_after_is_read() {
    let head = "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 2\r\n\r\nno";
    let (url, _requests) = start_receiver(head).await;
    let retry_after = Some(Duration::from_mins(2));
    let expected = ReceivedResponse { retry_after, ..response(503, "no") };
    assert_eq!(send(&sender(), &url).await.unwrap(), expected);
}

#[tokio::test]
async fn certificate_must_match_name() {
    let names = ["hook.example", "127.0.0.1"].map(str::to_owned);
    let own = rcgen::generate_simple_self_signed(names).unwrap();
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key.into())
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // The handshake with the wrong name fails.
            if let Ok(mut stream) = acceptor.accept(stream).await {
                receive(&mut stream).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        }
    });
    let mut roots = rustls::RootCertStore::empty();
    roots.add(own.cert.der().clone()).unwrap();
    let trusting = Sender::new(local_policy(&["127.0.0.1"]), client_config(roots));
    for name in ["hook.example", "hook.example.", "127.0.0.1"] {
        let url = format!("https://{name}:{port}/");
        assert_eq!(send(&trusting, &url).await.unwrap(), response(200, ""), "{name}");
    }
    let refused = send(&trusting, &format!("https://other.example:{port}/")).await;
    let error = refused.unwrap_err().to_string();
    assert_eq!(error, "the certificate is not valid: it is not for `other.example`");
    let url = format!("https://hook.example:{port}/");
    let error = send(&sender(), &url).await.unwrap_err().to_string();
    assert_eq!(error, "the certificate is not valid: its issuer is not trusted");
}

#[test]
fn certificate_problems_have_no_type_names() {
    for (problem, text) in [
        (CertificateError::Expired, "it has expired"),
        (CertificateError::NotValidYet, "it is not valid yet"),
        (CertificateError::InvalidPurpose, "it is not for servers"),
        (CertificateError::UnknownRevocationStatus, "it cannot be verified"),
    ] {
        let source = rustls::Error::InvalidCertificate(problem);
        let error = SendError::Tls(io::Error::new(io::ErrorKind::InvalidData, source));
        assert_eq!(error.to_string(), format!("the certificate is not valid: {text}"));
    }
    let error = SendError::Tls(io::ErrorKind::UnexpectedEof.into()).to_string();
    assert_eq!(error, "the TLS connection failed: unexpected end of file");
}

#[test]
fn accepted_url_gives_valid_request() {
    for c in ('!'..='~').chain(['é', '\u{2028}', '\u{1f600}']) {
        let url = format!("https://a.example/x{c}y?z{c}w");
        let Ok(target) = Target::parse(&url, false) else { continue };
        let request = OutgoingRequest {
            url: &url,
            content_type: "application/json",
            id: "dlv_1_a",
            timestamp_s: 1,
            signature: "v1,x",
            body: String::new(),
        };
        let request = build_request(&target, request).unwrap();
        assert_eq!(request.uri().to_string(), target.path_and_query(), "{url}");
    }
}

#[test]
fn excerpt_ends_with_whole_character() {
    let check = |bytes: &[u8], is_cut, expected| {
        assert_eq!(decode_excerpt(bytes, is_cut), expected, "{bytes:?}");
    };
    check("né".as_bytes(), true, "né");
    check(&"né".as_bytes()[..2], true, "n");
    check(&"né".as_bytes()[..2], false, "n\u{fffd}");
    check(b"a\xffb", true, "a\u{fffd}b");
    check(b"", false, "");
}
