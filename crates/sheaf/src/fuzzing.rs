//! What the fuzz targets reach of this crate. Compiled for them alone.

use crate::import::fuzzing;

/// Reads bytes as a file to import: of NDJSON, or of CSV with all that is found out about it.
///
/// # Panics
/// Where the first look at a file of CSV counts other rows than the second one reads.
pub fn import_line(is_csv: bool, file: &[u8]) {
    if is_csv { fuzzing::csv(file) } else { fuzzing::ndjson(file) }
}
