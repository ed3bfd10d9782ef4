//! A server of Redis.

use crate::port::ReservedPort;
use crate::process::{Error, Result, Running, folder, output, unprivileged};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How often a server that starts is asked whether it is there, and how long in between.
const ASKED_MAX: u32 = 600;
const ASKED_EVERY: Duration = Duration::from_millis(20);

/// A running server, which everybody on this machine may ask.
pub struct Redis {
    port: ReservedPort,
    /// Ends with this.
    running: Running,
}

impl Redis {
    /// Starts a server, empty. When it is stopped it writes down what it holds.
    ///
    /// # Errors
    /// [`Error::Missing`] where Redis is not installed; what its programs say where they fail.
    pub fn start() -> Result<Self> {
        let program = program()?;
        let folder = folder()?;
        let port = ReservedPort::new()?;
        let (port_text, dir) = (port.number().to_string(), folder.display().to_string());
        let words = ["--port", &port_text, "--bind", "127.0.0.1", "--dir", &dir];
        let words = [&words[..], &["--save", "3600 1", "--appendonly", "no"]].concat();
        let running = Running::start(&folder, &program, &words)?;
        let it = Self { port, running };
        it.wait()?;
        Ok(it)
    }

    /// Ends the server, as who manages it would: what it holds is kept.
    ///
    /// # Errors
    /// A server that is not there any more.
    pub fn stop(&self) -> Result<()> {
        self.running.stop()
    }

    /// Starts it again on the same port, and waits until it answers.
    ///
    /// # Errors
    /// What its programs say.
    pub fn restart(&self) -> Result<()> {
        self.running.restart()?;
        self.wait()
    }

    /// Runs a command by `redis-cli` and returns what it gives, as lines.
    ///
    /// # Errors
    /// What `redis-cli` says.
    pub fn command(&self, words: &[&str]) -> Result<String> {
        let mut cli = unprivileged("redis-cli");
        cli.args(["-e", "-p", &self.port.number().to_string()]).args(words).current_dir("/");
        let output = output(&mut cli)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// The server's address.
    pub fn url(&self) -> String {
        format!("redis://{}", self.port.address())
    }

    fn wait(&self) -> Result<()> {
        let mut asked = 0;
        loop {
            let answer = self.command(&["PING"]);
            asked += 1;
            match answer {
                Ok(_) => return Ok(()),
                Err(error) if asked == ASKED_MAX => return Err(error),
                Err(_) => thread::sleep(ASKED_EVERY),
            }
        }
    }
}

/// Finds the server's program on the path.
fn program() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join("redis-server"))
        .find(|program: &PathBuf| Path::exists(program))
        .ok_or_else(|| Error::Missing("redis-server".to_owned(), "redis-server"))
}
