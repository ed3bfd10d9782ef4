//! Finds Chromium, Firefox and their drivers, and installs missing ones with `apt` if we have the
//! rights. The driver of Firefox comes from its release page.

use std::{env, path::PathBuf};

use crate::{
    apt,
    run::{Error, Result, find_program, has_program},
    tools,
};

/// Names of the programs in Debian, in snap and upstream, in the order in which we look for them.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const FIREFOXES: [&str; 2] = ["firefox-esr", "firefox"];
const DRIVERS: [&str; 2] = ["chromedriver", "chromium.chromedriver"];

/// Ensures that Chromium and its driver are installed. Returns the path of the driver, which the
/// variable `CHROMEDRIVER` can set.
pub(crate) fn ensure_chromedriver() -> Result<PathBuf> {
    if !BROWSERS.into_iter().any(has_program) {
        apt::need_program("chromium", "chromium", "to test in a browser")
            .map_err(|error| manual_install_error(&error))?;
    }
    let given_path = env::var_os("CHROMEDRIVER").map(PathBuf::from).filter(|path| path.is_file());
    if let Some(driver) = given_path.or_else(find_chromedriver) {
        return Ok(driver);
    }
    let why = "to control the browser";
    apt::need_program("chromedriver", "chromium-driver", why)
        .map_err(|error| manual_install_error(&error))?;
    find_chromedriver()
        .ok_or_else(|| manual_install_error(&Error::new("`chromedriver` is still not in the path")))
}

/// Returns the path of Chromium. [`ensure_chromedriver`] ensures that it is installed.
pub(crate) fn find_chromium() -> Result<PathBuf> {
    let found = BROWSERS.into_iter().find_map(find_program);
    found.ok_or_else(|| manual_install_error(&Error::new("no `chromium` is in the path")))
}

/// Ensures that Firefox and its driver are installed. Returns the path of the driver.
pub(crate) fn ensure_firefox_driver() -> Result<PathBuf> {
    if !FIREFOXES.into_iter().any(has_program) {
        let why = "to test in a second browser";
        apt::need_program("firefox-esr", "firefox-esr", why)
            .map_err(|error| Error::new(format!("{error} (on Ubuntu `snap install firefox`)")))?;
    }
    tools::ensure_tool(&tools::GECKODRIVER)
}

fn find_chromedriver() -> Option<PathBuf> {
    DRIVERS.into_iter().find_map(find_program)
}

/// Adds the commands for a manual installation to an error.
fn manual_install_error(error: &Error) -> Error {
    Error::new(format!(
        "{error} (browser tests need Chromium and its driver: on Debian \
         `apt-get install chromium chromium-driver`, on Ubuntu `snap install chromium`)"
    ))
}
