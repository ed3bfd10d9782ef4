//! A Unix socket: a proxy on this machine is trusted on it without an address or a secret. The
//! server creates and removes the socket file.

use crate::server::{HttpResponse, Server};
use crate::test_env::{TestEnv, mode};
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

const RESPONSE_TIME_MAX: Duration = Duration::from_secs(20);

/// Starts `sheaf …` on a TCP address and on a socket.
fn start_on_address_and_socket(env: &TestEnv, arguments: &str) -> (Server, PathBuf) {
    let path = env.path("sheaf.sock");
    let listen = format!("--listen 127.0.0.1:0 --listen unix:{}", path.display());
    let mut server = Server::spawn(env.command(&format!("{arguments} {listen}")));
    assert_eq!(server.line(), format!("listening on unix:{}", path.display()));
    (server, path)
}

/// Sends a request over the socket, with these header lines.
fn request_over_socket(path: &Path, target: &str, lines: &[&str]) -> HttpResponse {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
    let head = format!("{target} HTTP/1.0\r\nHost: forms.example.com\r\nx-sheaf-csrf: 1");
    stream.write_all(format!("{head}\r\n{}\r\n\r\n", lines.join("\r\n")).as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    HttpResponse::read(&answer)
}

/// Creates an environment whose owner is linked to `alice` of the header `X-Forwarded-Email`.
pub(crate) fn env_with_linked_user() -> TestEnv {
    let env = TestEnv::with_account();
    env.run(
        "account link-identity --account a@example.com --issuer header:x-forwarded-email \
         --subject alice",
    );
    env
}

const ALICE: &str = "X-Forwarded-Email: alice";
/// Spellings of the identity header that software may treat as equal.
const SPELLINGS: [&str; 6] = [
    "X-Forwarded-Email: alice",
    "x-forwarded-email:alice",
    "X_Forwarded_Email: alice",
    "X-Forwarded_Email: alice",
    "X.Forwarded.Email: alice",
    "X-Forwarded-Email:",
];

#[test]
fn identity_header_is_trusted_only_on_socket() {
    let env = env_with_linked_user();
    let (server, path) =
        start_on_address_and_socket(&env, "serve --identity-header X-Forwarded-Email");
    let first = request_over_socket(&path, "GET /session", &[ALICE]);
    assert_eq!(first.status, 200, "{}", first.text());
    assert_eq!(first.json()["data"]["account"]["email"], "a@example.com");
    let cookie = format!("Cookie: {}", first.cookie());
    assert_eq!(request_over_socket(&path, "GET /account/forms", &[&cookie, ALICE]).status, 200);
    assert_eq!(
        request_over_socket(&path, "GET /account/forms", &[&cookie]).status,
        401,
        "no identity header"
    );
    for printed in &SPELLINGS[2..5] {
        assert_eq!(
            request_over_socket(&path, "GET /session", &[printed]).status,
            400,
            "as the only header: {printed}"
        );
        assert_eq!(
            request_over_socket(&path, "GET /session", &[ALICE, printed]).status,
            400,
            "with a second header: {printed}"
        );
    }
    let secret = "X-Sheaf-Proxy-Secret: 0123456789abcdef0123456789abcdef";
    for printed in SPELLINGS {
        for more in ["x-a: b", secret, &cookie] {
            let answer = server.ask("GET", "/session", &["x-sheaf-csrf: 1", printed, more], "");
            assert_eq!(answer.status, 400, "over TCP: {printed}, {more}");
        }
    }
    assert_eq!(server.ask("GET", "/account/forms", &["x-sheaf-csrf: 1", &cookie], "").status, 401);
}

/// A trusted address needs its secret even if the server also has a socket.
#[test]
fn trusted_address_needs_secret_despite_socket() {
    let env = env_with_linked_user();
    let secret = "0123456789abcdef0123456789abcdef";
    let file = env.secret("proxy-secret", secret);
    let (server, path) = start_on_address_and_socket(
        &env,
        &format!(
            "serve --identity-header X-Forwarded-Email --trusted-proxy 127.0.0.1 \
             --proxy-secret-file {file}"
        ),
    );
    let shown = format!("X-Sheaf-Proxy-Secret: {secret}");
    let by_address = |lines: &[&str]| {
        server.ask("GET", "/session", &[&["x-sheaf-csrf: 1"], lines].concat(), "").status
    };
    assert_eq!(by_address(&[ALICE, &shown]), 200);
    assert_eq!(by_address(&[ALICE]), 400);
    assert_eq!(request_over_socket(&path, "GET /session", &[ALICE]).status, 200);
}

#[test]
fn socket_proxy_sets_client_address() {
    let env = env_with_linked_user();
    let (server, path) =
        start_on_address_and_socket(&env, "serve --identity-header X-Forwarded-Email");
    let forwarded = "X-Forwarded-For: 203.0.113.9, 192.0.2.7";
    assert_eq!(request_over_socket(&path, "GET /session", &[ALICE, forwarded]).status, 200);
    assert_eq!(request_over_socket(&path, "GET /session", &[ALICE]).status, 200);
    // Connections by TCP are no trusted proxy here, so their `X-Forwarded-For` is ignored.
    let lines = ["x-sheaf-csrf: 1", "Sec-Fetch-Site: cross-site", forwarded];
    assert_eq!(server.ask("GET", "/session", &lines, "").status, 403);
    drop(server);
    let started: Vec<_> = env
        .run("audit export --account a@example.com")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|note| note["action"] == "session.begun")
        .map(|note| note["address"].as_str().unwrap_or_default().to_owned())
        .collect();
    // The newest entry is first.
    assert_eq!(started, ["127.0.0.0/24", "192.0.2.0/24"]);
}

