//! Installs all tools and packages of the tests, and builds the dashboard: `cargo xtask prepare`.
//!
//! `cargo xtask test` runs both parts as background processes during its first steps, because much
//! of them uses at most one core.

use anyhow::Result;
use clap::ValueEnum;

use crate::build::dashboard;
use crate::{apt, browser, python, servers, tools};

/// Part of the preparation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preparation {
    /// Packages of the distribution and of registries.
    Packages,
    /// The dashboard, with its tools.
    Dashboard,
}

/// Prepares a part, or all.
pub(crate) fn prepare(part: Option<Preparation>) -> Result<()> {
    if part != Some(Preparation::Dashboard) {
        install_packages()?;
    }
    if part != Some(Preparation::Packages) {
        dashboard::build_dashboard(true)?;
        tools::ensure_tool(&tools::GECKODRIVER)?;
    }
    Ok(())
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
