//! Database arguments: connection, and resources that a server uses.

use clap::Args;
use std::path::PathBuf;

/// Help heading of the options that all commands have.
pub(crate) const DATA_OPTIONS: &str = "Data options";

/// Database used in place of the data directory.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_field_names, reason = "fields have the names of the arguments")]
pub(crate) struct Database {
    /// Use this PostgreSQL database instead of the data directory:
    /// `postgres://NAME@HOST/DATABASE?sslmode=verify-full`. Other users of this machine can read
    /// the command line, so pass a URL with a password by the variable or a file
    #[arg(
        long,
        value_name = "URL",
        env = "SHEAF_DATABASE_URL",
        hide_env_values = true,
        global = true,
        help_heading = DATA_OPTIONS
    )]
    pub(crate) database_url: Option<String>,
    /// File with the database URL; must not be world-readable
    #[arg(
        long,
        value_name = "FILE",
        env = "SHEAF_DATABASE_URL_FILE",
        global = true,
        help_heading = DATA_OPTIONS
    )]
    pub(crate) database_url_file: Option<PathBuf>,
    /// File with CA certificates (PEM); only these are trusted for the database
    #[arg(
        long,
        value_name = "FILE",
        env = "SHEAF_DATABASE_CA",
        global = true,
        help_heading = DATA_OPTIONS
    )]
    pub(crate) database_ca: Option<PathBuf>,
}

/// Database resources of a server.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct DatabaseUse {
    /// URL of a read replica for exports, summaries and searches, used while it is up to date
    #[arg(
        long,
        value_name = "URL",
        env = "SHEAF_REPLICA_URL",
        hide_env_values = true,
        conflicts_with = "replica_url_file"
    )]
    pub(crate) replica_url: Option<String>,
    /// File with the replica URL; must not be world-readable
    #[arg(long, value_name = "FILE", env = "SHEAF_REPLICA_URL_FILE")]
    pub(crate) replica_url_file: Option<PathBuf>,
    /// Maximum connections for short queries
    ///
    /// Exports and searches use an additional pool a quarter of this size.
    #[arg(
        long = "database-connections",
        value_name = "COUNT",
        default_value_t = 16,
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    pub(crate) connections_max: u16,
}
