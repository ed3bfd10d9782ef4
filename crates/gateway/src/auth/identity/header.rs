//! Identities in a header, from a proxy that proves itself by address and secret, or that connects
//! to a Unix socket reserved for it.
//!
//! From any other sender the header is rejected in every spelling, not ignored. Browsers do not
//! send it on their own, so no honest client is affected, and a misconfigured proxy is noticed
//! immediately.

use http::HeaderMap;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

use super::field::{HeaderOccurrence, ProxyHeader};
use super::name::Identity;
use super::{IdentityError, TrustedPeer};

/// Minimum and maximum length of a proxy's secret, in bytes.
const SECRET_BYTES_MIN: usize = 16;
const SECRET_BYTES_MAX: usize = 256;

/// Settings of identities in a header.
pub struct HeaderSource {
    field: ProxyHeader,
    /// The secret required from a trusted address. Without it only the socket is trusted.
    secret: Option<ProxySecret>,
}

struct ProxySecret {
    field: ProxyHeader,
    /// SHA-256 of the secret, so that the comparison takes the same time for all lengths.
    hash: [u8; 32],
}

/// Reasons why the settings are invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHeaderSettings {
    /// The secret is invalid. The message does not contain it.
    #[error(
        "must have {SECRET_BYTES_MIN} to {SECRET_BYTES_MAX} visible ASCII characters on one line; \
         generate it with `openssl rand -hex 32`"
    )]
    Secret,
    /// The identity and the secret have the same header.
    #[error("the identity and the secret must have different headers, but both have `{0}`")]
    SameHeader(String),
}

impl HeaderSource {
    /// Accepts identities in `field` from trusted addresses that send `secret` in `secret_field`.
    ///
    /// # Errors
    /// If the secret is invalid, or both headers are the same.
    pub fn new(
        field: ProxyHeader,
        secret_field: ProxyHeader,
        secret: &str,
    ) -> Result<Self, InvalidHeaderSettings> {
        let is_valid = (SECRET_BYTES_MIN..=SECRET_BYTES_MAX).contains(&secret.len());
        if !is_valid || !secret.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(InvalidHeaderSettings::Secret);
        }
        if field == secret_field {
            return Err(InvalidHeaderSettings::SameHeader(field.name().to_owned()));
        }
        let hash = Sha256::digest(secret).into();
        Ok(Self { field, secret: Some(ProxySecret { field: secret_field, hash }) })
    }

    /// Accepts identities in `field` only from the Unix socket.
    pub fn by_socket(field: ProxyHeader) -> Self {
        Self { field, secret: None }
    }

    /// Returns the identity of a request; `None` if the header is absent.
    pub(super) fn identify(
        &self,
        headers: &HeaderMap,
        from: Option<TrustedPeer>,
    ) -> Result<Option<Identity>, IdentityError> {
        let occurrence = self.field.occurrence_in(headers);
        if occurrence == HeaderOccurrence::Absent {
            return Ok(None);
        }
        let is_believed = match from {
            Some(TrustedPeer::BySocket) => true,
            Some(TrustedPeer::ByAddress) => self.has_secret(headers),
            None => false,
        };
        if !is_believed {
            return Err(IdentityError::NotFromProxy(self.field.name().to_owned()));
        }
        let HeaderOccurrence::Once(value) = occurrence else {
            return Err(IdentityError::Ambiguous(self.field.name().to_owned()));
        };
        let identity = Identity::from_header(&self.field, value.as_bytes());
        identity.map(Some).ok_or_else(|| IdentityError::Malformed(self.field.name().to_owned()))
    }

    fn has_secret(&self, headers: &HeaderMap) -> bool {
        let Some(ProxySecret { field, hash }) = &self.secret else { return false };
        let HeaderOccurrence::Once(given) = field.occurrence_in(headers) else { return false };
        let given: [u8; 32] = Sha256::digest(given.as_bytes()).into();
        // Constant time, so that timing reveals nothing about the secret.
        hash.ct_eq(&given).into()
    }
}

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;
