//! Runs other programs: prints the command and passes its output through.

use std::{
    env,
    ffi::OsString,
    io::{self, BufRead as _, BufReader, Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use fs_err as fs;

use crate::paths;

/// Compiler with lints.
const LINTER: &str = "clippy-driver";
/// Variable that names the compiler of the crates of the workspace.
pub(crate) const WORKSPACE_COMPILER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// Prints a line to standard output. A closed pipe is not an error.
pub(crate) fn print_line(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Runs `command` and passes its output through. Fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    print_line(&format!("$ {}", command_text(command)));
    let status = command.status();
    check_status(command, status)
}

/// As [`run`], and fails if cargo prints warnings. It prints those of the workspace even if nothing
/// is compiled.
pub(crate) fn run_without_warnings(command: &mut Command) -> Result<()> {
    ensure!(find_program(LINTER).is_some(), "lints need `{LINTER}`: install clippy");
    // Colour codes would hide the start of the line.
    command.env("CARGO_TERM_COLOR", "never").stderr(Stdio::piped());
    let mut warnings = 0;
    run_and_read(command, |line| warnings += usize::from(line.starts_with("warning: ")))?;
    let text = command_text(command);
    ensure!(warnings == 0, "`{text}` printed {warnings} warnings: see its output above");
    Ok(())
}

/// As [`run`], and passes each line of its piped output to `read`.
pub(crate) fn run_and_read(command: &mut Command, mut read: impl FnMut(&str)) -> Result<()> {
    print_line(&format!("$ {}", command_text(command)));
    let mut child = command.spawn().with_context(|| command_text(command))?;
    let stdout = child.stdout.take().map(|out| Box::new(out) as Box<dyn Read>);
    let piped = stdout.or_else(|| child.stderr.take().map(|out| Box::new(out) as Box<dyn Read>));
    let lines = piped.map(|out| BufReader::new(out).split(b'\n'));
    for line in lines.into_iter().flatten().map_while(io::Result::ok) {
        let line = String::from_utf8_lossy(&line);
        print_line(&line);
        read(&line);
    }
    check_status(command, child.wait())
}

/// Fails unless `command` was started and succeeded.
fn check_status(command: &Command, status: io::Result<ExitStatus>) -> Result<()> {
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

/// Returns a cargo command, with the settings of the build server if `CI` is set. `words` are split
/// at spaces. Unless it builds a release, `clippy-driver` compiles the crates of the workspace. It
/// is `rustc` with lints, so that lints need no second pass over all crates.
pub(crate) fn cargo(words: &str) -> Command {
    cargo_program(Path::new("cargo"), words)
}

/// As [`cargo`], for a program that calls cargo.
pub(crate) fn cargo_program(program: &Path, words: &str) -> Command {
    // Release builds embed `dist`. The folder must exist to compile the gateway, but may be empty.
    let _ = fs::create_dir_all(paths::dist());
    let mut cargo = Command::new(program);
    cargo.args(words.split(' ')).current_dir(paths::root());
    // `cargo xtask` sets these variables, and some build scripts run again when they change.
    let of_xtask = |key: &OsString| {
        let key = key.to_string_lossy();
        key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_")
    };
    for (key, _) in env::vars_os().filter(|(key, _)| of_xtask(key)) {
        cargo.env_remove(key);
    }
    if words.contains("--release") {
        cargo.env_remove(WORKSPACE_COMPILER);
    } else if find_program(LINTER).is_some() {
        cargo.env(WORKSPACE_COMPILER, LINTER);
    }
    if env::var_os("CI").is_some() {
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

/// A command in the background. It is killed when this value is dropped. Its output goes to a file,
/// and not between that of other commands.
pub(crate) struct Background {
    child: Child,
    command: Command,
    log: PathBuf,
}

impl Background {
    /// Starts a command, with the log file `target/NAME.log`.
    pub(crate) fn start(name: &str, mut command: Command) -> Result<Self> {
        let log = paths::target().join(format!("{name}.log"));
        let file = fs::File::create(&log)?.into_parts().0;
        command.stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().with_context(|| command_text(&command))?;
        Ok(Self { child, command, log })
    }

    /// Waits for the command. Passes its output to `read`, also if it failed.
    pub(crate) fn wait(mut self, read: impl FnOnce(&str)) -> Result<()> {
        let status = self.child.wait();
        read(&String::from_utf8_lossy(&fs::read(&self.log)?));
        check_status(&self.command, status)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Both have no effect after `wait`.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
