//! State and results of a test run.

use std::{
    cell::OnceCell,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{BufRead as _, BufReader, IsTerminal as _, Write, stdout},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::paths;
use crate::run::{Error, Result, command_text, io_at, not_started, print_line, run_silently};
use crate::test::prepare::Preparation;

/// Level of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// `cargo xtask test`: every kind of test, but not every repetition.
    Merge,
    /// `cargo xtask test --full`: all repetitions, with the release binary.
    Full,
}

/// Numbers of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseResult {
    Passed,
    /// Failed first and passed when repeated.
    Flaky,
    Failed,
}

/// One test of a report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    /// Name of the test binary and of the test.
    pub(crate) name: String,
    /// Duration of the last attempt, in seconds.
    pub(crate) seconds: f64,
    pub(crate) result: CaseResult,
}

impl TestCounts {
    /// Adds the counts of a test binary's summary line. Other lines are ignored.
    fn add_summary_line(&mut self, line: &str) {
        let Some((_, result)) = line.split_once("test result:") else { return };
        for part in result.split([';', '.']) {
            if let Some((count, kind)) = part.trim().split_once(' ') {
                match (count.parse::<usize>(), kind) {
                    (Ok(count), "passed") => self.passed += count,
                    (Ok(count), "failed") => self.failed += count,
                    _ => {}
                }
            }
        }
    }
}

/// A test run: its level, the resources that all steps share, and the results of the current step.
pub(crate) struct TestRun {
    pub(crate) level: Level,
    pub(crate) counts: TestCounts,
    pub(crate) cases: Vec<Case>,
    pub(crate) flaky: Vec<String>,
    preparation: Option<Preparation>,
    cluster: OnceCell<test_servers::Postgres>,
    scratch: Scratch,
}

impl TestRun {
    pub(crate) fn new(level: Level, preparation: Option<Preparation>) -> Result<Self> {
        Ok(Self {
            level,
            counts: TestCounts::default(),
            cases: Vec::new(),
            flaky: Vec::new(),
            preparation,
            cluster: OnceCell::new(),
            scratch: Scratch::new()?,
        })
    }

    /// Creates a run without a preparation in the background.
    pub(crate) fn without_preparation(level: Level) -> Result<Self> {
        Self::new(level, None)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.level == Level::Full
    }

    /// Waits for the preparation in the background, if there is one.
    pub(crate) fn wait_for_preparation(&mut self) -> Result {
        self.preparation.take().map_or(Ok(()), Preparation::wait)
    }

    /// Returns the environment variables of all host tests.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![("TMPDIR", self.scratch.0.clone().into_os_string())];
        if self.is_full() {
            variables.push(("SHEAF_TEST_FULL", "1".into()));
        }
        variables.push(("SHEAF_TEST_ROTATION", commit_count().to_string().into()));
        if let Some(cluster) = self.cluster.get() {
            variables.push(("SHEAF_TEST_POSTGRES_URL", cluster.url("postgres").into()));
        }
        variables
    }

    /// Starts the PostgreSQL cluster that the tests of this run share, unless it is running. If
    /// PostgreSQL is not installed, the search path `path` has its programs.
    pub(crate) fn start_postgres(&self, path: &OsStr) -> Result {
        if self.cluster.get().is_none() {
            let cluster = test_servers::Postgres::start_shared(path);
            let cluster = cluster.map_err(|error| Error::new(error.to_string()))?;
            let _ = self.cluster.set(cluster);
        }
        Ok(())
    }

    /// Returns the binary for tests of the complete run: the release binary in a full run.
    pub(crate) fn binary(&self) -> PathBuf {
        if self.is_full() { paths::binary() } else { paths::dev_binary() }
    }

    /// Adds tests that ran.
    pub(crate) fn add_cases(&mut self, cases: Vec<Case>) {
        for case in &cases {
            match case.result {
                CaseResult::Failed => self.counts.failed += 1,
                CaseResult::Passed => self.counts.passed += 1,
                CaseResult::Flaky => {
                    self.counts.passed += 1;
                    self.flaky.push(case.name.clone());
                }
            }
        }
        self.cases.extend(cases);
    }
}

