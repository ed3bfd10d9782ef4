//! What the environment and the command line set for every command. The only reader of the
//! environment: nothing else in the project asks for a variable.

use clap::Args;
use std::env;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The database's name in the data directory.
const DATABASE: &str = "sheaf.db";

/// Where everything is kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct Data {
    /// The directory in which everything is kept; made where it is missing
    #[arg(
        long = "data",
        value_name = "DIR",
        env = "SHEAF_DATA",
        default_value = "./data",
        global = true
    )]
    directory: PathBuf,
}

impl Data {
    /// Returns the directory.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the database's path. Its directory is made where it is missing, for its owner alone.
    ///
    /// # Errors
    /// A directory that cannot be made.
    pub(crate) fn database(&self) -> Result<PathBuf> {
        let directory = &self.directory;
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(Error::io(
            format!("cannot make the data directory `{}`", directory.display()),
        ))?;
        Ok(directory.join(DATABASE))
    }

    /// Returns the database's path where there is one.
    ///
    /// # Errors
    /// No database there yet: what a command that only reads says of a mistyped directory.
    pub(crate) fn existing_database(&self) -> Result<PathBuf> {
        let path = self.directory.join(DATABASE);
        if path.exists() {
            return Ok(path);
        }
        Err(Error::refused(format!(
            "there is no data in `{}`; name its directory with `--data`, or begin with \
             `sheaf account create`",
            self.directory.display()
        )))
    }
}

/// Returns which log lines are wanted, as `RUST_LOG` says it: `debug`, or `service=trace`.
pub(crate) fn log_filter() -> Option<String> {
    env::var("RUST_LOG").ok().filter(|text| !text.trim().is_empty())
}
