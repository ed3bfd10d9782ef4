//! `sheaf check`: checks a database file for damage.

use store::StoreError;

use std::path::PathBuf;

use crate::config::Data;
use crate::error::{Error, Result};
use crate::output;

/// Error text if the data are in a database.
const INSTEAD: &str = "`sheaf check` checks a database file; check a PostgreSQL database with \
                       `pg_amcheck`, and turn on its data checksums to check each page when it is \
                       read";

/// Checks the file and prints the findings.
///
/// # Errors
/// A file that is missing, damaged, or not a database of Sheaf.
pub(crate) async fn run(data: &Data, file: Option<PathBuf>) -> Result<()> {
    let file = match file {
        Some(file) => file,
        None => data.file(INSTEAD)?,
    };
    let name = file.display().to_string();
    let report = look(file).await?;
    for finding in &report.findings {
        output::line(finding)?;
    }
    if !report.findings.is_empty() {
        return Err(Error::refused(format!(
            "`{name}` is damaged; keep it, and replace it with the newest intact backup"
        )));
    }
    let count = report.submissions;
    output::line(format!("`{name}` is whole: {count} submissions"))
}

async fn look(file: PathBuf) -> Result<store_sqlite::Report, StoreError> {
    let looked = tokio::task::spawn_blocking(move || store_sqlite::check(&file)).await;
    looked.unwrap_or_else(|error| Err(StoreError::Database(error.into())))
}
