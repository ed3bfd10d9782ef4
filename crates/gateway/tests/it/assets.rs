//! Tests of the dashboard's files: exact names, content encodings and caching.

use std::io::{Read, Write};

use axum::body::Body;
use base64::Engine as _;
use bytes::Bytes;
use gateway::Assets;
use http::{Method, Request};
use sha2::{Digest, Sha256};

use crate::app::{INDEX, ReceivedResponse, SCRIPT, TestApp};

async fn get_file(path: &str, headers: &[(&str, &str)]) -> ReceivedResponse {
    send_request(Method::GET, path, headers).await
}

async fn send_request(method: Method, path: &str, headers: &[(&str, &str)]) -> ReceivedResponse {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    TestApp::new().send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn files_have_type_and_cache_control() {
    for (path, kind, cache) in [
        ("/", "text/html; charset=utf-8", "no-cache"),
        ("/index.html", "text/html; charset=utf-8", "no-cache"),
        (SCRIPT, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        (
            "/dashboard-6e684c6c7bb9508d_bg.wasm",
            "application/wasm",
            "public, max-age=31536000, immutable",
        ),
        ("/theme.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/favicon.svg", "image/svg+xml", "no-cache"),
        ("/first.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/icon-192.png", "image/png", "no-cache"),
        (
            "/sheaf-975bdb86fa14ad47.webmanifest",
            "application/manifest+json",
            "public, max-age=31536000, immutable",
        ),
        ("/alone.gz", "application/octet-stream", "no-cache"),
    ] {
        let answer = get_file(path, &[]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!((answer.header("content-type"), answer.header("cache-control")), (kind, cache));
        assert_eq!(answer.header("content-length"), answer.body.len().to_string());
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn encoding_follows_accept_encoding() {
    for (accepted, encoding, body) in [
        ("gzip, deflate, br", "br", "script as br"),
        ("gzip", "gzip", "script as gz"),
        ("br;q=0, gzip", "gzip", "script as gz"),
        ("identity", "", "script"),
        ("", "", "script"),
        ("identity;q=0, gzip", "gzip", "script as gz"),
        ("identity;q=0, *", "br", "script as br"),
        // No acceptable coding is available.
        ("identity;q=0", "", "script"),
        ("identity;q=0, zstd", "", "script"),
        ("*;q=0", "", "script"),
    ] {
        let answer = get_file(SCRIPT, &[("accept-encoding", accepted)]).await;
        assert_eq!((answer.header("content-encoding"), &*answer.body), (encoding, body.as_bytes()));
        assert_eq!(answer.header("vary"), "accept-encoding");
        assert_eq!(answer.header("content-type"), "text/javascript; charset=utf-8");
    }
    assert!(!get_file("/theme.js", &[]).await.headers.contains_key("vary"));
}

#[tokio::test]
async fn index_is_always_revalidated() {
    for path in ["/", "/sign-in", "/live/forms/frm_1", "/test", "/settings/api-keys"] {
        for accepted in ["br", "identity"] {
            let first = get_file(path, &[("accept-encoding", accepted)]).await;
            assert_eq!((first.status.as_u16(), first.header("cache-control")), (200, "no-cache"));
            let etag = first.header("etag");
            let headers = [("accept-encoding", accepted), ("if-none-match", etag)];
            let again = get_file(path, &headers).await;
            assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
            assert_eq!(again.header("etag"), etag);
            assert_eq!(
                again.header("content-security-policy"),
                first.header("content-security-policy")
            );
        }
    }
    let plain = get_file("/", &[]).await;
    let brotli = get_file("/", &[("accept-encoding", "br")]).await;
    assert_ne!(plain.header("etag"), brotli.header("etag"));
    let other = get_file("/", &[("if-none-match", "\"of another build\"")]).await;
    assert_eq!((other.status.as_u16(), &*other.body), (200, INDEX.as_bytes()));
}

#[tokio::test]
async fn head_matches_get_without_body() {
    for path in ["/", SCRIPT, "/theme.js"] {
        let get = get_file(path, &[]).await;
        let head = send_request(Method::HEAD, path, &[]).await;
        assert_eq!((head.status, &head.headers), (get.status, &get.headers));
        assert!(head.body.is_empty() && !get.body.is_empty());
    }
}

/// Uses a real connection, because the server decides about the length.
#[tokio::test]
async fn head_sends_content_length_on_wire() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = TestApp::new().router;
    tokio::spawn(async move { axum::serve(listener, router).await });
    let head = tokio::task::spawn_blocking(move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        write!(stream, "HEAD /theme.js HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut head = String::new();
        stream.read_to_string(&mut head).unwrap();
        head
    })
    .await
    .unwrap();
    assert!(head.contains("\r\ncontent-length: 5\r\n") && head.ends_with("\r\n\r\n"), "{head}");
}

#[tokio::test]
async fn inexact_names_return_404() {
    for path in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/./theme.js",
        "/theme.js/",
        "//theme.js",
        "/THEME.JS",
        "/theme%2ejs",
        "/theme.js%00",
        "/theme.js.br",
        "/index.html.br",
        "/dashboard-6e684c6c7bb9508d.js.gz",
        "/live/../theme.js",
        "/live/theme.js",
        "/..\\..\\Cargo.toml",
        "/C:/windows",
        "/assets/x.js",
        "/src/lib.rs",
        "/.git/config",
        "/sign-in/",
        "/live/x.php",
        "/live/%2e%2e/x",
        "/etc/passwd",
        "/proc/self/environ",
    ] {
        let answer = get_file(path, &[]).await;
        assert_eq!(answer.status, 404, "{path}");
        answer.assert_error(404, "not_found");
    }
}

#[tokio::test]
async fn policy_contains_hash_of_inline_script() {
    let answer = get_file("/", &[]).await;
    let policy = answer.header("content-security-policy");
    let script = INDEX.split("module\">").nth(1).unwrap().trim_end_matches("</script>");
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script));
    assert!(
        policy.contains(&format!("script-src 'self' 'wasm-unsafe-eval' 'sha256-{hash}';")),
        "{policy}"
    );
    assert_eq!(policy.matches("sha256-").count(), 1);
    for must in
        ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "connect-src 'self'"]
    {
        assert!(policy.contains(must), "{must}");
    }
    assert!(!policy.contains("unsafe-inline") && !policy.contains("upgrade-insecure-requests"));
    assert!(!answer.headers.contains_key("strict-transport-security"));
}

