//! Secrets: the API key that the gateway adds, and the random tokens of sessions and links.
//!
//! The only place of this crate that asks for randomness. A [`Secret`] can be put into a request
//! to the upstream, and nothing else can be done with it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::SessionId;
use http::HeaderValue;
use memchr::memmem;
use sha2::{Digest, Sha256};

/// Length of a token, in characters: 256 bits in base64url.
pub const TOKEN_CHARS: usize = 43;

/// What a session's id takes of a digest: enough for no two of an owner to have the same.
const SESSION_ID_BYTES: usize = 12;

/// An API key in clear text. It cannot be printed, written or compared.
pub struct Secret(String);

impl Secret {
    /// Takes charge of a key.
    pub fn new(key: String) -> Self {
        Self(key)
    }

    /// Returns the key as a header's value, marked as one that logs must not show. `None` where
    /// it holds what no header can.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&self.0).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Tells whether the key stands somewhere in these bytes.
    pub(crate) fn is_within(&self, bytes: &[u8]) -> bool {
        !self.0.is_empty() && memmem::find(bytes, self.0.as_bytes()).is_some()
    }

    /// Writes asterisks over the key wherever it stands in these bytes, and tells whether it did.
    pub(crate) fn blot_out(&self, bytes: &mut [u8]) -> bool {
        let mut begin = 0;
        while !self.0.is_empty()
            && let Some(found) = memmem::find(&bytes[begin..], self.0.as_bytes())
        {
            let end = begin + found + self.0.len();
            bytes[begin + found..end].fill(b'*');
            begin = end;
        }
        begin > 0
    }

    /// Tells whether the key, or the beginning of it at the end, stands in these bytes.
    pub(crate) fn may_begin_in(&self, bytes: &[u8]) -> bool {
        self.begun_at_end(bytes) > 0 || self.is_within(bytes)
    }

    /// Returns how many of the last bytes are the beginning of the key, though not all of it.
    pub(crate) fn begun_at_end(&self, bytes: &[u8]) -> usize {
        let most = self.0.len().saturating_sub(1).min(bytes.len());
        (1..=most).rev().find(|n| bytes.ends_with(&self.0.as_bytes()[..*n])).unwrap_or(0)
    }
}

/// Makes up a token of 256 bits for a session or a sign-in link, and its hash, which is all that
/// the server keeps.
///
/// # Panics
/// When the operating system gives no random bytes: without them nothing here is safe.
pub fn mint_token() -> (String, [u8; 32]) {
    let mut bits = [0_u8; 32];
    getrandom::fill(&mut bits).expect("the operating system gives random bytes");
    let token = URL_SAFE_NO_PAD.encode(bits);
    let hash = hash_token(&token);
    (token, hash)
}

/// Returns the SHA-256 of a token's text. A token has 256 random bits, so no salt is needed, and a
/// look-up by hash tells nothing by the time that it takes.
pub fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Returns by what a session is called where its owner sees it. Nobody can get from it to the
/// token, nor to the hash that is kept.
pub(crate) fn session_id(token_hash: [u8; 32]) -> SessionId {
    let digest = Sha256::new().chain_update(b"session ").chain_update(token_hash).finalize();
    let opaque = URL_SAFE_NO_PAD.encode(&digest[..SESSION_ID_BYTES]);
    let id = format!("{}{opaque}", SessionId::PREFIX).parse();
    id.expect("base64url is plain")
}

/// Makes up by what the notes of one request are known.
///
/// # Panics
/// As [`mint_token`].
pub(crate) fn mint_request() -> String {
    let mut bits = [0_u8; 9];
    getrandom::fill(&mut bits).expect("the operating system gives random bytes");
    URL_SAFE_NO_PAD.encode(bits)
}

/// Tells whether a text has the shape of a token.
pub(crate) fn is_token(text: &str) -> bool {
    text.len() == TOKEN_CHARS
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_have_their_shape() {
        let (one, one_hash) = mint_token();
        let (two, two_hash) = mint_token();
        assert!(is_token(&one) && is_token(&two));
        assert_ne!(one, two);
        assert_ne!(one_hash, two_hash);
        assert_eq!(hash_token(&one), one_hash);
        for bad in ["", "a", &"é".repeat(22), &"a".repeat(42), &"a".repeat(44), &" ".repeat(43)] {
            assert!(!is_token(bad), "{bad:?} was taken");
        }
    }

    #[test]
    fn a_session_is_called_by_something_else_than_its_hash() {
        let hash = hash_token("a");
        assert_eq!(session_id(hash), session_id(hash));
        assert_ne!(session_id(hash), session_id(hash_token("b")));
        let told = session_id(hash).as_str().to_owned();
        assert!(!told.contains(&URL_SAFE_NO_PAD.encode(&hash[..6])), "{told}");
    }

    #[test]
    fn a_key_is_found_and_its_header_hidden() {
        let secret = Secret::new("svc_sk_live_canary".to_owned());
        assert!(secret.is_within(b"x-api-key: svc_sk_live_canary;"));
        assert!(!secret.is_within(b"svc_sk_live_canar"));
        assert!(!format!("{:?}", secret.header().unwrap()).contains("canary"));
        assert!(Secret::new("a\nb".to_owned()).header().is_none());
    }
}
