//! Identities that come in a header, from a proxy that is known by its address and by a secret, or
//! that comes by a socket which nobody else may open.
//!
//! From anybody else the header is refused in every spelling, rather than left out: no browser
//! sends it by itself, so nobody honest is turned away, and a proxy that is set up wrongly shows
//! at once.

use http::HeaderMap;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

use super::field::{Field, Held};
use super::name::Identity;
use super::{FromTrusted, Refusal};

/// Shortest and longest secret of a proxy, in bytes.
const SECRET_BYTES_MIN: usize = 16;
const SECRET_BYTES_MAX: usize = 256;

/// How identities come in a header.
pub struct Header {
    field: Field,
    /// What a trusted address has to show; without it none is believed, but the socket alone.
    secret: Option<ProxySecret>,
}

struct ProxySecret {
    field: Field,
    /// Its SHA-256: texts of any length are compared in one time.
    hash: [u8; 32],
}

/// What cannot be set up.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHeader {
    /// The secret; it is not shown.
    #[error(
        "must hold {SECRET_BYTES_MIN} to {SECRET_BYTES_MAX} visible ASCII characters on one line; \
         `openssl rand -hex 32` makes some"
    )]
    Secret,
    /// One header for both.
    #[error("the identity and the secret must come in two headers, but both are to be in `{0}`")]
    Same(String),
}

impl Header {
    /// Takes identities in `field` from whoever sends `secret` in `secret_field`, and comes from a
    /// trusted address.
    ///
    /// # Errors
    /// A secret that is none, or one header for both.
    pub fn new(field: Field, secret_field: Field, secret: &str) -> Result<Self, BadHeader> {
        let fits = (SECRET_BYTES_MIN..=SECRET_BYTES_MAX).contains(&secret.len());
        if !fits || !secret.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(BadHeader::Secret);
        }
        if field == secret_field {
            return Err(BadHeader::Same(field.name().to_owned()));
        }
        let hash = Sha256::digest(secret).into();
        Ok(Self { field, secret: Some(ProxySecret { field: secret_field, hash }) })
    }

    /// Takes identities in `field` from whoever comes by the socket, and from nobody else.
    pub fn by_socket(field: Field) -> Self {
        Self { field, secret: None }
    }

    /// Returns as whom a request comes; `None` where it does not say.
    pub(super) fn identify(
        &self,
        headers: &HeaderMap,
        from: Option<FromTrusted>,
    ) -> Result<Option<Identity>, Refusal> {
        let held = self.field.held(headers);
        if held == Held::None {
            return Ok(None);
        }
        let is_believed = match from {
            Some(FromTrusted::BySocket) => true,
            Some(FromTrusted::ByAddress) => self.knows(headers),
            None => false,
        };
        if !is_believed {
            return Err(Refusal::Stranger(self.field.name().to_owned()));
        }
        let Held::Once(value) = held else {
            return Err(Refusal::Ambiguous(self.field.name().to_owned()));
        };
        let identity = Identity::of_header(&self.field, value.as_bytes());
        identity.map(Some).ok_or_else(|| Refusal::Unreadable(self.field.name().to_owned()))
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let Some(ProxySecret { field, hash }) = &self.secret else { return false };
        let Held::Once(given) = field.held(headers) else { return false };
        let given: [u8; 32] = Sha256::digest(given.as_bytes()).into();
        hash.ct_eq(&given).into()
    }
}

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;