#[test]
fn socket_file_is_created_and_removed() {
    let env = TestEnv::with_account();
    let path = env.path("sheaf.sock");
    let listen = format!("serve --listen unix:{}", path.display());
    let mut server = Server::spawn(env.command(&listen));
    assert_eq!(mode(&path), 0o660);
    assert!(server.line().ends_with("--url ADDRESS` with your proxy's ADDRESS"));
    assert_eq!(request_over_socket(&path, "GET /", &[]).status, 200);

    let second = env.fail(&format!("serve --listen unix:{}", path.display()));
    assert!(second.contains("another process listens on `unix:"), "{second}");
    assert_eq!(request_over_socket(&path, "GET /", &[]).status, 200, "the first server stopped");
    server.signal("TERM");
    server.end();
    assert!(!path.exists(), "the socket file exists after a shutdown");

    // A killed server leaves its socket file, and the next server replaces it.
    let mut server = Server::spawn(env.command(&listen));
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert!(path.exists());
    let server = Server::spawn(env.command(&format!("{listen} --socket-mode 0600")));
    assert_eq!((mode(&path), request_over_socket(&path, "GET /", &[]).status), (0o600, 200));
    drop(server);
}

#[test]
fn gateway_and_service_listen_on_sockets() {
    let env = TestEnv::with_account();
    let form = env.form("--field Name");
    let (service, path) = start_on_address_and_socket(&env, "service");
    let key = env.key("live");
    let list = format!("GET /v1/forms/{form}/submissions");
    let answer = request_over_socket(&path, &list, &[&format!("X-API-Key: {key}")]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    drop(service);
    let live = env.secret("live", &key);
    let gateway = format!("gateway --upstream http://127.0.0.1:9 --key-live-file {live}");
    let (_server, path) = start_on_address_and_socket(&env, &gateway);
    assert_eq!(request_over_socket(&path, "GET /", &[]).status, 200);
    assert_eq!(request_over_socket(&path, &list, &[]).status, 404, "a gateway has no API");
}

#[test]
fn invalid_socket_options_prevent_start() {
    let env = TestEnv::with_account();
    let file = env.write("file", "kept");
    let used = env.path("taken.sock");
    let _listener = UnixListener::bind(&used).unwrap();
    let socket = format!("--listen unix:{}", env.path("sheaf.sock").display());
    let secret = env.secret("secret", "0123456789abcdef0123456789abcdef");
    let too_many = "--listen 127.0.0.1:0 ".repeat(9);
    let header = "--identity-header X-Forwarded-Email";
    for (arguments, expect) in [
        (format!("--listen unix:{file}"), "not a socket; remove it"),
        (format!("--listen unix:{}", used.display()), "another process listens on"),
        ("--listen unix:/nowhere/at/all.sock".to_owned(), "choose another `--listen`"),
        (format!("--listen unix:/tmp/{}", "x".repeat(120)), "choose another `--listen`"),
        ("--listen 127.0.0.1:0 --socket-mode 0600".to_owned(), "with `--listen unix:…`"),
        (format!("{socket} --tls-cert {file} --tls-key {file}"), "`--tls-cert` is for addresses"),
        (too_many, "8 times at most"),
        (format!("{socket} --socket-mode 0666 {header}"), "lets every user of this machine"),
        (format!("{socket} {header} --proxy-secret-file {secret}"), "with `--trusted-proxy`"),
        (format!("--listen 127.0.0.1:0 {header}"), "`--listen unix:…`"),
    ] {
        let error = env.fail(&format!("serve {arguments}"));
        assert!(error.contains(expect), "{arguments}: {error}");
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "kept");
    assert!(!env.path("sheaf.sock").exists(), "a failed start left a socket file");
    // Arguments that cannot be parsed are usage errors with exit code 2.
    for wrong in ["--listen unix:", "--listen unix:@sheaf", "--listen x", "--socket-mode 0999"] {
        let output = env.command(&format!("serve {wrong}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}
