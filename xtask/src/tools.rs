//! Installs the tools that build and test the dashboard, in pinned versions, into
//! `~/.cache/sheaf/tools/NAME-VERSION`, which all clones share. The user's own tools are not
//! changed.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::install::{download_release, ensure_installed};
use crate::run::{find_program, print_line, run, run_silently};
use crate::{apt, paths, python};

/// Compilation target of the dashboard.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A tool that cargo can compile, and that may also be published as a binary.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    /// Programs, with the most important one first.
    programs: &'static [&'static str],
    /// Options of `cargo install`.
    install: &'static str,
    /// URL of the published binary, or an empty text.
    release: &'static str,
}

const fn locked(name: &'static str, version: &'static str, programs: &'static [&str]) -> Tool {
    Tool { name, version, programs, install: "--locked", release: "" }
}

const TRUNK: Tool = Tool {
    // Without the default features it cannot download tools, which Trunk.toml forbids anyway.
    install: "--locked --no-default-features",
    release: "https://github.com/trunk-rs/trunk/releases/download/v{version}/\
        trunk-{arch}-unknown-linux-gnu.tar.gz",
    ..locked("trunk", "0.21.14", &["trunk"])
};

/// Must have exactly the version of the crate `wasm-bindgen` in Cargo.toml.
const BINDGEN: Tool = Tool {
    // Not `--locked`: its lock file names a version that the registry lacks. The default features
    // add an HTTPS client, which no test needs.
    install: "--no-default-features",
    release: "https://github.com/wasm-bindgen/wasm-bindgen/releases/download/{version}/\
        wasm-bindgen-{version}-{arch}-unknown-linux-musl.tar.gz",
    ..locked("wasm-bindgen-cli", "0.2.130", &["wasm-bindgen", "wasm-bindgen-test-runner"])
};

/// Belongs to the version of the macro in Cargo.lock, `wasm_split_helpers`, but has its own version
/// numbers.
const SPLIT: Tool = Tool {
    install: "--locked --features build-binary",
    ..locked("wasm_split_cli_support", "0.2.4", &["wasm-split-cli"])
};

/// Controls Firefox.
pub(crate) const GECKODRIVER: Tool = locked("geckodriver", "0.37.1", &["geckodriver"]);

/// Profile of the tools. Only crates that process modules of several megabytes are optimised: this
/// saves more time than it costs, and lets the tools share their dependencies. Code that unwinds
/// takes time to compile.
const PROFILE: &str = "opt-level=0 lto='off' codegen-units=16 debug=0 panic='abort' \
    package.walrus.opt-level=1 package.wasmparser.opt-level=1 \
    package.wasm-bindgen-cli-support.opt-level=1";

const ALL: [&Tool; 4] = [&TRUNK, &BINDGEN, &SPLIT, &GECKODRIVER];

/// Adds the browser target to the toolchain if it is missing: rustup may be set to add nothing.
pub(crate) fn ensure_wasm_target() -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print=target-libdir", "--target", WASM]);
    if run_silently(&mut rustc).is_some_and(|folder| Path::new(&folder).is_dir()) {
        return Ok(());
    }
    run(Command::new("rustup").args(["target", "add", WASM]))
}

/// Installs the tools that build the dashboard, if they are missing. Only a release is split and
/// optimised.
pub(crate) fn for_dashboard(is_release: bool) -> Result<()> {
    ensure_wasm_target()?;
    ensure_tool(&BINDGEN)?;
    ensure_tool(&TRUNK)?;
    if is_release {
        ensure_tool(&SPLIT)?;
        ensure_binaryen()?;
    }
    Ok(())
}

/// Installs the runner of browser tests, and returns its path.
pub(crate) fn ensure_test_runner() -> Result<PathBuf> {
    ensure_wasm_target()?;
    ensure_tool(&BINDGEN).map(|bindgen| bindgen.with_file_name("wasm-bindgen-test-runner"))
}

/// Returns the path of cargo-nextest: the installed one if it is new enough for
/// `.config/nextest.toml`, otherwise ours.
pub(crate) fn ensure_nextest() -> Result<PathBuf> {
    let is_recent = |found: &PathBuf| {
        let mut nextest = Command::new(found);
        nextest.args(["nextest", "show-config", "version"]).current_dir(paths::root());
        run_silently(&mut nextest).is_some()
    };
    find_program("cargo-nextest")
        .filter(is_recent)
        .map_or_else(|| python::cargo_tool("cargo-nextest"), Ok)
}

