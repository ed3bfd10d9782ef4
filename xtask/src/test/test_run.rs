//! State and results of a test run.

use std::{
    cell::OnceCell,
    env,
    ffi::{OsStr, OsString},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
    time::Duration,
};

use anyhow::{Context as _, Result};
use regex::Regex;
use tempfile::TempDir;

use crate::paths;
use crate::run::{check_status, command_text, print_line, run_silently};
use crate::test::background::Background;

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
    /// Adds the counts of the summary lines of test binaries.
    fn add_summaries(&mut self, output: &str) {
        for found in SUMMARY.captures_iter(output) {
            let [passed, failed] = found.extract().1.map(|n| n.parse().unwrap_or(0_usize));
            self.passed += passed;
            self.failed += failed;
        }
    }
}

static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"test result: \w+\. (\d+) passed; (\d+) failed").expect("the pattern is valid")
});

/// A test run: its level, the resources that all steps share, and the results of the current step.
pub(crate) struct TestRun {
    pub(crate) level: Level,
    pub(crate) counts: TestCounts,
    pub(crate) cases: Vec<Case>,
    pub(crate) flaky: Vec<String>,
    /// Whether the run contains all steps.
    is_complete: bool,
    preparation: Option<Background>,
    web_tests: Option<Background>,
    cluster: OnceCell<test_servers::Postgres>,
    scratch: TempDir,
}

impl TestRun {
    pub(crate) fn new(level: Level, preparation: Option<Background>) -> Result<Self> {
        Ok(Self {
            level,
            counts: TestCounts::default(),
            cases: Vec::new(),
            flaky: Vec::new(),
            is_complete: preparation.is_some(),
            preparation,
            web_tests: None,
            cluster: OnceCell::new(),
            scratch: create_scratch()?,
        })
    }

    pub(crate) fn is_full(&self) -> bool {
        self.level == Level::Full
    }

    /// Waits for the preparation in the background, if there is one.
    pub(crate) fn wait_for_preparation(&mut self) -> Result<()> {
        let Some(preparation) = self.preparation.take() else { return Ok(()) };
        preparation.wait(|text| print_line(&format!("-- cargo xtask prepare\n{text}--")))
    }

    /// Starts the web tests in the background if the run contains all steps.
    pub(crate) fn start_web_tests(&mut self, command: Command) -> Result<()> {
        if self.is_complete {
            self.web_tests = Some(Background::start("web", command)?);
        }
        Ok(())
    }

    /// Counts the tests of the web tests. Runs them by this command if they were not started.
    pub(crate) fn finish_web_tests(&mut self, mut command: Command) -> Result<()> {
        let Some(started) = self.web_tests.take() else {
            return run_counted(&mut command, &mut self.counts);
        };
        started.wait(|text| {
            print_line(text);
            self.counts.add_summaries(text);
        })
    }

    /// Returns the environment variables of all host tests.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![("TMPDIR", self.scratch.path().into())];
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
    pub(crate) fn start_postgres(&self, path: &OsStr) -> Result<()> {
        if self.cluster.get().is_none() {
            let _ = self.cluster.set(test_servers::Postgres::start_shared(path)?);
        }
        Ok(())
    }

    /// Returns the binary for tests of the complete run: the release binary in a full run.
    pub(crate) fn binary(&self) -> PathBuf {
        if self.is_full() { paths::binary() } else { paths::dev_binary() }
    }

    /// Adds tests that ran.
    pub(crate) fn add_cases(&mut self, cases: Vec<Case>) {
        let failed = cases.iter().filter(|case| case.result == CaseResult::Failed).count();
        self.counts.failed += failed;
        self.counts.passed += cases.len() - failed;
        let flaky = cases.iter().filter(|case| case.result == CaseResult::Flaky);
        self.flaky.extend(flaky.map(|case| case.name.clone()));
        self.cases.extend(cases);
    }
}

/// Returns the number of commits. Suites that are too long for each run use it to select a part.
pub(crate) fn commit_count() -> usize {
    let count = run_silently(Command::new("git").args(["rev-list", "--count", "HEAD"]));
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// Creates the temporary folder of the run, in memory if the system has such a folder.
fn create_scratch() -> Result<TempDir> {
    let folder = |parent: &Path| tempfile::Builder::new().prefix("sheaf-test-").tempdir_in(parent);
    let disk = env::temp_dir();
    Ok(folder(Path::new("/dev/shm")).or_else(|_| folder(&disk))?)
}

/// Result of a step.
pub(crate) struct StepResult {
    pub(crate) name: &'static str,
    pub(crate) counts: TestCounts,
    pub(crate) time: Duration,
    pub(crate) error: Option<anyhow::Error>,
}

/// Runs a test program, passes its output through, and counts its tests.
pub(crate) fn run_counted(command: &mut Command, counts: &mut TestCounts) -> Result<()> {
    print_line(&format!("$ {}", command_text(command)));
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| command_text(command))?;
    let lines = child.stdout.take().map(|out| BufReader::new(out).split(b'\n'));
    for line in lines.into_iter().flatten().map_while(std::result::Result::ok) {
        let line = String::from_utf8_lossy(&line);
        print_line(&line);
        counts.add_summaries(&line);
    }
    check_status(command, child.wait())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_output_are_counted() {
        let mut counts = TestCounts::default();
        let script = "echo 'test it::works ... ok'; \
            echo 'test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured'";
        run_counted(Command::new("sh").args(["-c", script]), &mut counts).unwrap();
        assert_eq!(counts, TestCounts { passed: 12, failed: 2 });
        assert!(run_counted(&mut Command::new("false"), &mut counts).is_err());
    }

    #[test]
    fn repeated_test_counts_once_and_is_listed() {
        let mut run = TestRun::new(Level::Merge, None).unwrap();
        let case = |name: &str, result| Case { name: name.to_owned(), seconds: 1.0, result };
        run.add_cases(vec![case("a", CaseResult::Flaky), case("b", CaseResult::Failed)]);
        assert_eq!(run.counts, TestCounts { passed: 1, failed: 1 });
        assert_eq!(run.flaky, ["a"]);
    }
}
