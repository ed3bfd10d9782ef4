//! Endpoints of the signed-in owner: `/session` and `/account` (not in the specification).
//!
//! The specification calls these dashboard actions. The types of API keys are in [`crate::key`].
//! Types with a password do not show it in their `Debug` output.

use crate::fold::is_invisible;
use crate::{AccountId, Environment, FormAccess, Plan, Role, SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Header that every request of the dashboard has, as protection against CSRF.
///
/// A page of another origin cannot send it without a CORS preflight request.
pub const CSRF_HEADER: &str = "x-sheaf-csrf";
/// Value of [`CSRF_HEADER`].
pub const CSRF_VALUE: &str = "1";

/// Maximum length of an email address, in bytes (RFC 5321).
pub const EMAIL_BYTES_MAX: usize = 254;

/// Minimum length of a password, in characters.
pub const PASSWORD_CHARS_MIN: usize = 12;
/// Maximum length of a password, in characters.
pub const PASSWORD_CHARS_MAX: usize = 128;

/// Returns an email address in its stored form: trimmed and in lower case.
///
/// Returns `None` if the address is not `local@host`, is longer than [`EMAIL_BYTES_MAX`] bytes, or
/// contains white space, control characters or invisible characters.
///
/// ```
/// # use contract::account::canonical_email;
/// assert_eq!(canonical_email(" You@Example.COM ").as_deref(), Some("you@example.com"));
/// assert_eq!(canonical_email("you@"), None);
/// ```
pub fn canonical_email(text: &str) -> Option<String> {
    let email = text.trim().to_lowercase();
    let (local, host) = email.split_once('@')?;
    let has_parts = !local.is_empty() && !host.is_empty() && !host.contains('@');
    let is_plain = !email.chars().any(|c| c.is_whitespace() || c.is_control() || is_invisible(c));
    (has_parts && is_plain && email.len() <= EMAIL_BYTES_MAX).then_some(email)
}

/// Account that owns forms and API keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Account {
    /// Identifier of the account.
    pub id: AccountId,
    /// Email address that the owner signs in with.
    pub email: String,
    /// Plan, which sets the rate limits.
    pub plan: Plan,
}

/// Account, role and environment of an authenticated request.
///
/// In one process the gateway puts it into the extensions of the request, in place of an API key.
/// A request from a socket never has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The account.
    pub account_id: AccountId,
    /// Role of the user in the account.
    pub role: Role,
    /// Forms that the user has access to.
    pub forms: FormAccess,
    /// The environment of the request.
    pub environment: Environment,
}

/// Response of `GET /session`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CurrentSession {
    /// The session; `null` if no user is signed in.
    pub data: Option<Session>,
    /// Whether users can request sign-in links by e-mail. Absent if they cannot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub email_links: bool,
}

/// Session of a signed-in user, also the response of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Session {
    /// Account of the session.
    pub account: Account,
    /// Role of the signed-in user. Defaults to `owner` for gateways that do not send it.
    #[serde(default)]
    pub role: Role,
    /// Email address of the signed-in user. If absent, it is the account's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Environments with an API key in the gateway.
    #[serde(rename = "modes")]
    pub environments: Vec<Environment>,
    /// Whether `/account` is available. It is not if the gateway forwards to another server, where
    /// forms and keys are managed.
    pub managed: bool,
    /// Identity of the user at the authenticating proxy; absent if users sign in here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<ExternalIdentity>,
}

impl Session {
    /// Returns the email address of the signed-in user.
    pub fn person_email(&self) -> &str {
        self.email.as_deref().unwrap_or(&self.account.email)
    }
}

/// Identity of a user who is authenticated by a reverse proxy and has no password here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ExternalIdentity {
    /// Issuer of the identity: `header:` and a header name, or the `iss` claim of the proxy's
    /// tokens.
    pub issuer: String,
    /// Name of the user at the issuer.
    pub subject: String,
    /// Sign-out address of the proxy: a URL, or a path on this host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_out_url: Option<String>,
}

/// Body of `POST /session/email-link`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EmailLinkRequest {
    /// Email address that the user signs in with.
    pub email: String,
}

/// Body of `POST /session/link`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct LinkToken {
    /// Token of a sign-in link.
    pub token: String,
}

/// Response of `POST /session/link`: the member that the link belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct LinkPerson {
    /// Email address of the member.
    pub email: String,
}

/// Body of `POST /session`: a password, or the token of a sign-in link.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SignIn {
    /// Sign-in with email address and password.
    Password {
        /// Email address of the user.
        email: String,
        /// Password of the user.
        password: String,
    },
    /// Sign-in with the token of a link. A link works once.
    Link {
        /// Token of the link.
        token: String,
    },
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Password { .. } => "SignIn::Password",
            Self::Link { .. } => "SignIn::Link",
        })
    }
}

/// Device and browser, as derived from the `User-Agent` header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ClientInfo {
    /// `desktop`, `mobile`, `tablet` or `bot`; `null` if unknown.
    pub device: Option<String>,
    /// Name of the browser; `null` if unknown.
    pub browser: Option<String>,
}

/// Active session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct OpenSession {
    /// Identifier, which can only be used to end the session.
    pub id: SessionId,
    /// Device and browser of the session.
    pub client: ClientInfo,
    /// Time of the sign-in.
    pub created_at: Timestamp,
    /// Time of the last use, to the minute.
    pub last_used_at: Timestamp,
    /// Whether this is the session of the request.
    #[serde(rename = "current")]
    pub is_current: bool,
}

/// Response of `GET /sessions`: active sessions and sign-in method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AccountAccess {
    /// Active sessions, most recently used first.
    pub sessions: Vec<OpenSession>,
    /// Whether the user has a password. Without one, sign-in links are used.
    pub has_password: bool,
    /// Whether a new password can be set without the current one, because the user signed in by a
    /// link in the last five minutes. Absent if it cannot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub can_reset_password: bool,
}

/// Body of `PUT /password`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    /// Current password; not required if there is no password yet, or if the password can be reset
    /// ([`AccountAccess::can_reset_password`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// New password: 12 to 128 characters, and not easy to guess.
    pub new: String,
}

impl fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewPassword")
    }
}

/// Body of `PUT /account/email`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewEmail {
    /// New email address for sign-in.
    pub email: String,
    /// Code that a server with e-mail sent to the new address: eight digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_omits_secrets() {
        let sign_in: SignIn =
            serde_json::from_str(r#"{"email":"a@b.c","password":"hunter2!"}"#).unwrap();
        assert!(matches!(sign_in, SignIn::Password { .. }));
        assert!(!format!("{sign_in:?}").contains("hunter2"));
        let link: SignIn = serde_json::from_str(r#"{"token":"opensesame"}"#).unwrap();
        assert!(matches!(link, SignIn::Link { .. }));
        assert!(!format!("{link:?}").contains("opensesame"));
        let new: NewPassword = serde_json::from_str(r#"{"new":"hunter2!"}"#).unwrap();
        assert!(!format!("{new:?}").contains("hunter2"));
    }
}
