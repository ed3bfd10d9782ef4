//! The people of an account: its owner, and the readers whom the owner let in (additive).
//!
//! What carries a password or the token of a link can be read and written but not printed.

use crate::{PersonId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most people of an account, its owner included.
pub const PEOPLE_MAX: u32 = 50;

/// What a person may do in an account.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Lists, gets, searches, sums up and exports; changes nothing and sees no keys.
    Reader,
    /// Does everything. Each account has one.
    #[default]
    Owner,
}

impl Role {
    /// Every role, the one that may least first.
    pub const ALL: [Self; 2] = [Self::Reader, Self::Owner];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Owner => "owner",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A role that there is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRole;

impl fmt::Display for UnknownRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a role must be `owner` or `reader`")
    }
}

impl std::error::Error for UnknownRole {}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownRole)
    }
}

/// Somebody who may come into an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Person {
    /// Their identifier.
    pub id: PersonId,
    /// The mail address that they sign in with. No two people have the same.
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// Whether a password lets them in. Where none does, links do.
    pub has_password: bool,
    /// When they were let in.
    pub created_at: Timestamp,
}

/// The body of `POST /people`: who shall be a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPerson {
    /// Their mail address: at most 254 bytes.
    pub email: String,
}

/// The answer to `POST /people` and to `POST /people/{person_id}/link`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Invited {
    /// Who was invited.
    pub data: Person,
    /// The token of a sign-in link that works once, shown this once. There is none where a proxy in
    /// front signs people in, since links are off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// When the link stops working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl fmt::Debug for Invited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invited").field("data", &self.data).finish_non_exhaustive()
    }
}

/// The body of `POST /session/proof`: that whoever is signed in knows the password.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Their password.
    pub password: String,
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proof")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_a_word() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{role}\""));
        }
        for bad in ["", "Owner", "admin"] {
            assert_eq!(bad.parse::<Role>(), Err(UnknownRole), "{bad:?} was taken");
        }
        assert!(Role::Reader < Role::Owner);
    }

    #[test]
    fn passwords_and_tokens_are_not_printed() {
        let proof: Proof = serde_json::from_str(r#"{"password":"hunter2!"}"#).unwrap();
        assert!(!format!("{proof:?}").contains("hunter2"));
        let invited = r#"{"data":{"id":"psn_1","email":"a@b.c","role":"reader",
            "has_password":false,"created_at":"2026-01-01T00:00:00Z"},"token":"opensesame",
            "expires_at":"2026-01-02T00:00:00Z"}"#;
        let invited: Invited = serde_json::from_str(invited).unwrap();
        assert!(!format!("{invited:?}").contains("opensesame"));
    }
}
