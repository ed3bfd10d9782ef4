//! A server process that does not outlive whoever started it.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// Who runs a server where we are root, which PostgreSQL refuses to be: its own user, where it is
/// installed.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// Runs a server, and stops and starts it as it is told line by line. Its input ends with whoever
/// holds the other side; then it ends the server, by whichever signal that knows, and removes its
/// folder.
const KEEPER: &str = r#"
start() { "$@" > /dev/null & server=$!; }
start "$@"
while read -r word; do
    case $word in
        stop) kill -INT $server; wait $server;;
        start) start "$@";;
    esac
    echo "$word"
done
kill -QUIT $server; kill -TERM $server; wait $server; rm -rf "$0""#;

/// What keeps a server from starting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program that is not installed.
    #[error("`{0}` is not installed; install the package `{1}`")]
    Missing(String, &'static str),
    /// A program that failed.
    #[error("`{0}` failed: {1}")]
    Failed(String, String),
    /// A folder or process that could not be had.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// What an attempt to start something gives.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// A server that runs until this is dropped.
pub(crate) struct Running {
    keeper: Child,
    talk: Mutex<Option<(ChildStdin, BufReader<ChildStdout>)>>,
}

impl Running {
    /// Starts a server whose folder goes when it ends.
    pub(crate) fn start(folder: &Path, program: &Path, words: &[&str]) -> Result<Self> {
        let mut keeper = unprivileged("sh");
        keeper.args(["-c", KEEPER]).arg(folder).arg(program).args(words);
        keeper.current_dir(folder).stdin(Stdio::piped());
        keeper.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = keeper.spawn()?;
        let talk = keeper.stdin.take().zip(keeper.stdout.take().map(BufReader::new));
        Ok(Self { keeper, talk: Mutex::new(talk) })
    }

    /// Ends the server in good order, and keeps its folder.
    pub(crate) fn stop(&self) -> Result<()> {
        self.tell("stop")
    }

    /// Starts it again, on the same port and folder.
    pub(crate) fn restart(&self) -> Result<()> {
        self.tell("start")
    }

    fn tell(&self, word: &str) -> Result<()> {
        let mut talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((ask, answer)) = talk.as_mut() else { return Ok(()) };
        writeln!(ask, "{word}")?;
        let mut line = String::new();
        if answer.read_line(&mut line)? == 0 {
            return Err(Error::Failed(word.to_owned(), "the server's keeper is gone".to_owned()));
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.talk.lock().unwrap_or_else(PoisonError::into_inner).take();
        // It has ended, or cannot be waited for: either way there is nothing more to do.
        let _ = self.keeper.wait();
    }
}

/// Returns a command that is not run as root.
pub(crate) fn unprivileged(program: impl AsRef<std::ffi::OsStr>) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", user(), "--"]).arg(program.as_ref());
    command
}

fn user() -> &'static str {
    let [own, anybody] = UNPRIVILEGED;
    let is_there = Command::new("id").arg(own).output().is_ok_and(|id| id.status.success());
    if is_there { own } else { anybody }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Makes a folder for a server, which whoever runs it may write to.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("sheaf-backing-").tempdir()?.keep();
    if is_root() {
        output(Command::new("chown").arg(user()).arg(&folder))?;
    }
    Ok(folder)
}

/// Runs a program to its end.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    let name = command.get_program().display().to_string();
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(output);
    }
    let told = [output.stderr, output.stdout].concat();
    Err(Error::Failed(name, String::from_utf8_lossy(&told).trim().to_owned()))
}
