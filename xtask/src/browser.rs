//! Finds Chromium, Firefox and their drivers, and installs missing ones with `apt` if we have the
//! rights. The driver of Firefox comes from its release page.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use crate::run::{find_program, print_line, run_silently};
use crate::{apt, tools};

/// Names of the programs in Debian, in snap and upstream, in the order in which we look for them.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const DRIVERS: [&str; 2] = ["chromedriver", "chromium.chromedriver"];
/// Build of Chromium without windows, in Debian: package and program. The program in the search
/// path is a script, and drivers that kill it leave the browser behind.
const HEADLESS_SHELL: &str = "chromium-headless-shell";
const HEADLESS_SHELL_PATH: &str = "/usr/lib/chromium/chromium-headless-shell";
const FIREFOXES: [&str; 2] = ["firefox-esr", "firefox"];

/// Ensures that Chromium and its driver are installed. Returns the path of the driver, which the
/// variable `CHROMEDRIVER` can set.
pub(crate) fn ensure_chromedriver() -> Result<PathBuf> {
    ensure_chromium()?;
    let given_path = env::var_os("CHROMEDRIVER").map(PathBuf::from).filter(|path| path.is_file());
    given_path.map_or_else(|| ensure_one_of(&DRIVERS, "chromium-driver", "chromium"), Ok)
}

/// Ensures that Chromium is installed, and returns its path.
pub(crate) fn ensure_chromium() -> Result<PathBuf> {
    ensure_one_of(&BROWSERS, "chromium", "chromium")
}

/// Returns the browser of test runs: the build without windows, or Chromium in full runs and if
/// the driver has no such build of its own version.
pub(crate) fn ensure_test_chromium(is_full: bool) -> Result<PathBuf> {
    if is_full {
        return ensure_chromium();
    }
    let shell = PathBuf::from(HEADLESS_SHELL_PATH);
    if !shell.is_file()
        && let Err(error) = apt::install(&[HEADLESS_SHELL])
    {
        print_line(&format!("{error:#}"));
    }
    let driver = ensure_chromedriver()?;
    let [shell_version, driver_version] = [&shell, &driver].map(|program| read_version(program));
    if shell_version.is_some() && shell_version == driver_version {
        return Ok(shell);
    }
    print_line(&format!(
        "Tests use Chromium: `{HEADLESS_SHELL}` of the driver's version is missing."
    ));
    ensure_chromium()
}

/// Returns the second word of a program's version, such as `156.0.8078.108`.
fn read_version(program: &Path) -> Option<String> {
    let version = run_silently(Command::new(program).arg("--version"))?;
    version.split(' ').nth(1).map(str::to_owned)
}

/// Ensures that Firefox and its driver are installed. Returns the path of the driver.
pub(crate) fn ensure_firefox_driver() -> Result<PathBuf> {
    ensure_one_of(&FIREFOXES, "firefox-esr", "firefox")?;
    tools::ensure_tool(&tools::GECKODRIVER)
}

/// Returns the first program that exists. If there is none, installs a package of Debian.
fn ensure_one_of(programs: &[&str], package: &str, snap: &str) -> Result<PathBuf> {
    let find = || programs.iter().find_map(|program| find_program(program));
    let help = || format!("browser tests need `{package}`: on Ubuntu run `snap install {snap}`");
    if find().is_none() {
        apt::install(&[package]).with_context(help)?;
    }
    find().with_context(help)
}
