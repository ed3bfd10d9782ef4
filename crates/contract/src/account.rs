//! What the signed-in owner asks beside the specification: `/session` and `/account` (additive).
//!
//! The specification calls these dashboard actions. The one type that carries a secret is
//! [`CreatedKey`]: the answer to "create a key", given once. What carries a password can be read
//! and written but not printed.

use crate::fold::is_invisible;
use crate::{AccountId, Environment, KeyId, Plan, Role, SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The header that every request of the dashboard carries. A page of another origin cannot add it
/// without being asked first, so it tells our own requests from forged ones.
pub const CSRF_HEADER: &str = "x-sheaf-csrf";
/// The value of [`CSRF_HEADER`].
pub const CSRF_VALUE: &str = "1";

/// Longest email address, in bytes (RFC 5321).
pub const EMAIL_BYTES_MAX: usize = 254;

/// Fewest characters of a password.
pub const PASSWORD_CHARS_MIN: usize = 12;
/// Most characters of a password.
pub const PASSWORD_CHARS_MAX: usize = 128;

/// Returns an email address in the form that is stored: without spaces around it, in lower case.
/// `None` if it is not a text, an `@` and a text, of at most [`EMAIL_BYTES_MAX`] bytes, or if it
/// has spaces, control characters or invisible ones.
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

/// The owner of forms and keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Account {
    /// Its identifier.
    pub id: AccountId,
    /// The mail address that its owner signs in with.
    pub email: String,
    /// The plan that sets its rate limits.
    pub plan: Plan,
}

/// For whom an authenticated request is made. Within one process, the gateway puts it into the
/// extensions of a request in place of an API key; no request from a socket has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The account.
    pub account_id: AccountId,
    /// What the person may do there.
    pub role: Role,
    /// The environment of the request.
    pub environment: Environment,
}

/// What `GET /session` and a sign-in answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Session {
    /// The account that is open.
    pub account: Account,
    /// What whoever is signed in may do there; a gateway that says nothing knows owners alone.
    #[serde(default)]
    pub role: Role,
    /// The mail address of whoever is signed in; that of the account where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The environments for which the gateway has a key.
    #[serde(rename = "modes")]
    pub environments: Vec<Environment>,
    /// Whether `/account` is there. It is not in front of a foreign server, whose forms and keys
    /// are managed elsewhere.
    pub managed: bool,
    /// As whom a proxy in front knows whoever is signed in; `None` where people sign in here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownElsewhere>,
}

impl Session {
    /// Returns the mail address of the person who is signed in.
    pub fn person_email(&self) -> &str {
        self.email.as_deref().unwrap_or(&self.account.email)
    }
}

/// Somebody whom a proxy in front signed in. They have no password here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct KnownElsewhere {
    /// Who vouches for them: `header:` and a header's name, or the `iss` of assertions.
    pub issuer: String,
    /// What they are called there.
    pub subject: String,
    /// Where one signs out there: an address, or a path of this host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_out_url: Option<String>,
}

/// The body of `POST /session/link`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct LinkToken {
    /// The token of a sign-in link.
    pub token: String,
}

/// The answer to `POST /session/link`: the person of the link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct LinkPerson {
    /// The mail address of the person.
    pub email: String,
}

/// The body of `POST /session`: a password, or the token of a sign-in link.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SignIn {
    /// By mail address and password.
    Password {
        /// The account's mail address.
        email: String,
        /// Its password.
        password: String,
    },
    /// By the token of a link, which works once.
    Link {
        /// The token.
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

/// What a browser said of itself as its owner signed in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Client {
    /// `desktop`, `mobile`, `tablet` or `bot`; `None` where it cannot be told.
    pub device: Option<String>,
    /// The browser's name; `None` where it cannot be told.
    pub browser: Option<String>,
}

/// A sign-in that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct OpenSession {
    /// Its identifier, by which it can be ended and nothing else be done.
    pub id: SessionId,
    /// Where it is.
    pub client: Client,
    /// When the sign-in was.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Timestamp,
    /// Whether it is the one that asks.
    #[serde(rename = "current")]
    pub is_current: bool,
}

/// What `GET /sessions` answers: by what the account is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Access {
    /// The sign-ins that have not ended, the last used first.
    pub sessions: Vec<OpenSession>,
    /// Whether a password opens the account. Where none does, links do.
    pub has_password: bool,
}

/// The body of `PUT /password`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    /// The password so far; not needed where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// The new one: 12 to 128 characters, and not easy to guess.
    pub new: String,
}

impl fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewPassword")
    }
}

/// The body of `PUT /account/email`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewEmail {
    /// The mail address to sign in with from now on.
    pub email: String,
}

/// The record of an API key: everything but its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ApiKey {
    /// Its identifier.
    pub id: KeyId,
    /// What its owner calls it.
    pub name: String,
    /// The environment that it opens.
    #[serde(rename = "mode")]
    pub environment: Environment,
    /// How its secret begins: the environment's prefix.
    pub prefix: String,
    /// The last four characters of its secret.
    pub last4: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used, to the minute; `None` if never.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked; `None` while it is active.
    pub revoked_at: Option<Timestamp>,
}

/// The body of `POST /account/keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// What its owner calls it: 1 to 100 characters, none of them a control character. Spaces
    /// around it are dropped.
    #[cfg_attr(
        feature = "openapi",
        schemars(
            length(min = 1, max = 100),
            regex(
                pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
            )
        )
    )]
    pub name: String,
    /// The environment that it shall open.
    #[serde(rename = "mode")]
    pub environment: Environment,
}

/// The answer to `POST /account/keys`, and the only one that ever holds a secret.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CreatedKey {
    /// The record.
    pub data: ApiKey,
    /// The secret, shown this once.
    pub secret: String,
}

impl fmt::Debug for CreatedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreatedKey").field("data", &self.data).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_passwords_are_not_printed() {
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
