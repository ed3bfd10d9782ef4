//! Packages of npm.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::{apt, install::ensure_installed, run::run};

/// Installs the packages of a folder's lock file.
pub(crate) fn install_lock_file(folder: &Path) -> Result<()> {
    npm(folder, &["ci", "--prefer-offline"])
}

/// Installs one npm package if it is missing, without its install scripts. Returns its folder.
pub(crate) fn ensure_npm_package(package: &str, version: &str) -> Result<PathBuf> {
    let name = package.rsplit('/').next().unwrap_or(package);
    ensure_installed(&format!("{name}-{version}"), |new| install_npm_package(new, package, version))
}

/// Installs one npm package into a folder, without its install scripts.
pub(crate) fn install_npm_package(folder: &Path, package: &str, version: &str) -> Result<()> {
    let package = format!("{package}@{version}");
    npm(folder, &["install", "--no-save", "--ignore-scripts", "--prefix", ".", &package])
}

fn npm(folder: &Path, words: &[&str]) -> Result<()> {
    apt::need_programs(&["npm"])?;
    let mut npm = Command::new("npm");
    npm.args(words).args(["--no-audit", "--no-fund", "--loglevel=error"]);
    run(npm.current_dir(folder))
}
