//! An issuer for tests: keys of each kind, a key source, assertions, and a manual clock.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use contract::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaKeyPair, RsaPublicKeyComponents,
};
use serde_json::{Value, json};

use super::key_ring::{FetchFuture, JwksSource};
use crate::clock::Clock;

pub(super) const ISSUER: &str = "https://issuer.example";
pub(super) const AUDIENCE: &str = "sheaf";
/// Start time of tests, in seconds since 1970.
pub(super) const NOW: i64 = 1_800_000_000;

/// A clock that tests advance, in seconds since [`NOW`].
#[derive(Default)]
pub(super) struct ManualClock(AtomicI64);

impl ManualClock {
    pub(super) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros((NOW + self.0.load(Ordering::SeqCst)) * 1_000_000).unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}

/// A key source with a replaceable set, which may be absent.
#[derive(Clone, Default)]
pub(super) struct TestKeySource {
    pub(super) set: Arc<Mutex<Option<String>>>,
    pub(super) fetches: Arc<AtomicUsize>,
}

impl TestKeySource {
    pub(super) fn with_keys(keys: &[Value]) -> Self {
        let source = Self::default();
        source.set_keys(keys);
        source
    }

    pub(super) fn set_keys(&self, keys: &[Value]) {
        *self.set.lock().unwrap() = Some(json!({ "keys": keys }).to_string());
    }
}

impl JwksSource for TestKeySource {
    fn fetch(&self) -> FetchFuture {
        self.fetches.fetch_add(1, Ordering::SeqCst);
        let set = self.set.lock().unwrap().clone();
        Box::pin(async move { set.map(Bytes::from).ok_or_else(|| "there is no key set".into()) })
    }
}

/// A signing key of the issuer.
pub(super) enum Signer {
    Rsa(Box<RsaKeyPair>),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Signer {
    pub(super) fn rsa() -> Self {
        let text: String =
            include_str!("../../../tests/data/rsa.p8.txt").split_whitespace().collect();
        Self::Rsa(Box::new(RsaKeyPair::from_pkcs8(&STANDARD.decode(text).unwrap()).unwrap()))
    }

    pub(super) fn ec() -> Self {
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Ec(EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).unwrap())
    }

    pub(super) fn ed() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    /// Returns the public key as a JSON Web Key.
    pub(super) fn public_jwk(&self, id: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                let RsaPublicKeyComponents::<Vec<u8>> { n, e } = pair.public().into();
                json!({ "kty": "RSA", "kid": id, "n": encode(n), "e": encode(e) })
            }
            Self::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": encode(x), "y": encode(y) })
            }
            Self::Ed(pair) => {
                let x = pair.public_key().as_ref();
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": encode(x) })
            }
        }
    }

    /// Signs an assertion with any header. RSA uses PSS padding if `alg` is `PS256`.
    pub(super) fn sign_assertion(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let bytes = message.as_bytes();
        let random = SystemRandom::new();
        let signature = match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let padding: &dyn ring::signature::RsaEncoding =
                    if header["alg"] == "PS256" { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                pair.sign(padding, &random, bytes, &mut signature).unwrap();
                signature
            }
            Self::Ec(pair) => pair.sign(&random, bytes).unwrap().as_ref().to_vec(),
            Self::Ed(pair) => pair.sign(bytes).as_ref().to_vec(),
        };
        format!("{message}.{}", encode(signature))
    }
}

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Valid claims at [`NOW`].
pub(super) fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "user-1", "email": "Alice@example.com",
        "iat": NOW - 5, "nbf": NOW - 5, "exp": NOW + 300,
    })
}

/// Returns the claims with `changes`; null removes a claim.
pub(super) fn claims_with(changes: &Value) -> Value {
    let mut claims = claims();
    let object = claims.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            object.shift_remove(name);
        } else {
            object.insert(name.clone(), value.clone());
        }
    }
    claims
}
