//! Runs other programs: prints the command and passes its output through.

use std::{
    env,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};

/// Prints a line to standard output. A closed pipe is not an error.
pub(crate) fn print_line(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// Runs `command` and passes its output through. Fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    print_line(&format!("$ {}", command_text(command)));
    let status = command.status();
    check_status(command, status)
}

/// Fails unless `command` was started and succeeded.
pub(crate) fn check_status(command: &Command, status: io::Result<ExitStatus>) -> Result<()> {
    let text = command_text(command);
    let status = status.with_context(|| format!("cannot start `{text}`: install the program"))?;
    ensure!(status.success(), "`{text}` failed ({status}): see its output above");
    Ok(())
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
