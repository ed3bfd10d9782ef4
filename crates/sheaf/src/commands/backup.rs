//! `sheaf backup`: a consistent copy, also while a server runs.

use store::StoreError;

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{output, stores};

/// What is said of a database.
const INSTEAD: &str = "`sheaf backup` copies a file; a database is copied by `sheaf dump FILE`, \
                       also while servers run, and put back by `sheaf restore FILE`";

/// Writes the copy and prints where it is.
///
/// # Errors
/// A file that is there already or cannot be written.
pub(crate) async fn run(data: &Data, args: args::Backup) -> Result<()> {
    // A database is told so before anybody connects to it.
    data.file(INSTEAD)?;
    let store = stores::open_existing(data).await?;
    let name = args.file.display();
    store.backup(&args.file).await.map_err(|error| match error {
        StoreError::Exists(_) => {
            Error::refused(format!("the file `{name}` is there already; name a new one"))
        }
        other => other.into(),
    })?;
    output::line(format!("backed up to {name}"))
}
