//! Arguments of `sheaf dump` and `sheaf restore`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Dump {
    /// The file to write, which must not be there yet; `-` is standard output
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
    /// Encrypt the archive to this recipient, in the age format; may be given several times
    #[arg(long, value_name = "age1…")]
    pub(crate) recipient: Vec<String>,
    /// Print JSON instead of a table; nothing is printed behind an archive on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The archive to read; `-` is standard input
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
    /// A file of the identities (AGE-SECRET-KEY-1…), one of which decrypts the archive
    #[arg(long, value_name = "FILE")]
    pub(crate) identity: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
