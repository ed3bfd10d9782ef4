//! `sheaf check`: checks a database file for damage.

use store::StoreError;

use std::path::PathBuf;

use crate::config::Data;
use crate::error::{Error, Result};
use crate::output;

/// Error text if the data are in a database.
const DATABASE_ADVICE: &str = "`sheaf check` checks a database file; check a PostgreSQL database \
    with `pg_amcheck`, and turn on its data checksums to check each page when it is read";

/// Checks the file and prints the findings.
///
/// # Errors
/// A file that is missing, damaged, or not a database of Sheaf.
pub(crate) async fn run(data: &Data, file: Option<PathBuf>) -> Result<()> {
    let file = match file {
        Some(file) => file,
        None => data.database_file(DATABASE_ADVICE)?,
    };
    let name = file.display().to_string();
    let report = check_file(file).await?;
    for finding in &report.findings {
        // Findings quote a damaged file.
        output::print_line(output::replace_control_chars(finding))?;
    }
    if !report.findings.is_empty() {
        return Err(Error::invalid(format!(
            "`{name}` is damaged; keep it, and replace it with the newest intact backup"
        )));
    }
    let count = report.submissions;
    output::print_line(format!("`{name}` is whole: {count} submissions"))
}

async fn check_file(file: PathBuf) -> Result<store_sqlite::CheckReport, StoreError> {
    let report = tokio::task::spawn_blocking(move || store_sqlite::check(&file)).await;
    report.unwrap_or_else(|error| Err(StoreError::Database(error.into())))
}
