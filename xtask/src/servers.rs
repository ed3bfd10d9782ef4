//! The servers that tests start by themselves: PostgreSQL. It is the one that is installed, or
//! else unpacked and never installed, since its package would start a service that stays.

use std::{env, ffi::OsString, fs, path::PathBuf};

use crate::{
    apt, install, place,
    run::{Error, Result, say},
};

/// Where Debian puts the programs of PostgreSQL, which are on no path.
const POSTGRES: &str = "/usr/lib/postgresql";

/// Returns the `PATH` on which the crate `test-servers` finds it.
pub(crate) fn path() -> Result<OsString> {
    let mut folders = Vec::new();
    if installed_postgres().is_none() {
        folders.push(postgres()?);
    }
    let before = env::var_os("PATH").unwrap_or_default();
    env::join_paths(folders.into_iter().chain(env::split_paths(&before)))
        .map_err(|error| Error::new(format!("this project's folder cannot be on a path: {error}")))
}

fn installed_postgres() -> Option<PathBuf> {
    let versions = fs::read_dir(POSTGRES).ok()?.flatten();
    versions.map(|version| version.path().join("bin")).find(|bin| bin.join("initdb").exists())
}

/// The newest PostgreSQL of this system.
fn postgres() -> Result<PathBuf> {
    let names = apt::depends("postgresql");
    let version =
        names.iter().find_map(|name| name.strip_prefix("postgresql-")).ok_or_else(|| {
            Error::new(
                "apt knows no `postgresql`: run `sudo apt-get update`, or install it by hand",
            )
        })?;
    let (server, client) =
        (format!("postgresql-{version}"), format!("postgresql-client-{version}"));
    let folder = unpacked("postgresql", &[&server, &client])?;
    Ok(folder.join(format!("{}/{version}/bin", POSTGRES.trim_start_matches('/'))))
}

/// Unpacks packages into one folder of that name, and installs the libraries that they link.
fn unpacked(name: &str, packages: &[&str]) -> Result<PathBuf> {
    // Where we are root, another user runs the servers, who may not enter root's home.
    install::installed_in(&place::target().join("apt"), name, |new| {
        say(&format!("Unpacking `{name}`: no service is installed or started."));
        let depends = packages.iter().flat_map(|package| apt::depends(package));
        let libraries: Vec<_> = depends.filter(|package| package.starts_with("lib")).collect();
        apt::need_all(&libraries, &format!("which `{name}` links"))?;
        packages.iter().try_for_each(|package| apt::unpack(package, new))
    })
}

/// The nginx that is installed, or one that is not: its package would start a service.
pub(crate) fn nginx() -> Result<PathBuf> {
    let installed = PathBuf::from("/usr/sbin/nginx");
    if installed.exists() { Ok(installed) } else { apt::unpacked("nginx", "usr/sbin/nginx") }
}
