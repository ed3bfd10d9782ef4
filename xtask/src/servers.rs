//! Servers that tests start: PostgreSQL, nginx and Caddy. An installed one is used, otherwise its
//! package is unpacked and not installed, because the package would start a permanent service.

use std::{env, ffi::OsString, path::PathBuf};

use anyhow::{Context as _, Result};

use crate::{apt, paths};

/// Folder of PostgreSQL's programs in Debian. It is in no search path.
const POSTGRES: &str = "usr/lib/postgresql";

/// Returns a `PATH` with the programs of PostgreSQL, for the crate `test-servers`.
pub(crate) fn search_path() -> Result<OsString> {
    let before = env::var_os("PATH").unwrap_or_default();
    let versions = PathBuf::from("/").join(POSTGRES).read_dir().into_iter().flatten().flatten();
    let mut programs = versions.map(|version| version.path().join("bin/initdb"));
    if programs.any(|initdb| initdb.exists()) {
        return Ok(before);
    }
    let folders = std::iter::once(unpack_postgres()?).chain(env::split_paths(&before));
    Ok(env::join_paths(folders)?)
}

/// Returns the folder with the programs of the distribution's PostgreSQL.
fn unpack_postgres() -> Result<PathBuf> {
    let names = apt::list_dependencies("postgresql");
    let version = names.iter().find_map(|name| name.strip_prefix("postgresql-"));
    let version = version
        .context("apt knows no `postgresql`: run `sudo apt-get update`, or install it manually")?;
    let packages = [format!("postgresql-{version}"), format!("postgresql-client-{version}")];
    // As root, the servers run as another user, without access to root's home.
    let parent = paths::target().join("apt");
    let folder =
        apt::ensure_unpacked(&parent, "postgresql", &packages.each_ref().map(|name| &**name))?;
    Ok(folder.join(POSTGRES).join(version).join("bin"))
}

/// Returns the installed nginx, or an unpacked one.
pub(crate) fn ensure_nginx() -> Result<PathBuf> {
    let installed = PathBuf::from("/usr/sbin/nginx");
    if installed.exists() {
        return Ok(installed);
    }
    Ok(apt::ensure_unpacked(&paths::tools(), "apt-nginx", &["nginx"])?.join("usr/sbin/nginx"))
}

/// Returns an unpacked Caddy.
pub(crate) fn ensure_caddy() -> Result<PathBuf> {
    Ok(apt::ensure_unpacked(&paths::tools(), "apt-caddy", &["caddy"])?.join("usr/bin/caddy"))
}
