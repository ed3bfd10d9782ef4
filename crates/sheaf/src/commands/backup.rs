//! `sheaf backup`: a consistent copy of the database file, also while a server runs.

use store::StoreError;

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{output, stores};

/// Error text if the data are in a database.
const DATABASE_ADVICE: &str = "`sheaf backup` copies a database file; to copy a PostgreSQL \
    database, use `sheaf dump FILE`, also while servers run, and `sheaf restore FILE` to load it";

/// Writes the copy and prints its path.
///
/// # Errors
/// A file that exists already or cannot be written.
pub(crate) async fn run(data: &Data, args: args::Backup) -> Result<()> {
    // Rejects a database before connecting to it.
    data.database_file(DATABASE_ADVICE)?;
    let store = stores::open_existing(data).await?;
    let name = args.file.display();
    store.backup(&args.file).await.map_err(|error| match error {
        StoreError::Exists(_) => {
            Error::invalid(format!("the file `{name}` exists already; choose another name"))
        }
        other => other.into(),
    })?;
    output::print_line(format!("backed up to {name}"))
}
