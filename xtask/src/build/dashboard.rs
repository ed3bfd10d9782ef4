//! Builds the dashboard: Trunk, then splitting and post-processing. Skips the build if no input
//! has changed. Builds nothing for the host.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Result, ensure};
use fs_err as fs;
use sha2::{Digest as _, Sha256};

use crate::build::{files, postprocess, size, split};
use crate::run::{WORKSPACE_COMPILER, cargo, format_duration, print_line, run};
use crate::{paths, tools};

/// Inputs of the dashboard build, besides the crates that it depends on.
const INPUTS: &str = ".cargo/config.toml Cargo.lock Cargo.toml Trunk.toml build.rs index.html public \
    rust-toolchain.toml src style xtask/optimise xtask/src/build";

/// Start of the fingerprint of a development build.
const DEVELOPMENT: &str = "dev";

/// Maximum number of cached builds, for other clones and earlier commits.
const CACHED_BUILDS_MAX: usize = 6;

/// Builds `dist/` for a server on this machine: a development build, because it takes less than
/// half of the time. A release that is there already is used.
pub(crate) fn build_for_serving() -> Result<()> {
    let release = fingerprint(true)?;
    build_dashboard(is_current(&release) || cached_build_path(&release).is_dir())
}

/// Returns whether [`build_for_serving`] compiles the dashboard.
pub(crate) fn needs_compilation() -> Result<bool> {
    let [release, development] = [fingerprint(true)?, fingerprint(false)?];
    let is_built = is_current(&release) || is_current(&development);
    Ok(!is_built && !cached_build_path(&release).is_dir())
}

/// Returns whether `dist/` has the build with this fingerprint.
fn is_current(fingerprint: &str) -> bool {
    let is_built = paths::dist().join("index.html").is_file();
    is_built && fs::read_to_string(stamp_path()).is_ok_and(|found| found == fingerprint)
}

/// Prints the sizes of the release in `dist/`, and fails above the budget.
pub(crate) fn check_size() -> Result<()> {
    let stamp = fs::read_to_string(stamp_path()).unwrap_or_default();
    ensure!(
        !stamp.starts_with(DEVELOPMENT),
        "`dist` has a development build: run `cargo xtask dashboard` first"
    );
    size::check_budgets()
}

/// Builds `dist/` unless it is up to date. A build from the same inputs in another clone is copied.
/// A development build is fast and has debug output, a release is optimised for size.
pub(crate) fn build_dashboard(is_release: bool) -> Result<()> {
    let wanted = fingerprint(is_release)?;
    if is_current(&wanted) {
        return Ok(());
    }
    let cached = cached_build_path(&wanted);
    let site = if cached.is_dir() {
        print_line(&format!("Copying the dashboard from `{}`.", cached.display()));
        files::read_files(&cached)?
    } else {
        let began = Instant::now();
        let site = build_site(is_release)?;
        print_line(&format!("Built the dashboard in {}.", format_duration(began.elapsed())));
        if is_release {
            store_in_cache(&site, &cached)?;
        }
        site
    };
    // A build that is interrupted here must not keep the old stamp.
    fs::write(stamp_path(), "")?;
    files::write_files(&site, &paths::dist())?;
    Ok(fs::write(stamp_path(), wanted)?)
}

fn build_site(is_release: bool) -> Result<files::Files> {
    tools::for_dashboard(is_release)?;
    print_line("Building the dashboard: usually 2 to 4 minutes, less than 30 s after a change.");
    let raw = paths::target().join("trunk");
    run_trunk(is_release, &raw)?;
    let mut site = files::read_files(&raw)?;
    if !is_release {
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
    paths::remove_folder(&cached_build_path(&fingerprint(true)?))?;
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

fn run_trunk(is_release: bool, dist: &Path) -> Result<()> {
    // Trunk works offline, so that it never downloads a tool. The crates must be fetched before.
    run(&mut cargo(&format!("fetch --quiet --locked --target {}", tools::WASM)))?;
    let mut trunk = Command::new(tools::program_path("trunk"));
    trunk.args(["build", "--filehash", "false", "--dist"]).arg(dist).current_dir(paths::root());
    if is_release {
        trunk.arg("--release").env(split::SPLIT_VARIABLE, "1");
        trunk.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", release_flags());
    }
    trunk.env("PATH", tools::search_path()).env_remove(WORKSPACE_COMPILER);
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
fn fingerprint(is_release: bool) -> Result<String> {
    let root = paths::root();
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let needed = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let needed = needed.take_while(|line| !line.is_empty() && !line.starts_with('['));
    let crates = needed.filter_map(|line| line.strip_suffix(".workspace = true"));
    let inputs = INPUTS.split(' ').map(str::to_owned);
    let mut hash = Sha256::new();
    // Crates that are not ours have no such folder.
    for input in inputs.chain(crates.map(|name| format!("crates/{name}"))) {
        for path in paths::files_below(&root.join(input))? {
            let content = fs::read(&path).unwrap_or_default();
            let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy();
            hash.update(format!("{name}\0{}\0", content.len()));
            hash.update(&content);
        }
    }
    let kind = if is_release { "release" } else { DEVELOPMENT };
    Ok(format!("{kind} {:x}\n", hash.finalize()))
}
