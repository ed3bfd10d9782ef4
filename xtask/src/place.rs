//! Where things stand in the project: the only module that makes such paths.

use std::{env, path::PathBuf};

/// The project's root folder.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}

/// The folder of what several clones of the project share: `$XDG_CACHE_HOME/sheaf`, usually
/// `~/.cache/sheaf`.
pub(crate) fn cache() -> PathBuf {
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    cache.or_else(home).unwrap_or_else(env::temp_dir).join("sheaf")
}

/// The project's own tools, each in a folder `NAME-VERSION`. Never the user's.
pub(crate) fn tools() -> PathBuf {
    cache().join("tools")
}

/// The built dashboard, which the gateway takes into the binary.
pub(crate) fn dist() -> PathBuf {
    root().join("dist")
}

/// Cargo's target folder, wherever configuration has put it: this program stands in it.
pub(crate) fn target() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    let folder = exe.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    folder.and_then(|profile| profile.parent()).map_or_else(|| root().join("target"), Into::into)
}

/// What the bench measured, by size; kept with the sources.
pub(crate) fn bench_results() -> PathBuf {
    root().join("benches/results")
}

/// The page that shows it.
pub(crate) fn bench_page() -> PathBuf {
    root().join("docs/performance.md")
}

/// The released binary.
pub(crate) fn binary() -> PathBuf {
    target().join("release/sheaf")
}

/// The binary of the tests' profile.
pub(crate) fn dev_binary() -> PathBuf {
    target().join("debug/sheaf")
}