/// Returns the search path with our tools first.
pub(crate) fn search_path() -> OsString {
    let ours = ALL.iter().map(|tool| tool.program_path(""));
    let theirs = env::var_os("PATH").unwrap_or_default();
    env::join_paths(ours.chain(env::split_paths(&theirs))).unwrap_or(theirs)
}

/// Returns the path of axe-core's script, which checks the accessibility of a page.
pub(crate) fn axe_path() -> Result<PathBuf> {
    Ok(ensure_npm_package("axe-core", "4.14.1")?.join("node_modules/axe-core/axe.min.js"))
}

/// Returns the folder of the Mozilla observatory's analyser.
pub(crate) fn observatory_folder() -> Result<PathBuf> {
    ensure_npm_package("@mdn/mdn-http-observatory", "1.4.8")
}

/// Installs binaryen if it is missing: the release of its makers, or from npm. The sizes of their
/// output differ by less than 0.5 %. Returns its folder.
pub(crate) fn ensure_binaryen() -> Result<PathBuf> {
    ensure_installed(paths::tool("binaryen-132.0.0"), |new| {
        let release = "https://github.com/WebAssembly/binaryen/releases/download/version_132/\
            binaryen-version_132-{arch}-linux.tar.gz";
        if download_release(release, &["wasm-opt", "wasm-merge", "wasm-dis"], new) {
            return Ok(());
        }
        install_npm_package(new, "binaryen", "132.0.0")
    })
}

/// Returns the path of a program of binaryen.
pub(crate) fn binaryen_program(program: &str) -> Result<PathBuf> {
    let folder = ensure_binaryen()?;
    let released = folder.join("bin").join(program);
    let from_npm = folder.join("node_modules/.bin").join(program);
    Ok(if released.is_file() { released } else { from_npm })
}

/// Returns the path of a program of one of our tools.
pub(crate) fn program_path(program: &str) -> PathBuf {
    let tool = ALL.iter().find(|tool| tool.programs.contains(&program));
    tool.map_or_else(|| PathBuf::from(program), |tool| tool.program_path(program))
}

impl Tool {
    fn folder(&self) -> PathBuf {
        paths::tool(&format!("{}-{}", self.name, self.version))
    }

    fn program_path(&self, program: &str) -> PathBuf {
        self.folder().join("bin").join(program)
    }
}

/// Installs a tool if it is missing. Returns the path of its first program.
pub(crate) fn ensure_tool(tool: &Tool) -> Result<PathBuf> {
    let Tool { version, programs, release, .. } = tool;
    ensure_installed(tool.folder(), |new| {
        if download_release(&release.replace("{version}", version), programs, new) {
            return Ok(());
        }
        compile_tool(tool, new)
    })?;
    Ok(tool.program_path(programs[0]))
}

fn compile_tool(tool: &Tool, new: &Path) -> Result<()> {
    let Tool { name, version, install, .. } = tool;
    print_line(&format!("Compiling {name} {version} once, usually 1 to 6 minutes on two cores."));
    let mut cargo = Command::new("cargo");
    cargo.args(format!("install --quiet {name} --version ={version} {install}").split(' '));
    cargo.arg("--root").arg(new);
    // The tools share dependencies, so they share a target folder.
    cargo.env("CARGO_TARGET_DIR", paths::target().join("tools"));
    for setting in PROFILE.split(' ') {
        cargo.args(["--config", &format!("profile.release.{setting}")]);
    }
    run(&mut cargo)
}

/// Installs the packages of a folder's lock file.
pub(crate) fn install_lock_file(folder: &Path) -> Result<()> {
    npm(folder, "ci --prefer-offline")
}

/// Installs one npm package if it is missing, without its install scripts. Returns its folder.
fn ensure_npm_package(package: &str, version: &str) -> Result<PathBuf> {
    let name = package.rsplit('/').next().unwrap_or(package);
    ensure_installed(paths::tool(&format!("{name}-{version}")), |new| {
        install_npm_package(new, package, version)
    })
}

/// Installs one npm package into a folder, without its install scripts.
fn install_npm_package(folder: &Path, package: &str, version: &str) -> Result<()> {
    npm(folder, &format!("install --no-save --ignore-scripts --prefix . {package}@{version}"))
}

fn npm(folder: &Path, words: &str) -> Result<()> {
    apt::need_programs(&["npm"])?;
    let mut npm = Command::new("npm");
    npm.args(words.split(' ')).args(["--no-audit", "--no-fund", "--loglevel=error"]);
    run(npm.current_dir(folder))
}
