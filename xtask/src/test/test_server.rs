//! Starts the debug binary for the tests of other programs.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result};

use crate::run::command_text;

/// A running server. Dropping it stops the server.
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
