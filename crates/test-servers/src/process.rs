//! A server process that ends with the process that started it.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// Users that run a server if we are root, which PostgreSQL refuses: its own user if it exists,
/// otherwise `nobody`.
const UNPRIVILEGED_USERS: [&str; 2] = ["postgres", "nobody"];

/// Shell script that runs a server, and stops and starts it on commands from standard input.
///
/// At the end of the input, which is when the parent process ends, it terminates the server (with
/// both signals, because servers differ) and removes the folder.
const SUPERVISOR_SCRIPT: &str = r#"
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

/// Error of starting or controlling a server.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program is not installed.
    #[error("`{0}` is not installed; install the package `{1}`")]
    Missing(String, &'static str),
    /// A program failed.
    #[error("`{0}` failed: {1}")]
    Failed(String, String),
    /// A folder or process could not be created.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Result of controlling a server.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Server that runs until this value is dropped.
pub(crate) struct ServerProcess {
    supervisor: Child,
    pipes: Mutex<Option<(ChildStdin, BufReader<ChildStdout>)>>,
}

impl ServerProcess {
    /// Starts a server. Its folder is removed when it ends.
    pub(crate) fn start(folder: &Path, program: &Path, words: &[&str]) -> Result<Self> {
        let mut keeper = unprivileged_command("sh");
        keeper.args(["-c", SUPERVISOR_SCRIPT]).arg(folder).arg(program).args(words);
        keeper.current_dir(folder).stdin(Stdio::piped());
        keeper.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = keeper.spawn()?;
        let talk = keeper.stdin.take().zip(keeper.stdout.take().map(BufReader::new));
        Ok(Self { supervisor: keeper, pipes: Mutex::new(talk) })
    }

    /// Stops the server gracefully. Its folder is not removed.
    pub(crate) fn stop(&self) -> Result<()> {
        self.send_command("stop")
    }

    /// Starts the server again on the same port and folder.
    pub(crate) fn restart(&self) -> Result<()> {
        self.send_command("start")
    }

    fn send_command(&self, word: &str) -> Result<()> {
        let mut talk = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((ask, answer)) = talk.as_mut() else { return Ok(()) };
        writeln!(ask, "{word}")?;
        let mut line = String::new();
        if answer.read_line(&mut line)? == 0 {
            return Err(Error::Failed(word.to_owned(), "the server's script has ended".to_owned()));
        }
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Closing the pipe makes the script end the server.
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The script has ended or cannot be waited for. In both cases there is nothing left to do.
        let _ = self.supervisor.wait();
    }
}

/// Returns a command that does not run as root.
pub(crate) fn unprivileged_command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", unprivileged_user(), "--"]).arg(program.as_ref());
    command
}

fn unprivileged_user() -> &'static str {
    let [own, anybody] = UNPRIVILEGED_USERS;
    let is_there = Command::new("id").arg(own).output().is_ok_and(|id| id.status.success());
    if is_there { own } else { anybody }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Creates a folder that the server's user can write to.
pub(crate) fn create_folder() -> Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("sheaf-backing-").tempdir()?.keep();
    if is_root() {
        run_to_end(Command::new("chown").arg(unprivileged_user()).arg(&folder))?;
    }
    Ok(folder)
}

/// Runs a program to its end, and returns its output if it succeeds.
pub(crate) fn run_to_end(command: &mut Command) -> Result<Output> {
    let name = command.get_program().display().to_string();
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(output);
    }
    let message = [output.stderr, output.stdout].concat();
    Err(Error::Failed(name, String::from_utf8_lossy(&message).trim().to_owned()))
}
