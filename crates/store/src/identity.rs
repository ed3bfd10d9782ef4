//! What the store keeps of people whom somebody else signs in: as whom they are known there, and
//! which sessions began so.

use super::{AccountRecord, Hash, Result};
use async_trait::async_trait;
use contract::{AccountId, PersonId, Timestamp};

/// Most identities of a person.
pub const IDENTITIES_MAX: u32 = 20;

/// As whom a person is known elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityRecord {
    /// Of issuer and subject together: by it the identity is found.
    pub digest: Hash,
    /// Who vouches for them.
    pub issuer: String,
    /// What they are called there.
    pub subject: String,
    /// Whom it lets in.
    pub person_id: PersonId,
    /// When it was linked with them.
    pub created_at: Timestamp,
}

/// The part of the store that knows who is known elsewhere.
#[async_trait]
pub trait IdentityStore: Send + Sync + 'static {
    /// Links an identity with a person.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) where it is linked with somebody;
    /// [`StoreError::TooManyIdentities`](super::StoreError::TooManyIdentities).
    async fn insert_identity(&self, record: IdentityRecord) -> Result<()>;
    /// Inserts an account and links an identity with its owner, whoever the given identity names.
    ///
    /// # Errors
    /// As [`Store::insert_account`](super::Store::insert_account) and
    /// [`IdentityStore::insert_identity`]; nothing is inserted then.
    async fn insert_account_of(
        &self,
        account: AccountRecord,
        identity: IdentityRecord,
    ) -> Result<()>;
    /// Finds with whom an identity is linked.
    async fn find_identity(&self, digest: Hash) -> Result<Option<PersonId>>;
    /// Finds the same, where a session began by that identity.
    async fn find_session_identity(&self, digest: Hash, token: Hash) -> Result<Option<PersonId>>;
    /// Notes that a session began by an identity.
    async fn mark_session(&self, token: Hash, digest: Hash) -> Result<()>;
    /// Ends every session that began by an identity.
    async fn delete_identity_sessions(&self) -> Result<()>;
    /// Lists the identities of an account's people, oldest first.
    async fn list_identities(&self, account: &AccountId) -> Result<Vec<IdentityRecord>>;
    /// Takes an identity from whomever it is linked with, and ends the sessions that began by it;
    /// `false` where it is linked with nobody.
    async fn delete_identity(&self, digest: Hash) -> Result<bool>;
}
