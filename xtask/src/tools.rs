//! Installs the tools that build and test the dashboard, in pinned versions, into
//! `~/.cache/sheaf/tools/NAME-VERSION`, which all clones share. The user's own tools are not
//! changed.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};

use crate::build::optimise;
use crate::install::{download_release, ensure_installed};
use crate::run::{find_program, format_duration, has_program, print_line, run, run_silently};
use crate::{apt, paths};

/// Compilation target of the dashboard.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A tool that cargo can compile, and that may also be published as a binary.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    /// Programs, with the most important one first.
    programs: &'static [&'static str],
    install: &'static [&'static str],
    /// URL of the published binary, or an empty text.
    release: &'static str,
}

const fn locked(name: &'static str, version: &'static str, programs: &'static [&str]) -> Tool {
    Tool { name, version, programs, install: &["--locked"], release: "" }
}

const TRUNK: Tool = Tool {
    // Without the default features it cannot download tools, which Trunk.toml forbids anyway.
    install: &["--locked", "--no-default-features"],
    release: "https://github.com/trunk-rs/trunk/releases/download/v{version}/\
        trunk-{arch}-unknown-linux-gnu.tar.gz",
    ..locked("trunk", "0.21.14", &["trunk"])
};

/// Must have exactly the version of the crate `wasm-bindgen` in Cargo.toml.
const BINDGEN: Tool = Tool {
    // Not `--locked`: its lock file names a version that the registry lacks. The default features
    // add an HTTPS client, which no test needs.
    install: &["--no-default-features"],
    release: "https://github.com/wasm-bindgen/wasm-bindgen/releases/download/{version}/\
        wasm-bindgen-{version}-{arch}-unknown-linux-musl.tar.gz",
    ..locked("wasm-bindgen-cli", "0.2.130", &["wasm-bindgen", "wasm-bindgen-test-runner"])
};

/// Belongs to the version of the macro in Cargo.lock, `wasm_split_helpers`, but has its own version
/// numbers.
const SPLIT: Tool = Tool {
    install: &["--locked", "--features", "build-binary"],
    ..locked("wasm_split_cli_support", "0.2.4", &["wasm-split-cli"])
};

/// Runs the fuzz targets.
pub(crate) const FUZZ: Tool = locked("cargo-fuzz", "0.13.2", &["cargo-fuzz"]);
/// Controls Firefox.
pub(crate) const GECKODRIVER: Tool = locked("geckodriver", "0.37.1", &["geckodriver"]);
/// Checks the dependencies.
pub(crate) const DENY: Tool = locked("cargo-deny", "0.20.2", &["cargo-deny"]);
/// Runs the host tests.
const NEXTEST: Tool = locked("cargo-nextest", "0.9.143", &["cargo-nextest"]);

/// Profile of the tools. Only crates that process modules of several megabytes are optimised, which
/// saves more time than it costs, and lets the tools share their dependencies. Code that unwinds the
/// stack takes time to compile.
const PROFILE: [&str; 8] = [
    "opt-level=0",
    "lto='off'",
    "codegen-units=16",
    "debug=0",
    "panic='abort'",
    "package.walrus.opt-level=1",
    "package.wasmparser.opt-level=1",
    "package.wasm-bindgen-cli-support.opt-level=1",
];

const ALL: [&Tool; 7] = [&TRUNK, &BINDGEN, &SPLIT, &FUZZ, &GECKODRIVER, &DENY, &NEXTEST];

/// Installs the tools that build the dashboard, if they are missing.
pub(crate) fn for_dashboard() -> Result<()> {
    wasm_target()?;
    ensure_tool(&BINDGEN)?;
    ensure_tool(&TRUNK)?;
    ensure_tool(&SPLIT)?;
    optimise::ensure_binaryen().map(drop)
}

/// Installs the tools for browser tests. Returns the path of the test runner.
pub(crate) fn for_browser_tests() -> Result<PathBuf> {
    wasm_target()?;
    ensure_tool(&BINDGEN)?;
    Ok(BINDGEN.program_path("wasm-bindgen-test-runner"))
}

/// Returns the path of cargo-nextest: the installed one if it is new enough for
/// `.config/nextest.toml`, otherwise ours.
pub(crate) fn ensure_nextest() -> Result<PathBuf> {
    if let Some(found) = find_program("cargo-nextest").filter(|found| is_recent(found)) {
        return Ok(found);
    }
    ensure_tool(&NEXTEST)
}

