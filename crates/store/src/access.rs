//! What the store keeps of who gets in: people, sign-in links, sessions and passwords.

use super::{Hash, Result};
use async_trait::async_trait;
use contract::account::Client;
use contract::{AccountId, Person, PersonId, Role, Timestamp};

/// Most sessions of a person. A further sign-in ends those that were used least lately.
pub const SESSIONS_MAX: u32 = 20;

/// A person, where they belong, and the hash by which they sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRecord {
    /// Into which account they may come.
    pub account_id: AccountId,
    /// The person. Whether there is a password is told by [`Self::password_hash`] alone when a
    /// record is inserted.
    pub person: Person,
    /// The password's hash as a PHC string; `None` where only a link lets them in.
    pub password_hash: Option<String>,
}

/// A signed-in person's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Hash of the cookie's token.
    pub token_hash: Hash,
    /// Who signed in.
    pub person_id: PersonId,
    /// When.
    pub created_at: Timestamp,
    /// When they last showed who they are: by the sign-in, or by the password after it.
    pub proven_at: Timestamp,
    /// When it was last used, to the minute.
    pub seen_at: Timestamp,
}

/// Where a person stands at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// In which account.
    pub account_id: AccountId,
    /// As what.
    pub role: Role,
    /// With which mail address.
    pub email: String,
}

/// The proof behind a new session. The store checks it again when it inserts the session.
#[derive(Debug, Clone)]
pub enum SessionProof {
    /// A proxy in front has identified the person. The store has nothing to check.
    Identity,
    /// A password. The person must still have this hash.
    Password(String),
    /// A sign-in link, by its token's hash. The link must be this person's and must not have
    /// expired when the session was created. It is deleted, so that it works once.
    Link(Hash),
}

/// The part of the store that opens accounts.
#[async_trait]
pub trait AccessStore: Send + Sync + 'static {
    /// Inserts a reader, and no one else: an account gets its owner with itself.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) where another person has the mail address,
    /// case ignored; [`StoreError::TooManyPeople`](super::StoreError::TooManyPeople).
    async fn insert_reader(&self, record: PersonRecord) -> Result<()>;
    /// Finds a person by their id.
    async fn find_person(&self, id: &PersonId) -> Result<Option<PersonRecord>>;
    /// Finds a person by their mail address, case ignored.
    async fn find_person_by_email(&self, email: &str) -> Result<Option<PersonRecord>>;
    /// Lists the people of an account, its owner first, then by when they came.
    async fn list_people(&self, account: &AccountId) -> Result<Vec<PersonRecord>>;
    /// Deletes a reader of an account, with their sessions and links; `false` where there is none
    /// of that id. An owner is none.
    async fn delete_reader(&self, account: &AccountId, id: &PersonId) -> Result<bool>;
    /// Inserts the hash of a sign-in link's token.
    async fn insert_link(
        &self,
        token: Hash,
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<()>;
    /// Returns the person whom a sign-in link signs in, and leaves the link as it is; `None` where
    /// it is unknown or expires at `now` or before.
    async fn find_link(&self, token: Hash, now: Timestamp) -> Result<Option<PersonId>>;
    /// Inserts a session if its proof still holds, in one transaction. The person's least recently
    /// used sessions beyond [`SESSIONS_MAX`] end. Returns `false`, and inserts nothing, if the
    /// proof no longer holds.
    async fn insert_session(
        &self,
        session: SessionRecord,
        client: Client,
        proof: SessionProof,
    ) -> Result<bool>;
    /// Finds a session by its token's hash, however old it is, and where its person stands now.
    async fn find_session(&self, token: Hash) -> Result<Option<(SessionRecord, Standing)>>;
    /// Lists a person's sessions, the last used first.
    async fn list_sessions(&self, person: &PersonId) -> Result<Vec<(SessionRecord, Client)>>;
    /// Notes that a session was used. May be written a little later than other things.
    async fn touch_session(&self, token: Hash, seen_at: Timestamp) -> Result<()>;
    /// Gives a session another token, and notes that its person showed who they are; `false` where
    /// it has ended.
    async fn prove_session(&self, was: Hash, token: Hash, proven_at: Timestamp) -> Result<bool>;
    /// Deletes the sessions that were last used, or created, at these instants or before.
    async fn delete_sessions(&self, seen_at: Timestamp, created_at: Timestamp) -> Result<()>;
    /// Deletes a session; an unknown one is no error.
    async fn delete_session(&self, token: Hash) -> Result<()>;
    /// Deletes all sessions of a person but one.
    async fn delete_other_sessions(&self, person: &PersonId, kept: Hash) -> Result<()>;
    /// Gives a person a password, by its hash as a PHC string, if the present hash is still `was`.
    /// All their sessions and links end. `false`, and nothing changes, if it is another one.
    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool>;
}
