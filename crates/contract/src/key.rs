//! API keys as text: the environment that a key opens and the shape of its secret (§5).
//!
//! No secret is made, kept or compared here.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The request header that carries the key (§5.1).
pub const API_KEY_HEADER: &str = "x-api-key";

/// How many active keys an account may hold, both environments together (§5.6).
pub const ACTIVE_KEYS_MAX: usize = 10;

/// Longest name of a key, in characters.
pub const KEY_NAME_CHARS_MAX: usize = 100;

/// Which data a key opens: real or sandbox (§5.2).
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
    /// Both, live first.
    pub const ALL: [Self; 2] = [Self::Live, Self::Test];

    /// Returns the name on the wire and in paths.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }

    /// Returns what the secrets of its keys begin with.
    pub fn secret_prefix(self) -> &'static str {
        match self {
            Self::Live => "svc_sk_live_",
            Self::Test => "svc_sk_test_",
        }
    }

    /// Returns the environment that a secret's prefix names, if it names one.
    pub fn of_secret(secret: &str) -> Option<Self> {
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
            .ok_or_else(|| format!("the mode is `live` or `test`, but is `{text}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_names_its_environment() {
        for environment in Environment::ALL {
            let secret = format!("{}abc", environment.secret_prefix());
            assert_eq!(Environment::of_secret(&secret), Some(environment));
            assert_eq!(environment.as_str().parse(), Ok(environment));
        }
        assert_eq!(Environment::of_secret("svc_sk_prod_abc"), None);
    }
}
