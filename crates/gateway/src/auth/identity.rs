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

pub use self::assertion::{Assertion, BadAssertion, Terms};
pub use self::field::{BadField, Field};
pub use self::header::{BadHeader, Header};
pub use self::key_ring::{KeySource, KeysFailed, Look};
pub use self::key_set::SET_BYTES_MAX;
pub use self::name::{BadIdentity, Identity};
pub use self::remote_keys::{BadKeysUrl, RemoteKeys};
use crate::auth::accounts::StoreError;

/// Settings of the sign-in through a proxy.
pub struct Rules {
    /// How the proxy identifies users.
    pub source: Source,
    /// The store of linked identities.
    pub identities: Arc<dyn Identities>,
    /// Where users sign out of the proxy: an address, or a path of this host.
    pub sign_out_url: Option<String>,
}

/// How a proxy identifies users.
pub enum Source {
    /// By a header that a trusted proxy sets.
    Header(Header),
    /// By an assertion that an issuer signs.
    Assertion(Assertion),
}

/// Request extension for connections from a trusted proxy. The server inserts it; a client cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromTrusted {
    /// The peer has a trusted address. Other processes may share the address, so the proxy's secret
    /// is required too.
    ByAddress,
    /// The peer connected to the Unix socket. The permissions of its file admit only the proxy.
    BySocket,
}

/// An identity that the source has verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The verified identity.
    pub identity: Identity,
    /// Mail address supplied with it, in lower case. It proves no identity.
    pub address: Option<String>,
}

/// Reasons for the rejection of an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// The header was not sent by the proxy.
    #[error(
        "the header `{0}`, in any spelling, is accepted only from a trusted proxy that sends its \
         secret; this request does not come from one"
    )]
    Stranger(String),
    /// The header occurs more than once, or in two spellings.
    #[error("the header `{0}` must occur once, in this spelling")]
    Ambiguous(String),
    /// The value of the header is not an identity.
    #[error(
        "the header `{0}` must have 1 to 254 visible ASCII characters, at most one `@` and no \
         comma"
    )]
    Unreadable(String),
    /// The assertion is invalid, for the given reason.
    #[error(
        "the identity assertion is invalid: {0}; sign in again through your organisation's proxy"
    )]
    Forged(&'static str),
}

/// Result of provisioning an account for an unknown identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provided {
    /// An account was created.
    Person(PersonId),
    /// Accounts are not created automatically.
    Nothing,
    /// The identity has no mail address, which an account needs.
    NoAddress,
    /// Another member has the mail address. It may be the same person, but that is not proven.
    AddressTaken,
}

/// The store of links between identities and members.
#[async_trait]
pub trait Identities: Send + Sync + 'static {
    /// Returns the member linked to an identity. Removing a member deletes their links.
    async fn find(&self, identity: &Identity) -> Result<Option<PersonId>, StoreError>;

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
    async fn provide(&self, known: &Known) -> Result<Provided, StoreError>;
}

impl Rules {
    /// Returns the identity of a request; `None` if the request names no user.
    pub(crate) async fn identify(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Option<Known>, Refusal> {
        match &self.source {
            Source::Header(header) => {
                let from = extensions.get::<FromTrusted>().copied();
                Ok(header.identify(headers, from)?.map(Known::plain))
            }
            Source::Assertion(assertion) => assertion.identify(headers).await,
        }
    }

    /// Rejects requests that no route may receive: those with an identity header that did not come
    /// from the trusted proxy.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<(), Refusal> {
        match &self.source {
            Source::Header(header) => {
                let from = extensions.get::<FromTrusted>().copied();
                header.identify(headers, from).map(|_| ())
            }
            Source::Assertion(_) => Ok(()),
        }
    }
}

impl Known {
    fn plain(identity: Identity) -> Self {
        let address = identity.address().map(str::to_owned);
        Self { identity, address }
    }
}

/// Functions that the fuzz targets call.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing {
    use super::{Field, FromTrusted, Header, Identity, Refusal, key_set};
    use http::HeaderMap;

    /// Returns the identity of a request by its header.
    pub(crate) fn identify(
        name: &str,
        secret: (&str, &str),
        headers: &HeaderMap,
        is_trusted: bool,
    ) -> Result<Option<Identity>, Refusal> {
        let from = is_trusted.then_some(FromTrusted::ByAddress);
        let [field, secret_field] = [name, secret.0].map(Field::new);
        let rule = Header::new(field.expect("valid"), secret_field.expect("valid"), secret.1);
        rule.unwrap_or_else(|error| panic!("{error}")).identify(headers, from)
    }

    /// Parses a text as a JWK set.
    pub(crate) fn key_set(text: &[u8]) {
        let _ = key_set::KeySet::parse(text);
    }
}
