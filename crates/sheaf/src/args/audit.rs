//! What can be said to `sheaf audit`. Types only.

use clap::{Args, Subcommand, ValueEnum};
use contract::Timestamp;
use contract::audit::AuditFormat;
use std::path::PathBuf;

/// What to do with the audit log.
#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Looks whether every note is as it was written, in its place, and none is missing
    ///
    /// Prints of each account how many notes there are, and the last one's place and hash. Whoever
    /// keeps these elsewhere can tell later, by --end, that nothing before was changed. Where
    /// something does not fit, prints the first note of which that is so, and the exit status is 1.
    Verify {
        /// The database to look at, instead of the one in the data directory
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// A place and a hash that an earlier `verify` printed: the log must still hold that note
        #[arg(long, value_name = "PLACE:HASH")]
        end: Vec<End>,
    },
    /// Prints the audit log, newest first; that it was exported is noted too
    Export(Export),
}

/// A note as an earlier look printed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    /// Its place.
    pub(crate) place: i64,
    /// Its hash, in hexadecimal.
    pub(crate) hash: String,
}

impl std::str::FromStr for End {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':').and_then(|(place, hash)| {
            let is_hash = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
            let place = place.parse().ok().filter(|place| *place > 0)?;
            is_hash.then(|| Self { place, hash: hash.to_ascii_lowercase() })
        });
        let wrong =
            || format!("it is `PLACE:HASH` as `sheaf audit verify` prints it, not `{text}`");
        parts.ok_or_else(wrong)
    }
}

/// Which notes are exported, and how.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The account: its mail address or its id (acc_…); left out, what belongs to no account
    #[arg(long, value_name = "EMAIL|ID")]
    pub(crate) account: Option<String>,
    /// From this instant on, ISO 8601
    #[arg(long, value_name = "INSTANT", value_parser = Timestamp::parse_bound)]
    pub(crate) from: Option<Timestamp>,
    /// Before this instant, ISO 8601
    #[arg(long, value_name = "INSTANT", value_parser = Timestamp::parse_bound)]
    pub(crate) to: Option<Timestamp>,
    /// A JSON object a line, or CSV
    #[arg(long, value_enum, default_value = "ndjson")]
    pub(crate) format: Format,
}

/// How notes are printed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    /// A JSON object a line
    Ndjson,
    /// Comma-separated values
    Csv,
}

impl From<Format> for AuditFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Ndjson => Self::Ndjson,
            Format::Csv => Self::Csv,
        }
    }
}
