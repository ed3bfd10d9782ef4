//! Installs all tools and packages of the tests, and builds the dashboard: `cargo xtask prepare`.
//!
//! `cargo xtask test` runs it as a background process during its first steps, because much of it
//! uses at most one core.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command},
    thread,
};

use crate::build::dashboard;
use crate::run::{Error, Result, io_at, print_line};
use crate::{apt, browser, paths, python, servers, tools};

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

/// A `cargo xtask prepare` in the background. It is killed when this value is dropped.
pub(crate) struct Preparation {
    child: Child,
    /// File with its output, so that it does not mix with that of the tests.
    log: PathBuf,
}

impl Preparation {
    /// Starts the process. A full run rebuilds the dashboard.
    pub(crate) fn start(is_full: bool) -> Result<Self> {
        if is_full {
            dashboard::invalidate()?;
        }
        let log = paths::target().join("prepare.log");
        let file = File::create(&log).map_err(io_at("create", &log))?;
        let stderr = file.try_clone().map_err(io_at("open", &log))?;
        let program = std::env::current_exe()
            .map_err(|error| Error::new(format!("cannot find this program: {error}")))?;
        let mut command = Command::new(program);
        command.arg("prepare").stdout(file).stderr(stderr);
        let child = command.spawn().map_err(|error| crate::run::not_started(&command, &error))?;
        Ok(Self { child, log })
    }

    /// Waits for the process and prints its output.
    pub(crate) fn wait(mut self) -> Result {
        let status = self.child.wait();
        let text = fs::read(&self.log).map_err(io_at("read", &self.log))?;
        print_line(&format!("-- cargo xtask prepare\n{}--", String::from_utf8_lossy(&text)));
        match status {
            Ok(status) if status.success() => Ok(()),
            _ => Err(Error::new("`cargo xtask prepare` failed: see its output above")),
        }
    }
}

impl Drop for Preparation {
    fn drop(&mut self) {
        // Both have no effect after `wait`.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
