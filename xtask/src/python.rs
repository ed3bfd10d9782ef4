//! Programs written in Python: each in a virtual environment of its own among the tools, from the
//! package registry in pinned versions. Never touches the system's Python.

use std::{fs, path::PathBuf, process::Command};

use sha2::{Digest as _, Sha256};

use crate::{
    apt, install, place,
    run::{Error, Result, io_at, output_of, run, say},
};

/// The packages of Python that read exported workbooks.
pub(crate) const OPENPYXL: &str = "tests/e2e/requirements.txt";

/// Schemathesis and its packages.
pub(crate) const SCHEMATHESIS: &str = "xtask/schemathesis/requirements.txt";

/// Installs the packages that a file of requirements lists, unless they are there; returns the
/// folder of their programs. Another list gets another environment.
pub(crate) fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let list = place::root().join(requirements);
    let wanted = fs::read_to_string(&list).map_err(io_at("read", &list))?;
    let hash = format!("{:x}", Sha256::digest(&wanted));
    let folder = install::installed(&format!("{name}-{}", &hash[..8]), |new| {
        say(&format!("Installing {name} from the Python package index: usually half a minute."));
        apt::need_program("python3", "python3-venv", "to run what is written in Python")?;
        let make = || output_of(Command::new("python3").args(["-m", "venv"]).arg(new));
        if make().is_none() {
            apt::install("venv", "python3-venv", "to run what is written in Python")?;
            make().ok_or_else(|| {
                Error::new("`python3 -m venv` fails: see what it says, and install what it lacks")
            })?;
        }
        // By its module: the script `pip` names the folder of the moment in its first line.
        let mut pip = Command::new(new.join("bin/python3"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "-r",
        ]);
        run(pip.arg(&list))
    })?;
    Ok(folder.join("bin"))
}
