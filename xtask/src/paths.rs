//! Paths of the repository and its tools.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::Result;
use fs_err as fs;

/// Returns the root folder of the repository.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}

/// Returns the folder that all clones of the repository share: `$XDG_CACHE_HOME/sheaf`, usually
/// `~/.cache/sheaf`.
pub(crate) fn cache() -> PathBuf {
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    cache.or_else(home).unwrap_or_else(env::temp_dir).join("sheaf")
}

/// Returns the folder of an installed tool, such as `NAME-VERSION`.
pub(crate) fn tool(name: &str) -> PathBuf {
    cache().join("tools").join(name)
}

/// Returns the folder of the built dashboard, which the gateway embeds.
pub(crate) fn dist() -> PathBuf {
    root().join("dist")
}

/// Returns cargo's target folder, wherever it is configured: this program is in it.
pub(crate) fn target() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    let folder = exe.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    folder.and_then(|profile| profile.parent()).map_or_else(|| root().join("target"), Into::into)
}

/// Returns the path of the release or debug binary.
pub(crate) fn binary(is_release: bool) -> PathBuf {
    target().join(if is_release { "release/sheaf" } else { "debug/sheaf" })
}

/// Returns all files below a folder, sorted; for a file, the file itself; for a missing path,
/// nothing.
pub(crate) fn files_below(path: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if path.is_file() {
        files.push(path.to_owned());
    } else if path.is_dir() {
        for entry in fs::read_dir(path)? {
            files.extend(files_below(&entry?.path())?);
        }
        files.sort();
    }
    Ok(files)
}

/// Removes a folder and its contents, if it exists.
pub(crate) fn remove_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// Makes `folder` an empty folder.
pub(crate) fn empty_folder(folder: &Path) -> Result<()> {
    remove_folder(folder)?;
    Ok(fs::create_dir_all(folder)?)
}
