//! Builds the dashboard: Trunk, then splitting and post-processing. Skips the build if no input
//! has changed. Builds nothing for the host.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::Result;
use fs_err as fs;
use sha2::{Digest as _, Sha256};

use crate::build::{files, postprocess, size, split};
use crate::run::{format_duration, print_line, run};
use crate::{paths, tools};

/// Inputs of the dashboard build. A missing path counts as an empty input.
const INPUTS: [&str; 15] = [
    ".cargo/config.toml",
    "src",
    "style",
    "public",
    "index.html",
    "Trunk.toml",
    "crates/contract",
    "crates/export-worker",
    "crates/row-view",
    "Cargo.lock",
    "Cargo.toml",
    "rust-toolchain.toml",
    "build.rs",
    "xtask/optimise",
    "xtask/src/build",
];

/// Profile of a dashboard build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Optimised for size: for users and for browser tests.
    Release,
    /// Fast to build, with debug output: for development.
    Dev,
}

/// Maximum number of cached builds, for other clones and earlier commits.
const CACHED_BUILDS_MAX: usize = 6;

/// Builds `dist/` unless it is up to date. A build from the same inputs in another clone is copied.
pub(crate) fn build_dashboard(build: Profile) -> Result<()> {
    let wanted = fingerprint(&paths::root(), build)?;
    let is_built = paths::dist().join("index.html").is_file();
    if is_built && fs::read_to_string(stamp_path()).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let cached = cached_build_path(&wanted);
    let site = if cached.is_dir() {
        print_line(&format!("Copying the dashboard from `{}`.", cached.display()));
        files::read_files(&cached)?
    } else {
        let began = Instant::now();
        let site = build_site(build)?;
        print_line(&format!("Built the dashboard in {}.", format_duration(began.elapsed())));
        if build == Profile::Release {
            size::print_sizes(&site);
            store_in_cache(&site, &cached)?;
        }
        site
    };
    files::write_files(&site, &paths::dist())?;
    Ok(fs::write(stamp_path(), wanted)?)
}

fn build_site(build: Profile) -> Result<files::Files> {
    tools::for_dashboard()?;
    print_line(match build {
        Profile::Release => "Building the dashboard: usually 2 to 4 minutes, 30 s after a change.",
        Profile::Dev => "Building the dashboard for development: 2 minutes, later 5 s.",
    });
    let raw = paths::target().join("trunk");
    run_trunk(build, &raw)?;
    let mut site = files::read_files(&raw)?;
    if build == Profile::Dev {
        return postprocess::name_by_content(site);
    }
    split::split_modules(&mut site)?;
    postprocess::merge_stylesheets(&mut site)?;
    let mut site = postprocess::name_by_content(site)?;
    files::compress(&mut site)?;
    Ok(site)
}

/// Returns the path of the file with the fingerprint of the inputs of `dist/`.
fn stamp_path() -> PathBuf {
    paths::root().join(".dist-inputs")
}

/// Removes the stamp and the cached build, so that the next build is complete.
pub(crate) fn invalidate() -> Result<()> {
    paths::remove_folder(&cached_build_path(&fingerprint(&paths::root(), Profile::Release)?))?;
    Ok(fs::write(stamp_path(), "")?)
}

/// Returns the cache folder of the build with this fingerprint. It is outside of the clone.
fn cached_build_path(fingerprint: &str) -> PathBuf {
    paths::cache().join("dist").join(fingerprint.trim().replace(' ', "-"))
}

/// Stores a build in the cache, and removes the oldest ones above the maximum.
fn store_in_cache(site: &files::Files, cached: &Path) -> Result<()> {
    let folder = cached.parent().unwrap_or(cached);
    let new = folder.join(format!(".{}", std::process::id()));
    files::write_files(site, &new)?;
    // Another clone may have stored the same build meanwhile.
    if fs::rename(&new, cached).is_err() {
        paths::remove_folder(&new)?;
    }
    let entries = fs::read_dir(folder)?.flatten();
    let age = |path: &PathBuf| fs::metadata(path).and_then(|found| found.modified()).ok();
    let mut all: Vec<_> = entries.map(|entry| entry.path()).collect();
    all.sort_by_key(age);
    let surplus = all.len().saturating_sub(CACHED_BUILDS_MAX);
    all.iter().take(surplus).try_for_each(|old| paths::remove_folder(old))
}

fn run_trunk(build: Profile, dist: &Path) -> Result<()> {
    // Trunk works offline, so that it never downloads a tool. The crates must be fetched before.
    run(Command::new("cargo").args(["fetch", "--quiet", "--locked", "--target", tools::WASM]))?;
    let mut trunk = Command::new(tools::program_path("trunk"));
    trunk.args(["build", "--filehash", "false", "--dist"]).arg(dist).current_dir(paths::root());
    if build == Profile::Release {
        trunk.arg("--release").env(split::SPLIT_VARIABLE, "1");
        trunk.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", release_flags());
    }
    trunk.env("PATH", tools::search_path());
    // Trunk accepts only `true` and `false` as values, but `1` is common.
    trunk.env_remove("NO_COLOR");
    // Trunk's errors are readable; a backtrace of its own code would hide them.
    trunk.env("RUST_BACKTRACE", "0");
    // Trunk cannot minify the script of wasm-bindgen and warns each time. `finish` minifies it.
    trunk.env("RUST_LOG", "error,trunk=info,trunk::processing::minify=error");
    run(&mut trunk)
}

/// Returns the rustc flags of a release. They disable inlining, because calls compress better than
/// inlined bodies. Paths in panic messages do not reveal the build machine.
fn release_flags() -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sources = home.map(|home| home.join("registry/src"));
    let indexes = sources.and_then(|sources| fs::read_dir(sources).ok()).into_iter().flatten();
    let remapped =
        indexes.flatten().map(|index| format!("--remap-path-prefix={}/=", index.path().display()));
    let flags = std::iter::once("-Cllvm-args=-inline-threshold=0".to_owned()).chain(remapped);
    flags.collect::<Vec<_>>().join(" ")
}

/// Returns a hash of the paths and contents of all inputs, with the profile.
fn fingerprint(root: &Path, build: Profile) -> Result<String> {
    let mut hash = Sha256::new();
    for input in INPUTS {
        for path in paths::files_below(&root.join(input))? {
            let content = fs::read(&path).unwrap_or_default();
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
            hash.update(format!("{name}\0{}\0", content.len()));
            hash.update(&content);
        }
    }
    let kind = if build == Profile::Release { "release" } else { "dev" };
    Ok(format!("{kind} {:x}\n", hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_exist_and_include_own_crates() {
        let missing = INPUTS.iter().find(|path| !paths::root().join(path).exists());
        assert_eq!(missing, None, "renamed or removed");
        let manifest = fs::read_to_string(paths::root().join("Cargo.toml")).unwrap();
        let (_, needed) = manifest.split_once("\n[dependencies]\n").unwrap();
        let needed = needed.lines().take_while(|line| !line.is_empty());
        for name in needed.filter_map(|line| line.strip_suffix(".workspace = true")) {
            let folder = format!("crates/{name}");
            let is_own = paths::root().join(&folder).is_dir();
            assert!(!is_own || INPUTS.contains(&folder.as_str()), "`{folder}` is no input");
        }
    }
}
