//! The binary behind an auth proxy: a small proxy that signs in the user that a test sets, and
//! sends the identity in a header.

use crate::event_stream::EventStream;
use crate::server::{HttpResponse, Server};
use crate::socket::env_with_linked_user;
use crate::test_env::TestEnv;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpSocket;

const RESPONSE_TIME_MAX: Duration = Duration::from_secs(20);
const SECRET: &str = "0123456789abcdef-canary-0123456789";

/// Returns the arguments of a server that trusts a proxy on this machine.
fn header_mode(env: &TestEnv) -> String {
    let secret = env.secret("proxy-secret", SECRET);
    format!(
        "--identity-header X-Forwarded-Email --trusted-proxy 127.0.0.1 --proxy-secret-file {secret}"
    )
}

/// A proxy with a signed-in user, which adds the identity to each request that it forwards.
struct IdentityProxy {
    address: SocketAddr,
    subject: Arc<Mutex<String>>,
}

impl IdentityProxy {
    fn start_before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let subject = Arc::<Mutex<String>>::default();
        let upstream = server.address.clone();
        let printed = Arc::clone(&subject);
        std::thread::spawn(move || {
            for mut client in listener.incoming().map_while(Result::ok) {
                let subject = printed.lock().unwrap().clone();
                let answer = forward(&mut client, &upstream, &subject);
                let _ = client.write_all(&answer);
            }
        });
        Self { address, subject }
    }

    /// Sends a request of the dashboard through the proxy, signed in there as `subject`.
    fn request_as(&self, subject: &str, method: &str, path: &str, more: &str) -> HttpResponse {
        subject.clone_into(&mut self.subject.lock().unwrap());
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = format!("{method} {path} HTTP/1.0\r\nHost: {}\r\nx-sheaf-csrf: 1", self.address);
        stream.write_all(format!("{head}\r\n{more}\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        HttpResponse::read(&answer)
    }
}

/// Forwards a request without a body. Drops the client's `X-Forwarded-*` lines and adds the proxy's
/// own.
fn forward(client: &mut TcpStream, upstream: &str, subject: &str) -> Vec<u8> {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    while !head.ends_with(b"\r\n\r\n") {
        let count = client.read(&mut piece).unwrap();
        head.extend_from_slice(&piece[..count]);
    }
    let head = String::from_utf8(head).unwrap();
    let is_client_line = |line: &&str| !line.to_lowercase().starts_with("x-forwarded-");
    let forwarded: Vec<_> = head.trim_end().lines().filter(is_client_line).collect();
    let proxy_lines = format!("X-Sheaf-Proxy-Secret: {SECRET}\r\nX-Forwarded-For: 192.0.2.7");
    let identity_line = if subject.is_empty() {
        String::new()
    } else {
        format!("\r\nX-Forwarded-Email: {subject}")
    };
    let mut server = TcpStream::connect(upstream).unwrap();
    server.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
    server
        .write_all(
            format!("{}\r\n{proxy_lines}{identity_line}\r\n\r\n", forwarded.join("\r\n"))
                .as_bytes(),
        )
        .unwrap();
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).unwrap();
    answer
}

/// Sends bytes from a loopback address, and returns the status of the response.
fn status_from(source: &str, server: &Server, request: &str) -> u16 {
    let to: SocketAddr = server.address.parse().unwrap();
    let from: SocketAddr = format!("{source}:0").parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(from).unwrap();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(RESPONSE_TIME_MAX)).unwrap();
    let mut stream = stream;
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    HttpResponse::read(&answer).status
}

