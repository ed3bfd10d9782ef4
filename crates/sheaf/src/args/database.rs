//! Arguments of a database: where it is, and how much of it a server may take.

use clap::Args;
use std::path::PathBuf;

/// The heading of the options that every command has.
pub(crate) const DATA_OPTIONS: &str = "Data options";

/// A database in place of the data directory.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_field_names, reason = "fields are named as the arguments are")]
pub(crate) struct Database {
    /// Use this PostgreSQL database in place of the data directory:
    /// `postgres://NAME@HOST/DATABASE?sslmode=verify-full`. Every user of this machine can read the
    /// command line, so give a URL with a password by the variable or by a file
    #[arg(
        long,
        value_name = "URL",
        env = "SHEAF_DATABASE_URL",
        hide_env_values = true,
        global = true,
        help_heading = DATA_OPTIONS
    )]
    pub(crate) database_url: Option<String>,
    /// A file with that URL; not every user may be able to read it
    #[arg(
        long,
        value_name = "FILE",
        env = "SHEAF_DATABASE_URL_FILE",
        global = true,
        help_heading = DATA_OPTIONS
    )]
    pub(crate) database_url_file: Option<PathBuf>,
    /// A file with the certificates (PEM) of the only authorities that are trusted for the database
    #[arg(
        long,
        value_name = "FILE",
        env = "SHEAF_DATABASE_CA",
        global = true,
        help_heading = DATA_OPTIONS
    )]
    pub(crate) database_ca: Option<PathBuf>,
}

/// How much of a database a server takes.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DatabaseUse {
    /// The address of a replica of the database, which then does exports, summaries and searches as
    /// long as it knows all that the database knows
    #[arg(
        long,
        value_name = "URL",
        env = "SHEAF_REPLICA_URL",
        hide_env_values = true,
        conflicts_with = "replica_url_file"
    )]
    pub(crate) replica_url: Option<String>,
    /// A file of that address, which not everybody may read
    #[arg(long, value_name = "FILE", env = "SHEAF_REPLICA_URL_FILE")]
    pub(crate) replica_url_file: Option<PathBuf>,
    /// Most connections of this server to the database; a quarter as many come beside them for what
    /// takes long
    #[arg(
        long = "database-connections",
        value_name = "COUNT",
        default_value_t = 16,
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    pub(crate) connections_max: u16,
}
