//! The account store as the gateway uses it: two traits and their records.
//!
//! The gateway depends on no database and no service; the binary implements the traits.

use async_trait::async_trait;
use contract::account::ClientInfo;
use contract::audit::{ActingPerson, AuditEvent};
use contract::form_access::InvalidForms;
use contract::people::{NewPerson, PersonChange};
pub use contract::session::{SessionOwner, SessionProof, SessionRecord};
use contract::{Account, AccountId, Environment, FormId, Person, PersonId, Role, Timestamp};
use std::sync::Arc;

use crate::secret::Secret;

/// A failure of the store. It is logged and not shown to the browser.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StoreError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

/// A member who can sign in.
#[derive(Clone)]
pub struct MemberRecord {
    /// The member's account.
    pub account: Account,
    /// The member.
    pub person: Person,
    /// The argon2id hash as a PHC string; `None` if the member can sign in only by links.
    pub password_hash: Option<String>,
}

impl MemberRecord {
    /// Returns the member as the actor of audit events.
    pub(crate) fn to_actor(&self) -> ActingPerson {
        let account = self.account.id.clone();
        let person = &self.person;
        ActingPerson { account, id: person.id.clone(), email: person.email.clone() }
    }
}

/// Result of changing a mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetEmailOutcome {
    /// The address was changed.
    Done,
    /// Another member has the address.
    Taken,
    /// The member does not exist any more.
    UnknownMember,
}

/// Result of adding a member.
#[derive(Debug)]
pub enum AddMemberOutcome {
    /// The member was added.
    Added(Person),
    /// A member of some account has this mail address.
    Exists,
    /// The account has the maximum number of members.
    TooMany,
}

/// The members of accounts and their sessions. Removing a member or closing an account deletes the
/// sessions too.
#[async_trait]
pub trait Accounts: Send + Sync + 'static {
    /// Returns the member with a mail address. `email` must be trimmed and in lower case.
    async fn find_by_email(&self, email: &str) -> Result<Option<MemberRecord>, StoreError>;

    /// Returns a member; `None` after their removal.
    async fn find_person(&self, id: &PersonId) -> Result<Option<MemberRecord>, StoreError>;

    /// Returns all members of an account, the owner first.
    async fn list_people(&self, account: &AccountId) -> Result<Vec<Person>, StoreError>;

    /// Returns the problem of the first form that the account does not have.
    async fn find_invalid_form(
        &self,
        account: &AccountId,
        forms: &[FormId],
    ) -> Result<Option<InvalidForms>, StoreError>;

    /// Adds a member. The email address must be trimmed and in lower case, and the role must not be
    /// owner.
    async fn insert_member(
        &self,
        account: &AccountId,
        member: NewPerson,
        now: Timestamp,
    ) -> Result<AddMemberOutcome, StoreError>;

    /// Changes the role or the forms of a member of an account. Returns `false` if the account has
    /// no editor or reader with that id, or if the new role is owner.
    async fn change_member(
        &self,
        account: &AccountId,
        id: &PersonId,
        change: PersonChange,
    ) -> Result<bool, StoreError>;

    /// Removes a member of an account with their sessions and links, in one transaction. Returns
    /// `false` if the account has no editor or reader with that id.
    async fn delete_member(&self, account: &AccountId, id: &PersonId) -> Result<bool, StoreError>;

    /// Stores the hash of a sign-in link's token.
    async fn insert_link(
        &self,
        token_hash: [u8; 32],
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the member of a sign-in link, without consuming the link. `None` if there is no such
    /// link, or it has expired.
    async fn find_link(
        &self,
        token_hash: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<MemberRecord>, StoreError>;

    /// Parses a `User-Agent` header into the description of a client that members see.
    fn describe_client(&self, user_agent: &str) -> ClientInfo;

    /// Returns the same accounts. Their next write also stores `act`, in the same transaction.
    fn with_audit(self: Arc<Self>, event: AuditEvent) -> Arc<dyn Accounts>;

    /// Queues an audit event for storage. Never waits.
    fn enqueue_audit(&self, event: AuditEvent);

    /// Inserts a session if its proof still holds, in one transaction. Returns `false` if it no
    /// longer does.
    async fn insert_session(
        &self,
        session: SessionRecord,
        client: ClientInfo,
        proof: SessionProof,
    ) -> Result<bool, StoreError>;

    /// Returns a member's sessions, most recently used first, without regard to their age.
    async fn list_sessions(
        &self,
        person: &PersonId,
    ) -> Result<Vec<(SessionRecord, ClientInfo)>, StoreError>;

    /// Returns a session and the current account, role and forms of its member. The caller checks
    /// the age of the session.
    async fn find_session(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<(SessionRecord, SessionOwner)>, StoreError>;

    /// Sets the time of the last request of a session. Does not recreate a deleted session.
    async fn touch_session(
        &self,
        token_hash: [u8; 32],
        last_used_at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Replaces the token of the session with the hash `was`, and records that its member
    /// re-authenticated. Returns `false` if the session has ended.
    async fn reauthenticate_session(
        &self,
        was: [u8; 32],
        token_hash: [u8; 32],
        authenticated_at: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes a session. Succeeds if it is already deleted.
    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError>;

    /// Deletes all sessions of a member except `except`.
    async fn delete_other_sessions(
        &self,
        person: &PersonId,
        except: [u8; 32],
    ) -> Result<(), StoreError>;

    /// Changes the mail address of a member, and deletes their links and all their sessions except
    /// `except`, in one transaction. `email` must be trimmed and in lower case.
    async fn set_email(
        &self,
        person: &PersonId,
        email: String,
        except: [u8; 32],
    ) -> Result<SetEmailOutcome, StoreError>;

    /// Sets the password hash of a member, and deletes all their sessions and links, in one
    /// transaction. Returns `false` if the current hash is not `was`.
    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool, StoreError>;
}

/// How the gateway authenticates a request at the upstream.
#[derive(Clone)]
pub enum Credentials {
    /// By an API key in a header, for a foreign server.
    Keys(Arc<dyn Keys>),
    /// By a [`contract::account::Principal`] in the request's extensions, for a router in the same
    /// process.
    Principal,
}

impl Credentials {
    /// Returns the environments that the gateway can access.
    pub(crate) fn environments(&self) -> Vec<Environment> {
        match self {
            Self::Keys(keys) => keys.environments(),
            Self::Principal => Environment::ALL.into(),
        }
    }
}

/// The API keys that the gateway adds to forwarded requests.
#[async_trait]
pub trait Keys: Send + Sync + 'static {
    /// Returns the API key for requests of an account's members with `role`; `None` if the gateway
    /// has no key for that environment.
    async fn key_for(
        &self,
        account: &AccountId,
        role: Role,
        environment: Environment,
    ) -> Result<Option<Secret>, StoreError>;

    /// Returns the environments that have keys.
    fn environments(&self) -> Vec<Environment>;
}
