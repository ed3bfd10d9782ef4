//! External identities: links between users and the identities that an auth proxy reports, and
//! sessions that began with one.

use super::{AccountRecord, Hash, Result};
use async_trait::async_trait;
use contract::{AccountId, PersonId, Timestamp};

/// Maximum number of external identities of a user.
pub const IDENTITIES_MAX: u32 = 20;

/// An external identity that is linked to a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityRecord {
    /// Hash of issuer and subject together; the lookup key.
    pub digest: Hash,
    /// The identity provider.
    pub issuer: String,
    /// The provider's id of the user.
    pub subject: String,
    /// The linked user.
    pub person_id: PersonId,
    /// Time of the link.
    pub created_at: Timestamp,
}

/// External identities of the store.
#[async_trait]
pub trait IdentityStore: Send + Sync + 'static {
    /// Links an identity to a user.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) if the identity is already linked;
    /// [`StoreError::TooManyIdentities`](super::StoreError::TooManyIdentities).
    async fn insert_identity(&self, record: IdentityRecord) -> Result<()>;
    /// Inserts an account and links an identity to its owner. Ignores the `person_id` of the given
    /// identity.
    ///
    /// # Errors
    /// As [`Store::insert_account`](super::Store::insert_account) and
    /// [`IdentityStore::insert_identity`]; nothing is inserted in these cases.
    async fn insert_account_with_identity(
        &self,
        account: AccountRecord,
        identity: IdentityRecord,
    ) -> Result<()>;
    /// Finds the user that an identity is linked to.
    async fn find_identity(&self, digest: Hash) -> Result<Option<PersonId>>;
    /// Like [`IdentityStore::find_identity`], if the session began with that identity.
    async fn find_session_identity(&self, digest: Hash, token: Hash) -> Result<Option<PersonId>>;
    /// Records that a session began with an identity.
    async fn set_session_identity(&self, token: Hash, digest: Hash) -> Result<()>;
    /// Deletes every session that began with an identity.
    async fn delete_identity_sessions(&self) -> Result<()>;
    /// Lists the identities of an account's users, oldest first.
    async fn list_identities(&self, account: &AccountId) -> Result<Vec<IdentityRecord>>;
    /// Unlinks an identity and ends the sessions that began with it; `false` if it is not linked.
    async fn delete_identity(&self, digest: Hash) -> Result<bool>;
}
