//! Packages of npm.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    apt,
    install::ensure_installed,
    run::{Result, run},
};

/// Installs the packages of a folder's lock file if they are missing or outdated.
pub(crate) fn install_lock_file(folder: &Path) -> Result {
    apt::need_program("npm", "npm", "to build the React page of the bench")?;
    let locked = folder.join("package-lock.json");
    let there = folder.join("node_modules/.package-lock.json");
    let changed = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
    if changed(&there).is_some() && changed(&there) >= changed(&locked) {
        return Ok(());
    }
    let words = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    run(Command::new("npm").args(words).current_dir(folder))
}

/// Installs one npm package if it is missing, with further arguments for npm. Returns its folder.
pub(crate) fn ensure_npm_package(package: &str, version: &str, words: &[&str]) -> Result<PathBuf> {
    let name = package.rsplit('/').next().unwrap_or(package);
    ensure_installed(&format!("{name}-{version}"), |new| {
        install_npm_package(new, package, version, words)
    })
}

/// Installs one npm package into a folder.
pub(crate) fn install_npm_package(
    folder: &Path,
    package: &str,
    version: &str,
    words: &[&str],
) -> Result {
    apt::need_program("npm", "npm", &format!("to get {package}"))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"]);
    run(npm.args(words).arg("--prefix").arg(folder).arg(format!("{package}@{version}")))
}
