//! Format of API keys: the environment and the prefix of the secret (specification, section 5).
//!
//! This module neither generates nor stores nor compares secrets.

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

/// Environment of a key and of the data it gives access to (specification, section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// Real data.
    Live,
    /// Sandbox data.
    Test,
}

impl Environment {
    /// Both environments, live first.
    pub const ALL: [Self; 2] = [Self::Live, Self::Test];

    /// Returns the name used in JSON and in paths.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }

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
}
