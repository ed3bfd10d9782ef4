//! The public keys of an issuer, as a JSON Web Key Set tells them (RFC 7517). Pure.
//!
//! A key's kind says by which algorithms it may sign, never the assertion. What is not for
//! signatures, or of a kind that is not known, is passed over, as the standard asks.

use contract::untrusted::Untrusted;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;

/// Largest set, in bytes, and most keys in it.
pub const SET_BYTES_MAX: usize = 256 * 1024;
const KEYS_MAX: usize = 100;

/// The keys of an issuer.
#[derive(Debug, Clone)]
pub(super) struct KeySet(Vec<Key>);

#[derive(Debug, Clone)]
struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    public: DecodingKey,
}

/// A text that is no set of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must hold a JSON Web Key Set with 1 to {KEYS_MAX} public keys for signatures: RSA of 2048 to \
     8192 bits, P-256 or Ed25519"
)]
pub(super) struct BadKeySet;

#[derive(Deserialize)]
struct Listed {
    keys: Vec<Untrusted>,
}

/// A key as it is written; of each kind, what that kind has.
#[derive(Deserialize)]
struct Written {
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
    /// Reads a set.
    ///
    /// # Errors
    /// A text that is none, or without a key that can be used.
    pub(super) fn parse(text: &[u8]) -> Result<Self, BadKeySet> {
        let listed: Listed = serde_json::from_slice(text).map_err(|_| BadKeySet)?;
        let read = |Untrusted(key)| serde_json::from_value::<Written>(key).ok()?.key();
        let keys: Vec<_> = listed.keys.into_iter().take(KEYS_MAX + 1).filter_map(read).collect();
        if (1..=KEYS_MAX).contains(&keys.len()) { Ok(Self(keys)) } else { Err(BadKeySet) }
    }

    /// Finds the key of an id that signs by an algorithm. Without an id there must be only one.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut fitting = self.0.iter().filter(|key| key.algorithms.contains(&algorithm));
        let Some(id) = id else {
            return fitting.next().filter(|_| fitting.next().is_none()).map(|key| &key.public);
        };
        fitting.find(|key| key.id.as_deref() == Some(id)).map(|key| &key.public)
    }
}

impl Written {
    /// Returns the key, where it is one by which signatures are checked here.
    fn key(self) -> Option<Key> {
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
        key.ok().filter(|_| is_usable).map(|public| Key { id: self.kid, algorithms, public })
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
    fn the_kind_of_a_key_says_how_it_signs() {
        let ec = json!({ "kty": "EC", "crv": "P-256", "x": "AQAB", "y": "AQAB", "kid": "ec" });
        let ed = json!({ "kty": "OKP", "crv": "Ed25519", "x": "AQAB", "kid": "ed" });
        let keys = json!([rsa(json!({ "kid": "rsa" })), ec, ed]);
        for (id, own) in [
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
                assert_eq!(found, Some(own.contains(&algorithm)), "{id} {algorithm:?}");
            }
        }
        assert_eq!(finds(&keys, Some("other"), Algorithm::RS256), Some(false));
        let narrow = json!([rsa(json!({ "alg": "PS256" }))]);
        assert_eq!(finds(&narrow, None, Algorithm::PS256), Some(true));
        assert_eq!(finds(&narrow, None, Algorithm::RS256), Some(false));
    }

    #[test]
    fn without_an_id_there_must_be_one_key() {
        let two = json!([rsa(json!({ "kid": "a" })), rsa(json!({ "kid": "b" }))]);
        assert_eq!(finds(&two, None, Algorithm::RS256), Some(false));
        assert_eq!(finds(&json!([two[0]]), None, Algorithm::RS256), Some(true));
    }

    #[test]
    fn what_cannot_be_used_is_passed_over_and_nothing_at_all_is_refused() {
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
            let beside = json!([bad, rsa(json!({ "kid": "good" }))]);
            assert_eq!(finds(&beside, Some("good"), Algorithm::RS256), Some(true), "{bad}");
        }
        let many = json!(vec![rsa(json!({})); KEYS_MAX + 1]);
        assert_eq!(finds(&many, None, Algorithm::RS256), None);
        for text in ["", "{}", "[]", r#"{"keys":1}"#, "\u{0}"] {
            assert_eq!(KeySet::parse(text.as_bytes()).err(), Some(BadKeySet), "{text}");
        }
    }
}
