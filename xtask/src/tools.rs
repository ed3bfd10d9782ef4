//! Installs the tools that build and test the dashboard, in pinned versions, into
//! `~/.cache/sheaf/tools/NAME-VERSION`, which all clones share. The user's own tools are not
//! changed.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use crate::build::optimise;
use crate::install::{download_archive, ensure_installed, find_file, release_url};
use crate::npm::ensure_npm_package;
use crate::paths;
use crate::run::{
    self, Error, Result, format_duration, has_program, print_line, run, run_silently,
};

/// Compilation target of the dashboard.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A tool that cargo can compile, and that may also be published as a binary.
struct Tool {
    name: &'static str,
    version: &'static str,
    programs: &'static [&'static str],
    install: &'static [&'static str],
    /// Optimisation level. Only tools that process megabytes repeatedly benefit from more than 0.
    opt_level: &'static str,
    usual_time: &'static str,
}

const TRUNK: Tool = Tool {
    name: "trunk",
    version: "0.21.14",
    programs: &["trunk"],
    // Without the default features it cannot download tools, which Trunk.toml forbids anyway.
    install: &["--locked", "--no-default-features"],
    opt_level: "0",
    usual_time: "3 to 6 minutes",
};

/// Must have exactly the version of the crate `wasm-bindgen` in Cargo.toml.
const BINDGEN: Tool = Tool {
    name: "wasm-bindgen-cli",
    version: "0.2.130",
    programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
    // Not `--locked`: its lock file names a version that the registry lacks. The default features
    // add an HTTPS client, which no test needs.
    install: &["--no-default-features"],
    opt_level: "1",
    usual_time: "1 to 3 minutes",
};

/// Belongs to the version of the macro in Cargo.lock, `wasm_split_helpers`, but has its own version
/// numbers.
const SPLIT: Tool = Tool {
    name: "wasm_split_cli_support",
    version: "0.2.4",
    programs: &["wasm-split-cli"],
    install: &["--locked", "--features", "build-binary"],
    opt_level: "1",
    usual_time: "1 to 3 minutes",
};

