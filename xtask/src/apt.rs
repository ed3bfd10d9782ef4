//! Installs packages of Debian and Ubuntu if the process has the rights, and otherwise names the
//! command to run. Never asks for a password.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    install, paths,
    run::{Error, Result, has_program, io_at, print_line, run, run_silently},
};

/// Installs `package` if `program` is missing: as root, or with a `sudo` that needs no password.
pub(crate) fn need_program(program: &str, package: &str, why: &str) -> Result {
    if has_program(program) { Ok(()) } else { install(program, &[package], why) }
}

/// Installs the packages of all missing programs at once. Each item is a program and its package.
///
/// Does nothing without the rights to install. A later [`need_program`] then fails with the command
/// to run.
pub(crate) fn install_missing(programs: &[(&str, &str)]) -> Result {
    let missing = programs.iter().filter(|(program, _)| !has_program(program));
    let packages: Vec<&str> = missing.map(|(_, package)| *package).collect();
    if packages.is_empty() || root_prefix().is_none() {
        return Ok(());
    }
    install("a program", &packages, "for the tests")
}

/// Installs `packages`, which contain `what`: as root, or with a `sudo` that needs no password.
pub(crate) fn install(what: &str, packages: &[&str], why: &str) -> Result {
    let names = packages.join(" ");
    if root_prefix().is_none() {
        let command = format!("sudo apt-get install {names}");
        return Err(Error::new(format!(
            "`{what}` is missing: run `{command}`, then repeat this command"
        )));
    }
    print_line(&format!("Installing by apt, {why}: {names}."));
    run_apt(&["update", "-qq"])?;
    run_apt(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())
}

/// Returns the folder of unpacked packages, `name` below `parent`. They are not installed, so that
/// they start no service. The libraries that they need are installed.
pub(crate) fn ensure_unpacked(parent: &Path, name: &str, packages: &[&str]) -> Result<PathBuf> {
    install::ensure_installed_in(parent, name, |new| {
        print_line(&format!("Unpacking {name}: no service is installed or started."));
        let depends = packages.iter().flat_map(|package| list_dependencies(package));
        let libraries: Vec<_> =
            depends.filter(|name| name.starts_with("lib") && !is_installed(name)).collect();
        if !libraries.is_empty() {
            let libraries: Vec<_> = libraries.iter().map(String::as_str).collect();
            install(name, &libraries, "as libraries")?;
        }
        packages.iter().try_for_each(|package| unpack(package, new))
    })
}

/// Downloads a package and unpacks it into a folder. This needs no rights.
fn unpack(package: &str, folder: &Path) -> Result {
    let download = || {
        run_silently(Command::new("apt-get").args(["download", "-qq", package]).current_dir(folder))
    };
    if download().is_none() {
        run_apt(&["update", "-qq"])?;
        download().ok_or_else(|| {
            Error::new(format!("apt cannot download `{package}`: install it manually"))
        })?;
    }
    for archive in paths::files_below(folder)? {
        if archive.extension().is_some_and(|ending| ending == "deb") {
            run(Command::new("dpkg").arg("-x").arg(&archive).arg(folder))?;
            fs::remove_file(&archive).map_err(io_at("remove", &archive))?;
        }
    }
    Ok(())
}

/// Returns the names of the direct dependencies of a package.
pub(crate) fn list_dependencies(package: &str) -> Vec<String> {
    let output =
        run_silently(Command::new("apt-cache").args(["depends", package])).unwrap_or_default();
    let names = output.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    names.filter(|name| !name.starts_with('<')).map(str::to_owned).collect()
}

fn is_installed(package: &str) -> bool {
    let state = ["-W", "-f", "${db:Status-Status}", package];
    run_silently(Command::new("dpkg-query").args(state)).as_deref() == Some("installed")
}

/// Returns whether the process runs as root.
pub(crate) fn is_root() -> bool {
    run_silently(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// Returns the command prefix that runs `apt-get` with root rights, or `None` without such rights.
fn root_prefix() -> Option<&'static [&'static str]> {
    if !has_program("apt-get") {
        None
    } else if is_root() {
        Some(&["env"])
    } else {
        run_silently(Command::new("sudo").args(["-n", "true"]))?;
        Some(&["sudo", "-n", "env"])
    }
}

fn run_apt(words: &[&str]) -> Result {
    let prefix = root_prefix().unwrap_or(&["env"]);
    let mut command = Command::new(prefix[0]);
    command.args(&prefix[1..]).arg("DEBIAN_FRONTEND=noninteractive").arg("apt-get").args(words);
    run(&mut command)
}
