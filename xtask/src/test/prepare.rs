//! Installs all tools and packages of the tests, and builds the dashboard: `cargo xtask prepare`.
//!
//! `cargo xtask test` runs it as a background process during its first steps, because much of it
//! uses at most one core.

use std::thread;

use anyhow::Result;

use crate::build::dashboard;
use crate::{apt, browser, python, servers, tools};

/// Installs all packages and tools, and builds the dashboard.
pub(crate) fn prepare() -> Result<()> {
    thread::scope(|scope| {
        let packages = scope.spawn(install_packages);
        let built = build_tools_and_dashboard();
        packages.join().expect("the thread does not panic").and(built)
    })
}

fn install_packages() -> Result<()> {
    apt::install_all()?;
    servers::search_path()?;
    servers::ensure_nginx()?;
    servers::ensure_caddy()?;
    tools::ensure_nextest()?;
    for environment in [&python::OPENPYXL, &python::SERVER_TESTS, &python::SCHEMATHESIS] {
        python::ensure_environment(environment)?;
    }
    tools::axe_path()?;
    tools::observatory_folder()?;
    browser::ensure_test_chromium(false).map(drop)
}

fn build_tools_and_dashboard() -> Result<()> {
    dashboard::build_dashboard(true)?;
    tools::ensure_tool(&tools::GECKODRIVER).map(drop)
}
