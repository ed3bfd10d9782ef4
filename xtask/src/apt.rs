//! Installs packages of Debian and Ubuntu if the process has the rights, and otherwise names the
//! command to run. Never asks for a password.

use std::{path::PathBuf, process::Command};

use anyhow::{Context as _, Result};
use fs_err as fs;

use crate::{
    install, paths,
    run::{find_program, print_line, run, run_silently},
};

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

/// Installs the packages of missing programs: as root, or with a `sudo` that needs no password.
pub(crate) fn need_programs(programs: &[&str]) -> Result<()> {
    let missing = programs.iter().filter(|program| find_program(program).is_none());
    let known = |program| PROGRAMS.iter().find(|(name, _)| *name == program);
    let packages = missing.map(|program| known(*program).map_or(*program, |(_, package)| *package));
    let packages: Vec<&str> = packages.collect();
    if packages.is_empty() { Ok(()) } else { install(&packages) }
}

/// Installs the packages of all programs at once. Does nothing without the rights to install: a
/// later [`need_programs`] fails with the command to run.
pub(crate) fn install_all() -> Result<()> {
    if root_prefix().is_none() {
        return Ok(());
    }
    need_programs(&PROGRAMS.map(|(program, _)| program))
}

/// Installs packages: as root, or with a `sudo` that needs no password.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    root_prefix().with_context(|| {
        format!("packages are missing: run `sudo apt-get install {names}`, then try again")
    })?;
    print_line(&format!("Installing by apt: {names}."));
    run_apt("update -qq")?;
    run_apt(&format!("install -y -qq --no-install-recommends {names}"))
}

/// Ensures that a folder has unpacked packages, and returns it. They are not installed, so that
/// they start no service. The libraries that they need are installed.
pub(crate) fn ensure_unpacked(folder: PathBuf, packages: &[&str]) -> Result<PathBuf> {
    install::ensure_installed(folder, |new| {
        print_line(&format!("Unpacking {}: no service is installed.", packages.join(" ")));
        let depends: Vec<_> = packages.iter().flat_map(|name| list_dependencies(name)).collect();
        let is_missing = |name: &&str| {
            let state = ["-W", "-f", "${db:Status-Status}", *name];
            let state = run_silently(Command::new("dpkg-query").args(state));
            name.starts_with("lib") && state.as_deref() != Some("installed")
        };
        let libraries: Vec<_> = depends.iter().map(String::as_str).filter(is_missing).collect();
        if !libraries.is_empty() {
            install(&libraries)?;
        }
        let mut download = Command::new("apt-get");
        download.args(["download", "-qq"]).args(packages).current_dir(new);
        if run_silently(&mut download).is_none() {
            run_apt("update -qq")?;
            run(&mut download)?;
        }
        for archive in paths::files_below(new)? {
            run(Command::new("dpkg").arg("-x").arg(&archive).arg(new))?;
            fs::remove_file(&archive)?;
        }
        Ok(())
    })
}

/// Returns the names of the direct dependencies of a package.
pub(crate) fn list_dependencies(package: &str) -> Vec<String> {
    let output =
        run_silently(Command::new("apt-cache").args(["depends", package])).unwrap_or_default();
    let names = output.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    names.filter(|name| !name.starts_with('<')).map(str::to_owned).collect()
}

/// Returns whether the process runs as root.
pub(crate) fn is_root() -> bool {
    run_silently(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// Returns the command prefix that runs `apt-get` with root rights, or `None` without such rights.
fn root_prefix() -> Option<&'static str> {
    if find_program("apt-get").is_none() {
        None
    } else if is_root() {
        Some("env")
    } else {
        run_silently(Command::new("sudo").args(["-n", "true"]))?;
        Some("sudo -n env")
    }
}

fn run_apt(words: &str) -> Result<()> {
    let prefix = root_prefix().unwrap_or("env");
    let command = format!("{prefix} DEBIAN_FRONTEND=noninteractive apt-get {words}");
    let mut words = command.split(' ');
    run(Command::new(words.next().unwrap_or_default()).args(words))
}
