//! Servers that tests start: PostgreSQL and nginx. An installed one is used, otherwise its package
//! is unpacked and not installed, because the package would start a permanent service.

use std::{env, ffi::OsString, fs, path::PathBuf};

use crate::{
    apt, install, paths,
    run::{Error, Result, print_line},
};

/// Folder of PostgreSQL's programs in Debian. It is in no search path.
const POSTGRES: &str = "/usr/lib/postgresql";

/// Returns a `PATH` with the programs of PostgreSQL, for the crate `test-servers`.
pub(crate) fn search_path() -> Result<OsString> {
    let mut folders = Vec::new();
    if installed_postgres().is_none() {
        folders.push(unpack_postgres()?);
    }
    let before = env::var_os("PATH").unwrap_or_default();
    env::join_paths(folders.into_iter().chain(env::split_paths(&before))).map_err(|error| {
        Error::new(format!("the path of this repository cannot be in `PATH`: {error}"))
    })
}

fn installed_postgres() -> Option<PathBuf> {
    let versions = fs::read_dir(POSTGRES).ok()?.flatten();
    versions.map(|version| version.path().join("bin")).find(|bin| bin.join("initdb").exists())
}

/// Returns the programs of the distribution's PostgreSQL.
fn unpack_postgres() -> Result<PathBuf> {
    let names = apt::list_dependencies("postgresql");
    let version =
        names.iter().find_map(|name| name.strip_prefix("postgresql-")).ok_or_else(|| {
            Error::new(
                "apt knows no `postgresql`: run `sudo apt-get update`, or install it manually",
            )
        })?;
    let server = format!("postgresql-{version}");
    let client = format!("postgresql-client-{version}");
    let folder = unpack_packages("postgresql", &[&server, &client])?;
    Ok(folder.join(format!("{}/{version}/bin", POSTGRES.trim_start_matches('/'))))
}

/// Unpacks packages into one folder `name`, and installs the libraries that they need.
fn unpack_packages(name: &str, packages: &[&str]) -> Result<PathBuf> {
    // As root, the servers run as another user, without access to root's home.
    install::ensure_installed_in(&paths::target().join("apt"), name, |new| {
        print_line(&format!("Unpacking `{name}`: no service is installed or started."));
        let depends = packages.iter().flat_map(|package| apt::list_dependencies(package));
        let libraries: Vec<_> = depends.filter(|package| package.starts_with("lib")).collect();
        apt::install_libraries(&libraries, &format!("needed by `{name}`"))?;
        packages.iter().try_for_each(|package| apt::unpack(package, new))
    })
}

/// Returns the installed nginx, or an unpacked one: the package would start a service.
pub(crate) fn ensure_nginx() -> Result<PathBuf> {
    let installed = PathBuf::from("/usr/sbin/nginx");
    if installed.exists() {
        Ok(installed)
    } else {
        apt::unpacked_program("nginx", "usr/sbin/nginx")
    }
}
