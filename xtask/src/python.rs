//! Python programs, each in its own virtual environment, in pinned versions from the package
//! index. Never changes the system's Python.

use std::{fs, path::PathBuf, process::Command};

use sha2::{Digest as _, Sha256};

use crate::{
    apt, install, paths,
    run::{Result, io_at, print_line, run, run_silently},
};

/// Requirements of the packages that read exported workbooks.
pub(crate) const OPENPYXL: &str = "tests/e2e/requirements.txt";

/// Requirements of the tests of the binary: a library that verifies webhooks, a mail server, and a
/// library that verifies DKIM signatures.
pub(crate) const SERVER_TESTS: &str = "crates/sheaf/tests/requirements.txt";

/// Requirements of Schemathesis.
pub(crate) const SCHEMATHESIS: &str = "xtask/schemathesis/requirements.txt";

/// Requirements of sccache, a cache of compiled crates.
const SCCACHE: &str = "xtask/sccache.txt";

/// Installs sccache, and returns the path of its program.
pub(crate) fn ensure_sccache() -> Result<PathBuf> {
    Ok(ensure_environment("sccache", SCCACHE)?.join("sccache"))
}

/// Installs the packages of a requirements file into an environment, unless it exists. Returns the
/// folder of its programs. Each version of the file gets its own environment.
pub(crate) fn ensure_environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let list = paths::root().join(requirements);
    let wanted = fs::read_to_string(&list).map_err(io_at("read", &list))?;
    let hash = format!("{:x}", Sha256::digest(&wanted));
    let folder = install::ensure_installed(&format!("{name}-{}", &hash[..8]), |new| {
        print_line(&format!("Installing {name} from the Python package index."));
        apt::need_program("python3", "python3-venv", "to run Python programs")?;
        if run_silently(Command::new("python3").args(["-c", "import ensurepip"])).is_none() {
            apt::install("venv", &["python3-venv"], "to run Python programs")?;
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(new))?;
        // Run as a module: the first line of the script `pip` names the temporary folder.
        let mut pip = Command::new(new.join("bin/python3"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        run(pip.args(["--no-deps", "-r"]).arg(&list))
    })?;
    Ok(folder.join("bin"))
}