/// Returns whether a cargo-nextest has at least our version.
fn is_recent(program: &Path) -> bool {
    let output = run_silently(Command::new(program).args(["nextest", "--version"]));
    let numbers = |text: &str| -> Vec<u32> { text.split('.').flat_map(str::parse).collect() };
    let version = output.as_deref().and_then(|text| text.split_whitespace().nth(1));
    version.is_some_and(|version| numbers(version) >= numbers(NEXTEST.version))
}

/// Returns the search path with our tools first.
pub(crate) fn search_path() -> OsString {
    let ours = ALL.iter().map(|tool| tool.program_path(""));
    let theirs = env::var_os("PATH").unwrap_or_default();
    env::join_paths(ours.chain(env::split_paths(&theirs))).unwrap_or(theirs)
}

/// Adds the browser target to the toolchain if it is missing.
pub(crate) fn wasm_target() -> Result<()> {
    let sysroot = run_silently(Command::new("rustc").args(["--print", "sysroot"]));
    let sysroot =
        sysroot.context("cannot run `rustc`: install Rust by rustup, https://rustup.rs")?;
    if Path::new(&sysroot).join("lib/rustlib").join(WASM).join("lib").is_dir() {
        return Ok(());
    }
    ensure!(has_program("rustup"), "the target `{WASM}` is missing: add it to your Rust toolchain");
    print_line(&format!("Adding the target {WASM} to the toolchain: some seconds."));
    run(Command::new("rustup").args(["target", "add", WASM]))
}

/// Returns the path of axe-core's script, which checks the accessibility of a page.
pub(crate) fn axe_path() -> Result<PathBuf> {
    Ok(ensure_npm_package("axe-core", "4.14.1")?.join("node_modules/axe-core/axe.min.js"))
}

/// Returns the path of Lighthouse, which measures a page.
pub(crate) fn lighthouse_path() -> Result<PathBuf> {
    // The last version that runs on the distribution's Node.
    Ok(ensure_npm_package("lighthouse", "12.8.2")?.join("node_modules/.bin/lighthouse"))
}

/// Returns the folder of the Mozilla observatory's analyser.
pub(crate) fn observatory_folder() -> Result<PathBuf> {
    ensure_npm_package("@mdn/mdn-http-observatory", "1.4.8")
}

/// Returns the path of a program of one of our tools.
pub(crate) fn program_path(program: &str) -> PathBuf {
    let tool = ALL.iter().find(|tool| tool.programs.contains(&program));
    tool.map_or_else(|| PathBuf::from(program), |tool| tool.program_path(program))
}

impl Tool {
    fn folder_name(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    fn program_path(&self, program: &str) -> PathBuf {
        paths::tools().join(self.folder_name()).join("bin").join(program)
    }
}

/// Installs a tool if it is missing. Returns the path of its first program.
pub(crate) fn ensure_tool(tool: &Tool) -> Result<PathBuf> {
    let Tool { name, version, programs, release, .. } = tool;
    ensure_installed(&tool.folder_name(), |new| {
        if download_release(&release.replace("{version}", version), programs, new) {
            return Ok(());
        }
        let began = Instant::now();
        compile_tool(tool, new)?;
        let time = format_duration(began.elapsed());
        print_line(&format!("Installed {name} {version} in {time}."));
        Ok(())
    })?;
    Ok(tool.program_path(programs[0]))
}

fn compile_tool(tool: &Tool, new: &Path) -> Result<()> {
    let Tool { name, version, install, .. } = tool;
    print_line(&format!("Compiling {name} {version} once, usually 1 to 6 minutes on two cores."));
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--quiet", name, "--version", &format!("={version}")]);
    cargo.args(*install).arg("--root").arg(new);
    // The tools share dependencies, so they share a target folder.
    cargo.env("CARGO_TARGET_DIR", paths::target().join("tools"));
    for setting in PROFILE {
        cargo.args(["--config", &format!("profile.release.{setting}")]);
    }
    run(&mut cargo)
}

/// Installs the packages of a folder's lock file.
pub(crate) fn install_lock_file(folder: &Path) -> Result<()> {
    npm(folder, &["ci", "--prefer-offline"])
}

/// Installs one npm package if it is missing, without its install scripts. Returns its folder.
fn ensure_npm_package(package: &str, version: &str) -> Result<PathBuf> {
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
