//! `--behind-tls`: a proxy that terminates TLS, and Sheaf's own accounts.

use crate::proxy::{Kind, Proxy, Reply};
use crate::server::Server;
use crate::test_env::TestEnv;
use std::io::Read as _;
use std::process::Stdio;

struct Site {
    env: TestEnv,
    server: Server,
    proxy: Proxy,
}

impl Site {
    fn start(kind: Kind) -> Self {
        let env = TestEnv::with_account();
        let server = Server::start(&env, "serve --behind-tls");
        let file = match kind {
            Kind::Nginx => "nginx/forms.conf",
            Kind::Caddy => "caddy/Caddyfile",
        };
        let proxy = Proxy::start(kind, file, &server.address, &[]);
        Self { env, server, proxy }
    }
}

/// Signs in through the proxy as a browser does, and checks that another origin cannot.
#[track_caller]
fn check_sign_in(kind: Kind) {
    let site = Site::start(kind);
    let link = site.env.run("account sign-in-link --account a@example.com");
    let body = format!(r#"{{"token":"{}"}}"#, link.split_once("#token=").unwrap().1);
    let origin = format!("Origin: {}", site.proxy.url());
    let post = ["--header", "x-sheaf-csrf: 1", "--json", &body, "--header"];
    let foreign = site.proxy.ask("/session", &[&post[..], &["Origin: https://evil.test"]].concat());
    assert_eq!(foreign.status, 403, "{}", foreign.text());
    let output = site.proxy.curl("/session").args(post).arg(&origin).output().unwrap();
    let cookie = Reply::cookie(&output.stdout).unwrap();
    assert!(cookie.starts_with("__Host-"), "{cookie}");
    let cookie = format!("Cookie: {cookie}");
    let arguments = ["--header", "x-sheaf-csrf: 1", "--header", &origin, "--header", &cookie];
    assert_eq!(site.proxy.ask("/account/forms", &arguments).status, 200);
    let page = site.proxy.ask("/sign-in", &[]);
    assert!(page.header("strict-transport-security").is_some(), "{}", page.head);
    assert!(page.header("server").is_none_or(|server| server == "nginx"), "{}", page.head);
}

#[test]
fn sign_in_through_nginx_works() {
    check_sign_in(Kind::Nginx);
}

#[test]
fn sign_in_through_caddy_works() {
    check_sign_in(Kind::Caddy);
}

/// Checks that a forged `X-Forwarded-For` does not change the address that requests count for.
#[track_caller]
fn check_client(kind: Kind) {
    let site = Site::start(kind);
    let request_from = |from: &str, forged: &str| {
        let forged_header = format!("X-Forwarded-For: {forged}");
        let words =
            ["--interface", from, "--header", "X-API-Key: nonsense", "--header", &forged_header];
        site.proxy.ask("/v1/submissions/sub_1", &words).status
    };
    // Without a valid key, 10 requests a second and 300 in 15 minutes are allowed. On a busy machine
    // only the limit of 15 minutes is reached.
    let is_limited = (0..=300).any(|n| {
        let status = request_from("127.0.0.2", &format!("192.0.2.{}", n % 256));
        assert!(matches!(status, 401 | 429), "{status}");
        status == 429
    });
    assert!(is_limited, "a forged address evaded the rate limit");
    assert_eq!(
        request_from("127.0.0.3", "127.0.0.2"),
        401,
        "a request was counted for another client"
    );
}

#[test]
fn forwarded_address_is_ignored_behind_nginx() {
    check_client(Kind::Nginx);
}

#[test]
fn forwarded_address_is_ignored_behind_caddy() {
    check_client(Kind::Caddy);
}

/// More bytes than the sockets between server, proxy and client can buffer: the system allows each
/// of the two connections up to 32 MiB at the receiving end and 4 MiB at the sending end.
const BUFFERED_BYTES_MAX: usize = 80_000_000;

/// Returns submissions with more than [`BUFFERED_BYTES_MAX`] bytes in total.
fn large_rows() -> String {
    let note = "x".repeat(50_000);
    let metadata = r#"{"submitted_at":"2026-03-01T12:00:00Z"}"#;
    let row = format!(r#"{{"answers":{{"Note":"{note}"}},"metadata":{metadata}}}"#) + "\n";
    row.repeat(BUFFERED_BYTES_MAX / note.len() + 1)
}

/// Starts an export, kills the server during it, and returns the response that the client received.
#[track_caller]
fn truncated_export(kind: Kind, format: &str) -> Reply {
    let mut site = Site::start(kind);
    let form = site.env.form("");
    let key = format!("X-API-Key: {}", site.env.key("live"));
    let file = site.env.path("large.ndjson");
    std::fs::write(&file, large_rows()).unwrap();
    site.env.run(&format!("import --form {form} {}", file.display()));
    let path = format!("/v1/forms/{form}/submissions/export?format={format}");
    let complete = site.proxy.ask(&path, &["--header", &key]);
    assert!(complete.status == 200 && complete.is_whole);
    assert!(
        complete.body.len() > BUFFERED_BYTES_MAX,
        "{} bytes may fit into the buffers",
        complete.body.len()
    );

    let mut curl = site.proxy.curl(&path);
    let mut child = curl.args(["--header", &key]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = vec![0; 100_000];
    // The client reads no further, so unread rows must wait in the server, not in the proxy.
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    // A proxy that buffers to disk would do so during this complete export of another client.
    assert!(site.proxy.ask(&path, &["--header", &key]).is_whole);
    let log = site.proxy.log();
    assert!(!log.contains("buffered to a temporary file"), "{log}");
    site.server.child.kill().unwrap();
    site.server.child.wait().unwrap();
    let mut cut = Reply::of(child);
    let head_end = first.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    cut.body.splice(..0, first[head_end + 4..].iter().copied());
    cut
}

#[test]
fn truncated_export_through_nginx_is_detected() {
    assert!(!truncated_export(Kind::Nginx, "csv").is_whole, "a truncated export looked complete");
}

/// Caddy 2.6 ends a truncated response as if it were complete; incomplete JSON is still detected.
#[test]
fn truncated_export_through_caddy_is_detected() {
    let cut = truncated_export(Kind::Caddy, "json");
    let read = serde_json::from_slice::<serde_json::Value>(&cut.body);
    assert!(read.is_err(), "a truncated export looked complete");
}

/// Checks that the proxy forwards one plain request, without an upgrade and without ambiguous
/// framing.
#[track_caller]
fn check_framing(kind: Kind) {
    let site = Site::start(kind);
    let upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"];
    let words: Vec<&str> = upgrade.iter().flat_map(|header| ["--header", header]).collect();
    let answer = site.proxy.ask("/openapi.json", &words);
    assert_eq!(answer.status, 200, "{}{}", answer.head, answer.text());
    let h2c = ["--header", "Upgrade: h2c", "--header", "Connection: Upgrade, HTTP2-Settings"];
    assert_eq!(site.proxy.ask("/openapi.json", &h2c).status, 200);
    let host = site.proxy.url();
    let host = host.strip_prefix("https://").unwrap();
    let smuggled = site.proxy.raw(&format!(
        "POST /session HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n\
         GET /openapi.json HTTP/1.1\r\nHost: {host}\r\n\r\n"
    ));
    let answers = smuggled.matches("HTTP/1.1 ").count();
    assert_eq!(answers, 1, "a hidden request was answered: {smuggled}");
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(site.proxy.ask(path, &[]).status, 404, "{path}");
    }
}

#[test]
fn ambiguous_framing_is_refused_behind_nginx() {
    check_framing(Kind::Nginx);
}

#[test]
fn ambiguous_framing_is_refused_behind_caddy() {
    check_framing(Kind::Caddy);
}
