//! Arguments of `sheaf move`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Move {
    /// The directory to move; left out, it is the one of --data
    #[arg(long, value_name = "DIR")]
    pub(crate) from: Option<PathBuf>,
    /// The database to move it into, which is empty; left out, it is the one of --database-url or
    /// --database-url-file. It holds a password, so say it by the variable or by a file
    #[arg(long, value_name = "URL")]
    pub(crate) to: Option<String>,
    /// Show what there is to move, also while a server runs; nothing is asked of the database
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}
