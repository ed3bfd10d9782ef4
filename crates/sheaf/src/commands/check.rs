//! `sheaf check`: looks through a database for damage.

use store::StoreError;

use std::path::PathBuf;

use crate::config::Data;
use crate::error::{Error, Result};
use crate::output;

/// What is said of a database.
const INSTEAD: &str = "`sheaf check` looks through a file; a database is looked through by \
                       PostgreSQL's own `pg_amcheck`, and each page as it is read where its \
                       checksums are on";

/// Looks through the file and prints what is found.
///
/// # Errors
/// A file that is not there or not ours, and one that is damaged.
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
            "`{name}` is damaged; keep it, and put the newest backup that is whole in its place"
        )));
    }
    let count = report.submissions;
    output::line(format!("`{name}` is whole: {count} submissions"))
}

async fn look(file: PathBuf) -> Result<store_sqlite::Report, StoreError> {
    let looked = tokio::task::spawn_blocking(move || store_sqlite::check(&file)).await;
    looked.unwrap_or_else(|error| Err(StoreError::Database(error.into())))
}
