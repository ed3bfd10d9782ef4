//! Tests that contradictory options stop the start, with one sentence each.

use super::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use tempfile::TempDir;

const SECRET: &str = "0123456789abcdef-canary-0123456789";
const KEYS: &str = r#"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}"#;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    fn header_args(&self) -> args::Identity {
        args::Identity {
            identity_header: Some("X-Forwarded-Email".to_owned()),
            proxy_secret_file: Some(self.write("secret", SECRET, 0o600)),
            ..args::Identity::default()
        }
    }

    fn assertion_args(&self) -> args::Identity {
        let keys = self.write("keys.json", KEYS, 0o644);
        args::Identity {
            assertion_header: Some("Cf-Access-Jwt-Assertion".to_owned()),
            assertion_issuer: Some("https://team.example".to_owned()),
            assertion_audience: Some("aud".to_owned()),
            assertion_keys: Some(keys.display().to_string()),
            ..args::Identity::default()
        }
    }
}

fn named_proxies() -> TrustedProxies {
    TrustedProxies::Named(vec!["127.0.0.1/32".parse().unwrap()].into())
}

fn listen_args(address: &str, mode: Option<&str>) -> args::Listen {
    args::Listen {
        listen: vec![address.parse().unwrap()],
        socket_mode: mode.map(|mode| mode.parse().unwrap()),
        behind_tls: false,
        trusted_proxy: Vec::new(),
        own_tls: args::OwnTls::default(),
    }
}

async fn assert_rejected(args: args::Identity, proxies: &TrustedProxies, expect: &str) {
    assert_rejected_at(args, &listen_args("127.0.0.1:8080", None), proxies, expect).await;
}

async fn assert_rejected_at(
    args: args::Identity,
    listen: &args::Listen,
    proxies: &TrustedProxies,
    expect: &str,
) {
    let Err(error) = IdentityOptions::check_options(&args, listen, proxies).await else {
        panic!("accepted: {expect}")
    };
    let sentence = error.to_string();
    assert!(sentence.contains(expect), "{sentence}");
    assert!(!sentence.contains("canary") && !sentence.contains('\n'), "{sentence}");
}

#[tokio::test]
async fn complete_setups_are_accepted() {
    let folder = Folder::new();
    let tcp = listen_args("127.0.0.1:8080", None);
    let is_enabled = async |args| {
        IdentityOptions::check_options(&args, &tcp, &named_proxies()).await.unwrap().is_some()
    };
    assert!(!is_enabled(args::Identity::default()).await);
    assert!(is_enabled(folder.header_args()).await);
    assert!(is_enabled(folder.assertion_args()).await);
    let bearer = Some("Authorization".to_owned());
    assert!(
        is_enabled(args::Identity { assertion_header: bearer, ..folder.assertion_args() }).await
    );
    let without_proxies =
        IdentityOptions::check_options(&folder.assertion_args(), &tcp, &TrustedProxies::None).await;
    assert!(without_proxies.unwrap().is_some(), "an assertion needs no trusted address");
}

#[tokio::test]
async fn header_requires_named_proxy_and_secret() {
    let folder = Folder::new();
    for proxies in [TrustedProxies::None, TrustedProxies::Loopback] {
        assert_rejected(
            folder.header_args(),
            &proxies,
            "name the address of each with `--trusted-proxy`",
        )
        .await;
    }
    let with =
        |path: Option<PathBuf>| args::Identity { proxy_secret_file: path, ..folder.header_args() };
    assert_rejected(with(None), &named_proxies(), "name its file with `--proxy-secret-file`").await;
    assert_rejected(with(Some("/nowhere/secret".into())), &named_proxies(), "`/nowhere/secret`")
        .await;
    for mode in [0o644, 0o604, 0o602, 0o601] {
        let open = folder.write("open", SECRET, mode);
        assert_rejected(with(Some(open)), &named_proxies(), "open`; `chmod 600` it").await;
    }
    for weak in ["", "canary", "canary canary canary", "canary-canary-ca\nnary"] {
        let weak = folder.write("weak", weak, 0o600);
        assert_rejected(with(Some(weak)), &named_proxies(), "weak` must have 16 to 256 visible")
            .await;
    }
}

#[tokio::test]
async fn socket_header_requires_restricted_mode() {
    let folder = Folder::new();
    let socket = |mode| listen_args("unix:/run/sheaf/sheaf.sock", mode);
    let alone = || args::Identity { proxy_secret_file: None, ..folder.header_args() };
    for mode in [None, Some("0600"), Some("0775")] {
        let setup =
            IdentityOptions::check_options(&alone(), &socket(mode), &TrustedProxies::None).await;
        assert!(setup.unwrap().is_some(), "{mode:?}");
    }
    assert!(
        IdentityOptions::check_options(&folder.header_args(), &socket(None), &named_proxies())
            .await
            .unwrap()
            .is_some()
    );
    for mode in ["0666", "0662", "0777"] {
        let expect = format!("`--socket-mode {mode}` lets every user of this machine");
        assert_rejected_at(alone(), &socket(Some(mode)), &TrustedProxies::None, &expect).await;
    }
    // The secret is for proxies that connect by address, and those must be named.
    assert_rejected_at(
        folder.header_args(),
        &socket(None),
        &TrustedProxies::None,
        "with `--trusted-proxy`",
    )
    .await;
    let nameless = args::Identity { proxy_secret_header: Some("x-b".to_owned()), ..alone() };
    assert_rejected_at(nameless, &socket(None), &named_proxies(), "with `--proxy-secret-file`")
        .await;
}

