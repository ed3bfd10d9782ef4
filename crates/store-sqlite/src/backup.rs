//! Writes a consistent copy of the database to a new file, while readers and writers continue.

use super::{check, connect};
use std::path::Path;
use store::Result;
use store::columns::database;
use store::part_file::PartFile;

/// Writes the copy, and returns once it is on disk. The copy contains neither deleted data nor free
/// pages.
pub(super) fn backup(from: &Path, to: &Path) -> Result<()> {
    let file = PartFile::begin(to)?;
    let part = file.path();
    let name = part.to_str().unwrap_or_default();
    connect::writer(from)?.execute("VACUUM INTO ?", [name]).map_err(database)?;
    if let Some(damage) = check::quick(part)? {
        return Err(connect::unfit(format!("the copy `{name}` is damaged: {damage}")));
    }
    file.keep()
}
