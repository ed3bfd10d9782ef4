//! Secrets: the API key for the upstream, and the random tokens of sessions and links.
//!
//! Only this module of the crate generates random bytes. A [`Secret`] can be sent to the upstream
//! as a header and searched for in response bytes; it offers no other access.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::SessionId;
use http::HeaderValue;
use memchr::memmem;
use sha2::{Digest, Sha256};

/// Length of a token, in characters: 256 bits in base64url.
pub const TOKEN_CHARS: usize = 43;

/// Length of a session id before encoding, in bytes. 12 bytes of the digest avoid collisions among
/// the sessions of one owner.
const SESSION_ID_BYTES: usize = 12;

/// An API key in plain text. The type has no `Debug`, `Display`, `Serialize` or `PartialEq`.
pub struct Secret(String);

impl Secret {
    /// Wraps an API key.
    pub fn new(key: String) -> Self {
        Self(key)
    }

    /// Returns the key as a sensitive header value, which logs redact. `None` if the key contains
    /// characters that a header cannot contain.
    pub(crate) fn to_header_value(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&self.0).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Returns whether `bytes` contain the key.
    pub(crate) fn occurs_in(&self, bytes: &[u8]) -> bool {
        !self.0.is_empty() && memmem::find(bytes, self.0.as_bytes()).is_some()
    }

    /// Replaces each occurrence of the key in `bytes` with asterisks. Returns whether there was
    /// one.
    pub(crate) fn redact(&self, bytes: &mut [u8]) -> bool {
        let mut start = 0;
        // An empty key would match everywhere, and the loop would not advance.
        while !self.0.is_empty()
            && let Some(found) = memmem::find(&bytes[start..], self.0.as_bytes())
        {
            let end = start + found + self.0.len();
            bytes[start + found..end].fill(b'*');
            start = end;
        }
        start > 0
    }

    /// Returns whether `bytes` contain the key or end with a prefix of it.
    pub(crate) fn may_occur_in(&self, bytes: &[u8]) -> bool {
        self.partial_match_len(bytes) > 0 || self.occurs_in(bytes)
    }

    /// Returns the length of the longest proper prefix of the key at the end of `bytes`.
    pub(crate) fn partial_match_len(&self, bytes: &[u8]) -> usize {
        // A complete key is not a partial match; `occurs_in` and `redact` find it.
        let len_max = self.0.len().saturating_sub(1).min(bytes.len());
        (1..=len_max).rev().find(|n| bytes.ends_with(&self.0.as_bytes()[..*n])).unwrap_or(0)
    }
}

/// Generates a 256-bit token for a session or a sign-in link, and its hash. The server stores only
/// the hash.
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn generate_token() -> (String, [u8; 32]) {
    let mut bits = [0_u8; 32];
    getrandom::fill(&mut bits).expect("the operating system provides random bytes");
    let token = URL_SAFE_NO_PAD.encode(bits);
    let hash = hash_token(&token);
    (token, hash)
}

/// Returns the SHA-256 of a token. A token has 256 random bits, so no salt is needed, and the
/// timing of a lookup by hash reveals nothing.
pub fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Returns the public id of a session, shown to its owner. Neither the token nor the stored hash
/// can be derived from it.
pub(crate) fn session_id(token_hash: [u8; 32]) -> SessionId {
    let digest = Sha256::new().chain_update(b"session ").chain_update(token_hash).finalize();
    let opaque = URL_SAFE_NO_PAD.encode(&digest[..SESSION_ID_BYTES]);
    let id = format!("{}{opaque}", SessionId::PREFIX).parse();
    id.expect("base64url is valid in a session id")
}

/// Generates an id that joins the audit entries of one request.
///
/// # Panics
/// As [`generate_token`].
pub(crate) fn generate_request_id() -> String {
    let mut bits = [0_u8; 9];
    getrandom::fill(&mut bits).expect("the operating system provides random bytes");
    URL_SAFE_NO_PAD.encode(bits)
}

/// Returns whether a text has the format of a token.
pub(crate) fn is_token(text: &str) -> bool {
    text.len() == TOKEN_CHARS
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_tokens_are_unique_and_valid() {
        let (one, one_hash) = generate_token();
        let (two, two_hash) = generate_token();
        assert!(is_token(&one) && is_token(&two));
        assert_ne!(one, two);
        assert_ne!(one_hash, two_hash);
        assert_eq!(hash_token(&one), one_hash);
        for bad in ["", "a", &"é".repeat(22), &"a".repeat(42), &"a".repeat(44), &" ".repeat(43)] {
            assert!(!is_token(bad), "{bad:?} was accepted");
        }
    }

    #[test]
    fn session_id_does_not_reveal_hash() {
        let hash = hash_token("a");
        assert_eq!(session_id(hash), session_id(hash));
        assert_ne!(session_id(hash), session_id(hash_token("b")));
        let id = session_id(hash).as_str().to_owned();
        assert!(!id.contains(&URL_SAFE_NO_PAD.encode(&hash[..6])), "{id}");
    }

    #[test]
    fn secret_is_found_and_header_is_sensitive() {
        let secret = Secret::new("svc_sk_live_canary".to_owned());
        assert!(secret.occurs_in(b"x-api-key: svc_sk_live_canary;"));
        assert!(!secret.occurs_in(b"svc_sk_live_canar"));
        assert!(!format!("{:?}", secret.to_header_value().unwrap()).contains("canary"));
        assert!(Secret::new("a\nb".to_owned()).to_header_value().is_none());
    }
}
