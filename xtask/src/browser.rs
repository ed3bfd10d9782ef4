//! Finds Chromium and its driver, and installs them where that is allowed. Never downloads a
//! browser from anywhere but the distribution.

use std::{env, path::PathBuf};

use crate::{
    apt,
    run::{Result, exists},
};

/// The driver that both browser suites talk to.
#[derive(Debug)]
pub(crate) struct Browser {
    /// The path of chromedriver.
    pub(crate) driver: PathBuf,
}

/// Makes sure of Chromium and of chromedriver.
pub(crate) fn ready() -> Result<Browser> {
    if !["chromium", "chromium-browser", "google-chrome"].into_iter().any(exists) {
        apt::need_program("chromium", "chromium", "to test in a browser")?;
    }
    let given = env::var_os("CHROMEDRIVER").map(PathBuf::from);
    if let Some(driver) = given.filter(|driver| driver.is_file()) {
        return Ok(Browser { driver });
    }
    apt::need_program("chromedriver", "chromium-driver", "to steer the browser")?;
    Ok(Browser { driver: crate::run::find("chromedriver").unwrap_or_default() })
}
