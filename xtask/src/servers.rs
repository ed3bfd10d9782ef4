//! Servers that tests start: ours, PostgreSQL, nginx and Caddy. An installed one is used, otherwise
//! its package is unpacked and not installed, because the package would start a permanent service.

use std::{
    env,
    ffi::OsString,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result};

use crate::{apt, paths, run::command_text};

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
    let names = apt::list_dependencies("postgresql");
    let version = names.iter().find_map(|name| name.strip_prefix("postgresql-"));
    let version = version
        .context("apt knows no `postgresql`: run `sudo apt-get update`, or install it manually")?;
    let [server, client] =
        ["postgresql", "postgresql-client"].map(|name| format!("{name}-{version}"));
    // As root, the servers run as another user, without access to root's home.
    let folder = paths::target().join("apt/postgresql");
    let folder = apt::ensure_unpacked(folder, &[&server, &client])?;
    let programs = folder.join(POSTGRES).join(version).join("bin");
    Ok(env::join_paths(std::iter::once(programs).chain(env::split_paths(&before)))?)
}

/// Returns the installed nginx, or an unpacked one.
pub(crate) fn ensure_nginx() -> Result<PathBuf> {
    let installed = PathBuf::from("/usr/sbin/nginx");
    if installed.exists() {
        return Ok(installed);
    }
    Ok(apt::ensure_unpacked(paths::tool("apt-nginx"), &["nginx"])?.join("usr/sbin/nginx"))
}

/// Returns an unpacked Caddy.
pub(crate) fn ensure_caddy() -> Result<PathBuf> {
    Ok(apt::ensure_unpacked(paths::tool("apt-caddy"), &["caddy"])?.join("usr/bin/caddy"))
}

/// A running debug binary, for the tests of other programs. Dropping it stops the server.
pub(crate) struct TestServer {
    child: Child,
    /// URL that the server printed.
    pub(crate) url: String,
}

impl TestServer {
    /// Starts `sheaf serve` and waits until it listens.
    pub(crate) fn start(serve: &mut Command) -> Result<Self> {
        serve.stdin(Stdio::null()).stdout(Stdio::piped());
        let child = serve.spawn().with_context(|| command_text(serve))?;
        let mut server = Self { child, url: String::new() };
        // The pipe stays open: the server exits if it cannot write its output.
        let lines = server.child.stdout.as_mut().map(|out| BufReader::new(out).lines());
        let mut lines = lines.into_iter().flatten().map_while(std::result::Result::ok);
        let url = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        server.url =
            url.context("the server does not print its address: run `sheaf serve` manually")?;
        Ok(server)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
