//! Packages of the Python package index, in pinned versions and in virtual environments. Never
//! changes the system's Python.

use std::{path::PathBuf, process::Command};

use anyhow::Result;
use fs_err as fs;
use sha2::{Digest as _, Sha256};

use crate::{
    apt, install, paths,
    run::{print_line, run, run_silently},
};

/// Name of an environment, and its requirements file.
type Environment = (&'static str, &'static str);

/// Packages that read exported workbooks.
pub(crate) const OPENPYXL: Environment = ("openpyxl", "tests/e2e/requirements.txt");

/// A library that verifies webhooks, a mail server, and a library that verifies DKIM signatures.
pub(crate) const SERVER_TESTS: Environment =
    ("server-tests", "crates/sheaf/tests/requirements.txt");

pub(crate) const SCHEMATHESIS: Environment =
    ("schemathesis", "xtask/schemathesis/requirements.txt");

/// Binaries of tools for cargo.
const CARGO_TOOLS: Environment = ("cargo-tools", "xtask/cargo-tools.txt");

/// Installs the tools for cargo, and returns the path of one of their programs.
pub(crate) fn cargo_tool(program: &str) -> Result<PathBuf> {
    Ok(ensure_environment(&CARGO_TOOLS)?.join(program))
}

/// Installs the environment of the tests of the binary, and returns the path of its Python.
pub(crate) fn for_server_tests() -> Result<PathBuf> {
    Ok(ensure_environment(&SERVER_TESTS)?.join("python3"))
}

/// Installs the packages of an environment, unless it exists. Returns the folder of its programs.
/// Each version of the requirements gets its own environment.
pub(crate) fn ensure_environment(environment: &Environment) -> Result<PathBuf> {
    let (name, requirements) = environment;
    let list = paths::root().join(requirements);
    let hash = format!("{:x}", Sha256::digest(fs::read(&list)?));
    let folder =
        install::ensure_installed(paths::tool(&format!("{name}-{}", &hash[..8])), |new| {
            print_line(&format!("Installing {name} from the Python package index."));
            if run_silently(Command::new("python3").args(["-c", "import ensurepip"])).is_none() {
                apt::install(&["python3-venv"])?;
            }
            run(Command::new("python3").args(["-m", "venv"]).arg(new))?;
            // Run as a module: the first line of the script `pip` names the temporary folder.
            let mut pip = Command::new(new.join("bin/python3"));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            run(pip.args(["--no-deps", "-r"]).arg(&list))
        })?;
    Ok(folder.join("bin"))
}
