//! TLS to other servers, an insight endpoint and an upstream, with certificates of a private
//! authority or of an unknown one.

use crate::server::Server;
use crate::test_env::{TestEnv, wait_until};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use std::io::{Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// A certificate authority, and a certificate for `localhost` that it signed.
pub(crate) struct Authority {
    pub(crate) pem: String,
    /// Certificate for `localhost` and its private key, as PEM.
    pub(crate) certificate: String,
    pub(crate) key: String,
    config: Arc<ServerConfig>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let leaf = leaf.signed_by(&key, &issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key_pem = key.serialize_pem();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], key)
            .unwrap();
        Self { pem: issuer.pem(), certificate: leaf.pem(), key: key_pem, config: Arc::new(config) }
    }

    /// Starts a server that answers each request with `answer`, and returns its port. A client that
    /// does not trust the certificate gets no response.
    pub(crate) fn start_server(
        &self,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = Arc::clone(&self.config);
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let config = Arc::clone(&config);
                let answer = Arc::clone(&answer);
                // A thread per connection, so that a silent client does not block the next one.
                std::thread::spawn(move || {
                    let tls = ServerConnection::new(config).unwrap();
                    let mut stream = StreamOwned::new(tls, stream);
                    if let Some(request) = read_request(&mut stream) {
                        let _ = stream.write_all(&answer(&request));
                        stream.conn.send_close_notify();
                        let _ = stream.flush();
                    }
                });
            }
        });
        port
    }
}

/// Reads a request up to the end of its head (GET), or up to the `}` of its body.
pub(crate) fn read_request(stream: &mut impl Read) -> Option<String> {
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !(text.starts_with("GET") && text.ends_with("\r\n\r\n") || text.ends_with('}')) {
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        text.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    Some(text)
}

#[test]
fn endpoint_with_private_authority_needs_ca_option() {
    let authority = Authority::new();
    let found = r#"{"sentiment":"mixed","sentiment_score":0.4,"categories":[],"language":"fi"}"#;
    let body = json!({ "choices": [{ "message": { "content": found } }] }).to_string();
    let port = authority.start_server(move |request| {
        assert!(request.starts_with("POST /v1/chat/completions"), "{request}");
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length:";
        format!("{head} {}\r\n\r\n{body}", body.len()).into_bytes()
    });
    let env = TestEnv::with_account();
    let form = env.form("--field Comment:long_text --analysis");
    let key = env.key("live");
    let line = r#"{"answers":{"Comment":"It was really good, thank you"}}"#;
    env.run(&format!("import --form {form} {}", env.write("file", line)));
    let serve = format!("serve --insight-url https://localhost:{port}/v1 --insight-model tiny");

    let other_authority = env.write("other.pem", Authority::new().pem);
    for trust in [String::new(), format!("--insight-ca {other_authority}")] {
        let mut server = Server::start(&env, &format!("{serve} {trust}"));
        let line = server.logged("analysis paused");
        assert!(line.contains("its certificate is rejected (invalid peer certificate: "), "{line}");
        assert!(line.contains("with `--insight-ca`"), "{line}");
        server.signal("TERM");
        assert!(server.child.wait().unwrap().success());
    }

    let authority_file = env.write("ca.pem", &authority.pem);
    let server = Server::start(&env, &format!("{serve} --insight-ca {authority_file}"));
    let path = format!("/v1/forms/{form}/submissions");
    wait_until("the submission is labelled", || {
        let listed = server.get(&path, &key).json();
        listed["data"][0]["ai_insights"]["language"] == "fi"
    });
}

#[test]
fn upstream_with_private_authority_needs_ca_option() {
    let upstream_env = TestEnv::with_account();
    let form = upstream_env.form("");
    upstream_env.run(&format!("sample --form {form} --count 3 --seed 1"));
    let service = Server::start(&upstream_env, "service");
    let address = service.address.clone();
    // Terminates TLS in front of the other server.
    let authority = Authority::new();
    let port = authority.start_server(move |request| {
        let mut plain = TcpStream::connect(&address).unwrap();
        let last = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        plain.write_all(last.as_bytes()).unwrap();
        let mut answer = Vec::new();
        plain.read_to_end(&mut answer).unwrap();
        answer
    });
    let gateway_env = TestEnv::with_account();
    let key = gateway_env.secret("key", &upstream_env.key("live"));
    let gateway = format!("gateway --upstream https://localhost:{port} --key-live-file {key}");
    let list = |server: &mut Server| {
        let link = gateway_env.sign_in_token();
        let signed_in =
            server.dashboard("POST", "/session", "", &format!("{{\"token\":\"{link}\"}}"));
        let path = format!("/api/live/v1/forms/{form}/submissions");
        server.dashboard("GET", &path, &signed_in.cookie(), "")
    };

    let mut server = Server::start(&gateway_env, &gateway);
    let refused = list(&mut server);
    assert_eq!((refused.status, &refused.json()["error"]), (502, &json!("internal_error")));
    let line = server.logged("the upstream failed");
    assert!(line.contains("the upstream's certificate is refused"), "{line}");
    assert!(line.contains("configure the certificate of the authority"), "{line}");
    drop(server);

    let ca = gateway_env.write("ca.pem", &authority.pem);
    let mut server = Server::start(&gateway_env, &format!("{gateway} --upstream-ca {ca}"));
    let listed = list(&mut server);
    assert_eq!(listed.status, 200, "{}", listed.text());
    assert_eq!(listed.json()["pagination"]["total"], 3);
}

#[test]
fn file_without_authority_prevents_start() {
    let env = TestEnv::with_account();
    let key = env.secret("key", &env.key("live"));
    let gateway = format!("gateway --upstream https://localhost:9 --key-live-file {key}");
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for text in ["", "no certificate", broken] {
        let file = env.write("ca.pem", text);
        let error = env.fail(&format!("{gateway} --upstream-ca {file}"));
        assert!(error.contains("must hold 1 to 1000 certificates of authorities"), "{error}");
    }
    let error = env.fail(&format!("{gateway} --upstream-ca /nowhere/ca.pem"));
    assert!(error.contains("`/nowhere/ca.pem`"), "{error}");
}