#[test]
fn proxy_identity_signs_in_linked_member() {
    let env = TestEnv::with_account();
    env.form("");
    env.run("account create --email b@example.com --plan free");
    let link = |account: &str, subject: &str| {
        format!(
            "account link-identity --account {account} --issuer header:X-Forwarded-Email \
             --subject {subject}"
        )
    };
    let printed = env.run(&link("a@example.com", "Alice@Proxy.example"));
    assert_eq!(
        printed,
        "`alice@proxy.example` of `header:x-forwarded-email` is linked to a@example.com"
    );
    let again = env.fail(&link("b@example.com", "alice@proxy.example"));
    assert!(again.contains("is linked to a member already"), "{again}");
    env.run(&link("b@example.com", "bob"));

    let url = "--sign-out-url /oauth2/sign_out";
    let server = Server::start(&env, &format!("serve {} {url}", header_mode(&env)));
    let proxy = IdentityProxy::start_before(&server);
    let first = proxy.request_as("alice@proxy.example", "GET", "/session", "");
    assert_eq!(first.status, 200, "{}", first.text());
    let identity = &first.json()["data"]["known"];
    assert_eq!(
        identity,
        &json!({
            "issuer": "header:x-forwarded-email",
            "subject": "alice@proxy.example",
            "sign_out_url": "/oauth2/sign_out",
        })
    );
    let cookie = format!("Cookie: {}\r\n", first.cookie());
    let forms = |subject: &str| proxy.request_as(subject, "GET", "/account/forms", &cookie).status;
    assert_eq!(forms("alice@proxy.example"), 200);
    // The cookie is refused without an identity or with another one, and that ends the session.
    assert_eq!(forms(""), 401);
    assert_eq!(forms("bob"), 401);
    assert_eq!(forms("alice@proxy.example"), 401);
    let bob = proxy.request_as("bob", "GET", "/session", &cookie);
    assert_eq!(bob.json()["data"]["account"]["email"], "b@example.com");

    let carol = proxy.request_as("carol@proxy.example", "GET", "/session", "");
    assert_eq!((carol.status, &carol.json()["error"]), (403, &json!("forbidden")));
    assert!(carol.text().contains("`carol@proxy.example` of `header:x-forwarded-email`"));

    // `unlink-identity` takes effect at once while the server runs.
    let cookie = format!("Cookie: {}\r\n", bob.cookie());
    assert_eq!(proxy.request_as("bob", "GET", "/account/forms", &cookie).status, 200);
    let listed = env.json("account identities --account b@example.com --json");
    assert_eq!(listed[0]["subject"], "bob");
    let unlink = "account unlink-identity --issuer header:x-forwarded-email --subject bob";
    env.run(unlink);
    assert_eq!(proxy.request_as("bob", "GET", "/account/forms", &cookie).status, 401);
    assert_eq!(proxy.request_as("bob", "GET", "/session", &cookie).status, 403);
    assert!(env.fail(unlink).contains("is not linked"));
}

#[test]
fn provisioning_creates_account_but_never_links() {
    let env = TestEnv::with_account();
    let arguments = format!("serve {} --provision free", header_mode(&env));
    let server = Server::start(&env, &arguments);
    let proxy = IdentityProxy::start_before(&server);
    let new = proxy.request_as("new@proxy.example", "GET", "/session", "");
    assert_eq!(new.json()["data"]["account"]["plan"], "free");
    let again = proxy.request_as("NEW@proxy.example", "GET", "/session", "");
    assert_eq!(again.json()["data"]["account"]["id"], new.json()["data"]["account"]["id"]);
    // The owner's address at the proxy is no proof of identity, in any spelling.
    for address in ["a@example.com", "A@EXAMPLE.com"] {
        let owner = proxy.request_as(address, "GET", "/session", "");
        assert_eq!(owner.status, 403);
        assert!(owner.text().contains("an address is no proof"), "{}", owner.text());
    }
    let nameless = proxy.request_as("dave", "GET", "/session", "");
    assert!(nameless.status == 403 && nameless.text().contains("needs a mail address"));
    assert_eq!(env.json("account list --json").as_array().unwrap().len(), 2);
}

#[test]
fn proxy_session_ends_without_proxy() {
    let env = env_with_linked_user();
    let mut server = Server::start(&env, &format!("serve {}", header_mode(&env)));
    let cookie =
        IdentityProxy::start_before(&server).request_as("alice", "GET", "/session", "").cookie();
    server.signal("TERM");
    server.end();
    let server = Server::start(&env, "serve");
    let token = env.sign_in_token();
    let opens = |cookie: &str| server.dashboard("GET", "/account/forms", cookie, "").status == 200;
    assert!(!opens(&cookie), "a session of the proxy is still valid without it");
    let body = json!({ "token": token }).to_string();
    let session_cookie = server.dashboard("POST", "/session", "", &body).cookie();
    assert!(opens(&session_cookie));
}

