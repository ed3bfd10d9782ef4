//! A child process: this same program, running one test in another role.

use std::fmt::Arguments;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FILE: &str = "SHEAF_TEST_CHILD_FILE";
const ROLE: &str = "SHEAF_TEST_CHILD_ROLE";

/// Returns the database file and the role, if this process is a child.
pub(crate) fn child_role() -> Option<(PathBuf, String)> {
    Some((std::env::var_os(FILE)?.into(), std::env::var(ROLE).ok()?))
}

/// Returns the command that runs one test as a child, optionally under another program.
pub(crate) fn child_command(before: &[&str], test: &str, file: &Path, role: &str) -> Command {
    let test_binary = std::env::current_exe().unwrap();
    let mut command = match before {
        [] => Command::new(test_binary),
        [program, words @ ..] => {
            let mut command = Command::new(program);
            command.args(words).arg(test_binary);
            command
        }
    };
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(FILE, file).env(ROLE, role);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Prints a line of its own, even after unfinished output of the test runner. Panics if the parent
/// no longer reads.
pub(crate) fn print_line(line: Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(format!("\n{line}\n").as_bytes()).and_then(|()| stdout.flush()).unwrap();
}
