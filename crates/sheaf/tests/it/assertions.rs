//! The binary behind a proxy that forwards signed assertions of the user's identity. The keys are
//! in a file, or on a TLS server.

use crate::outgoing_tls::Authority;
use crate::server::{HttpResponse, Server};
use crate::test_env::TestEnv;
use rcgen::{KeyPair, PKCS_ED25519, SigningKey as _};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

const ISSUER: &str = "https://team.example";
const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes bytes as base64url without padding.
fn encode_base64url(bytes: &[u8]) -> String {
    let sextets = (bytes.len() * 8).div_ceil(6);
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let sextet = |n: usize| (0..6).fold(0, |sum, k| sum << 1 | usize::from(bit(n * 6 + k)));
    (0..sextets).map(|n| char::from(ALPHABET[sextet(n)])).collect()
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

struct Issuer {
    id: &'static str,
    key: KeyPair,
}

impl Issuer {
    fn new(id: &'static str) -> Self {
        Self { id, key: KeyPair::generate_for(&PKCS_ED25519).unwrap() }
    }

    fn key_set(&self) -> String {
        let x = encode_base64url(self.key.public_key_raw());
        let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": self.id, "x": x });
        json!({ "keys": [key] }).to_string()
    }

    /// Returns a signed assertion for `subject`, with the claims in `changes` replaced.
    fn sign_assertion(&self, subject: &str, changes: &Value) -> String {
        let mut claims = json!({
            "iss": ISSUER, "aud": ["sheaf"], "sub": subject, "email": "a@example.com",
            "iat": now_s(), "exp": now_s() + 300,
        });
        claims.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let head = json!({ "alg": "EdDSA", "kid": self.id, "typ": "JWT" });
        let message =
            [head, claims].map(|part| encode_base64url(part.to_string().as_bytes())).join(".");
        let signature = self.key.sign(message.as_bytes()).unwrap();
        format!("{message}.{}", encode_base64url(&signature))
    }
}

fn request_session(server: &Server, lines: &[&str]) -> HttpResponse {
    let lines: Vec<_> = lines.iter().copied().chain(["x-sheaf-csrf: 1"]).collect();
    server.ask("GET", "/session", &lines, "")
}

const MODE: &str = "--assertion-header Cf-Access-Jwt-Assertion --assertion-issuer \
    https://team.example --assertion-audience sheaf";

fn link_user(env: &TestEnv) {
    env.run(
        "account link-identity --account a@example.com --issuer https://team.example --subject \
         user-1",
    );
}

#[test]
fn only_valid_assertions_sign_in() {
    let env = TestEnv::with_account();
    link_user(&env);
    let issuer = Issuer::new("one");
    let mallory = Issuer::new("one");
    let keys = env.write("keys.json", issuer.key_set());
    let server = Server::start(&env, &format!("serve {MODE} --assertion-keys {keys}"));
    let header = |assertion: &str| format!("CF-Access-JWT-Assertion: {assertion}");

    let good = issuer.sign_assertion("user-1", &json!({}));
    let answer = request_session(&server, &[&header(&good)]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let identity = json!({ "issuer": "https://team.example", "subject": "user-1" });
    assert_eq!(answer.json()["data"]["known"], identity);
    let cookie = format!("Cookie: {}", answer.cookie());
    let forms = |lines: &[&str]| {
        let lines: Vec<_> = lines.iter().copied().chain(["x-sheaf-csrf: 1", &cookie]).collect();
        server.ask("GET", "/account/forms", &lines, "").status
    };
    assert_eq!(forms(&[&header(&good)]), 200);
    assert_eq!(forms(&[]), 401, "a session without an assertion");

    let (head, rest) = good.split_once('.').unwrap();
    let (claims, _) = rest.split_once('.').unwrap();
    let none = encode_base64url(br#"{"alg":"none"}"#);
    for forged in [
        mallory.sign_assertion("user-1", &json!({})),
        issuer.sign_assertion("user-1", &json!({ "iss": "https://other.example" })),
        issuer.sign_assertion("user-1", &json!({ "aud": "other" })),
        issuer.sign_assertion("user-1", &json!({ "exp": now_s() - 61 })),
        issuer.sign_assertion("user-1", &json!({ "nbf": now_s() + 120 })),
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{}", encode_base64url(b"x")),
        format!("{head}.{claims}."),
        good[..good.len() - 1].to_owned(),
        "x".to_owned(),
    ] {
        let refused = request_session(&server, &[&header(&forged)]);
        assert_eq!((refused.status, &refused.json()["error"]), (401, &json!("unauthorized")));
        assert_eq!(forms(&[&header(&forged)]), 401, "{forged}");
    }
    assert_eq!(
        request_session(&server, &[&header(&good), &header(&good)]).status,
        401,
        "two assertion headers"
    );
    assert_eq!(
        request_session(&server, &["cf_access_jwt_assertion: x", &header(&good)]).status,
        401
    );
    assert_eq!(forms(&[&header(&good)]), 200, "a forged assertion ended the session");

    // The claim `email` is not used: the owner's address does not help a subject that is not
    // linked.
    let other_issuer =
        request_session(&server, &[&header(&issuer.sign_assertion("user-2", &json!({})))]);
    assert_eq!(other_issuer.status, 403);
    assert!(
        other_issuer.text().contains("`user-2` of `https://team.example`"),
        "{}",
        other_issuer.text()
    );
    assert_eq!(forms(&[&header(&issuer.sign_assertion("user-2", &json!({})))]), 401);
    assert_eq!(forms(&[&header(&good)]), 401, "the earlier session is still valid");
}

#[test]
fn assertion_keys_are_loaded_over_verified_tls() {
    let env = TestEnv::with_account();
    link_user(&env);
    let authority = Authority::new();
    let issuer = Issuer::new("one");
    let set = Arc::new(Mutex::new(issuer.key_set()));
    let requests = Arc::new(AtomicUsize::new(0));
    let shown = Arc::clone(&set);
    let counted = Arc::clone(&requests);
    let port = authority.start_server(move |request| {
        assert!(request.starts_with("GET /keys HTTP/1.1"), "{request}");
        counted.fetch_add(1, Ordering::SeqCst);
        let body = shown.lock().unwrap().clone();
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length:";
        format!("{head} {}\r\n\r\n{body}", body.len()).into_bytes()
    });
    let authority_file = env.write("ca.pem", &authority.pem);
    let keys = format!("serve {MODE} --assertion-keys https://localhost:{port}/keys");

    let other_authority = env.write("other.pem", Authority::new().pem);
    let error = env.fail(&format!("{keys} --assertion-ca {other_authority} --listen 127.0.0.1:0"));
    assert!(error.contains("`--assertion-keys https://localhost"), "{error}");
    assert!(error.contains("invalid peer certificate"), "{error}");
    assert_eq!(requests.load(Ordering::SeqCst), 0);
    *set.lock().unwrap() = "{}".to_owned();
    let error = env.fail(&format!("{keys} --assertion-ca {authority_file} --listen 127.0.0.1:0"));
    assert!(error.contains("must hold a JSON Web Key Set"), "{error}");
    *set.lock().unwrap() = issuer.key_set();

    let server = Server::start(&env, &format!("{keys} --assertion-ca {authority_file}"));
    let before = requests.load(Ordering::SeqCst);
    let header =
        format!("Cf-Access-Jwt-Assertion: {}", issuer.sign_assertion("user-1", &json!({})));
    assert_eq!(request_session(&server, &[&header]).status, 200);
    // Assertions with unknown key ids must not cause requests to the issuer.
    for _ in 0..20 {
        let unknown = Issuer::new("two").sign_assertion("user-1", &json!({}));
        let header = format!("Cf-Access-Jwt-Assertion: {unknown}");
        assert_eq!(request_session(&server, &[&header]).status, 401);
    }
    assert_eq!(requests.load(Ordering::SeqCst), before);
}
