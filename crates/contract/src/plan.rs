//! Plans: how many requests an account's keys may make, and how much is analysed a day (§8).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Length of the rolling window, in seconds (§8.1).
pub const WINDOW_S: u64 = 900;

/// A row of the table of plans (§8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// 100 requests a window, 2 a second.
    Free,
    /// 500 requests a window, 10 a second.
    Pro,
    /// 2,500 requests a window, 50 a second.
    Business,
    /// 50,000 requests a window, 500 a second.
    Enterprise,
}

impl Plan {
    /// Every plan, the smallest first.
    pub const ALL: [Self; 4] = [Self::Free, Self::Pro, Self::Business, Self::Enterprise];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Business => "business",
            Self::Enterprise => "enterprise",
        }
    }

    /// Returns how many requests a key may make in any window.
    pub fn window_requests(self) -> u32 {
        match self {
            Self::Free => 100,
            Self::Pro => 500,
            Self::Business => 2500,
            Self::Enterprise => 50_000,
        }
    }

    /// Returns how many requests a key may make in any second.
    pub fn burst_requests(self) -> u32 {
        match self {
            Self::Free => 2,
            Self::Pro => 10,
            Self::Business => 50,
            Self::Enterprise => 500,
        }
    }

    /// Returns how many submissions are analysed in a day (UTC), where the operator sets nothing
    /// else: the daily limit of actions, of which §8 gives no figures.
    pub fn insight_actions_per_day(self) -> u64 {
        match self {
            Self::Free => 100,
            Self::Pro => 1000,
            Self::Business => 10_000,
            Self::Enterprise => 100_000,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Plan {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|plan| plan.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join("`, `");
            format!("a plan is one of `{names}`, but is `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_table_of_the_specification() {
        let table = Plan::ALL.map(|p| (p.as_str(), p.window_requests(), p.burst_requests()));
        assert_eq!(
            table,
            [
                ("free", 100, 2),
                ("pro", 500, 10),
                ("business", 2500, 50),
                ("enterprise", 50_000, 500)
            ]
        );
    }
}
