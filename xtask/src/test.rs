//! Runs every test there is, quick ones first, and sums up. The same here as on the build server;
//! what a step does stands in `steps.rs`.

use std::{
    io::{BufRead as _, BufReader, IsTerminal as _, Write, stdout},
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    run::{Error, Result, not_started, say, shown, shown_time},
    steps::{STEPS, Step},
};

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

/// What came of a step.
struct Outcome {
    name: &'static str,
    counts: Counts,
    time: Duration,
    error: Option<Error>,
}

/// Runs the named steps, or all of them; `--list` names them.
pub(crate) fn test(words: &[&str]) -> Result {
    if words == ["--list"] {
        for Step { name, about, .. } in &STEPS {
            say(&format!("{name:<14}{about}"));
        }
        return Ok(());
    }
    let steps = chosen(words)?;
    let mut outcomes = Vec::new();
    for step in steps {
        say(&format!("\n== {}: {}", step.name, step.about));
        let outcome = outcome(step);
        let failed = outcome.error.is_some();
        outcomes.push(outcome);
        if failed {
            break;
        }
    }
    sum_up(&outcomes)
}

fn chosen(words: &[&str]) -> Result<Vec<&'static Step>> {
    for word in words {
        if !STEPS.iter().any(|step| step.name == *word) {
            let message = format!("`{word}` is no step: `cargo xtask test --list` names them");
            return Err(Error::new(message));
        }
    }
    Ok(STEPS.iter().filter(|step| words.is_empty() || words.contains(&step.name)).collect())
}

fn outcome(step: &Step) -> Outcome {
    let began = Instant::now();
    let mut counts = Counts::default();
    let error = (step.run)(&mut counts).err();
    if let Some(error) = &error {
        say(&format!("error: {error}"));
        // A step that broke before its first test has failed all the same.
        counts.failed = counts.failed.max(1);
    }
    Outcome { name: step.name, counts, time: began.elapsed(), error }
}

fn sum_up(outcomes: &[Outcome]) -> Result {
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
    say(&format!("{passed} passed, {failed} failed"));
    match outcomes.iter().find(|outcome| outcome.error.is_some()) {
        None => Ok(()),
        Some(Outcome { name, .. }) => {
            let message =
                format!("the step `{name}` failed: mend it, then `cargo xtask test {name}`");
            Err(Error::new(message))
        }
    }
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
    fn steps_run_in_their_own_order_and_unknown_ones_are_refused() {
        let names = |words: &[&str]| -> Vec<_> {
            chosen(words).unwrap().iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&["unit", "format"]), ["format", "unit"]);
        assert_eq!(names(&[]).len(), STEPS.len());
        assert!(chosen(&["formt"]).is_err());
    }

    #[test]
    fn a_step_that_breaks_before_its_first_test_counts_as_a_failure() {
        let step = Step { name: "x", about: "", run: |_| Err(Error::new("broken")) };
        assert_eq!(outcome(&step).counts, Counts { passed: 0, failed: 1 });
    }
}
