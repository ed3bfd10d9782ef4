//! TLS of the server itself, tested by a real client: sign-in, certificate reload without a
//! restart, and files that prevent a start.

use crate::server::Server;
use crate::test_env::{TestEnv, wait_until};
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

const RESPONSE_TIME_MAX: Duration = Duration::from_secs(20);

/// A self-signed certificate and its key.
struct CertificatePair {
    certificate: CertificateDer<'static>,
    pem: String,
    key: String,
}

impl CertificatePair {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let pem = certificate.pem();
        Self { certificate: certificate.der().clone(), pem, key: key.serialize_pem() }
    }

    /// Writes the files, and returns the arguments that name them.
    fn write_files(&self, env: &TestEnv) -> String {
        let certificate = env.write("cert.pem", &self.pem);
        let key = env.secret("key.pem", &self.key);
        format!("--tls-cert {certificate} --tls-key {key}")
    }

    /// Sends a request to a server and trusts this certificate only. Returns `None` if the server
    /// presents another one.
    fn try_request(&self, server: &Server, request: &str) -> Option<String> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let name = ServerName::try_from("localhost").unwrap();
        let tls = ClientConnection::new(Arc::new(config), name).unwrap();
        let stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
        let mut stream = StreamOwned::new(tls, stream);
        stream.write_all(request.as_bytes()).ok()?;
        assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        Some(answer)
    }

    /// Waits until a server presents this certificate.
    fn wait_until_presented(&self, server: &Server) {
        wait_until("the server presents the certificate", || {
            self.try_request(server, HOME_REQUEST).is_some()
        });
    }
}

const HOME_REQUEST: &str = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

#[test]
fn sign_in_works_only_over_tls() {
    let env = TestEnv::with_account();
    let pair = CertificatePair::new();
    let mut server = Server::start(&env, &format!("serve {}", pair.write_files(&env)));
    let advice = server.line();
    assert!(advice.ends_with(&format!("--url https://{}`", server.address)), "{advice}");
    let token = env.sign_in_token();
    let body = format!("{{\"token\":\"{token}\"}}");
    let answer = pair.try_request(
        &server,
        &format!(
            "POST /session HTTP/1.1\r\nHost: localhost\r\nx-sheaf-csrf: 1\r\n\
             Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n\
             {body}",
            body.len()
        ),
    );
    let answer = answer.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("set-cookie: __Host-Http-sheaf="), "{answer}");
    assert!(answer.contains("; Secure") && answer.contains("strict-transport-security"));
    let refused = pair.try_request(&server, "GET / HTTP/1.1\r\n\r\n").unwrap();
    assert!(refused.starts_with("HTTP/1.1 400 ") && refused.contains("`Host`"), "{refused}");

    let mut plain = TcpStream::connect(&server.address).unwrap();
    plain.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
    plain.write_all(HOME_REQUEST.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "plain HTTP was answered");
}

#[test]
fn certificate_is_reloaded_without_restart() {
    let env = TestEnv::with_account();
    let first = CertificatePair::new();
    let second = CertificatePair::new();
    let third = CertificatePair::new();
    let mut server = Server::start(&env, &format!("service {}", first.write_files(&env)));
    assert!(first.try_request(&server, HOME_REQUEST).is_some());
    assert!(second.try_request(&server, HOME_REQUEST).is_none());
    // The server reloads after `SIGHUP`, and also without a signal.
    second.write_files(&env);
    server.signal("HUP");
    second.wait_until_presented(&server);
    third.write_files(&env);
    third.wait_until_presented(&server);
    assert!(second.try_request(&server, HOME_REQUEST).is_none());
    // An unusable file is logged, and the certificate in use stays.
    env.write("cert.pem", "nothing");
    server.signal("HUP");
    server.logged("the previous certificate stays in use");
    assert!(third.try_request(&server, HOME_REQUEST).is_some());
    server.signal("TERM");
    let log = server.end();
    assert!(log.contains("must hold a certificate (PEM)") && !log.contains("BEGIN"), "{log}");
}

#[test]
fn unusable_certificate_prevents_start() {
    let env = TestEnv::with_account();
    let pair = CertificatePair::new();
    let other = CertificatePair::new();
    let certificate = env.write("cert.pem", &pair.pem);
    let key = env.secret("key.pem", &pair.key);
    let key_of_other = env.secret("other.pem", &other.key);
    let open = env.write("open.pem", &pair.key);
    let empty = env.secret("empty.pem", "");
    let both = |certificate: &str, key: &str| format!("--tls-cert {certificate} --tls-key {key}");
    let live = env.secret("live", &env.key("live"));
    let gateway = format!("gateway --upstream http://127.0.0.1:9 --key-live-file {live}");
    for (arguments, expect) in [
        (format!("--tls-cert {certificate}"), "name its file with `--tls-key`"),
        (format!("--tls-key {key}"), "name its file with `--tls-cert`"),
        (both(&certificate, "/nowhere/key.pem"), "`/nowhere/key.pem`"),
        (both("/nowhere/cert.pem", &key), "`/nowhere/cert.pem`"),
        (both(&certificate, &open), "; run `chmod 600` on it"),
        (both(&certificate, &empty), "must hold only a private key (PEM)"),
        (both(&empty, &key), "must hold a certificate (PEM)"),
        (both(&certificate, &key_of_other), "name files that belong together"),
    ] {
        for command in ["serve", "service", &gateway] {
            let error = env.fail(&format!("{command} --listen 127.0.0.1:0 {arguments}"));
            assert!(error.contains(expect) && !error.contains("BEGIN"), "{arguments}: {error}");
        }
    }
}
