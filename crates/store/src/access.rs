//! Access to accounts: users, sign-in links, sessions and passwords.

use super::{Hash, Result};
use async_trait::async_trait;
use contract::account::ClientInfo;
use contract::people::{PersonChange, Preferences};
pub use contract::session::{SessionOwner, SessionProof, SessionRecord};
use contract::{AccountId, Person, PersonId, Role, Timestamp};

/// Maximum number of sessions of a user. A further sign-in ends the least recently used ones.
pub const SESSIONS_MAX: u32 = 20;

/// A user, their account and their password hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRecord {
    /// The account.
    pub account_id: AccountId,
    /// The user. An insertion ignores its password flag and uses [`Self::password_hash`].
    pub person: Person,
    /// Password hash as a PHC string; `None` if only a link can sign in.
    pub password_hash: Option<String>,
}

impl PersonRecord {
    /// Returns the user to insert as a member. A member is never an owner, because owners are
    /// inserted with their account: an owner becomes a reader.
    #[must_use]
    pub fn to_member(&self) -> Self {
        let mut member = self.clone();
        if member.person.role == Role::Owner {
            member.person.role = Role::Reader;
        }
        member
    }
}

/// Users, links and sessions of the store.
#[async_trait]
pub trait AccessStore: Send + Sync + 'static {
    /// Inserts an editor or reader ([`PersonRecord::to_member`]).
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) if another user has the email address,
    /// ignoring case; [`StoreError::TooManyMembers`](super::StoreError::TooManyMembers).
    async fn insert_member(&self, record: PersonRecord) -> Result<()>;
    /// Finds a user by id.
    async fn find_person(&self, id: &PersonId) -> Result<Option<PersonRecord>>;
    /// Finds a user by email address, ignoring case.
    async fn find_person_by_email(&self, email: &str) -> Result<Option<PersonRecord>>;
    /// Lists the users of an account: its owner first, then by creation.
    async fn list_people(&self, account: &AccountId) -> Result<Vec<PersonRecord>>;
    /// Changes the role or the forms of an editor or reader of an account; `false` if the account
    /// has no such member, or the new role is [`Role::Owner`]. Does not change an owner, and does
    /// not check that the forms exist.
    async fn change_member(
        &self,
        account: &AccountId,
        id: &PersonId,
        change: PersonChange,
    ) -> Result<bool>;
    /// Deletes an editor or reader of an account with their sessions and links; `false` if the
    /// account has no such member. Does not delete an owner.
    async fn delete_member(&self, account: &AccountId, id: &PersonId) -> Result<bool>;
    /// Returns the preferences of a user; `None` if there is no such user.
    async fn find_preferences(&self, id: &PersonId) -> Result<Option<Preferences>>;
    /// Sets the preferences of a user; `false` if there is no such user.
    async fn set_preferences(&self, id: &PersonId, preferences: Preferences) -> Result<bool>;
    /// Inserts the hash of a sign-in link's token.
    async fn insert_link(
        &self,
        token: Hash,
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<()>;
    /// Returns the user of a sign-in link without using the link up; `None` if it is unknown or
    /// expires at `now` or before.
    async fn find_link(&self, token: Hash, now: Timestamp) -> Result<Option<PersonId>>;
    /// Inserts a session if its proof is still valid, in one transaction. The user's least recently
    /// used sessions beyond [`SESSIONS_MAX`] end. Returns `false` and inserts nothing if the proof
    /// is no longer valid.
    async fn insert_session(
        &self,
        session: SessionRecord,
        client: ClientInfo,
        proof: SessionProof,
    ) -> Result<bool>;
    /// Finds a session of any age by its token's hash, with the present account, role and forms
    /// of its user.
    async fn find_session(&self, token: Hash) -> Result<Option<(SessionRecord, SessionOwner)>>;
    /// Lists a user's sessions, the most recently used first.
    async fn list_sessions(&self, person: &PersonId) -> Result<Vec<(SessionRecord, ClientInfo)>>;
    /// Updates the time of a session's last use. The write may be delayed.
    async fn touch_session(&self, token: Hash, seen_at: Timestamp) -> Result<()>;
    /// Replaces the token of a session and sets the time of its last authentication; `false` if the
    /// session has ended.
    async fn reauthenticate_session(
        &self,
        was: Hash,
        token: Hash,
        proven_at: Timestamp,
    ) -> Result<bool>;
    /// Deletes the sessions that were last used, or were created, at these instants or before.
    async fn delete_sessions(&self, seen_at: Timestamp, created_at: Timestamp) -> Result<()>;
    /// Deletes a session; an unknown session is not an error.
    async fn delete_session(&self, token: Hash) -> Result<()>;
    /// Deletes all sessions of a user but `except`.
    async fn delete_other_sessions(&self, person: &PersonId, except: Hash) -> Result<()>;
    /// Sets a user's password hash, a PHC string, if the present hash is still `was`. Ends all
    /// their sessions and links. Returns `false` and changes nothing if the present hash is another
    /// one.
    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool>;
}
