//! Installs packages of Debian and Ubuntu if the process has the rights, and otherwise names the
//! command to run. Never asks for a password.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    install,
    run::{Error, Result, has_program, io_at, print_line, run, run_silently},
};

/// Installs `package` if `program` is missing: as root, or with a `sudo` that needs no password.
pub(crate) fn need_program(program: &str, package: &str, why: &str) -> Result {
    if has_program(program) { Ok(()) } else { install(program, package, why) }
}

/// Installs the packages of all missing programs at once. Each item is a program and its package.
///
/// Does nothing without the rights to install. A later [`need_program`] then fails with the command
/// to run.
pub(crate) fn install_missing(programs: &[(&str, &str)]) -> Result {
    let missing = programs.iter().filter(|(program, _)| !has_program(program));
    let packages: Vec<&str> = missing.map(|(_, package)| *package).collect();
    match root_prefix() {
        Some(prefix) if !packages.is_empty() => {
            print_line(&format!("Installing by apt: {}.", packages.join(", ")));
            run_apt(prefix, &["update", "-qq"])?;
            run_apt(
                prefix,
                &[&["install", "-y", "-qq", "--no-install-recommends"], &packages[..]].concat(),
            )
        }
        _ => Ok(()),
    }
}

/// Installs `package`, which contains `what`: as root, or with a `sudo` that needs no password.
pub(crate) fn install(what: &str, package: &str, why: &str) -> Result {
    let Some(prefix) = root_prefix() else {
        let command = format!("sudo apt-get install {package}");
        return Err(Error::new(format!(
            "`{what}` is missing: run `{command}`, then repeat this command"
        )));
    };
    print_line(&format!(
        "Installing the package `{package}` by apt, {why}: usually one to two minutes."
    ));
    run_apt(prefix, &["update", "-qq"])?;
    run_apt(prefix, &["install", "-y", "-qq", "--no-install-recommends", package])
}

/// Unpacks `package` below `folder` without installing it. Needs no rights.
pub(crate) fn unpack(package: &str, folder: &Path) -> Result {
    if !has_program("apt-get") {
        return Err(Error::new(format!("`{package}` is missing: install it or npm manually")));
    }
    fs::create_dir_all(folder).map_err(io_at("create", folder))?;
    let download = || {
        run_silently(Command::new("apt-get").args(["download", "-qq", package]).current_dir(folder))
    };
    if download().is_none() {
        if let Some(prefix) = root_prefix() {
            run_apt(prefix, &["update", "-qq"])?;
        }
        download().ok_or_else(|| {
            Error::new(format!("apt cannot download `{package}`: run `sudo apt-get update`"))
        })?;
    }
    let archives = fs::read_dir(folder).map_err(io_at("read", folder))?.flatten();
    for archive in archives.map(|entry| entry.path()) {
        if archive.extension().is_some_and(|ending| ending == "deb") {
            run(Command::new("dpkg").arg("-x").arg(&archive).arg(folder))?;
            fs::remove_file(&archive).map_err(io_at("remove", &archive))?;
        }
    }
    Ok(())
}

/// Returns the path of a program of `package`. The package is unpacked and not installed, so that
/// it starts no service.
pub(crate) fn unpacked_program(package: &str, program: &str) -> Result<PathBuf> {
    let folder = install::ensure_installed(&format!("apt-{package}"), |new| {
        print_line(&format!(
            "Unpacking the package `{package}`: no service is installed or started."
        ));
        unpack(package, new)
    })?;
    Ok(folder.join(program))
}

/// Returns the names of the direct dependencies of a package.
pub(crate) fn list_dependencies(package: &str) -> Vec<String> {
    let output =
        run_silently(Command::new("apt-cache").args(["depends", package])).unwrap_or_default();
    let names = output.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    names.filter(|name| !name.starts_with('<')).map(str::to_owned).collect()
}

/// Installs the missing ones of `packages`. Only for libraries, which start no services.
pub(crate) fn install_libraries(packages: &[String], why: &str) -> Result {
    let is_there = |package: &&String| {
        let state = ["-W", "-f", "${db:Status-Status}", package];
        run_silently(Command::new("dpkg-query").args(state)).as_deref() == Some("installed")
    };
    let missing: Vec<_> = packages.iter().filter(|package| !is_there(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.iter().map(|name| name.as_str()).collect::<Vec<_>>();
    let Some(prefix) = root_prefix() else {
        let command = format!("sudo apt-get install {}", names.join(" "));
        return Err(Error::new(format!(
            "libraries are missing: run `{command}`, then repeat this command"
        )));
    };
    print_line(&format!("Installing libraries by apt, {why}: {}", names.join(", ")));
    run_apt(prefix, &["update", "-qq"])?;
    run_apt(prefix, &[&["install", "-y", "-qq", "--no-install-recommends"], &names[..]].concat())
}

/// Returns whether the process runs as root.
pub(crate) fn is_root() -> bool {
    run_silently(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// Returns the command prefix that runs `apt-get` with root rights, or `None` without such rights.
fn root_prefix() -> Option<&'static [&'static str]> {
    if !has_program("apt-get") {
        return None;
    }
    if is_root() {
        return Some(&["env"]);
    }
    let quiet_sudo =
        has_program("sudo") && run_silently(Command::new("sudo").args(["-n", "true"])).is_some();
    quiet_sudo.then_some(&["sudo", "-n", "env"])
}

fn run_apt(prefix: &[&str], words: &[&str]) -> Result {
    let mut command = Command::new(prefix[0]);
    command.args(&prefix[1..]).arg("DEBIAN_FRONTEND=noninteractive").arg("apt-get").args(words);
    run(&mut command)
}
