//! Runs other programs: prints the command and passes its output through.

use std::{
    env, fmt,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

/// An error as one sentence that says what to do.
#[derive(Debug)]
pub(crate) struct Error(String);

/// Result of the functions of this crate.
pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    /// Creates an error with this message.
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns a function that describes the failure of an operation on `path`.
pub(crate) fn io_at(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::new(format!("cannot {act} `{}`: {error}", path.display()))
}

/// Prints a line to standard output. A closed pipe is not an error.
pub(crate) fn print_line(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// Runs `command` and passes its output through. Fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result {
    print_line(&format!("$ {}", command_text(command)));
    let status = command.status();
    check_status(command, status)
}

/// Fails unless `command` was started and succeeded.
pub(crate) fn check_status(command: &Command, status: io::Result<ExitStatus>) -> Result {
    let status = status.map_err(|error| not_started(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(format!("`{}` failed ({status}): see its output above", command_text(command))))
}

/// Runs `command` without output. Returns its standard output, or `None` if it cannot be started or
/// fails.
pub(crate) fn run_silently(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the path of a program in the search path.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Returns whether a program is in the search path.
pub(crate) fn has_program(program: &str) -> bool {
    find_program(program).is_some()
}

/// Returns `command` as a user would type it, with only the name of the program.
pub(crate) fn command_text(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    let words = command.get_args().map(|word| word.to_string_lossy());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

/// Formats a duration: `0.4 s`, `12 s`, `3 min 05 s`.
pub(crate) fn format_duration(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        s @ 10..60 => format!("{s} s"),
        s => format!("{} min {:02} s", s / 60, s % 60),
    }
}

/// Returns the error of a program that cannot be started.
pub(crate) fn not_started(command: &Command, error: &io::Error) -> Error {
    let program = command.get_program().to_string_lossy();
    Error::new(format!(
        "cannot start `{program}`: {error}; install it or add it to the search path"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_formatted() {
        let check = |ms, expected: &str| {
            assert_eq!(format_duration(Duration::from_millis(ms)), expected);
        };
        check(420, "0.4 s");
        check(12_300, "12 s");
        check(185_000, "3 min 05 s");
    }

    #[test]
    fn error_names_failing_or_missing_program() {
        let error = run(Command::new("false").arg("now")).unwrap_err().to_string();
        assert!(error.contains("`false now` failed"), "{error}");
        let error = run(&mut Command::new("no-such-program")).unwrap_err().to_string();
        assert!(error.contains("install it"), "{error}");
    }
}
