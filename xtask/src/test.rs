//! Runs the tests: all steps, or the named ones, and sums up. The steps are in `steps.rs`.

use std::{
    cell::OnceCell,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{BufRead as _, BufReader, IsTerminal as _, Write, stdout},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    nextest::{Case, CaseResult},
    place,
    prepare::Preparation,
    record,
    run::{Error, Result, io_at, not_started, output_of, say, shown, shown_time},
    steps::{STEPS, Step},
};

/// A run with more tests than this that passed only when repeated has failed.
const FLAKY_MAX: usize = 3;
/// So many of the slowest tests of a step are shown.
const SLOWEST: usize = 5;

/// How thorough a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// `cargo xtask test`: every kind of test, but not every repetition.
    Merge,
    /// `cargo xtask test --full`: all repetitions, with the released binary.
    Full,
}

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Counts {
    /// Adds what a line of a test program says, if it is its closing line.
    fn read(&mut self, line: &str) {
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

/// A run of tests: its level, what all steps share, and what the present step has found so far.
pub(crate) struct TestRun {
    pub(crate) level: Level,
    pub(crate) counts: Counts,
    cases: Vec<Case>,
    flaky: Vec<String>,
    preparation: Option<Preparation>,
    cluster: OnceCell<backing::Postgres>,
    scratch: Scratch,
}

impl TestRun {
    fn new(level: Level, preparation: Option<Preparation>) -> Result<Self> {
        Ok(Self {
            level,
            counts: Counts::default(),
            cases: Vec::new(),
            flaky: Vec::new(),
            preparation,
            cluster: OnceCell::new(),
            scratch: Scratch::new()?,
        })
    }

    /// Creates a run that prepares nothing in the background.
    pub(crate) fn alone(level: Level) -> Result<Self> {
        Self::new(level, None)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.level == Level::Full
    }

    /// Waits until the tools, packages and the dashboard are there, if they are being prepared.
    pub(crate) fn wait_for_preparation(&mut self) -> Result {
        self.preparation.take().map_or(Ok(()), Preparation::wait)
    }

    /// The variables of all tests of the host.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![("TMPDIR", self.scratch.0.clone().into_os_string())];
        if self.is_full() {
            variables.push(("SHEAF_TEST_FULL", "1".into()));
        }
        variables.push(("SHEAF_TEST_ROTATION", rotation().to_string().into()));
        if let Some(cluster) = self.cluster.get() {
            variables.push(("SHEAF_TEST_POSTGRES_URL", cluster.url("postgres").into()));
        }
        variables
    }

    /// Starts the PostgreSQL cluster that the tests of this run share, unless it is running. Its
    /// programs are on the search path `path` if they are not installed.
    pub(crate) fn start_postgres(&self, path: &OsStr) -> Result {
        if self.cluster.get().is_none() {
            let cluster = backing::Postgres::start_shared(path);
            let cluster = cluster.map_err(|error| Error::new(error.to_string()))?;
            let _ = self.cluster.set(cluster);
        }
        Ok(())
    }

    /// The binary that tests of the whole run: the released one in a full run.
    pub(crate) fn binary(&self) -> PathBuf {
        if self.is_full() { place::binary() } else { place::dev_binary() }
    }

    /// Adds tests that ran.
    pub(crate) fn add(&mut self, cases: Vec<Case>) {
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
pub(crate) fn rotation() -> usize {
    let count = output_of(Command::new("git").args(["rev-list", "--count", "HEAD"]));
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// A folder for temporary files that goes with the run: in memory, where the system has such a
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
        // Nothing is left to do where it cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The result of a step.
pub(crate) struct Outcome {
    pub(crate) name: &'static str,
    pub(crate) counts: Counts,
    pub(crate) time: Duration,
    error: Option<Error>,
}

/// Runs the named steps, or all of them; `--list` lists them. A failed step does not stop the
/// others.
pub(crate) fn test(words: &[&str]) -> Result {
    if words == ["--list"] {
        for Step { name, about, level, .. } in &STEPS {
            let note = if *level == Level::Full { " (--full)" } else { "" };
            say(&format!("{name:<14}{about}{note}"));
        }
        return Ok(());
    }
    let (options, names): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with('-'));
    let level = match options.as_slice() {
        [] => Level::Merge,
        ["--full"] => Level::Full,
        _ => return Err(Error::new(format!("`{}` is no option of `test`", options.join(" ")))),
    };
    let steps = chosen(&names, level)?;
    let preparation = if names.is_empty() { Some(Preparation::start(level)?) } else { None };
    let mut run = TestRun::new(level, preparation)?;
    let outcomes: Vec<_> = steps.into_iter().map(|step| outcome(step, &mut run)).collect();
    sum_up(&outcomes, &run.flaky)?;
    if level == Level::Full && names.is_empty() {
        record::write(&outcomes, &run.flaky)
    } else {
        Ok(())
    }
}

/// The steps of these names, or all steps of the level.
fn chosen(names: &[&str], level: Level) -> Result<Vec<&'static Step>> {
    for name in names {
        if !STEPS.iter().any(|step| step.name == *name) {
            let message = format!("`{name}` is no step: `cargo xtask test --list` lists them");
            return Err(Error::new(message));
        }
    }
    let is_chosen = |step: &&Step| match names {
        [] => step.level <= level,
        _ => names.contains(&step.name),
    };
    Ok(STEPS.iter().filter(is_chosen).collect())
}

fn outcome(step: &Step, run: &mut TestRun) -> Outcome {
    say(&format!("\n== {}: {}", step.name, step.about));
    let began = Instant::now();
    run.counts = Counts::default();
    run.cases.clear();
    let error = (step.run)(run).err();
    if let Some(error) = &error {
        say(&format!("error: {error}"));
        // A step that broke before its first test has failed all the same.
        run.counts.failed = run.counts.failed.max(1);
    }
    run.cases.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    for case in run.cases.iter().take(SLOWEST) {
        say(&format!("{:>8.1} s  {}", case.seconds, case.name));
    }
    Outcome { name: step.name, counts: run.counts, time: began.elapsed(), error }
}

fn sum_up(outcomes: &[Outcome], flaky: &[String]) -> Result {
    say(&format!("\n{:<14}{:>8}{:>8}{:>14}", "step", "passed", "failed", "time"));
    for Outcome { name, counts, time, error } in outcomes {
        let mark = if error.is_some() { "  FAILED" } else { "" };
        let (passed, failed) = (counts.passed, counts.failed);
        say(&format!("{name:<14}{passed:>8}{failed:>8}{:>14}{mark}", shown_time(*time)));
    }
    let passed: usize = outcomes.iter().map(|outcome| outcome.counts.passed).sum();
    let failed: usize = outcomes.iter().map(|outcome| outcome.counts.failed).sum();
    let time: Duration = outcomes.iter().map(|outcome| outcome.time).sum();
    say(&format!("{:<14}{passed:>8}{failed:>8}{:>14}\n", "all", shown_time(time)));
    for Outcome { name, error, .. } in outcomes {
        if let Some(error) = error {
            say(&format!("FAILED {name}: {error}"));
        }
    }
    for name in flaky {
        say(&format!("FLAKY {name}: it failed first and passed when it was repeated"));
    }
    say(&format!("{passed} passed, {failed} failed"));
    let broken: Vec<_> = outcomes.iter().filter(|outcome| outcome.error.is_some()).collect();
    if !broken.is_empty() {
        let names: Vec<_> = broken.iter().map(|outcome| outcome.name).collect();
        let names = names.join(" ");
        return Err(Error::new(format!("failed: {names}; repeat by `cargo xtask test {names}`")));
    }
    if flaky.len() > FLAKY_MAX {
        let message = format!("{} tests are flaky, and at most {FLAKY_MAX} may be", flaky.len());
        return Err(Error::new(message));
    }
    Ok(())
}

/// Runs a test program, passes its words through, and counts its tests.
pub(crate) fn counted(command: &mut Command, counts: &mut Counts) -> Result {
    say(&format!("$ {}", shown(command)));
    if stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    counted_into(command, counts, &mut stdout())
}

fn counted_into(command: &mut Command, counts: &mut Counts, out: &mut impl Write) -> Result {
    let failed = |error: std::io::Error| Error::new(format!("cannot make a pipe: {error}"));
    // One pipe for both, so that cargo's headings stay above the results they belong to.
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    let mut child = command.spawn().map_err(|error| not_started(command, &error))?;
    // The command holds the writing end: the pipe would never close.
    command.stdout(std::process::Stdio::inherit()).stderr(std::process::Stdio::inherit());
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        let _ = out.write_all(&line);
        counts.read(&plain(&String::from_utf8_lossy(&line)));
        line.clear();
    }
    let status = child.wait().map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(format!("`{}` failed ({status}): see its own words above", shown(command))))
}