#[tokio::test]
async fn tls_responses_have_hsts() {
    let upstream =
        tower::service_fn(|_| async { Ok::<_, std::io::Error>(http::Response::default()) });
    let app = TestApp::with_upstream(upstream, true, vec![], false);
    let answer = app.call(Method::GET, "/", "").await;
    assert!(answer.header("content-security-policy").ends_with("; upgrade-insecure-requests"));
    assert_eq!(answer.header("strict-transport-security"), "max-age=63072000");
}

#[tokio::test]
async fn missing_dashboard_returns_503_with_hint() {
    let answer = Assets::new([("other.txt".to_owned(), Bytes::from_static(b"x"))]);
    let app = {
        let mut app = TestApp::new();
        let store = app.store.clone();
        let keys = crate::memory::StaticKeys::credentials_for(vec![]);
        let config = gateway::Config { assets: answer, ..gateway::Config::default() };
        let upstream =
            tower::service_fn(|_| async { Ok::<_, std::io::Error>(http::Response::default()) });
        app.router = gateway::router(config, store, keys, upstream, None);
        app
    };
    let answer = app.call(Method::GET, "/sign-in", "").await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (503, "no-store"));
    assert!(String::from_utf8_lossy(&answer.body).contains("cargo xtask build"));
    app.call(Method::GET, "/theme.js", "").await.assert_error(404, "not_found");
}
