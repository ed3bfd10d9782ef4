//! A file that many tests start from, such as a database with the newest schema and no data.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Environment variable with a folder that all test processes of a run share.
const SHARED_FOLDER_VARIABLE: &str = "SHEAF_TEST_SHARED_FOLDER";

/// Copies a file that `prepare` creates once a run to `path`, and creates its folder. Does nothing
/// if the file exists, or outside of `cargo xtask test`: then the test creates the file.
///
/// `prepare` gets the path of the file, and must leave no other files next to it. All processes of
/// the run share its result, so they must pass equivalent functions.
///
/// # Errors
/// Errors of the file system.
pub fn copy_prepared_file(path: &Path, prepare: impl FnOnce(&Path)) -> io::Result<()> {
    let Some(shared) = std::env::var_os(SHARED_FOLDER_VARIABLE) else { return Ok(()) };
    if path.exists() {
        return Ok(());
    }
    let prepared = Path::new(&shared).join("prepared");
    if !prepared.exists() {
        // Other processes may do the same at this time; the last rename wins.
        let own = Path::new(&shared).join(format!("prepared-{}", std::process::id()));
        prepare(&own);
        fs::rename(own, &prepared)?;
    }
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    fs::copy(prepared, path).map(drop)
}