/// The line without the escape sequences of colours.
fn plain(line: &str) -> String {
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
    fn closing_lines_are_counted_with_and_without_colour() {
        let check = |line: &str, passed, failed| {
            let mut counts = Counts::default();
            counts.read(&plain(line));
            assert_eq!(counts, Counts { passed, failed }, "{line}");
        };
        check("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured", 12, 0);
        check("test result: \u{1b}[31mFAILED\u{1b}[0m. 3 passed; 2 failed; 0 ignored", 3, 2);
        check("test it::works ... ok", 0, 0);
    }

    #[test]
    fn a_program_is_counted_whichever_stream_it_uses() {
        let script = "echo 'test result: ok. 1 passed; 0 failed;'; \
                      echo 'test result: ok. 2 passed; 0 failed;' >&2";
        let (mut counts, mut out) = (Counts::default(), Vec::new());
        let mut program = Command::new("sh");
        counted_into(program.args(["-c", script]), &mut counts, &mut out).unwrap();
        assert_eq!(counts, Counts { passed: 3, failed: 0 });
        assert_eq!(String::from_utf8(out).unwrap().lines().count(), 2);
        let mut broken = Command::new("false");
        assert!(counted_into(&mut broken, &mut counts, &mut Vec::new()).is_err());
    }

    #[test]
    fn steps_keep_their_order_and_unknown_ones_are_refused() {
        let names = |words: &[&str]| -> Vec<_> {
            chosen(words, Level::Merge).unwrap().iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&["host", "format"]), ["format", "host"]);
        assert_eq!(names(&["fuzz"]), ["fuzz"]);
        assert!(!names(&[]).contains(&"fuzz"));
        assert_eq!(chosen(&[], Level::Full).unwrap().len(), STEPS.len());
        assert!(chosen(&["formt"], Level::Merge).is_err());
    }

    #[test]
    fn step_that_breaks_before_its_first_test_counts_as_failure() {
        let broken = |_: &mut TestRun| Err(Error::new("broken"));
        let step = Step { name: "x", about: "", level: Level::Merge, run: broken };
        let mut run = TestRun::alone(Level::Merge).unwrap();
        let outcome = outcome(&step, &mut run);
        assert_eq!(outcome.counts, Counts { passed: 0, failed: 1 });
        assert!(sum_up(&[outcome], &[]).unwrap_err().to_string().contains("cargo xtask test x"));
    }

    #[test]
    fn more_than_three_flaky_tests_fail_the_run() {
        let flaky = |count: usize| vec!["a::it page::stalls".to_owned(); count];
        sum_up(&[], &flaky(3)).unwrap();
        assert!(sum_up(&[], &flaky(4)).is_err());
    }

    #[test]
    fn repeated_test_counts_once_and_is_listed() {
        let mut run = TestRun::alone(Level::Merge).unwrap();
        let case = |name: &str, result| Case { name: name.to_owned(), seconds: 1.0, result };
        run.add(vec![case("a", CaseResult::Flaky), case("b", CaseResult::Failed)]);
        assert_eq!(run.counts, Counts { passed: 1, failed: 1 });
        assert_eq!(run.flaky, ["a"]);
    }
}
