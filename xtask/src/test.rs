//! Runs the steps of the test suite, all or the named ones, and prints a summary. The steps are in
//! `steps.rs`.

pub(crate) mod background;
pub(crate) mod check;
pub(crate) mod deny;
pub(crate) mod fuzz;
pub(crate) mod nextest;
pub(crate) mod observatory;
pub(crate) mod postgres;
pub(crate) mod prepare;
pub(crate) mod record;
pub(crate) mod schemathesis;
pub(crate) mod steps;
pub(crate) mod test_run;
pub(crate) mod test_server;

use std::time::Instant;

use anyhow::{Result, bail, ensure};

use crate::run::{format_duration, print_line};
use crate::test::prepare::start_preparation;
use crate::test::steps::{STEPS, Step};
use crate::test::test_run::{Level, StepResult, TestCounts, TestRun};

/// Maximum number of flaky tests. A run with more of them fails.
const FLAKY_MAX: usize = 3;
/// Number of slowest tests that are printed for each step.
const SLOWEST: usize = 5;

/// Runs the named steps, or all of them; `--list` lists them. Later steps run even if one fails.
pub(crate) fn run_tests(words: &[&str]) -> Result<()> {
    if words == ["--list"] {
        for Step { name, about, level, .. } in &STEPS {
            let note = if *level == Level::Full { " (--full)" } else { "" };
            print_line(&format!("{name:<14}{about}{note}"));
        }
        return Ok(());
    }
    let (options, names): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with('-'));
    let level = match options.as_slice() {
        [] => Level::Merge,
        ["--full"] => Level::Full,
        _ => bail!("unknown option `{}` of `test`", options.join(" ")),
    };
    let steps = select_steps(&names, level)?;
    let preparation =
        if names.is_empty() { Some(start_preparation(level == Level::Full)?) } else { None };
    let mut run = TestRun::new(level, preparation)?;
    let outcomes: Vec<_> = steps.into_iter().map(|step| run_step(step, &mut run)).collect();
    print_summary(&outcomes, &run.flaky)?;
    if level == Level::Full && names.is_empty() {
        record::write_record(&outcomes, &run.flaky)
    } else {
        Ok(())
    }
}

/// Returns the steps with these names, or all steps of the level.
fn select_steps(names: &[&str], level: Level) -> Result<Vec<&'static Step>> {
    if let Some(name) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        bail!("unknown step `{name}`: `cargo xtask test --list` lists all steps");
    }
    let is_chosen = |step: &&Step| match names {
        [] => step.level <= level,
        _ => names.contains(&step.name),
    };
    Ok(STEPS.iter().filter(is_chosen).collect())
}

fn run_step(step: &Step, run: &mut TestRun) -> StepResult {
    print_line(&format!("\n== {}: {}", step.name, step.about));
    let began = Instant::now();
    run.counts = TestCounts::default();
    run.cases.clear();
    let error = (step.run)(run).err();
    if let Some(error) = &error {
        print_line(&format!("error: {error:#}"));
        // A step that fails before its first test counts as one failure.
        run.counts.failed = run.counts.failed.max(1);
    }
    run.cases.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    for case in run.cases.iter().take(SLOWEST) {
        print_line(&format!("{:>8.1} s  {}", case.seconds, case.name));
    }
    StepResult { name: step.name, counts: run.counts, time: began.elapsed(), error }
}

fn print_summary(outcomes: &[StepResult], flaky: &[String]) -> Result<()> {
    print_line(&format!("\n{:<14}{:>8}{:>8}{:>14}", "step", "passed", "failed", "time"));
    let print_row = |name, TestCounts { passed, failed }, time, mark| {
        let time = format_duration(time);
        print_line(&format!("{name:<14}{passed:>8}{failed:>8}{time:>14}{mark}"));
    };
    let mut all = TestCounts::default();
    for StepResult { name, counts, time, error } in outcomes {
        print_row(*name, *counts, *time, if error.is_some() { "  FAILED" } else { "" });
        all.passed += counts.passed;
        all.failed += counts.failed;
    }
    print_row("all", all, outcomes.iter().map(|outcome| outcome.time).sum(), "\n");
    for StepResult { name, error, .. } in outcomes {
        if let Some(error) = error {
            print_line(&format!("FAILED {name}: {error:#}"));
        }
    }
    for name in flaky {
        print_line(&format!("FLAKY {name}: failed, then passed when repeated"));
    }
    print_line(&format!("{} passed, {} failed", all.passed, all.failed));
    let broken = outcomes.iter().filter(|outcome| outcome.error.is_some());
    let broken = broken.map(|outcome| outcome.name).collect::<Vec<_>>().join(" ");
    ensure!(broken.is_empty(), "failed: {broken}; repeat with `cargo xtask test {broken}`");
    let count = flaky.len();
    ensure!(count <= FLAKY_MAX, "{count} tests are flaky, at most {FLAKY_MAX} are allowed");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_keep_order_and_unknown_are_rejected() {
        let names = |words: &[&str]| -> Vec<_> {
            select_steps(words, Level::Merge).unwrap().iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&["host", "format"]), ["format", "host"]);
        assert_eq!(names(&["fuzz"]), ["fuzz"]);
        assert!(!names(&[]).contains(&"fuzz"));
        assert_eq!(select_steps(&[], Level::Full).unwrap().len(), STEPS.len());
        assert!(select_steps(&["formt"], Level::Merge).is_err());
    }

    #[test]
    fn step_without_tests_counts_as_failure() {
        let broken = |_: &mut TestRun| bail!("broken");
        let step = Step { name: "x", about: "", level: Level::Merge, run: broken };
        let mut run = TestRun::new(Level::Merge, None).unwrap();
        let outcome = run_step(&step, &mut run);
        assert_eq!(outcome.counts, TestCounts { passed: 0, failed: 1 });
        assert!(
            print_summary(&[outcome], &[]).unwrap_err().to_string().contains("cargo xtask test x")
        );
    }

    #[test]
    fn more_than_three_flaky_tests_fail() {
        let flaky = |count: usize| vec!["a::it page::stalls".to_owned(); count];
        print_summary(&[], &flaky(3)).unwrap();
        assert!(print_summary(&[], &flaky(4)).is_err());
    }
}
