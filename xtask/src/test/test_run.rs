//! State and results of a test run.

use std::{
    cell::OnceCell,
    collections::HashMap,
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::Result;
use tempfile::TempDir;

use crate::run::{Background, print_line, run_and_read, run_silently};

/// Numbers of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// One test of a report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    /// Name of the test binary and of the test.
    pub(crate) name: String,
    /// Duration of the last attempt, in seconds.
    pub(crate) seconds: f64,
    pub(crate) is_failed: bool,
    /// Whether it failed first and passed when repeated.
    pub(crate) is_flaky: bool,
}

impl TestCounts {
    /// Adds the counts of the summary lines of test binaries.
    fn add_summaries(&mut self, output: &str) {
        for (_, summary) in output.lines().filter_map(|line| line.split_once("test result: ")) {
            let numbers: Vec<usize> = summary.split(' ').flat_map(str::parse).collect();
            if let [passed, failed, ..] = numbers[..] {
                self.passed += passed;
                self.failed += failed;
            }
        }
    }
}

/// A test run: the resources that all steps share, and the results of the current step.
pub(crate) struct TestRun {
    /// Whether the run has all repetitions, with the release binary.
    pub(crate) is_full: bool,
    pub(crate) counts: TestCounts,
    pub(crate) cases: Vec<Case>,
    pub(crate) flaky: Vec<String>,
    /// Whether the run contains all steps.
    is_complete: bool,
    /// Commands in the background, by the name of the step that waits for them.
    background: HashMap<&'static str, Background>,
    cluster: OnceCell<test_servers::Postgres>,
    scratch: TempDir,
}

impl TestRun {
    pub(crate) fn new(is_full: bool, is_complete: bool) -> Result<Self> {
        // In memory if the system has such a folder.
        let scratch = |parent| tempfile::Builder::new().prefix("sheaf-test-").tempdir_in(parent);
        Ok(Self {
            is_full,
            counts: TestCounts::default(),
            cases: Vec::new(),
            flaky: Vec::new(),
            is_complete,
            background: HashMap::new(),
            cluster: OnceCell::new(),
            scratch: scratch(PathBuf::from("/dev/shm")).or_else(|_| scratch(env::temp_dir()))?,
        })
    }

    /// Starts a command in the background if the run contains all steps. `step` waits for it.
    pub(crate) fn start(&mut self, step: &'static str, command: Command) -> Result<()> {
        if self.is_complete {
            self.background.insert(step, Background::start(step, command)?);
        }
        Ok(())
    }

    /// Waits for the command that was started for this step, prints its output, and counts its
    /// tests. Returns whether there was one.
    pub(crate) fn wait(&mut self, step: &str) -> Result<bool> {
        let Some(started) = self.background.remove(step) else { return Ok(false) };
        started.wait(|text| {
            print_line(text);
            self.counts.add_summaries(text);
        })?;
        Ok(true)
    }

    /// Runs a test program, passes its output through, and counts its tests.
    pub(crate) fn run_counted(&mut self, command: &mut Command) -> Result<()> {
        run_and_read(command.stdout(Stdio::piped()), |line| self.counts.add_summaries(line))
    }

    /// Returns the environment variables of all host tests.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let scratch = self.scratch.path();
        let mut variables =
            vec![("TMPDIR", scratch.into()), ("SHEAF_TEST_SHARED_FOLDER", scratch.into())];
        if self.is_full {
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

    /// Adds tests that ran.
    pub(crate) fn add_cases(&mut self, cases: Vec<Case>) {
        let failed = cases.iter().filter(|case| case.is_failed).count();
        self.counts.failed += failed;
        self.counts.passed += cases.len() - failed;
        let flaky = cases.iter().filter(|case| case.is_flaky);
        self.flaky.extend(flaky.map(|case| case.name.clone()));
        self.cases.extend(cases);
    }
}

/// Returns the number of commits. Suites that are too long for each run use it to select a part.
pub(crate) fn commit_count() -> usize {
    let count = run_silently(Command::new("git").args(["rev-list", "--count", "HEAD"]));
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// Result of a step.
pub(crate) struct StepResult {
    pub(crate) name: &'static str,
    pub(crate) counts: TestCounts,
    pub(crate) time: Duration,
    pub(crate) error: Option<anyhow::Error>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_output_are_counted() {
        let mut run = TestRun::new(false, false).unwrap();
        let script = "echo 'test it::works ... ok'; \
            echo 'test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured'; false";
        run.run_counted(Command::new("sh").args(["-c", script])).unwrap_err();
        assert_eq!(run.counts, TestCounts { passed: 12, failed: 2 });
    }
}
