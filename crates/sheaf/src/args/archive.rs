//! Arguments of `sheaf dump` and `sheaf restore`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Dump {
    /// File to write, which must not exist; `-` is standard output
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
    /// Encrypt the archive to this age recipient; can be repeated
    #[arg(long, value_name = "age1…")]
    pub(crate) recipient: Vec<String>,
    /// Print JSON instead of a table
    ///
    /// Prints nothing if the archive goes to standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Archive to read; `-` is standard input
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
    /// File with age identities (AGE-SECRET-KEY-1…) that decrypt the archive
    #[arg(long, value_name = "FILE")]
    pub(crate) identity: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
