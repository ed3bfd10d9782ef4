//! Gets the tools that build and test the dashboard, in pinned versions, into `.tools` of the
//! project. Never touches the user's own tools, and never installs twice.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use crate::{
    optimise, place,
    run::{Error, Result, exists, io_at, output_of, run, say, shown_time},
};

/// The target that the dashboard is compiled to.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A tool that cargo can compile and that its makers also publish as a program.
struct Crate {
    name: &'static str,
    version: &'static str,
    /// The program whose `--version` tells whether the tool is there.
    program: &'static str,
    programs: &'static [&'static str],
    install: &'static [&'static str],
    /// How much it is optimised: only what goes through megabytes again and again is worth it.
    opt_level: &'static str,
    usual_time: &'static str,
}

const TRUNK: Crate = Crate {
    name: "trunk",
    version: "0.21.14",
    program: "trunk",
    programs: &["trunk"],
    // Without the default features it cannot download, which is what Trunk.toml forbids anyway.
    install: &["--locked", "--no-default-features"],
    opt_level: "0",
    usual_time: "3 to 6 minutes",
};

/// The same version as the crate `wasm-bindgen` in Cargo.toml, to the last digit.
const BINDGEN: Crate = Crate {
    name: "wasm-bindgen-cli",
    version: "0.2.130",
    program: "wasm-bindgen",
    programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
    // Not `--locked`: its lock file names a version that the registry lacks.
    install: &[],
    opt_level: "1",
    usual_time: "1 to 3 minutes",
};

/// Of the macro's version in Cargo.lock, `wasm_split_helpers`, but numbered apart from it.
const SPLIT: Crate = Crate {
    name: "wasm_split_cli_support",
    version: "0.2.4",
    program: "wasm-split-cli",
    programs: &["wasm-split-cli"],
    install: &["--locked", "--features", "build-binary"],
    opt_level: "1",
    usual_time: "1 to 3 minutes",
};

