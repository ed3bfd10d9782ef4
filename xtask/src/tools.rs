//! Installs the tools that build and test the dashboard, in pinned versions, into
//! `~/.cache/sheaf/tools/NAME-VERSION`, where all clones of the project find them. Never touches
//! the user's own tools, and never installs twice.

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
    run::{self, Error, Result, exists, io_at, output_of, run, say, shown_time},
};

/// The target that the dashboard is compiled to.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A tool that cargo can compile and that its makers also publish as a program.
struct Crate {
    name: &'static str,
    version: &'static str,
    programs: &'static [&'static str],
    install: &'static [&'static str],
    /// How much it is optimised: only what goes through megabytes again and again is worth it.
    opt_level: &'static str,
    usual_time: &'static str,
}

const TRUNK: Crate = Crate {
    name: "trunk",
    version: "0.21.14",
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
    programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
    // Not `--locked`: its lock file names a version that the registry lacks. The default features
    // are an HTTPS client, which no test needs.
    install: &["--no-default-features"],
    opt_level: "1",
    usual_time: "1 to 3 minutes",
};

/// Of the macro's version in Cargo.lock, `wasm_split_helpers`, but numbered apart from it.
const SPLIT: Crate = Crate {
    name: "wasm_split_cli_support",
    version: "0.2.4",
    programs: &["wasm-split-cli"],
    install: &["--locked", "--features", "build-binary"],
    opt_level: "1",
    usual_time: "1 to 3 minutes",
};