/// Returns the number of commits. Suites that are too long for each run use it to select a part.
pub(crate) fn commit_count() -> usize {
    let count = run_silently(Command::new("git").args(["rev-list", "--count", "HEAD"]));
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// Temporary folder of the run, in memory if the system has such a folder. Dropping it removes the
/// folder.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let name = format!("sheaf-test-{}", std::process::id());
        let memory = Path::new("/dev/shm").join(&name);
        if fs::create_dir_all(&memory).is_ok() {
            return Ok(Self(memory));
        }
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).map_err(io_at("create", &folder))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed is left behind.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Result of a step.
pub(crate) struct StepResult {
    pub(crate) name: &'static str,
    pub(crate) counts: TestCounts,
    pub(crate) time: Duration,
    pub(crate) error: Option<Error>,
}

/// Runs a test program, passes its output through, and counts its tests.
pub(crate) fn run_counted(command: &mut Command, counts: &mut TestCounts) -> Result {
    print_line(&format!("$ {}", command_text(command)));
    if stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    run_counted_into(command, counts, &mut stdout())
}

fn run_counted_into(
    command: &mut Command,
    counts: &mut TestCounts,
    out: &mut impl Write,
) -> Result {
    let failed = |error: std::io::Error| Error::new(format!("cannot create a pipe: {error}"));
    // One pipe for both streams, so that cargo's headings stay above their results.
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    let mut child = command.spawn().map_err(|error| not_started(command, &error))?;
    // The command holds the write end. It has to be closed here, or the read would never end.
    command.stdout(std::process::Stdio::inherit()).stderr(std::process::Stdio::inherit());
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        let _ = out.write_all(&line);
        counts.add_summary_line(&strip_colours(&String::from_utf8_lossy(&line)));
        line.clear();
    }
    let status = child.wait().map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(format!("`{}` failed ({status}): see its output above", command_text(command))))
}

/// Removes the escape sequences of colours from a line.
fn strip_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut in_escape = false;
    for c in line.chars() {
        match c {
            '\u{1b}' => in_escape = true,
            'm' if in_escape => in_escape = false,
            _ if in_escape => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_lines_are_counted_despite_colour() {
        let check = |line: &str, passed, failed| {
            let mut counts = TestCounts::default();
            counts.add_summary_line(&strip_colours(line));
            assert_eq!(counts, TestCounts { passed, failed }, "{line}");
        };
        check("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured", 12, 0);
        check("test result: \u{1b}[31mFAILED\u{1b}[0m. 3 passed; 2 failed; 0 ignored", 3, 2);
        check("test it::works ... ok", 0, 0);
    }

    #[test]
    fn tests_on_both_streams_are_counted() {
        let script = "echo 'test result: ok. 1 passed; 0 failed;'; \
                      echo 'test result: ok. 2 passed; 0 failed;' >&2";
        let mut counts = TestCounts::default();
        let mut out = Vec::new();
        let mut program = Command::new("sh");
        run_counted_into(program.args(["-c", script]), &mut counts, &mut out).unwrap();
        assert_eq!(counts, TestCounts { passed: 3, failed: 0 });
        assert_eq!(String::from_utf8(out).unwrap().lines().count(), 2);
        let mut broken = Command::new("false");
        assert!(run_counted_into(&mut broken, &mut counts, &mut Vec::new()).is_err());
    }

    #[test]
    fn repeated_test_counts_once_and_is_listed() {
        let mut run = TestRun::without_preparation(Level::Merge).unwrap();
        let case = |name: &str, result| Case { name: name.to_owned(), seconds: 1.0, result };
        run.add_cases(vec![case("a", CaseResult::Flaky), case("b", CaseResult::Failed)]);
        assert_eq!(run.counts, TestCounts { passed: 1, failed: 1 });
        assert_eq!(run.flaky, ["a"]);
    }
}
