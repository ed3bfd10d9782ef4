//! Runs the steps of the test suite, all or the named ones, and prints a summary. The steps are in
//! `steps.rs`.

pub(crate) mod check;
pub(crate) mod fuzz;
pub(crate) mod nextest;
pub(crate) mod observatory;
pub(crate) mod postgres;
pub(crate) mod prepare;
pub(crate) mod record;
pub(crate) mod schemathesis;
pub(crate) mod steps;
pub(crate) mod test_run;

use std::{env, process::Command, time::Instant};

use anyhow::{Result, ensure};
use clap::{Args, builder::PossibleValuesParser};

use crate::build::dashboard;
use crate::run::{format_duration, print_line};
use crate::test::steps::{ONLY_FULL, STEPS, Step};
use crate::test::test_run::{StepResult, TestCounts, TestRun};
use crate::tools;

/// Maximum number of flaky tests. A run with more of them fails.
const FLAKY_MAX: usize = 3;

#[derive(Args)]
pub(crate) struct Options {
    /// Runs all repetitions, with the release binary
    #[arg(long)]
    full: bool,
    /// Lists all steps
    #[arg(long)]
    list: bool,
    #[arg(value_name = "STEP", value_parser = PossibleValuesParser::new(STEPS.map(|step| step.0)))]
    names: Vec<String>,
}

/// Runs the named steps, or all of them. Later steps run even if one fails.
pub(crate) fn run_tests(options: &Options) -> Result<()> {
    if options.list {
        for (name, about, _) in STEPS {
            let note = if ONLY_FULL.contains(&name) { " (--full)" } else { "" };
            print_line(&format!("{name:<14}{about}{note}"));
        }
        return Ok(());
    }
    let is_complete = options.names.is_empty();
    let mut run = TestRun::new(options.full, is_complete)?;
    if is_complete {
        start_background(&mut run)?;
    }
    let steps = STEPS.into_iter().filter(|(name, ..)| is_chosen(name, options));
    let outcomes: Vec<_> = steps.map(|step| run_step(step, &mut run)).collect();
    print_summary(&outcomes, &run.flaky)?;
    if options.full && is_complete { record::write_record(&outcomes, &run.flaky) } else { Ok(()) }
}

/// Starts the preparation of a complete run. It runs at the same time as `compile`, because each
/// often uses only one core. A full run rebuilds the dashboard.
fn start_background(run: &mut TestRun) -> Result<()> {
    // Before the commands that need it: rustup cannot add it twice at the same time.
    tools::ensure_wasm_target()?;
    if run.is_full {
        dashboard::invalidate()?;
    }
    for part in ["packages", "dashboard"] {
        let mut command = Command::new(env::current_exe()?);
        command.args(["prepare", part]);
        run.start(part, command)?;
    }
    Ok(())
}

/// Returns whether a run has a step: it is named, or the run has all steps of its level.
fn is_chosen(step: &str, Options { names, full, .. }: &Options) -> bool {
    names.iter().any(|name| name == step)
        || names.is_empty() && (*full || !ONLY_FULL.contains(&step))
}

fn run_step((name, about, function): Step, run: &mut TestRun) -> StepResult {
    print_line(&format!("\n== {name}: {about}"));
    let began = Instant::now();
    run.counts = TestCounts::default();
    run.cases.clear();
    let error = function(run).err();
    if let Some(error) = &error {
        print_line(&format!("error: {error:#}"));
        // A step that fails before its first test counts as one failure.
        run.counts.failed = run.counts.failed.max(1);
    }
    // The slowest tests.
    run.cases.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    for case in run.cases.iter().take(5) {
        print_line(&format!("{:>8.1} s  {}", case.seconds, case.name));
    }
    StepResult { name, counts: run.counts, time: began.elapsed(), error }
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
    fn steps_are_chosen_by_name_or_level() {
        let count = |full, names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            let options = Options { full, list: false, names };
            STEPS.iter().filter(|(name, ..)| is_chosen(name, &options)).count()
        };
        assert_eq!(count(false, &["host", "fuzz"]), 2);
        assert_eq!(count(true, &[]), STEPS.len());
        assert_eq!(count(false, &[]), STEPS.len() - ONLY_FULL.len());
    }

    #[test]
    fn broken_step_or_many_flaky_tests_fail() {
        let step: Step = ("x", "", |_| anyhow::bail!("broken"));
        let outcome = run_step(step, &mut TestRun::new(false, false).unwrap());
        assert_eq!((outcome.counts.passed, outcome.counts.failed), (0, 1));
        let error = print_summary(&[outcome], &[]).unwrap_err().to_string();
        assert!(error.contains("cargo xtask test x"), "{error}");
        let flaky = |count: usize| vec!["a::it page::stalls".to_owned(); count];
        print_summary(&[], &flaky(FLAKY_MAX)).unwrap();
        print_summary(&[], &flaky(FLAKY_MAX + 1)).unwrap_err();
    }
}