const FUZZ: Crate = Crate {
    name: "cargo-fuzz",
    version: "0.13.2",
    programs: &["cargo-fuzz"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "half a minute",
};

/// It drives Firefox.
const GECKODRIVER: Crate = Crate {
    name: "geckodriver",
    version: "0.37.1",
    programs: &["geckodriver"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "1 to 2 minutes",
};

/// It judges what is among our dependencies.
const DENY: Crate = Crate {
    name: "cargo-deny",
    version: "0.20.2",
    programs: &["cargo-deny"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "2 to 4 minutes",
};

/// It runs the tests of the host.
const NEXTEST: Crate = Crate {
    name: "cargo-nextest",
    version: "0.9.143",
    programs: &["cargo-nextest"],
    install: &["--locked"],
    opt_level: "0",
    usual_time: "3 to 5 minutes",
};

const ALL: [&Crate; 7] = [&TRUNK, &BINDGEN, &SPLIT, &FUZZ, &GECKODRIVER, &DENY, &NEXTEST];

const AXE: &str = "4.14.1";
const OBSERVATORY: &str = "1.4.8";
/// The last one that runs on the Node of the distribution.
const LIGHTHOUSE: &str = "12.8.2";

/// Installs what builds the dashboard, unless it is there.
pub(crate) fn for_dashboard() -> Result {
    wasm_target()?;
    cargo_tool(&BINDGEN)?;
    cargo_tool(&TRUNK)?;
    cargo_tool(&SPLIT)?;
    optimise::wasm_opt().map(drop)
}

/// Installs what runs tests in a browser; returns the path of the test runner.
pub(crate) fn for_browser_tests() -> Result<PathBuf> {
    wasm_target()?;
    cargo_tool(&BINDGEN)?;
    Ok(bin("wasm-bindgen-test-runner"))
}

/// Installs cargo-fuzz, which runs the fuzz targets.
pub(crate) fn cargo_fuzz() -> Result {
    cargo_tool(&FUZZ)
}

/// Installs geckodriver, which drives Firefox; returns its path.
pub(crate) fn geckodriver() -> Result<PathBuf> {
    cargo_tool(&GECKODRIVER)?;
    Ok(bin("geckodriver"))
}

/// Installs cargo-deny, which checks the dependencies; returns its path.
pub(crate) fn cargo_deny() -> Result<PathBuf> {
    cargo_tool(&DENY)?;
    Ok(bin("cargo-deny"))
}

/// Returns the path of cargo-nextest: the installed one, if it is new enough for
/// `.config/nextest.toml`, or else our own.
pub(crate) fn nextest() -> Result<PathBuf> {
    if let Some(found) = run::find("cargo-nextest").filter(|found| is_recent(found)) {
        return Ok(found);
    }
    cargo_tool(&NEXTEST)?;
    Ok(bin("cargo-nextest"))
}

/// Returns whether a cargo-nextest has at least our version.
fn is_recent(program: &Path) -> bool {
    let said = output_of(Command::new(program).args(["nextest", "--version"])).unwrap_or_default();
    let numbers = |text: &str| {
        text.split('.').map(str::parse).collect::<std::result::Result<Vec<u32>, _>>().ok()
    };
    let version = said.split_whitespace().nth(1).and_then(numbers);
    version.is_some_and(|version| Some(version) >= numbers(NEXTEST.version))
}

/// The search path with the project's own tools first.
pub(crate) fn search_path() -> OsString {
    let ours = ALL.iter().map(|tool| tool.folder().join("bin"));
    let ours = ours.chain(optimise::folder());
    let theirs = env::var_os("PATH").unwrap_or_default();
    let all = ours.chain(env::split_paths(&theirs));
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

/// The path of axe-core's script, which finds barriers in a page.
pub(crate) fn axe() -> Result<PathBuf> {
    Ok(npm("axe-core", AXE, &[])?.join("node_modules/axe-core/axe.min.js"))
}

/// The path of Lighthouse, which measures a page.
pub(crate) fn lighthouse() -> Result<PathBuf> {
    Ok(npm("lighthouse", LIGHTHOUSE, &[])?.join("node_modules/.bin/lighthouse"))
}

/// The folder of the Mozilla observatory's analyser.
pub(crate) fn observatory() -> Result<PathBuf> {
    // Its own install script asks the network for what is not needed here.
    npm("@mdn/mdn-http-observatory", OBSERVATORY, &["--ignore-scripts"])
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

/// The path of a program of one of our tools.
pub(crate) fn bin(program: &str) -> PathBuf {
    let tool = ALL.iter().find(|tool| tool.programs.contains(&program));
    tool.map_or_else(|| PathBuf::from(program), |tool| tool.folder().join("bin").join(program))
}

impl Crate {
    fn folder(&self) -> PathBuf {
        place::tools().join(format!("{}-{}", self.name, self.version))
    }
}

/// Returns the folder `name` of the tools. If it is not there, `install` fills a new one, which
/// gets the name when it is whole: an interrupted installation leaves nothing, and two at once do
/// no harm.
pub(crate) fn installed(name: &str, install: impl FnOnce(&Path) -> Result) -> Result<PathBuf> {
    installed_in(&place::tools(), name, install)
}

/// As [`installed`], in another folder than the one of the tools.
pub(crate) fn installed_in(
    parent: &Path,
    name: &str,
    install: impl FnOnce(&Path) -> Result,
) -> Result<PathBuf> {
    let folder = parent.join(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    let new = parent.join(format!(".{name}.{}", std::process::id()));
    if new.exists() {
        fs::remove_dir_all(&new).map_err(io_at("remove", &new))?;
    }
    fs::create_dir_all(&new).map_err(io_at("create", &new))?;
    let filled = install(&new);
    if filled.is_err() || folder.is_dir() {
        fs::remove_dir_all(&new).map_err(io_at("remove", &new))?;
        return filled.map(|()| folder);
    }
    fs::rename(&new, &folder).map_err(io_at("create", &folder))?;
    Ok(folder)
}

fn cargo_tool(tool: &Crate) -> Result {
    let began = Instant::now();
    let name = format!("{}-{}", tool.name, tool.version);
    let is_there = tool.folder().is_dir();
    installed(&name, |new| if prebuilt(tool, new) { Ok(()) } else { compiled(tool, new) })?;
    if !is_there {
        say(&format!("{name} is installed, after {}.", shown_time(began.elapsed())));
    }
    Ok(())
}

fn compiled(tool: &Crate, new: &Path) -> Result {
    let (name, version) = (tool.name, tool.version);
    say(&format!("Compiling {name} {version} once, usually {} on two cores.", tool.usual_time));
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--quiet", name, "--version", &format!("={version}")]);
    cargo.args(tool.install).arg("--root").arg(new);
    // The tools share dependencies, so they share a target folder.
    cargo.env("CARGO_TARGET_DIR", place::target().join("tools"));
    // A tool that runs for seconds need not be optimised for minutes.
    let opt_level = ("OPT_LEVEL", tool.opt_level);
    for (key, value) in [opt_level, ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")] {
        cargo.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
    }
    run(&mut cargo)
}

/// Downloads the makers' own program where the network has it; returns `false` where it does not.
///
/// On the build server everything comes from the registries.
fn prebuilt(tool: &Crate, new: &Path) -> bool {
    let Some(url) = release_url(tool.name, tool.version) else { return false };
    let unpacked = new.join("unpacked");
    if !downloaded(tool.name, &url, &unpacked) {
        return false;
    }
    let placed = tool.programs.iter().all(|program| take(&unpacked, program, new).is_some());
    let _ = fs::remove_dir_all(&unpacked);
    placed
        && tool
            .programs
            .first()
            .is_some_and(|program| has_version(&new.join("bin").join(program), tool.version))
}

fn has_version(program: &Path, version: &str) -> bool {
    output_of(Command::new(program).arg("--version"))
        .is_some_and(|said| said.split_whitespace().any(|word| word == version))
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

/// Downloads an archive and unpacks it into a folder; returns whether that worked, and otherwise
/// says that the registries are used instead.
pub(crate) fn downloaded(name: &str, url: &str, folder: &Path) -> bool {
    if env::var_os("CI").is_some() || !exists("curl") || !exists("tar") {
        return false;
    }
    say(&format!("Downloading {name} from {url}: usually some seconds."));
    if fs::create_dir_all(folder).is_err() {
        return false;
    }
    let archive = folder.join("archive.tar.gz");
    let mut curl = Command::new("curl");
    curl.args(["-fsSL", "--connect-timeout", "4", "--max-time", "180", "-o"]);
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).arg("-C").arg(folder);
    let got = output_of(curl.arg(&archive).arg(url)).and_then(|_| output_of(&mut tar));
    if got.is_none() {
        let _ = fs::remove_dir_all(folder);
        say("The download failed; using the registries instead.");
    }
    got.is_some()
}

/// Moves `program` from somewhere below `folder` to `bin` of `new`.
fn take(folder: &Path, program: &str, new: &Path) -> Option<()> {
    let found = find(folder, program)?;
    fs::create_dir_all(new.join("bin")).ok()?;
    fs::rename(found, new.join("bin").join(program)).ok()
}

pub(crate) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files
        .into_iter()
        .find(|file| file.file_name().is_some_and(|it| it == name))
        .or_else(|| folders.iter().find_map(|folder| find(folder, name)))
}

/// Installs one package of npm, with further words for npm, unless it is there; returns its folder.
pub(crate) fn npm(package: &str, version: &str, words: &[&str]) -> Result<PathBuf> {
    let name = package.rsplit('/').next().unwrap_or(package);
    installed(&format!("{name}-{version}"), |new| npm_into(new, package, version, words))
}

/// Installs one package of npm into a folder.
pub(crate) fn npm_into(folder: &Path, package: &str, version: &str, words: &[&str]) -> Result {
    crate::apt::need_program("npm", "npm", &format!("to get {package}"))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"]);
    run(npm.args(words).arg("--prefix").arg(folder).arg(format!("{package}@{version}")))
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
    fn search_path_begins_with_our_tools() {
        let path = search_path();
        assert_eq!(env::split_paths(&path).next(), Some(TRUNK.folder().join("bin")));
        assert_eq!(bin("wasm-split-cli"), SPLIT.folder().join("bin/wasm-split-cli"));
    }

    #[test]
    fn failed_installation_leaves_no_folder() {
        let name = format!("test-{}", std::process::id());
        let failed = installed(&name, |new| {
            fs::write(new.join("half"), "").map_err(io_at("write", new))?;
            Err(Error::new("interrupted"))
        });
        assert!(failed.is_err() && !place::tools().join(&name).exists());
        let whole = |new: &Path| fs::write(new.join("whole"), "").map_err(io_at("write", new));
        let folder = installed(&name, whole).unwrap();
        assert!(folder.join("whole").exists() && !folder.join("half").exists());
        installed(&name, |_| panic!("it is there")).unwrap();
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn installed_nextest_must_be_recent() {
        assert!(!is_recent(Path::new("false")));
        assert!(is_recent(&nextest().unwrap()));
    }

    #[test]
    fn a_program_that_says_another_version_is_not_taken() {
        assert!(!has_version(Path::new("rustc"), "0.0.1"));
    }
}
