//! An issuer's public keys, parsed from a JSON Web Key Set (RFC 7517). Pure functions.
//!
//! The type of a key determines its algorithms, not the assertion. Keys of unknown types, and keys
//! that are not for signatures, are skipped, as the RFC requires.

use contract::untrusted::Untrusted;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;

/// Maximum size of a set in bytes, and maximum number of its keys.
pub const SET_BYTES_MAX: usize = 256 * 1024;
const KEYS_MAX: usize = 100;

/// The keys of an issuer.
#[derive(Debug, Clone)]
pub(super) struct KeySet(Vec<IssuerKey>);

#[derive(Debug, Clone)]
struct IssuerKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    public: DecodingKey,
}

/// The text is not a usable key set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must hold a JSON Web Key Set with 1 to {KEYS_MAX} public keys for signatures: RSA of 2048 to \
     8192 bits, P-256 or Ed25519"
)]
pub(super) struct InvalidKeySet;

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<Untrusted>,
}

/// A JSON Web Key with the members of all supported types.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// Parses a set.
    ///
    /// # Errors
    /// If the text is not a key set, or contains no usable key.
    pub(super) fn parse(text: &[u8]) -> Result<Self, InvalidKeySet> {
        let listed: JwkSet = serde_json::from_slice(text).map_err(|_| InvalidKeySet)?;
        let read = |Untrusted(key)| serde_json::from_value::<Jwk>(key).ok()?.into_key();
        let keys: Vec<_> = listed.keys.into_iter().take(KEYS_MAX + 1).filter_map(read).collect();
        if (1..=KEYS_MAX).contains(&keys.len()) { Ok(Self(keys)) } else { Err(InvalidKeySet) }
    }

    /// Returns the key with an id that supports an algorithm. Without an id, exactly one key may
    /// match.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut matching = self.0.iter().filter(|key| key.algorithms.contains(&algorithm));
        let Some(id) = id else {
            return matching.next().filter(|_| matching.next().is_none()).map(|key| &key.public);
        };
        matching.find(|key| key.id.as_deref() == Some(id)).map(|key| &key.public)
    }
}

impl Jwk {
    /// Returns the key if it can verify signatures.
    fn into_key(self) -> Option<IssuerKey> {
        let is_meant = self.purpose.as_deref().is_none_or(|purpose| purpose == "sig");
        let checks = self.key_ops.as_ref().is_none_or(|ops| ops.iter().any(|op| op == "verify"));
        if !is_meant || !checks {
            return None;
        }
        let (key, mut algorithms) = match (&self.kty[..], self.crv.as_deref()) {
            ("RSA", _) => {
                let key = DecodingKey::from_rsa_components(self.n.as_ref()?, self.e.as_ref()?);
                (key, vec![Algorithm::RS256, Algorithm::PS256])
            }
            ("EC", Some("P-256")) => {
                let key = DecodingKey::from_ec_components(self.x.as_ref()?, self.y.as_ref()?);
                (key, vec![Algorithm::ES256])
            }
            ("OKP", Some("Ed25519")) => {
                (DecodingKey::from_ed_components(self.x.as_ref()?), vec![Algorithm::EdDSA])
            }
            _ => return None,
        };
        if let Some(alg) = &self.alg {
            algorithms
                .retain(|algorithm| alg.parse().is_ok_and(|alg: Algorithm| alg == *algorithm));
        }
        let is_usable = !algorithms.is_empty();
        key.ok().filter(|_| is_usable).map(|public| IssuerKey { id: self.kid, algorithms, public })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rsa(more: serde_json::Value) -> serde_json::Value {
        with(json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB" }), more)
    }

    fn with(mut key: serde_json::Value, more: serde_json::Value) -> serde_json::Value {
        let serde_json::Value::Object(more) = more else { panic!("an object") };
        key.as_object_mut().unwrap().extend(more);
        key
    }

    fn finds(keys: &serde_json::Value, id: Option<&str>, algorithm: Algorithm) -> Option<bool> {
        let set = KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).ok()?;
        Some(set.find(id, algorithm).is_some())
    }

    #[test]
    fn key_type_determines_algorithms() {
        let ec = json!({ "kty": "EC", "crv": "P-256", "x": "AQAB", "y": "AQAB", "kid": "ec" });
        let ed = json!({ "kty": "OKP", "crv": "Ed25519", "x": "AQAB", "kid": "ed" });
        let keys = json!([rsa(json!({ "kid": "rsa" })), ec, ed]);
        for (id, algorithms) in [
            ("rsa", &[Algorithm::RS256, Algorithm::PS256][..]),
            ("ec", &[Algorithm::ES256]),
            ("ed", &[Algorithm::EdDSA]),
        ] {
            for algorithm in [
                Algorithm::RS256,
                Algorithm::PS256,
                Algorithm::ES256,
                Algorithm::EdDSA,
                Algorithm::HS256,
                Algorithm::RS512,
                Algorithm::ES384,
            ] {
                let found = finds(&keys, Some(id), algorithm);
                assert_eq!(found, Some(algorithms.contains(&algorithm)), "{id} {algorithm:?}");
            }
        }
        assert_eq!(finds(&keys, Some("other"), Algorithm::RS256), Some(false));
        let narrow = json!([rsa(json!({ "alg": "PS256" }))]);
        assert_eq!(finds(&narrow, None, Algorithm::PS256), Some(true));
        assert_eq!(finds(&narrow, None, Algorithm::RS256), Some(false));
    }

    #[test]
    fn lookup_without_id_requires_single_key() {
        let two = json!([rsa(json!({ "kid": "a" })), rsa(json!({ "kid": "b" }))]);
        assert_eq!(finds(&two, None, Algorithm::RS256), Some(false));
        assert_eq!(finds(&json!([two[0]]), None, Algorithm::RS256), Some(true));
    }

    #[test]
    fn unusable_keys_are_skipped() {
        for bad in [
            json!({ "kty": "oct", "k": "c2VjcmV0" }),
            json!({ "kty": "EC", "crv": "P-384", "x": "AQAB", "y": "AQAB" }),
            json!({ "kty": "RSA", "n": "AQAB" }),
            json!({ "kty": "RSA", "n": "not base64!", "e": "AQAB" }),
            rsa(json!({ "use": "enc" })),
            rsa(json!({ "key_ops": ["encrypt"] })),
            rsa(json!({ "alg": "HS256" })),
            rsa(json!({ "alg": "none" })),
            json!("text"),
        ] {
            assert_eq!(finds(&json!([bad]), None, Algorithm::RS256), None, "{bad}");
            let with_valid_key = json!([bad, rsa(json!({ "kid": "good" }))]);
            assert_eq!(finds(&with_valid_key, Some("good"), Algorithm::RS256), Some(true), "{bad}");
        }
        let many = json!(vec![rsa(json!({})); KEYS_MAX + 1]);
        assert_eq!(finds(&many, None, Algorithm::RS256), None);
        for text in ["", "{}", "[]", r#"{"keys":1}"#, "\u{0}"] {
            assert_eq!(KeySet::parse(text.as_bytes()).err(), Some(InvalidKeySet), "{text}");
        }
    }
}
