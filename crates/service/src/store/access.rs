//! What the store keeps of how owners get in: sign-in links, sessions and passwords.

use super::{Hash, Result};
use async_trait::async_trait;
use contract::account::Client;
use contract::{AccountId, Timestamp};

/// Most sessions of an account. A further sign-in ends those that were used least lately.
pub const SESSIONS_MAX: u32 = 20;

/// A signed-in owner's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Hash of the cookie's token.
    pub token_hash: Hash,
    /// Who signed in.
    pub account_id: AccountId,
    /// When.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub seen_at: Timestamp,
}

/// The part of the store that opens accounts.
#[async_trait]
pub trait AccessStore: Send + Sync + 'static {
    /// Inserts the hash of a sign-in link's token.
    async fn insert_link(
        &self,
        token: Hash,
        account: &AccountId,
        expires_at: Timestamp,
    ) -> Result<()>;
    /// Takes a sign-in link out, so that it works once; `None` where it is unknown or has expired.
    async fn take_link(&self, token: Hash, now: Timestamp) -> Result<Option<AccountId>>;
    /// Inserts a session, and ends those of its account beyond [`SESSIONS_MAX`].
    async fn insert_session(&self, session: SessionRecord, client: Client) -> Result<()>;
    /// Finds a session by its token's hash, however old it is.
    async fn find_session(&self, token: Hash) -> Result<Option<SessionRecord>>;
    /// Lists an account's sessions, the last used first.
    async fn list_sessions(&self, account: &AccountId) -> Result<Vec<(SessionRecord, Client)>>;
    /// Notes that a session was used. May be written a little later than other things.
    async fn touch_session(&self, token: Hash, seen_at: Timestamp) -> Result<()>;
    /// Deletes the sessions that were last used, or created, at these instants or before.
    async fn delete_sessions(&self, seen_at: Timestamp, created_at: Timestamp) -> Result<()>;
    /// Deletes a session; an unknown one is no error.
    async fn delete_session(&self, token: Hash) -> Result<()>;
    /// Deletes all sessions of an account but one.
    async fn delete_other_sessions(&self, account: &AccountId, kept: Hash) -> Result<()>;
    /// Gives an account a password, by its hash as a PHC string. All its sessions and links end:
    /// whoever had one shall not keep it.
    async fn set_password(&self, account: &AccountId, hash: String) -> Result<()>;
}
