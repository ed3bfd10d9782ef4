//! A server process that ends with the test process, even if that is killed. A shell script
//! supervises it.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// Users that run a server if we are root, because PostgreSQL refuses to run as root: its own user
/// if that exists, otherwise `nobody`.
const UNPRIVILEGED_USERS: [&str; 2] = ["postgres", "nobody"];

/// Shell script that runs a server, and stops and starts it on commands from standard input. It
/// repeats each command on standard output when it is done. `$0` is the server's folder, and `$@`
/// its command line.
///
/// At the end of the input, which is when the parent process ends, it terminates the server (with
/// both signals, because servers differ) and removes the folder. The removal runs on in the
/// background: a cluster with the databases of a whole run has several gigabytes.
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
kill -QUIT $server; kill -TERM $server; wait $server
rm -rf "$0" > /dev/null 2>&1 &"#;

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
    /// Standard input and output of the supervisor; `None` once the value is dropped.
    pipes: Mutex<Option<(ChildStdin, BufReader<ChildStdout>)>>,
}

impl ServerProcess {
    /// Starts a server and returns at once. Its folder is removed after the value is dropped.
    pub(crate) fn start(folder: &Path, program: &Path, args: &[&str]) -> Result<Self> {
        let mut supervisor = unprivileged_command("sh");
        supervisor.args(["-c", SUPERVISOR_SCRIPT]).arg(folder).arg(program).args(args);
        supervisor.current_dir(folder).stdin(Stdio::piped());
        supervisor.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut supervisor = supervisor.spawn()?;
        let pipes = supervisor.stdin.take().zip(supervisor.stdout.take().map(BufReader::new));
        Ok(Self { supervisor, pipes: Mutex::new(pipes) })
    }

    /// Stops the server gracefully. Its folder is not removed.
    pub(crate) fn stop(&self) -> Result<()> {
        self.send_command("stop")
    }

    /// Starts the server again on the same port and folder.
    pub(crate) fn restart(&self) -> Result<()> {
        self.send_command("start")
    }

    /// Sends a command to the script, and waits until it is done.
    fn send_command(&self, word: &str) -> Result<()> {
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((input, output)) = pipes.as_mut() else { return Ok(()) };
        writeln!(input, "{word}")?;
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Err(Error::Failed(word.to_owned(), "the server's script has ended".to_owned()));
        }
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Closing the pipe makes the script end the server.
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner).take();
        // An error means that it cannot be waited for. There is nothing left to do then.
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
    let [own, fallback] = UNPRIVILEGED_USERS;
    let is_there = Command::new("id").arg(own).output().is_ok_and(|id| id.status.success());
    if is_there { own } else { fallback }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Creates a temporary folder that the server's user can write to. The caller must remove it.
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
