//! `sheaf backup`: a consistent copy, also while a server runs.

use service::store::{Store as _, StoreError};

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{output, stores};

/// Writes the copy and prints where it is.
///
/// # Errors
/// A file that is there already or cannot be written.
pub(crate) async fn run(data: &Data, args: args::Backup) -> Result<()> {
    let store = stores::open_existing(data)?;
    let name = args.file.display();
    store.backup(&args.file).await.map_err(|error| match error {
        StoreError::Exists(_) => {
            Error::refused(format!("the file `{name}` is there already; name a new one"))
        }
        other => other.into(),
    })?;
    output::line(format!("backed up to {name}"))
}
