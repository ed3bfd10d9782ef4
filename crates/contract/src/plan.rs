//! Plans: limits of requests per API key and of analyses per day (specification, section 8).

use crate::named_enum::named_enum;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Length of the rolling window, in seconds (specification, section 8.1).
pub const WINDOW_S: u64 = 900;

// The smallest first.
named_enum! {
    /// Plan of an account, with its rate limits (specification, section 8.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Plan {
        /// 100 requests per 15 minutes, 2 per second.
        Free = "free",
        /// 500 requests per 15 minutes, 10 per second.
        Pro = "pro",
        /// 2,500 requests per 15 minutes, 50 per second.
        Business = "business",
        /// 50,000 requests per 15 minutes, 500 per second.
        Enterprise = "enterprise",
    }
}

impl Plan {
    /// Returns the maximum number of requests per key and window of [`WINDOW_S`] seconds.
    pub fn window_requests(self) -> u32 {
        match self {
            Self::Free => 100,
            Self::Pro => 500,
            Self::Business => 2500,
            Self::Enterprise => 50_000,
        }
    }

    /// Returns the maximum number of requests per key and second.
    pub fn burst_requests(self) -> u32 {
        match self {
            Self::Free => 2,
            Self::Pro => 10,
            Self::Business => 50,
            Self::Enterprise => 500,
        }
    }

    /// Returns the default limit of e-mails to notified addresses per day (UTC). Auto-replies have
    /// a separate limit of the same size.
    ///
    /// Section 8 of the specification gives no figures. The operator can set others.
    pub fn mails_per_day(self) -> u64 {
        self.insight_actions_per_day()
    }

    /// Returns the default limit of analysed submissions per day (UTC).
    ///
    /// Section 8 of the specification requires a daily limit of actions and gives no figures. The
    /// operator can set others.
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
            format!("a plan must be one of `{names}`, but is `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_match_specification() {
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
