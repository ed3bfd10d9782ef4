//! What the gateway asks of whoever keeps the accounts: two traits, and the records they speak of.
//!
//! The gateway knows no database and no service; the binary puts these over one.

use async_trait::async_trait;
use contract::account::Client;
use contract::audit::{Act, ActingPerson};
use contract::{Account, AccountId, Environment, Person, PersonId, Role, Timestamp};
use std::sync::Arc;

use crate::secret::Secret;

/// A failure of the store. It is logged, and the browser learns nothing of it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StoreError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

/// What is known of a person who may come in.
#[derive(Clone)]
pub struct SignInRecord {
    /// The account into which they may come.
    pub account: Account,
    /// The person.
    pub person: Person,
    /// The argon2id hash as a PHC string; `None` where only links let them in.
    pub password_hash: Option<String>,
}

impl SignInRecord {
    /// Returns the person as whoever acts.
    pub(crate) fn acting(&self) -> ActingPerson {
        let (account, person) = (self.account.id.clone(), &self.person);
        ActingPerson { account, id: person.id.clone(), email: person.email.clone() }
    }
}

/// A session as it is kept: the hash of its token, never the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// SHA-256 of the token in the cookie.
    pub token_hash: [u8; 32],
    /// Who is signed in.
    pub person_id: PersonId,
    /// When the sign-in was.
    pub created_at: Timestamp,
    /// When they last showed who they are: by the sign-in, or by the password after it.
    pub proven_at: Timestamp,
    /// When a request was last seen, to the minute.
    pub seen_at: Timestamp,
}

/// The proof behind a new session. The store checks it again when it inserts the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionProof {
    /// A proxy in front has identified the person. There is nothing to check.
    Identity,
    /// A password. The person must still have this hash.
    Password(String),
    /// A sign-in link, by the SHA-256 of its token. It must be this person's and must not have
    /// expired. The session uses it up.
    Link([u8; 32]),
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

/// What became of another mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailSet {
    /// It is the person's.
    Done,
    /// Another person has it.
    Taken,
    /// There is no such person any more.
    Gone,
}

/// What came of letting a reader in.
#[derive(Debug)]
pub enum Added {
    /// They may come.
    Reader(Person),
    /// Somebody with this mail address may come in somewhere already.
    Exists,
    /// The account has as many people as it may.
    TooMany,
}

/// The people of accounts and their sessions, wherever they are kept. A person who is removed, or
/// whose account is closed, takes their sessions with them.
#[async_trait]
pub trait Accounts: Send + Sync + 'static {
    /// Returns the person of a mail address, which comes trimmed and in lower case.
    async fn find_by_email(&self, email: &str) -> Result<Option<SignInRecord>, StoreError>;

    /// Returns a person; `None` once they are removed.
    async fn find_person(&self, id: &PersonId) -> Result<Option<SignInRecord>, StoreError>;

    /// Returns everybody who may come into an account, the owner first.
    async fn list_people(&self, account: &AccountId) -> Result<Vec<Person>, StoreError>;

    /// Lets a reader in. The mail address comes trimmed and in lower case.
    async fn insert_reader(
        &self,
        account: &AccountId,
        email: String,
        now: Timestamp,
    ) -> Result<Added, StoreError>;

    /// Removes a reader of an account, with their sessions and links, in one transaction; `false`
    /// where there is none of that id. An owner is none.
    async fn delete_reader(&self, account: &AccountId, id: &PersonId) -> Result<bool, StoreError>;

    /// Keeps the hash of a sign-in link's token.
    async fn insert_link(
        &self,
        token_hash: [u8; 32],
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the person whom a sign-in link signs in, and leaves the link as it is. `None` if
    /// there is no such link, or it has expired.
    async fn find_link(
        &self,
        token_hash: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<SignInRecord>, StoreError>;

    /// Returns what is told to a person of where a session is, by the browser's own words.
    fn client(&self, user_agent: &str) -> Client;

    /// Returns the same accounts, whose next write notes an act: both are kept, or neither is.
    fn noting(self: Arc<Self>, act: Act) -> Arc<dyn Accounts>;

    /// Notes an act a little later, and never waits.
    fn note_soon(&self, act: Act);

    /// Inserts a new session if its proof still holds, in one transaction; returns `false` if it
    /// no longer does.
    async fn insert_session(
        &self,
        session: SessionRecord,
        client: Client,
        proof: SessionProof,
    ) -> Result<bool, StoreError>;

    /// Returns a person's sessions, the last used first. The gateway judges their age.
    async fn list_sessions(
        &self,
        person: &PersonId,
    ) -> Result<Vec<(SessionRecord, Client)>, StoreError>;

    /// Returns a session and where its person stands now, not when it began. The gateway judges
    /// its age.
    async fn find_session(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<(SessionRecord, Standing)>, StoreError>;

    /// Notes when a session was last seen. Never brings a deleted one back.
    async fn touch_session(
        &self,
        token_hash: [u8; 32],
        seen_at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Gives a session another token, and notes that its person showed who they are; `false` if it
    /// has ended.
    async fn prove_session(
        &self,
        was: [u8; 32],
        token_hash: [u8; 32],
        proven_at: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Ends a session; no error if it is gone already.
    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError>;

    /// Ends all sessions of a person but one.
    async fn delete_other_sessions(
        &self,
        person: &PersonId,
        kept: [u8; 32],
    ) -> Result<(), StoreError>;

    /// Gives a person another mail address, and ends their links and all their sessions but one, in
    /// one transaction. The address comes trimmed and in lower case.
    async fn set_email(
        &self,
        person: &PersonId,
        email: String,
        kept: [u8; 32],
    ) -> Result<EmailSet, StoreError>;

    /// Gives a person a password, by its hash, and ends all their sessions and links, in one
    /// transaction; `false` if the present hash is not `was`.
    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool, StoreError>;
}

/// How the gateway tells the upstream which account a request belongs to.
#[derive(Clone)]
pub enum Credentials {
    /// By an API key in a header: for a server elsewhere.
    Keys(Arc<dyn Keys>),
    /// By a [`contract::account::Principal`] in the request's extensions: for a router in the same
    /// process.
    Principal,
}

impl Credentials {
    /// Returns the environments that requests can be sent for.
    pub(crate) fn environments(&self) -> Vec<Environment> {
        match self {
            Self::Keys(keys) => keys.environments(),
            Self::Principal => Environment::ALL.into(),
        }
    }
}

/// The API keys that the gateway adds to what it forwards.
#[async_trait]
pub trait Keys: Send + Sync + 'static {
    /// Returns the key by which the requests of an account's people of some role go to the
    /// upstream; `None` where the gateway has none for that environment.
    async fn key_for(
        &self,
        account: &AccountId,
        role: Role,
        environment: Environment,
    ) -> Result<Option<Secret>, StoreError>;

    /// Returns the environments for which there are keys.
    fn environments(&self) -> Vec<Environment>;
}
