//! Writes a consistent copy of the database to a new file, while readers and writers continue.

use super::{check, connect};
use std::path::Path;
use store::Result;
use store::columns::database_error;
use store::part_file::PartFile;

/// Writes the copy, and returns once it is on disk. The copy contains neither deleted data nor free
/// pages.
pub(super) fn backup(from: &Path, to: &Path) -> Result<()> {
    let file = PartFile::create(to)?;
    let part = file.path();
    let name = part.to_str().unwrap_or_default();
    connect::open_bulk_writer(from)?.execute("VACUUM INTO ?", [name]).map_err(database_error)?;
    if let Some(finding) = check::quick_check(part)? {
        return Err(connect::unfit_error(format!("the copy `{name}` is damaged: {finding}")));
    }
    file.commit()
}