#[tokio::test]
async fn reserved_or_invalid_header_names_are_rejected() {
    let folder = Folder::new();
    for name in ["Cookie", "host", "X-API-Key", "Connection", "X-Forwarded-For", "authorization"] {
        let args =
            args::Identity { identity_header: Some(name.to_owned()), ..folder.header_args() };
        assert_rejected(args, &named_proxies(), "already has another meaning").await;
        let args =
            args::Identity { proxy_secret_header: Some(name.to_owned()), ..folder.header_args() };
        assert_rejected(args, &named_proxies(), "`--proxy-secret-header`").await;
        if name != "authorization" {
            let args = args::Identity {
                assertion_header: Some(name.to_owned()),
                ..folder.assertion_args()
            };
            assert_rejected(args, &named_proxies(), "already has another meaning").await;
        }
    }
    for name in ["", "x_forwarded_email", "x email", "é"] {
        let args =
            args::Identity { identity_header: Some(name.to_owned()), ..folder.header_args() };
        assert_rejected(args, &named_proxies(), "is not a header name").await;
    }
    let same = Some("x-forwarded-email".to_owned());
    let args = args::Identity { proxy_secret_header: same, ..folder.header_args() };
    assert_rejected(args, &named_proxies(), "name another header with `--proxy-secret-header`")
        .await;
}

#[tokio::test]
async fn assertion_requires_issuer_audience_and_keys() {
    let folder = Folder::new();
    let complete = || folder.assertion_args();
    let with_keys =
        |keys: &str| args::Identity { assertion_keys: Some(keys.to_owned()), ..complete() };
    let keys_file = |keys: &str| folder.write("none.json", keys, 0o600).display().to_string();
    for (args, expect) in [
        (args::Identity { assertion_issuer: None, ..complete() }, "add `--assertion-issuer`"),
        (args::Identity { assertion_audience: None, ..complete() }, "add `--assertion-audience`"),
        (args::Identity { assertion_keys: None, ..complete() }, "add `--assertion-keys`"),
        (
            args::Identity { assertion_issuer: Some("header:x-a".to_owned()), ..complete() },
            "`--assertion-issuer` is wrong",
        ),
        (
            args::Identity { assertion_audience: Some(String::new()), ..complete() },
            "`--assertion-audience` is wrong",
        ),
        (with_keys("http://team.example/keys"), "must be `https://…`"),
        (with_keys("ftp://team.example/keys"), "must be `https://…`"),
        (with_keys("https://"), "is not a URL"),
        (with_keys("/nowhere/keys.json"), "`--assertion-keys /nowhere/keys.json` is wrong"),
        (with_keys(&keys_file("{}")), "must hold a JSON Web Key Set"),
        (
            with_keys(&keys_file(r#"{"keys":[{"kty":"oct","k":"AQAB"}]}"#)),
            "public keys for signatures",
        ),
        (
            args::Identity { assertion_ca: Some("/nowhere/ca.pem".into()), ..complete() },
            "`--assertion-ca` is for keys at an HTTPS URL",
        ),
    ] {
        assert_rejected(args, &named_proxies(), expect).await;
    }
}

#[tokio::test]
async fn mixed_or_incomplete_options_are_rejected() {
    let folder = Folder::new();
    let both = args::Identity {
        assertion_header: folder.assertion_args().assertion_header,
        ..folder.header_args()
    };
    assert_rejected(both, &named_proxies(), "remove one of them").await;
    let mixed = args::Identity { assertion_issuer: Some("a".to_owned()), ..folder.header_args() };
    assert_rejected(mixed, &named_proxies(), "belongs to `--assertion-header`").await;
    let mixed = args::Identity {
        proxy_secret_file: folder.header_args().proxy_secret_file,
        ..folder.assertion_args()
    };
    assert_rejected(mixed, &named_proxies(), "remove `--proxy-secret-file`").await;
    let text = || Some("x".to_owned());
    let nothing = args::Identity::default;
    for (args, name) in [
        (
            args::Identity { proxy_secret_file: Some("x".into()), ..nothing() },
            "--proxy-secret-file",
        ),
        (args::Identity { proxy_secret_header: text(), ..nothing() }, "--proxy-secret-header"),
        (args::Identity { assertion_issuer: text(), ..nothing() }, "--assertion-issuer"),
        (args::Identity { assertion_keys: text(), ..nothing() }, "--assertion-keys"),
        (args::Identity { provision: Some(contract::Plan::Free), ..nothing() }, "--provision"),
        (args::Identity { sign_out_url: text(), ..nothing() }, "--sign-out-url"),
    ] {
        assert_rejected(args, &named_proxies(), &format!("`{name}` has no effect alone")).await;
    }
}

#[test]
fn sign_out_url_is_https_or_path() {
    for good in ["/oauth2/sign_out", "/a?rd=%2F", "https://login.example.com/logout?x=1"] {
        assert_eq!(sign_out_url(good).unwrap(), good);
    }
    for bad in [
        "",
        "logout",
        "//evil.example",
        "/\\evil.example",
        "http://login.example.com",
        "/a b",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://me@evil.example",
        "https:",
        "/é",
    ] {
        assert!(sign_out_url(bad).is_err(), "{bad} was accepted");
    }
}
