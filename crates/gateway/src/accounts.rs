//! What the gateway asks of whoever keeps the accounts: two traits, and the records they speak of.
//!
//! The gateway knows no database and no service; the binary puts these over one.

use async_trait::async_trait;
use contract::account::Client;
use contract::audit::Act;
use contract::{Account, AccountId, Environment, Timestamp};
use std::sync::Arc;

use crate::secret::Secret;

/// A failure of the store. It is logged, and the browser learns nothing of it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StoreError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

/// What a sign-in by password needs to know of an account.
#[derive(Clone)]
pub struct SignInRecord {
    /// The account.
    pub account: Account,
    /// The argon2id hash as a PHC string; `None` where only links open the account.
    pub password_hash: Option<String>,
}

/// A session as it is kept: the hash of its token, never the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// SHA-256 of the token in the cookie.
    pub token_hash: [u8; 32],
    /// Who is signed in.
    pub account_id: AccountId,
    /// When the sign-in was.
    pub created_at: Timestamp,
    /// When a request was last seen, to the minute.
    pub seen_at: Timestamp,
}

/// Accounts and their sessions, wherever they are kept. An account that is closed takes its
/// sessions with it.
#[async_trait]
pub trait Accounts: Send + Sync + 'static {
    /// Returns the account of a mail address, which comes trimmed and in lower case.
    async fn find_by_email(&self, email: &str) -> Result<Option<SignInRecord>, StoreError>;

    /// Returns an account; `None` once it is closed.
    async fn find_account(&self, id: &AccountId) -> Result<Option<Account>, StoreError>;

    /// Takes a sign-in link: deletes it and returns its account, in one transaction, so that it
    /// works once. `None` if there is no such link, or `now` is past its end.
    async fn redeem_link(
        &self,
        token_hash: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<Account>, StoreError>;

    /// Returns what is told to the owner of where a session is, by the browser's own words.
    fn client(&self, user_agent: &str) -> Client;

    /// Returns the same accounts, whose next write notes an act: both are kept, or neither is.
    fn noting(self: Arc<Self>, act: Act) -> Arc<dyn Accounts>;

    /// Notes an act a little later, and never waits.
    fn note_soon(&self, act: Act);

    /// Keeps a new session.
    async fn insert_session(
        &self,
        session: SessionRecord,
        client: Client,
    ) -> Result<(), StoreError>;

    /// Returns an account's sessions, the last used first. The gateway judges their age.
    async fn list_sessions(
        &self,
        account: &AccountId,
    ) -> Result<Vec<(SessionRecord, Client)>, StoreError>;

    /// Returns a session. The gateway judges its age.
    async fn find_session(&self, token_hash: [u8; 32])
    -> Result<Option<SessionRecord>, StoreError>;

    /// Notes when a session was last seen. Never brings a deleted one back.
    async fn touch_session(
        &self,
        token_hash: [u8; 32],
        seen_at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Ends a session; no error if it is gone already.
    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError>;

    /// Ends all sessions of an account but one.
    async fn delete_other_sessions(
        &self,
        account: &AccountId,
        kept: [u8; 32],
    ) -> Result<(), StoreError>;

    /// Gives an account a password, by its hash, and ends all its sessions and links, in one
    /// transaction.
    async fn set_password(&self, account: &AccountId, hash: String) -> Result<(), StoreError>;
}

/// The API keys that the gateway adds to what it forwards.
#[async_trait]
pub trait Keys: Send + Sync + 'static {
    /// Returns the key by which an account's requests go to the upstream; `None` where the gateway
    /// has none for that environment.
    async fn key_for(
        &self,
        account: &AccountId,
        environment: Environment,
    ) -> Result<Option<Secret>, StoreError>;

    /// Returns the environments for which there are keys.
    fn environments(&self) -> Vec<Environment>;
}