#[test]
fn only_trusted_proxy_sets_identity() {
    let env = env_with_linked_user();
    let server = Server::start(&env, &format!("serve {}", header_mode(&env)));
    let secret = format!("X-Sheaf-Proxy-Secret: {SECRET}");
    let request = |lines: &[&str]| {
        let head = "GET /session HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-sheaf-csrf: 1";
        format!("{head}\r\n{}\r\n\r\n", lines.join("\r\n"))
    };
    let spellings = [
        "X-Forwarded-Email: alice",
        "x-forwarded-email:alice",
        "X_Forwarded_Email: alice",
        "X-Forwarded_Email: alice",
        "X.Forwarded.Email: alice",
        "X-Forwarded-Email : alice",
        " X-Forwarded-Email: alice",
        "X-Forwarded-Email:",
    ];
    for printed in spellings {
        let with = request(&[&secret, printed]);
        let without = request(&[printed]);
        assert_eq!(status_from("127.0.0.2", &server, &with), 400, "untrusted address: {printed}");
        assert_eq!(
            status_from("127.0.0.2", &server, &without),
            400,
            "untrusted address: {printed}"
        );
        assert_eq!(status_from("127.0.0.1", &server, &without), 400, "no secret: {printed}");
        let with_second_header = request(&[&secret, "X-Forwarded-Email: alice", printed]);
        assert_eq!(
            status_from("127.0.0.1", &server, &with_second_header),
            400,
            "with a second header: {printed}"
        );
    }
    for printed in spellings.iter().skip(2) {
        assert_eq!(
            status_from("127.0.0.1", &server, &request(&[&secret, printed])),
            400,
            "as the only header: {printed}"
        );
    }
    assert_eq!(status_from("127.0.0.1", &server, &request(&[&secret, spellings[0]])), 200);
    let page = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert_eq!(status_from("127.0.0.2", &server, page), 200, "the page needs no identity");
    server.signal("TERM");
    let mut server = server;
    let log = server.end();
    assert!(log.contains("accepted only from a trusted proxy") && !log.contains("canary"), "{log}");
}

#[test]
fn contradictory_options_prevent_start() {
    let env = TestEnv::with_account();
    let secret = env.secret("secret", SECRET);
    let open = env.write("open", SECRET);
    let live = env.secret("live", &env.key("live"));
    let gateway = format!("gateway --upstream http://127.0.0.1:9 --key-live-file {live}");
    let header = "--identity-header X-Forwarded-Email";
    let trusted = "--trusted-proxy 127.0.0.1";
    for (arguments, expect) in [
        (format!("{header} --proxy-secret-file {secret}"), "with `--trusted-proxy`"),
        (format!("{header} --behind-tls --proxy-secret-file {secret}"), "with `--trusted-proxy`"),
        (
            format!("{header} --trusted-proxy 0.0.0.0/0 --proxy-secret-file {secret}"),
            "`0.0.0.0/0` covers all addresses",
        ),
        (format!("{header} {trusted}"), "with `--proxy-secret-file`"),
        (format!("{header} {trusted} --proxy-secret-file {open}"), "`chmod 600` it"),
        (format!("{header} {trusted} --proxy-secret-file /nowhere"), "`/nowhere`"),
        (
            format!("--identity-header Cookie {trusted} --proxy-secret-file {secret}"),
            "already has another meaning",
        ),
        (format!("{header} --assertion-header X-Jwt {trusted}"), "remove one of them"),
        ("--assertion-header X-Jwt --assertion-issuer i".to_owned(), "`--assertion-audience`"),
        (
            "--assertion-header X-Jwt --assertion-issuer i --assertion-audience a \
             --assertion-keys http://localhost/keys"
                .to_owned(),
            "must be `https://…`",
        ),
        ("--sign-out-url /out".to_owned(), "has no effect alone"),
    ] {
        for command in ["serve", &gateway] {
            let error = env.fail(&format!("{command} --listen 127.0.0.1:0 {arguments}"));
            assert!(error.contains(expect) && !error.contains("canary"), "{arguments}: {error}");
        }
    }
    let provision = env.fail(&format!("{gateway} {header} {trusted} --provision free"));
    assert!(provision.contains("does not support `--provision`"), "{provision}");
}

#[test]
fn live_updates_reach_users_of_the_proxy() {
    let env = TestEnv::with_account();
    let form = env.form("");
    env.run(
        "account link-identity --account a@example.com --issuer header:X-Forwarded-Email \
         --subject alice@proxy.example",
    );
    let server = Server::start(&env, &format!("serve {}", header_mode(&env)));
    let proxy = IdentityProxy::start_before(&server);
    let cookie = proxy.request_as("alice@proxy.example", "GET", "/session", "").cookie();
    let cookie = format!("Cookie: {cookie}");
    let secret = format!("X-Sheaf-Proxy-Secret: {SECRET}");
    let open = |subject: &str| {
        let identity = format!("X-Forwarded-Email: {subject}");
        EventStream::request_with(&server.address, "live", &[&cookie, &secret, &identity])
    };
    let mut stream = open("alice@proxy.example");
    assert_eq!(stream.next().unwrap().0, "ready");
    let sent = server.ask("POST", &format!("/f/{form}"), &[&secret], r#"{"name":"Ada"}"#);
    assert_eq!(sent.status, 201, "{}", sent.text());
    assert_eq!(stream.next().unwrap().0, "created");
    assert_eq!(open("bob").status, 401);
}
