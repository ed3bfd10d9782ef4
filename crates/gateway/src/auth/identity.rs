//! Sign-in through a reverse proxy, which identifies users by a header or by a signed assertion. It
//! replaces passwords and links; sessions, their cookie and the CSRF check stay in force.
//!
//! Each request is identified again. An identity gives access only to its linked member; the
//! operator links it, or the creation of its account. An equal mail address is not sufficient.

mod assertion;
mod field;
mod header;
mod key_ring;
mod key_set;
mod name;
mod remote_keys;
mod signature;

#[cfg(test)]
mod test_issuer;

use std::sync::Arc;

use async_trait::async_trait;
use contract::PersonId;
use http::{Extensions, HeaderMap};

pub use self::assertion::{AssertionSettings, AssertionVerifier, InvalidAssertionSettings};
pub use self::field::{InvalidHeaderName, ProxyHeader};
pub use self::header::{HeaderSource, InvalidHeaderSettings};
pub use self::key_ring::{FetchFuture, JwksError, JwksSource};
pub use self::key_set::SET_BYTES_MAX;
pub use self::name::{Identity, InvalidIdentity};
pub use self::remote_keys::{InvalidJwksUrl, RemoteJwks};
use crate::auth::accounts::StoreError;

/// Settings of the sign-in through a proxy.
pub struct ProxyAuth {
    /// How the proxy identifies users.
    pub source: IdentitySource,
    /// The store of linked identities.
    pub identities: Arc<dyn IdentityLinks>,
    /// Where users sign out of the proxy: an address, or a path of this host.
    pub sign_out_url: Option<String>,
}

/// How a proxy identifies users.
pub enum IdentitySource {
    /// By a header that a trusted proxy sets.
    Header(HeaderSource),
    /// By an assertion that an issuer signs.
    Assertion(AssertionVerifier),
}

/// Request extension for connections from a trusted proxy. The server inserts it; a client cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustedPeer {
    /// The peer has a trusted address. Other processes may share the address, so the proxy's secret
    /// is required too.
    ByAddress,
    /// The peer connected to the Unix socket. The permissions of its file admit only the proxy.
    BySocket,
}

/// An identity that the source has verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedIdentity {
    /// The verified identity.
    pub identity: Identity,
    /// Mail address supplied with it, in lower case. It proves no identity.
    pub address: Option<String>,
}

/// Reasons for the rejection of an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum IdentityError {
    /// The header was not sent by the proxy.
    #[error(
        "the header `{0}`, in any spelling, is accepted only from a trusted proxy that sends its \
         secret; this request does not come from one"
    )]
    NotFromProxy(String),
    /// The header occurs more than once, or in two spellings.
    #[error("the header `{0}` must occur once, in this spelling")]
    Ambiguous(String),
    /// The value of the header is not an identity.
    #[error(
        "the header `{0}` must have 1 to 254 visible ASCII characters, at most one `@` and no \
         comma"
    )]
    Malformed(String),
    /// The assertion is invalid, for the given reason.
    #[error(
        "the identity assertion is invalid: {0}; sign in again through your organisation's proxy"
    )]
    InvalidAssertion(&'static str),
}

/// Result of provisioning an account for an unknown identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProvisionOutcome {
    /// An account was created.
    Person(PersonId),
    /// Accounts are not created automatically.
    Disabled,
    /// The identity has no mail address, which an account needs.
    NoAddress,
    /// Another member has the mail address. It may be the same person, but that is not proven.
    AddressTaken,
}

/// The store of links between identities and members.
#[async_trait]
pub trait IdentityLinks: Send + Sync + 'static {
    /// Returns the member linked to an identity. Removing a member deletes their links.
    async fn find_member(&self, identity: &Identity) -> Result<Option<PersonId>, StoreError>;

    /// Returns the same, if a session was started by that identity.
    async fn find_by_session(
        &self,
        identity: &Identity,
        token_hash: [u8; 32],
    ) -> Result<Option<PersonId>, StoreError>;

    /// Records the identity that started a session.
    async fn mark_session(
        &self,
        token_hash: [u8; 32],
        identity: &Identity,
    ) -> Result<(), StoreError>;

    /// Creates an account for an identity and links it, if that is enabled.
    async fn provision_account(
        &self,
        identity: &VerifiedIdentity,
    ) -> Result<ProvisionOutcome, StoreError>;
}

impl ProxyAuth {
    /// Returns the identity of a request; `None` if the request names no user.
    pub(crate) async fn identify_request(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Option<VerifiedIdentity>, IdentityError> {
        match &self.source {
            IdentitySource::Header(header) => {
                let from = extensions.get::<TrustedPeer>().copied();
                Ok(header.identify(headers, from)?.map(VerifiedIdentity::from_identity))
            }
            IdentitySource::Assertion(assertion) => assertion.identify(headers).await,
        }
    }

    /// Rejects requests that no route may receive: those with an identity header that did not come
    /// from the trusted proxy.
    pub(crate) fn reject_untrusted(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<(), IdentityError> {
        match &self.source {
            IdentitySource::Header(header) => {
                let from = extensions.get::<TrustedPeer>().copied();
                header.identify(headers, from).map(|_| ())
            }
            IdentitySource::Assertion(_) => Ok(()),
        }
    }
}

impl VerifiedIdentity {
    fn from_identity(identity: Identity) -> Self {
        let address = identity.address().map(str::to_owned);
        Self { identity, address }
    }
}

/// Functions that the fuzz targets call.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing {
    use super::{HeaderSource, Identity, IdentityError, ProxyHeader, TrustedPeer, key_set};
    use http::HeaderMap;

    /// Returns the identity of a request by its header.
    pub(crate) fn identify(
        name: &str,
        secret: (&str, &str),
        headers: &HeaderMap,
        is_trusted: bool,
    ) -> Result<Option<Identity>, IdentityError> {
        let from = is_trusted.then_some(TrustedPeer::ByAddress);
        let [field, secret_field] = [name, secret.0].map(ProxyHeader::new);
        let rule = HeaderSource::new(field.expect("valid"), secret_field.expect("valid"), secret.1);
        rule.unwrap_or_else(|error| panic!("{error}")).identify(headers, from)
    }

    /// Parses a text as a JWK set.
    pub(crate) fn key_set(text: &[u8]) {
        let _ = key_set::KeySet::parse(text);
    }
}
