//! Sessions as the gateway hands them to the store.

use crate::{AccountId, FormAccess, PersonId, Role, Timestamp};

/// A stored session. It contains the hash of the token, never the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// SHA-256 of the token in the cookie.
    pub token_hash: [u8; 32],
    /// The signed-in user.
    pub person_id: PersonId,
    /// Time of the sign-in.
    pub created_at: Timestamp,
    /// Time of the last authentication: the sign-in, or a later password check.
    pub authenticated_at: Timestamp,
    /// Time of the last use, to the minute.
    pub last_used_at: Timestamp,
}

/// Account, role, access to forms and email address of a user at present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOwner {
    /// The account.
    pub account_id: AccountId,
    /// The role.
    pub role: Role,
    /// The access to forms of the account.
    pub forms: FormAccess,
    /// The email address.
    pub email: String,
}

/// The proof behind a new session. The store checks it again when it inserts the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionProof {
    /// A reverse proxy has identified the user. There is nothing to check.
    Identity,
    /// A password. The user must still have this hash.
    Password(String),
    /// A sign-in link, by the SHA-256 of its token. The link must belong to this user and must not
    /// have expired when the session was created. It is deleted, so that it works once.
    Link([u8; 32]),
}
