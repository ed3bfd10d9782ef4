//! Installs all tools and packages of the tests, and builds the dashboard: `cargo xtask prepare`.
//!
//! `cargo xtask test` runs it as a background process during its first steps, because much of it
//! uses at most one core.

use std::{process::Command, thread};

use crate::build::dashboard;
use crate::run::{Error, Result};
use crate::test::background::Background;
use crate::{apt, browser, python, servers, tools};

/// Programs that tests run, each with its Debian package.
const PROGRAMS: [(&str, &str); 11] = [
    ("curl", "curl"),
    ("jq", "jq"),
    ("openssl", "openssl"),
    ("node", "nodejs"),
    ("strace", "strace"),
    ("systemd-analyze", "systemd"),
    ("systemd-nspawn", "systemd-container"),
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    ("firefox-esr", "firefox-esr"),
    ("soffice", "libreoffice-calc-nogui"),
];

/// Installs all packages and tools, and builds the dashboard.
pub(crate) fn prepare() -> Result {
    thread::scope(|scope| {
        let packages = scope.spawn(install_packages);
        let built = build_tools_and_dashboard();
        let panicked = |_| Err(Error::new("the preparation panicked"));
        let packages = packages.join().unwrap_or_else(panicked);
        built.and(packages)
    })
}

fn install_packages() -> Result {
    apt::install_missing(&PROGRAMS)?;
    servers::search_path()?;
    servers::ensure_nginx()?;
    servers::ensure_caddy()?;
    python::ensure_environment("openpyxl", python::OPENPYXL)?;
    python::ensure_environment("server-tests", python::SERVER_TESTS)?;
    python::ensure_environment("schemathesis", python::SCHEMATHESIS)?;
    tools::axe_path()?;
    tools::observatory_folder()?;
    browser::ensure_chromedriver().map(drop)
}

fn build_tools_and_dashboard() -> Result {
    tools::ensure_nextest()?;
    dashboard::build_dashboard(dashboard::Profile::Release)?;
    tools::ensure_tool(&tools::GECKODRIVER).map(drop)
}

/// Starts `cargo xtask prepare` in the background. A full run rebuilds the dashboard.
pub(crate) fn start_preparation(is_full: bool) -> Result<Background> {
    if is_full {
        dashboard::invalidate()?;
    }
    let program = std::env::current_exe()
        .map_err(|error| Error::new(format!("cannot find this program: {error}")))?;
    let mut command = Command::new(program);
    command.arg("prepare");
    Background::start("prepare", command)
}
