//! Members of an account: its owner, and the editors and readers invited by the owner (not in the
//! specification).
//!
//! Types with a password or a link token do not show it in their `Debug` output.

use crate::audit::AuditEvent;
use crate::triage::change::present;
use crate::{FormId, PersonId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Maximum number of members of an account, including the owner.
pub const PEOPLE_MAX: u32 = 50;

/// Role of a member in an account.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Can list, get, search, summarise and export submissions; cannot change anything or see API
    /// keys.
    Reader,
    /// Can also triage submissions, write notes, and move submissions to the trash or spam and
    /// back. Cannot delete permanently.
    Editor,
    /// Can do everything. Each account has one owner.
    #[default]
    Owner,
}

impl Role {
    /// Every role, the least privileged first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Editor, Self::Owner];

    /// Returns the name used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// Returns whether the role may triage submissions, write notes and use trash and spam.
    pub fn can_triage(self) -> bool {
        self >= Self::Editor
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error: there is no such role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRole;

impl fmt::Display for UnknownRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a role must be `owner`, `editor` or `reader`")
    }
}

impl std::error::Error for UnknownRole {}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownRole)
    }
}

/// Member of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Person {
    /// Identifier of the member.
    pub id: PersonId,
    /// Email address for sign-in, unique on this server.
    pub email: String,
    /// Role in the account.
    pub role: Role,
    /// Whether the member signs in with a password. Without one, sign-in links are used.
    pub has_password: bool,
    /// Creation time of the membership.
    pub created_at: Timestamp,
    /// Forms that the member has access to; `null` for all forms of the account, including later
    /// ones, as for the owner. The list may contain deleted forms.
    #[serde(default)]
    pub forms: Option<Vec<FormId>>,
}

/// Preferences of a member. Body of `PUT /account/preferences`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Preferences {
    /// Whether the member gets an e-mail when another member mentions them in a note.
    pub mention_emails: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { mention_emails: true }
    }
}

/// Body of `POST /people`: invites a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPerson {
    /// Email address, at most 254 bytes.
    pub email: String,
    /// Role, not `owner`. Default: `reader`.
    #[serde(default = "default_role")]
    #[cfg_attr(feature = "openapi", schemars(schema_with = "member_role_schema"))]
    pub role: Role,
    /// Forms that the member has access to, each listed once; `null` for all forms of the account,
    /// including later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = 100)))]
    pub forms: Option<Vec<FormId>>,
}

fn default_role() -> Role {
    Role::Reader
}

#[cfg(feature = "openapi")]
fn member_role_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": [Role::Reader, Role::Editor] })
}

/// Body of `PATCH /people/{person_id}`: changes a member. Absent members of the body are not
/// changed; at least one must be present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "openapi",
    derive(schemars::JsonSchema),
    schemars(extend("minProperties" = 1))
)]
#[serde(deny_unknown_fields)]
pub struct PersonChange {
    /// New role, not `owner`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "openapi", schemars(schema_with = "member_role_schema"))]
    pub role: Option<Role>,
    /// Forms that the member has access to, each listed once; `null` for all forms of the account,
    /// including later ones.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(
        feature = "openapi",
        schemars(with = "Option<Vec<FormId>>", length(min = 1, max = 100))
    )]
    pub forms: Option<Option<Vec<FormId>>>,
}

impl PersonChange {
    /// Returns the role and the forms of a new member, for an audit event.
    pub fn from_new(new: &NewPerson) -> Self {
        Self { role: Some(new.role), forms: new.forms.clone().map(Some) }
    }

    /// Adds the new role and forms to the detail of an audit event.
    #[must_use]
    pub fn add_to_event(&self, mut event: AuditEvent) -> AuditEvent {
        if let Some(role) = self.role {
            event = event.with_value("role", role.as_str());
        }
        match &self.forms {
            None => event,
            Some(None) => event.with_value("forms", "all"),
            Some(Some(forms)) => event.with_named_forms(forms),
        }
    }
}

/// Response of `POST /people` and of `POST /people/{person_id}/link`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Invitation {
    /// The invited member.
    pub data: Person,
    /// Token of a single-use sign-in link, shown only in this response. Absent if a reverse proxy
    /// authenticates users, because sign-in links are then disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Expiry time of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether the link was sent to the member by e-mail. Always `false` on servers without e-mail.
    #[serde(default)]
    pub mailed: bool,
}

impl fmt::Debug for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invited").field("data", &self.data).finish_non_exhaustive()
    }
}

/// Body of `POST /session/proof`: re-authenticates the signed-in user.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PasswordConfirmation {
    /// Password of the signed-in user.
    pub password: String,
}

impl fmt::Debug for PasswordConfirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proof")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_names_match_json() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{role}\""));
        }
        for bad in ["", "Owner", "admin"] {
            assert_eq!(bad.parse::<Role>(), Err(UnknownRole), "{bad:?} was accepted");
        }
        assert!(Role::Reader < Role::Editor && Role::Editor < Role::Owner);
        assert_eq!(Role::ALL.map(Role::can_triage), [false, true, true]);
    }

    #[test]
    fn invited_member_is_reader_by_default() {
        let new: NewPerson = serde_json::from_str(r#"{"email":"a@b.c"}"#).unwrap();
        assert_eq!(new.role, Role::Reader);
    }

    #[test]
    fn change_distinguishes_all_forms_from_unchanged_ones() {
        let forms = |body: &str| serde_json::from_str::<PersonChange>(body).unwrap().forms;
        assert_eq!(forms(r#"{"role":"editor"}"#), None);
        assert_eq!(forms(r#"{"forms":null}"#), Some(None));
        let named = Some(Some(vec!["frm_1".parse().unwrap()]));
        assert_eq!(forms(r#"{"forms":["frm_1"]}"#), named);
        let change = PersonChange { role: None, forms: Some(None) };
        assert_eq!(serde_json::to_string(&change).unwrap(), r#"{"forms":null}"#);
    }

    #[test]
    fn debug_output_omits_passwords_and_tokens() {
        let proof: PasswordConfirmation =
            serde_json::from_str(r#"{"password":"hunter2!"}"#).unwrap();
        assert!(!format!("{proof:?}").contains("hunter2"));
        let invited = r#"{"data":{"id":"psn_1","email":"a@b.c","role":"reader",
            "has_password":false,"created_at":"2026-01-01T00:00:00Z"},"token":"opensesame",
            "expires_at":"2026-01-02T00:00:00Z"}"#;
        let invited: Invitation = serde_json::from_str(invited).unwrap();
        assert!(!format!("{invited:?}").contains("opensesame"));
    }
}
