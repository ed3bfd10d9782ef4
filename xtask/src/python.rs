//! Programs written in Python, each in an environment of its own below `.tools`, from the package
//! registry in pinned versions. Never touches the system's Python.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    apt, place,
    run::{Error, Result, io_at, output_of, run, say},
};

/// Makes sure of the packages that a file of requirements lists; returns the folder of their
/// programs. What was installed is noted, so that another list installs anew.
pub(crate) fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let list = place::root().join(requirements);
    let wanted = fs::read_to_string(&list).map_err(io_at("read", &list))?;
    let folder = place::tools().join("python").join(name);
    let (note, programs) = (folder.join("installed.txt"), folder.join("bin"));
    if fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    say(&format!("Getting {name} from the Python package index: usually half a minute."));
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(io_at("remove", &folder))?;
    }
    apt::need_program("python3", "python3-venv", "to run what is written in Python")?;
    let make = || output_of(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    if make().is_none() {
        apt::install("venv", "python3-venv", "to run what is written in Python")?;
        make().ok_or_else(|| {
            Error::new("`python3 -m venv` fails: see what it says, and install what it lacks")
        })?;
    }
    let mut pip = Command::new(programs.join("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r"]);
    run(pip.arg(&list))?;
    fs::write(&note, wanted).map_err(io_at("write", &note))?;
    Ok(programs)
}
