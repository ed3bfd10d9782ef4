//! Arguments of `sheaf audit`.

use clap::{Args, Subcommand, ValueEnum};
use contract::Timestamp;
use contract::audit::AuditFormat;
use std::path::PathBuf;

/// Subcommands of `sheaf audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Verifies that the audit log is complete and unchanged
    ///
    /// Prints the number of entries of each account, and the number and hash of the last entry.
    /// Save these outside of the data, and pass them as --end later to prove that the log up to
    /// there is unchanged. If the log was changed, prints the first wrong entry of each account;
    /// the exit status is 1.
    Verify {
        /// Database file to verify, instead of the one in the data directory
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Number and hash of an entry that the log must contain, as printed by an earlier
        /// `verify`
        ///
        /// Can be repeated.
        #[arg(long, value_name = "NUMBER:HASH")]
        end: Vec<KnownEntry>,
    },
    /// Prints the audit log, newest first; the export itself is logged
    Export(Export),
}

/// An entry that an earlier verification printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownEntry {
    /// Number of the entry in the log, from 1.
    pub(crate) number: i64,
    /// Hash in hexadecimal.
    pub(crate) hash: String,
}

impl std::str::FromStr for KnownEntry {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':').and_then(|(number, hash)| {
            let is_hash = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
            let number = number.parse().ok().filter(|number| *number > 0)?;
            is_hash.then(|| Self { number, hash: hash.to_ascii_lowercase() })
        });
        let wrong =
            || format!("must be `NUMBER:HASH` as printed by `sheaf audit verify`, but is `{text}`");
        parts.ok_or_else(wrong)
    }
}

/// Options of an export.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Account, by email address or id (acc_…)
    ///
    /// Without it, entries that belong to no account.
    #[arg(long, value_name = "EMAIL|ID")]
    pub(crate) account: Option<String>,
    /// Only entries at or after this time (ISO 8601)
    #[arg(long, value_name = "INSTANT", value_parser = Timestamp::parse_bound)]
    pub(crate) from: Option<Timestamp>,
    /// Only entries before this time (ISO 8601)
    #[arg(long, value_name = "INSTANT", value_parser = Timestamp::parse_bound)]
    pub(crate) to: Option<Timestamp>,
    /// Output format
    #[arg(long, value_enum, default_value = "ndjson")]
    pub(crate) format: OutputFormat,
}

/// Output format of an export.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OutputFormat {
    /// One JSON object per line
    Ndjson,
    /// Comma-separated values
    Csv,
}

impl From<OutputFormat> for AuditFormat {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Ndjson => Self::Ndjson,
            OutputFormat::Csv => Self::Csv,
        }
    }
}
