//! Arguments of a database: where it is, and how much of it a server may take.

use clap::Args;
use std::path::PathBuf;

/// A database in place of the data directory.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_field_names, reason = "fields are named as the arguments are")]
pub(crate) struct Database {
    /// Keep everything in this PostgreSQL database in place of a directory:
    /// `postgres://NAME@HOST/DATABASE?sslmode=verify-full`. It holds a password, so say it by the
    /// variable or by a file: everybody on this machine can read what stands here
    #[arg(
        long,
        value_name = "URL",
        env = "SHEAF_DATABASE_URL",
        hide_env_values = true,
        global = true
    )]
    pub(crate) database_url: Option<String>,
    /// A file of that address, which not everybody may read
    #[arg(long, value_name = "FILE", env = "SHEAF_DATABASE_URL_FILE", global = true)]
    pub(crate) database_url_file: Option<PathBuf>,
    /// A file of certificates (PEM) of the authorities that alone may vouch for the database
    #[arg(long, value_name = "FILE", env = "SHEAF_DATABASE_CA", global = true)]
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
