//! Cargo commands.

use std::{env, ffi::OsString, process::Command};

use fs_err as fs;

use crate::paths;

/// Returns a cargo command, with the settings of the build server if `CI` is set.
pub(crate) fn cargo(words: &[&str]) -> Command {
    // The gateway embeds `dist`. The folder must exist to compile it, but may be empty.
    let _ = fs::create_dir_all(paths::dist());
    let mut cargo = Command::new("cargo");
    cargo.args(words).current_dir(paths::root());
    // `cargo xtask` sets these variables, and some build scripts run again when they change.
    let of_xtask = |key: &OsString| {
        let key = key.to_string_lossy();
        key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_")
    };
    for (key, _) in env::vars_os().filter(|(key, _)| of_xtask(key)) {
        cargo.env_remove(key);
    }
    if env::var_os("CI").is_some() {
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    }
    cargo
}
