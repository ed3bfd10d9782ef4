//! Installs packages of Debian and Ubuntu where that is allowed, and otherwise says exactly what
//! to install. Never asks for a password.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    install,
    run::{Error, Result, exists, io_at, output_of, run, say},
};

/// Installs `package` if `program` is missing: as root, or by a `sudo` that asks nothing.
pub(crate) fn need_program(program: &str, package: &str, why: &str) -> Result {
    if exists(program) { Ok(()) } else { install(program, package, why) }
}

/// Installs at once the packages of all programs that are missing, each given as program and
/// package.
///
/// Does nothing without the right to: whoever needs a program then says what to install.
pub(crate) fn install_missing(programs: &[(&str, &str)]) -> Result {
    let missing = programs.iter().filter(|(program, _)| !exists(program));
    let packages: Vec<&str> = missing.map(|(_, package)| *package).collect();
    match rights() {
        Some(prefix) if !packages.is_empty() => {
            say(&format!("Installing by apt: {}.", packages.join(", ")));
            apt(prefix, &["update", "-qq"])?;
            apt(
                prefix,
                &[&["install", "-y", "-qq", "--no-install-recommends"], &packages[..]].concat(),
            )
        }
        _ => Ok(()),
    }
}

/// Installs `package`, which brings `what`: as root, or by a `sudo` that asks nothing.
pub(crate) fn install(what: &str, package: &str, why: &str) -> Result {
    let Some(prefix) = rights() else {
        let command = format!("sudo apt-get install {package}");
        return Err(Error::new(format!("`{what}` is missing: run `{command}`, then this again")));
    };
    say(&format!("Installing the package `{package}` by apt, {why}: usually one to two minutes."));
    apt(prefix, &["update", "-qq"])?;
    apt(prefix, &["install", "-y", "-qq", "--no-install-recommends", package])
}

/// Unpacks `package` below `folder` without installing it; no rights are needed for that.
pub(crate) fn unpack(package: &str, folder: &Path) -> Result {
    if !exists("apt-get") {
        return Err(Error::new(format!("`{package}` is missing: install it, or npm, by hand")));
    }
    fs::create_dir_all(folder).map_err(io_at("create", folder))?;
    let download = || {
        output_of(Command::new("apt-get").args(["download", "-qq", package]).current_dir(folder))
    };
    if download().is_none() {
        if let Some(prefix) = rights() {
            apt(prefix, &["update", "-qq"])?;
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

/// Returns a program of `package`, unpacked and not installed, so that no service of it starts.
pub(crate) fn unpacked(package: &str, program: &str) -> Result<PathBuf> {
    let folder = install::installed(&format!("apt-{package}"), |new| {
        say(&format!("Unpacking the package `{package}`: no service is installed or started."));
        unpack(package, new)
    })?;
    Ok(folder.join(program))
}

/// Returns what a package depends on, by name.
pub(crate) fn depends(package: &str) -> Vec<String> {
    let told = output_of(Command::new("apt-cache").args(["depends", package])).unwrap_or_default();
    let names = told.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    names.filter(|name| !name.starts_with('<')).map(str::to_owned).collect()
}

/// Installs those of `packages` that are not: for libraries, which start nothing.
pub(crate) fn need_all(packages: &[String], why: &str) -> Result {
    let is_there = |package: &&String| {
        let state = ["-W", "-f", "${db:Status-Status}", package];
        output_of(Command::new("dpkg-query").args(state)).as_deref() == Some("installed")
    };
    let missing: Vec<_> = packages.iter().filter(|package| !is_there(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.iter().map(|name| name.as_str()).collect::<Vec<_>>();
    let Some(prefix) = rights() else {
        let command = format!("sudo apt-get install {}", names.join(" "));
        return Err(Error::new(format!("libraries are missing: run `{command}`, then this again")));
    };
    say(&format!("Installing libraries by apt, {why}: {}", names.join(", ")));
    apt(prefix, &["update", "-qq"])?;
    apt(prefix, &[&["install", "-y", "-qq", "--no-install-recommends"], &names[..]].concat())
}

/// Whether this process may do anything on this machine.
pub(crate) fn is_root() -> bool {
    output_of(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// The words before `apt-get` that give it its rights, or `None` where there are none.
fn rights() -> Option<&'static [&'static str]> {
    if !exists("apt-get") {
        return None;
    }
    if is_root() {
        return Some(&["env"]);
    }
    let quiet_sudo =
        exists("sudo") && output_of(Command::new("sudo").args(["-n", "true"])).is_some();
    quiet_sudo.then_some(&["sudo", "-n", "env"])
}

fn apt(prefix: &[&str], words: &[&str]) -> Result {
    let mut command = Command::new(prefix[0]);
    command.args(&prefix[1..]).arg("DEBIAN_FRONTEND=noninteractive").arg("apt-get").args(words);
    run(&mut command)
}
