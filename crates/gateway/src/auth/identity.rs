//! Signing in by something else: a proxy in front says who comes, by a header or by an assertion
//! that it signed. It takes the place of passwords and links, and of nothing else: sessions, their
//! cookie and the walls around them stay.
//!
//! Who comes is found out for each request anew. Nobody is let in because of an address that looks
//! the same: an identity opens what it was linked with, by the operator or as its account was made.

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

/// How people come in whom somebody else knows.
pub struct Rules {
    /// Who says who they are.
    pub source: Source,
    /// What identities were linked with.
    pub identities: Arc<dyn Identities>,
    /// Where one goes to sign out there, too: an address, or a path of this host.
    pub sign_out_url: Option<String>,
}

/// Who says who somebody is.
pub enum Source {
    /// A proxy, in a header.
    Header(Header),
    /// Whoever signs assertions.
    Assertion(Assertion),
}

/// In the extensions of a request whose connection comes from a trusted proxy. The server puts it
/// there; nothing in a request itself can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromTrusted {
    /// It has a trusted address, which others may share: it must know a secret, too.
    ByAddress,
    /// It may open a socket that is for nobody else.
    BySocket,
}

/// Somebody whom the source knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// As whom.
    pub identity: Identity,
    /// The mail address that goes with it, in lower case. It says nothing of who they are.
    pub address: Option<String>,
}

/// Why what says who somebody is is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// The header came from elsewhere than the proxy.
    #[error(
        "the header `{0}`, in any spelling, is believed from a trusted proxy alone, which sends \
         its secret along; this request does not come from one"
    )]
    Stranger(String),
    /// It came twice, or in two spellings.
    #[error("the header `{0}` must come once, and spelt like this")]
    Ambiguous(String),
    /// What stands in it is nobody.
    #[error(
        "the header `{0}` must hold 1 to 254 visible ASCII characters, with one `@` at most and no \
         comma"
    )]
    Unreadable(String),
    /// An assertion that is not right, and why.
    #[error(
        "the assertion of who you are is not believed: {0}; sign in anew with your organisation"
    )]
    Forged(&'static str),
}

/// What became of somebody whom nothing here knows yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provided {
    /// They have an account now.
    Person(PersonId),
    /// Nobody is given an account.
    Nothing,
    /// They have no mail address, and an account needs one.
    NoAddress,
    /// Somebody else has their mail address here: they may be the same, but who knows.
    AddressTaken,
}

/// Which identities open what, wherever that is kept.
#[async_trait]
pub trait Identities: Send + Sync + 'static {
    /// Returns with whom an identity was linked. A person who is removed takes their links along.
    async fn find(&self, identity: &Identity) -> Result<Option<PersonId>, StoreError>;

    /// Returns the same, where a session began by that identity.
    async fn find_by_session(
        &self,
        identity: &Identity,
        token_hash: [u8; 32],
    ) -> Result<Option<PersonId>, StoreError>;

    /// Notes that a session began by an identity.
    async fn mark_session(
        &self,
        token_hash: [u8; 32],
        identity: &Identity,
    ) -> Result<(), StoreError>;

    /// Gives somebody an account of their own, and links them with it, where that is wanted.
    async fn provide(&self, known: &Known) -> Result<Provided, StoreError>;
}

impl Rules {
    /// Returns as whom a request comes; `None` where it does not say.
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

    /// Refuses what must come no further, whatever is asked for: the header from a stranger.
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

/// What the fuzz targets reach.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing {
    use super::{Field, FromTrusted, Header, Identity, Refusal, key_set};
    use http::HeaderMap;

    /// Finds out as whom a request comes by a header.
    pub(crate) fn identify(
        name: &str,
        secret: (&str, &str),
        headers: &HeaderMap,
        is_trusted: bool,
    ) -> Result<Option<Identity>, Refusal> {
        let from = is_trusted.then_some(FromTrusted::ByAddress);
        let [field, secret_field] = [name, secret.0].map(Field::new);
        let rule = Header::new(field.expect("a name"), secret_field.expect("a name"), secret.1);
        rule.unwrap_or_else(|error| panic!("{error}")).identify(headers, from)
    }

    /// Reads a text as a set of keys.
    pub(crate) fn key_set(text: &[u8]) {
        let _ = key_set::KeySet::parse(text);
    }
}
