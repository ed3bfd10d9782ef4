//! API keys: records, environments and the prefix of the secret (specification, section 5).
//!
//! This module neither generates nor stores nor compares secrets. [`CreatedKey`], the response that
//! creates a key, is the only type with a secret.

use crate::form_access::covers_form;
use crate::named_enum::named_enum;
use crate::{FormId, KeyId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Request header with the API key (specification, section 5.1).
pub const API_KEY_HEADER: &str = "x-api-key";

/// Maximum number of active keys of an account, both environments together (specification, section
/// 5.6).
pub const ACTIVE_KEYS_MAX: usize = 10;

/// Maximum length of a key's name, in characters.
pub const KEY_NAME_CHARS_MAX: usize = 100;

// Live first: pages show the environments in this order.
named_enum! {
    /// Environment of a key and of the data it gives access to (specification, section 5.2).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Environment {
        /// Real data.
        Live = "live",
        /// Sandbox data.
        Test = "test",
    }
}

impl Environment {
    /// Returns the prefix of the secrets of this environment.
    pub fn secret_prefix(self) -> &'static str {
        match self {
            Self::Live => "svc_sk_live_",
            Self::Test => "svc_sk_test_",
        }
    }

    /// Returns the environment of a secret, by its prefix.
    pub fn from_secret(secret: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|environment| secret.starts_with(environment.secret_prefix()))
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Environment {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|environment| environment.as_str() == text)
            .ok_or_else(|| format!("the mode must be `live` or `test`, but is `{text}`"))
    }
}

named_enum! {
    /// Requests that a key allows.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum KeyAccess {
        /// All requests.
        #[default]
        Full = "full",
        /// Requests that change nothing.
        Read = "read",
    }
}

impl FromStr for KeyAccess {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|access| access.as_str() == text)
            .ok_or_else(|| format!("the access must be `full` or `read`, but is `{text}`"))
    }
}

/// Validity of a key. Only an active key is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// The key is accepted.
    Active,
    /// The key was revoked.
    Revoked,
    /// The key was not revoked, and its end has passed.
    Expired,
}

/// Record of an API key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ApiKey {
    /// Identifier of the key.
    pub id: KeyId,
    /// Name of the key.
    pub name: String,
    /// Environment that the key gives access to.
    #[serde(rename = "mode")]
    pub environment: Environment,
    /// Prefix of the secret, which depends on the environment.
    pub prefix: String,
    /// Last four characters of the secret.
    pub last4: String,
    /// Creation time of the key.
    pub created_at: Timestamp,
    /// Time of the last use, to the minute; `null` if never used.
    pub last_used_at: Option<Timestamp>,
    /// Time of revocation; `null` if the key was not revoked.
    pub revoked_at: Option<Timestamp>,
    /// Allowed requests.
    #[serde(default)]
    pub access: KeyAccess,
    /// Forms that the key gives access to; `null` for all forms of its environment, including
    /// later ones. The list may contain deleted forms.
    #[serde(default)]
    pub forms: Option<Vec<FormId>>,
    /// Time from which the key is refused; `null` if it does not expire.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

impl ApiKey {
    /// Returns the state of the key at a time.
    ///
    /// ```
    /// # use contract::{ApiKey, Timestamp};
    /// # use contract::key::KeyState;
    /// let key: ApiKey = serde_json::from_value(serde_json::json!({
    ///     "id": "key_1", "name": "Report", "mode": "live", "prefix": "svc_sk_live_",
    ///     "last4": "a1b2", "created_at": "2026-03-01", "expires_at": "2026-04-01",
    /// }))?;
    /// let at = |text| Timestamp::parse(text).unwrap();
    /// assert_eq!(key.state_at(at("2026-03-31T23:59:59.999999Z")), KeyState::Active);
    /// assert_eq!(key.state_at(at("2026-04-01")), KeyState::Expired);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn state_at(&self, now: Timestamp) -> KeyState {
        if self.revoked_at.is_some() {
            return KeyState::Revoked;
        }
        let is_expired = self.expires_at.is_some_and(|at| at <= now);
        if is_expired { KeyState::Expired } else { KeyState::Active }
    }

    /// Returns whether the key gives access to a form of its account and environment.
    pub fn covers_form(&self, form: &FormId) -> bool {
        covers_form(self.forms.as_deref(), form)
    }
}

/// Body of `POST /account/keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// Name of the key: 1 to 100 characters, without control characters. Surrounding spaces are
    /// removed.
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
    /// Environment that the key gives access to.
    #[serde(rename = "mode")]
    pub environment: Environment,
    /// Allowed requests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub access: KeyAccess,
    /// Forms that the key gives access to, each in the key's environment and listed once; `null`
    /// for all forms, including later ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(min = 1, max = 100)))]
    pub forms: Option<Vec<FormId>>,
    /// Time from which the key is refused, in the future; `null` for a key that does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl NewKey {
    /// Returns a request for a key with full access to all forms, which does not expire.
    pub fn unrestricted(name: impl Into<String>, environment: Environment) -> Self {
        Self {
            name: name.into(),
            environment,
            access: KeyAccess::Full,
            forms: None,
            expires_at: None,
        }
    }
}

/// Response of `POST /account/keys`, the only one that contains a secret.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CreatedKey {
    /// Record of the key.
    pub data: ApiKey,
    /// Secret of the key, shown only in this response.
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
    fn secret_prefix_determines_environment() {
        for environment in Environment::ALL {
            let secret = format!("{}abc", environment.secret_prefix());
            assert_eq!(Environment::from_secret(&secret), Some(environment));
            assert_eq!(environment.as_str().parse(), Ok(environment));
        }
        assert_eq!(Environment::from_secret("svc_sk_prod_abc"), None);
    }

    #[test]
    fn key_without_restrictions_is_full_for_all_forms_without_end() {
        let new: NewKey = serde_json::from_str(r#"{"name":"x","mode":"test"}"#).unwrap();
        assert_eq!(new, NewKey::unrestricted("x", Environment::Test));
        assert_eq!(serde_json::to_string(&new).unwrap(), r#"{"name":"x","mode":"test"}"#);
        for access in KeyAccess::ALL {
            assert_eq!(access.as_str().parse(), Ok(access));
        }
    }
}