const FUZZ: Crate = Crate {
    name: "cargo-fuzz",
    version: "0.13.2",
    program: "cargo-fuzz",
    programs: &["cargo-fuzz"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "half a minute",
};

/// It drives Firefox.
const GECKODRIVER: Crate = Crate {
    name: "geckodriver",
    version: "0.37.1",
    program: "geckodriver",
    programs: &["geckodriver"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "1 to 2 minutes",
};

/// It judges what is among our dependencies.
const DENY: Crate = Crate {
    name: "cargo-deny",
    version: "0.20.2",
    program: "cargo-deny",
    programs: &["cargo-deny"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "2 to 4 minutes",
};

const AXE: &str = "4.14.1";
const OBSERVATORY: &str = "1.4.8";
/// The last one that runs on the Node of the distribution.
const LIGHTHOUSE: &str = "12.8.2";

/// Makes sure of all that building the dashboard needs.
pub(crate) fn for_dashboard() -> Result {
    wasm_target()?;
    cargo_tool(&TRUNK)?;
    cargo_tool(&BINDGEN)?;
    cargo_tool(&SPLIT)?;
    optimise::wasm_opt()
}

/// Makes sure of what runs tests of the dashboard in a browser; returns the test runner's path.
pub(crate) fn for_browser_tests() -> Result<PathBuf> {
    wasm_target()?;
    cargo_tool(&BINDGEN)?;
    Ok(bin("wasm-bindgen-test-runner"))
}

/// Makes sure of what runs the fuzz targets.
pub(crate) fn cargo_fuzz() -> Result {
    cargo_tool(&FUZZ)
}

/// Makes sure of what drives Firefox; returns its path.
pub(crate) fn geckodriver() -> Result<PathBuf> {
    cargo_tool(&GECKODRIVER)?;
    Ok(bin(GECKODRIVER.program))
}

/// Makes sure of what judges our dependencies; returns its path.
pub(crate) fn cargo_deny() -> Result<PathBuf> {
    cargo_tool(&DENY)?;
    Ok(bin(DENY.program))
}

/// The search path with the project's own tools first.
pub(crate) fn search_path() -> OsString {
    let mine = place::tools().join("bin");
    let theirs = env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(mine).chain(env::split_paths(&theirs));
    env::join_paths(all).unwrap_or(theirs)
}

/// Adds the target of the browser to the toolchain, unless it is there.
pub(crate) fn wasm_target() -> Result {
    let sysroot =
        output_of(Command::new("rustc").args(["--print", "sysroot"])).ok_or_else(|| {
            Error::new("cannot run `rustc`: install Rust by rustup, https://rustup.rs")
        })?;
    if Path::new(&sysroot).join("lib/rustlib").join(WASM).join("lib").is_dir() {
        return Ok(());
    }
    if !exists("rustup") {
        let message = format!("the target `{WASM}` is missing: add it to your Rust installation");
        return Err(Error::new(message));
    }
    say(&format!("Adding the target {WASM} to the toolchain: some seconds."));
    run(Command::new("rustup").args(["target", "add", WASM]))
}

/// The path of axe-core's script, which looks for barriers in a page.
pub(crate) fn axe() -> Result<PathBuf> {
    let script = place::tools().join("npm/axe-core/node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        crate::apt::need_program("npm", "npm", "to get axe-core")?;
        npm("axe-core", AXE)?;
    }
    Ok(script)
}

/// The path of Lighthouse, which judges a page.
pub(crate) fn lighthouse() -> Result<PathBuf> {
    let program = place::tools().join("npm/lighthouse/node_modules/.bin/lighthouse");
    if !program.is_file() {
        crate::apt::need_program("npm", "npm", "to get Lighthouse")?;
        npm("lighthouse", LIGHTHOUSE)?;
    }
    Ok(program)
}

/// The folder in which the analyser of the Mozilla observatory is.
pub(crate) fn observatory() -> Result<PathBuf> {
    let folder = place::tools().join("npm/observatory");
    if !folder.join("node_modules/@mdn/mdn-http-observatory/package.json").is_file() {
        crate::apt::need_program("npm", "npm", "to get the observatory's analyser")?;
        fs::create_dir_all(&folder).map_err(io_at("create", &folder))?;
        let mut npm = Command::new("npm");
        // Its own script would ask the network for what is not needed here.
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"]);
        npm.args(["--loglevel=error", "--prefix"]).arg(&folder);
        run(npm.arg(format!("@mdn/mdn-http-observatory@{OBSERVATORY}")))?;
    }
    Ok(folder)
}

/// Installs what a folder's lock file names, unless it is there.
pub(crate) fn npm_install(folder: &Path) -> Result {
    crate::apt::need_program("npm", "npm", "to build a page that is measured against")?;
    let (locked, there) =
        (folder.join("package-lock.json"), folder.join("node_modules/.package-lock.json"));
    let changed = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
    if changed(&there).is_some() && changed(&there) >= changed(&locked) {
        return Ok(());
    }
    let words = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    run(Command::new("npm").args(words).current_dir(folder))
}

/// The path of a tool of the project.
pub(crate) fn bin(program: &str) -> PathBuf {
    place::tools().join("bin").join(program)
}

/// Whether the tool is there in its version, by its own words or by cargo's list of what it
/// installed: not every tool has a version to tell.
fn is_there(tool: &Crate) -> bool {
    let program = bin(tool.program);
    let installed = fs::read_to_string(place::tools().join(".crates.toml")).unwrap_or_default();
    let line = format!("\"{} {} ", tool.name, tool.version);
    has_version(&program, tool.version) || (program.is_file() && installed.contains(&line))
}

fn has_version(program: &Path, version: &str) -> bool {
    output_of(Command::new(program).arg("--version"))
        .is_some_and(|said| said.split_whitespace().any(|word| word == version))
}

fn cargo_tool(tool: &Crate) -> Result {
    if is_there(tool) {
        return Ok(());
    }
    let began = Instant::now();
    if !prebuilt(tool) {
        compiled(tool)?;
    }
    if !is_there(tool) {
        let (program, version) = (bin(tool.program), tool.version);
        let message = format!("`{}` does not say version {version}: remove it", program.display());
        return Err(Error::new(message));
    }
    say(&format!(
        "{} {} is there, after {}.",
        tool.name,
        tool.version,
        shown_time(began.elapsed())
    ));
    Ok(())
}

fn compiled(tool: &Crate) -> Result {
    let (name, version) = (tool.name, tool.version);
    say(&format!(
        "Compiling {name} {version} into .tools, once: usually {} on two cores.",
        tool.usual_time
    ));
    let build = place::tools().join("build");
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--quiet", "--force", name, "--version", &format!("={version}")]);
    cargo.args(tool.install).arg("--root").arg(place::tools());
    // A tool that runs for seconds need not be optimised for minutes.
    cargo.env("CARGO_TARGET_DIR", &build);
    let opt_level = ("OPT_LEVEL", tool.opt_level);
    for (key, value) in [opt_level, ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")] {
        cargo.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
    }
    run(&mut cargo)?;
    fs::remove_dir_all(&build).map_err(io_at("remove", &build))
}

/// Gets the makers' own program where the network has it; `false` where it does not.
///
/// On the build server nothing comes from anywhere but the registries.
fn prebuilt(tool: &Crate) -> bool {
    let Some(url) = release_url(tool.name, tool.version) else { return false };
    let Some(unpacked) = downloaded(tool.name, &url) else { return false };
    let placed = tool.programs.iter().all(|program| take(&unpacked, program).is_some());
    let _ = fs::remove_dir_all(&unpacked);
    placed && has_version(&bin(tool.program), tool.version)
}

pub(crate) fn release_url(name: &str, version: &str) -> Option<String> {
    let arch = env::consts::ARCH;
    if env::consts::OS != "linux" || !matches!(arch, "x86_64" | "aarch64") {
        return None;
    }
    let path = match name {
        "trunk" => {
            format!("trunk-rs/trunk/releases/download/v{version}/trunk-{arch}-unknown-linux-gnu")
        }
        "wasm-bindgen-cli" => format!(
            "wasm-bindgen/wasm-bindgen/releases/download/{version}/\
             wasm-bindgen-{version}-{arch}-unknown-linux-musl"
        ),
        "binaryen" => format!(
            "WebAssembly/binaryen/releases/download/version_{version}/\
             binaryen-version_{version}-{arch}-linux"
        ),
        _ => return None,
    };
    Some(format!("https://github.com/{path}.tar.gz"))
}

/// Downloads and unpacks an archive into a folder of its own, or says why it goes another way.
pub(crate) fn downloaded(name: &str, url: &str) -> Option<PathBuf> {
    if env::var_os("CI").is_some() || !exists("curl") || !exists("tar") {
        return None;
    }
    say(&format!("Downloading {name} from {url}: usually some seconds."));
    let folder = place::tools().join("download").join(name);
    fs::create_dir_all(&folder).ok()?;
    let archive = folder.join("archive.tar.gz");
    let mut curl = Command::new("curl");
    curl.args(["-fsSL", "--connect-timeout", "4", "--max-time", "180", "-o"]);
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).arg("-C").arg(&folder);
    let got = output_of(curl.arg(&archive).arg(url)).and_then(|_| output_of(&mut tar));
    if got.is_none() {
        let _ = fs::remove_dir_all(&folder);
        say("That cannot be had here; going by the registries instead.");
    }
    got.map(|_| folder)
}

/// Moves `program` from somewhere below `folder` to `.tools/bin`.
fn take(folder: &Path, program: &str) -> Option<()> {
    let found = find(folder, program)?;
    fs::create_dir_all(place::tools().join("bin")).ok()?;
    fs::rename(found, bin(program)).ok()
}

pub(crate) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files
        .into_iter()
        .find(|file| file.file_name().is_some_and(|it| it == name))
        .or_else(|| folders.iter().find_map(|folder| find(folder, name)))
}

/// Installs one package of npm in a folder of its own, so that no other is pruned.
pub(crate) fn npm(package: &str, version: &str) -> Result {
    let folder = place::tools().join("npm").join(package);
    fs::create_dir_all(&folder).map_err(io_at("create", &folder))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error", "--prefix"]);
    run(npm.arg(&folder).arg(format!("{package}@{version}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pinned_wasm_bindgen_is_the_one_of_the_lock_file() {
        let lock = fs::read_to_string(place::root().join("Cargo.lock")).unwrap();
        let pinned = format!("name = \"wasm-bindgen\"\nversion = \"{}\"\n", BINDGEN.version);
        assert!(lock.contains(&pinned), "the tool and the crate must be of one version");
    }

    #[test]
    fn the_pinned_trunk_is_the_one_of_its_configuration() {
        let config = fs::read_to_string(place::root().join("Trunk.toml")).unwrap();
        assert!(config.contains(&format!("trunk-version = \"{}\"", TRUNK.version)));
    }

    #[test]
    fn the_search_path_begins_with_the_tools_of_the_project() {
        let path = search_path();
        assert_eq!(env::split_paths(&path).next(), Some(place::tools().join("bin")));
    }

    #[test]
    fn a_program_that_says_another_version_is_not_taken() {
        assert!(!has_version(Path::new("rustc"), "0.0.1"));
    }
}