const FUZZ: Tool = Tool {
    name: "cargo-fuzz",
    version: "0.13.2",
    programs: &["cargo-fuzz"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "half a minute",
};

/// Controls Firefox.
const GECKODRIVER: Tool = Tool {
    name: "geckodriver",
    version: "0.37.1",
    programs: &["geckodriver"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "1 to 2 minutes",
};

/// Checks the dependencies.
const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
    programs: &["cargo-deny"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "2 to 4 minutes",
};

/// Runs the host tests.
const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    version: "0.9.143",
    programs: &["cargo-nextest"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "3 to 5 minutes",
};

const ALL: [&Tool; 7] = [&TRUNK, &BINDGEN, &SPLIT, &FUZZ, &GECKODRIVER, &DENY, &NEXTEST];

const AXE: &str = "4.14.1";
const OBSERVATORY: &str = "1.4.8";
/// Last version that runs on the distribution's Node.
const LIGHTHOUSE: &str = "12.8.2";

/// Installs the tools that build the dashboard, if they are missing.
pub(crate) fn for_dashboard() -> Result {
    wasm_target()?;
    ensure_tool(&BINDGEN)?;
    ensure_tool(&TRUNK)?;
    ensure_tool(&SPLIT)?;
    optimise::wasm_opt().map(drop)
}

/// Installs the tools for browser tests. Returns the path of the test runner.
pub(crate) fn for_browser_tests() -> Result<PathBuf> {
    wasm_target()?;
    ensure_tool(&BINDGEN)?;
    Ok(program_path("wasm-bindgen-test-runner"))
}

/// Installs cargo-fuzz, which runs the fuzz targets.
pub(crate) fn ensure_cargo_fuzz() -> Result {
    ensure_tool(&FUZZ)
}

/// Installs geckodriver, which controls Firefox. Returns its path.
pub(crate) fn ensure_geckodriver() -> Result<PathBuf> {
    ensure_tool(&GECKODRIVER)?;
    Ok(program_path("geckodriver"))
}

/// Installs cargo-deny, which checks the dependencies. Returns its path.
pub(crate) fn ensure_cargo_deny() -> Result<PathBuf> {
    ensure_tool(&DENY)?;
    Ok(program_path("cargo-deny"))
}

/// Returns the path of cargo-nextest: the installed one if it is new enough for
/// `.config/nextest.toml`, otherwise ours.
pub(crate) fn ensure_nextest() -> Result<PathBuf> {
    if let Some(found) = run::find_program("cargo-nextest").filter(|found| is_recent(found)) {
        return Ok(found);
    }
    ensure_tool(&NEXTEST)?;
    Ok(program_path("cargo-nextest"))
}

/// Returns whether a cargo-nextest has at least our version.
fn is_recent(program: &Path) -> bool {
    let output =
        run_silently(Command::new(program).args(["nextest", "--version"])).unwrap_or_default();
    let numbers = |text: &str| {
        text.split('.').map(str::parse).collect::<std::result::Result<Vec<u32>, _>>().ok()
    };
    let version = output.split_whitespace().nth(1).and_then(numbers);
    version.is_some_and(|version| Some(version) >= numbers(NEXTEST.version))
}

/// Returns the search path with our tools first.
pub(crate) fn search_path() -> OsString {
    let ours = ALL.iter().map(|tool| tool.folder().join("bin"));
    let ours = ours.chain(optimise::installed_folder());
    let theirs = env::var_os("PATH").unwrap_or_default();
    let all = ours.chain(env::split_paths(&theirs));
    env::join_paths(all).unwrap_or(theirs)
}

/// Adds the browser target to the toolchain if it is missing.
pub(crate) fn wasm_target() -> Result {
    let sysroot =
        run_silently(Command::new("rustc").args(["--print", "sysroot"])).ok_or_else(|| {
            Error::new("cannot run `rustc`: install Rust by rustup, https://rustup.rs")
        })?;
    if Path::new(&sysroot).join("lib/rustlib").join(WASM).join("lib").is_dir() {
        return Ok(());
    }
    if !has_program("rustup") {
        let message = format!("the target `{WASM}` is missing: add it to your Rust toolchain");
        return Err(Error::new(message));
    }
    print_line(&format!("Adding the target {WASM} to the toolchain: some seconds."));
    run(Command::new("rustup").args(["target", "add", WASM]))
}

/// Returns the path of axe-core's script, which checks the accessibility of a page.
pub(crate) fn axe_path() -> Result<PathBuf> {
    Ok(ensure_npm_package("axe-core", AXE, &[])?.join("node_modules/axe-core/axe.min.js"))
}

/// Returns the path of Lighthouse, which measures a page.
pub(crate) fn lighthouse_path() -> Result<PathBuf> {
    Ok(ensure_npm_package("lighthouse", LIGHTHOUSE, &[])?.join("node_modules/.bin/lighthouse"))
}

/// Returns the folder of the Mozilla observatory's analyser.
pub(crate) fn observatory_folder() -> Result<PathBuf> {
    // Its install script downloads data that is not needed here.
    ensure_npm_package("@mdn/mdn-http-observatory", OBSERVATORY, &["--ignore-scripts"])
}

/// Returns the path of a program of one of our tools.
pub(crate) fn program_path(program: &str) -> PathBuf {
    let tool = ALL.iter().find(|tool| tool.programs.contains(&program));
    tool.map_or_else(|| PathBuf::from(program), |tool| tool.folder().join("bin").join(program))
}

impl Tool {
    fn folder(&self) -> PathBuf {
        paths::tools().join(format!("{}-{}", self.name, self.version))
    }
}

fn ensure_tool(tool: &Tool) -> Result {
    let began = Instant::now();
    let name = format!("{}-{}", tool.name, tool.version);
    let is_there = tool.folder().is_dir();
    ensure_installed(&name, |new| {
        if download_tool(tool, new) { Ok(()) } else { compile_tool(tool, new) }
    })?;
    if !is_there {
        print_line(&format!("Installed {name} in {}.", format_duration(began.elapsed())));
    }
    Ok(())
}

fn compile_tool(tool: &Tool, new: &Path) -> Result {
    let name = tool.name;
    let version = tool.version;
    print_line(&format!(
        "Compiling {name} {version} once, usually {} on two cores.",
        tool.usual_time
    ));
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--quiet", name, "--version", &format!("={version}")]);
    cargo.args(tool.install).arg("--root").arg(new);
    // The tools share dependencies, so they share a target folder.
    cargo.env("CARGO_TARGET_DIR", paths::target().join("tools"));
    // Optimising a tool that runs for seconds would take minutes.
    let opt_level = ("OPT_LEVEL", tool.opt_level);
    for (key, value) in [opt_level, ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")] {
        cargo.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
    }
    run(&mut cargo)
}

/// Downloads the published binary. Returns `false` if that is not possible.
///
/// On the build server everything comes from the registries.
fn download_tool(tool: &Tool, new: &Path) -> bool {
    let Some(url) = release_url(tool.name, tool.version) else { return false };
    let unpacked = new.join("unpacked");
    if !download_archive(tool.name, &url, &unpacked) {
        return false;
    }
    let placed =
        tool.programs.iter().all(|program| move_program(&unpacked, program, new).is_some());
    let _ = fs::remove_dir_all(&unpacked);
    placed
        && tool
            .programs
            .first()
            .is_some_and(|program| has_version(&new.join("bin").join(program), tool.version))
}

fn has_version(program: &Path, version: &str) -> bool {
    run_silently(Command::new(program).arg("--version"))
        .is_some_and(|output| output.split_whitespace().any(|word| word == version))
}

/// Moves `program` from anywhere below `folder` to `program_path` of `new`.
fn move_program(folder: &Path, program: &str, new: &Path) -> Option<()> {
    let found = find_file(folder, program)?;
    fs::create_dir_all(new.join("bin")).ok()?;
    fs::rename(found, new.join("bin").join(program)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wasm_bindgen_version_matches_lock_file() {
        let lock = fs::read_to_string(paths::root().join("Cargo.lock")).unwrap();
        let pinned = format!("name = \"wasm-bindgen\"\nversion = \"{}\"\n", BINDGEN.version);
        assert!(lock.contains(&pinned), "the tool and the crate must have the same version");
    }

    #[test]
    fn trunk_version_matches_configuration() {
        let config = fs::read_to_string(paths::root().join("Trunk.toml")).unwrap();
        assert!(config.contains(&format!("trunk-version = \"{}\"", TRUNK.version)));
    }

    #[test]
    fn search_path_starts_with_our_tools() {
        let path = search_path();
        assert_eq!(env::split_paths(&path).next(), Some(TRUNK.folder().join("bin")));
        assert_eq!(program_path("wasm-split-cli"), SPLIT.folder().join("bin/wasm-split-cli"));
    }

    #[test]
    fn installed_nextest_must_be_recent() {
        assert!(!is_recent(Path::new("false")));
        assert!(is_recent(&ensure_nextest().unwrap()));
    }

    #[test]
    fn program_of_other_version_is_rejected() {
        assert!(!has_version(Path::new("rustc"), "0.0.1"));
    }
}
