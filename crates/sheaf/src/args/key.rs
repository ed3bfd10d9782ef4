//! Arguments of `sheaf key`.

use clap::{Args, Subcommand};
use contract::{Environment, FormId, KeyId, Timestamp};
use std::str::FromStr;

use super::{AccountArg, OutputArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Creates an API key and prints its secret once
    Create(NewKeyArgs),
    /// Lists the API keys of an account, newest first
    List {
        #[command(flatten)]
        owner: AccountArg,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Revokes an API key immediately and permanently
    Revoke {
        /// Id of the key, as listed by `sheaf key list`
        #[arg(value_name = "KEY_ID")]
        id: KeyId,
    },
}

/// Arguments of `sheaf key create`.
#[derive(Debug, Args)]
pub(crate) struct NewKeyArgs {
    #[command(flatten)]
    pub(crate) owner: AccountArg,
    /// Name of the key, 1 to 100 characters
    #[arg(long)]
    pub(crate) name: String,
    /// Data that the key can access: live or test (sandbox)
    #[arg(long, value_name = "live|test")]
    pub(crate) mode: Environment,
    /// Refuses requests that change data
    #[arg(long = "read-only")]
    pub(crate) is_read_only: bool,
    /// Restricts the key to this form of the mode; repeatable, up to 100 times
    #[arg(long = "form", value_name = "FORM")]
    pub(crate) forms: Vec<FormId>,
    /// End of the key: a date in UTC, a time with its offset, or a number of days from now (30d)
    #[arg(long, value_name = "DATE|DAYS")]
    pub(crate) expires: Option<KeyEnd>,
}

/// End of a new key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyEnd {
    /// A time.
    At(Timestamp),
    /// A number of days after the creation.
    Days(u16),
}

impl KeyEnd {
    /// Returns the time of the end. Fails if it is later than any time that can be stored.
    pub(crate) fn after(self, now: Timestamp) -> Option<Timestamp> {
        const DAY_US: i64 = 86_400_000_000;
        match self {
            Self::At(end) => Some(end),
            Self::Days(days) => Timestamp::from_micros(now.micros() + i64::from(days) * DAY_US),
        }
    }
}

impl FromStr for KeyEnd {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(days) = text.strip_suffix('d').and_then(|days| days.parse().ok()) {
            return Ok(Self::Days(days));
        }
        Timestamp::parse(text).map(Self::At).map_err(|error| {
            format!("{error}; use a date such as 2030-01-31, or a number of days such as 30d")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_end_is_a_date_or_a_number_of_days() {
        let now = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        let end = |text: &str| text.parse::<KeyEnd>().unwrap().after(now).map(|at| at.to_string());
        assert_eq!(end("30d").as_deref(), Some("2026-03-31T12:00:00Z"));
        assert_eq!(end("2027-01-01").as_deref(), Some("2027-01-01T00:00:00Z"));
        assert_eq!(end("2027-01-01T00:00:00+02:00").as_deref(), Some("2026-12-31T22:00:00Z"));
        for bad in ["", "d", "-1d", "1.5d", "99999d", "30", "tomorrow", "2026-02-30"] {
            assert!(bad.parse::<KeyEnd>().is_err(), "{bad}");
        }
    }
}
