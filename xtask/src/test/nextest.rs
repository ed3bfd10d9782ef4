//! Runs the host tests with cargo-nextest, and reads its report.

use std::process::Command;

use anyhow::Result;
use fs_err as fs;

use crate::run::{cargo_program, run};
use crate::test::test_run::{Case, TestRun};
use crate::{paths, tools};

/// All host test targets. Each call names all of them, so that cargo compiles each crate once with
/// one set of features. `--tests` would exclude the targets of the longer steps.
pub(crate) const TARGETS: &str = "--workspace --lib --bins --test=it --test=spec --test=durability \
    --test=deploy --test=many --test=e2e";

/// Compiles all host tests and the binary.
pub(crate) fn compile_tests() -> Result<()> {
    run(run_command()?.arg("--no-run"))
}

/// Runs the tests that match a filter expression of nextest.
///
/// `configure` adds arguments and environment variables.
pub(crate) fn run_selected(
    test_run: &mut TestRun,
    filter: &str,
    configure: impl FnOnce(&mut Command),
) -> Result<()> {
    let mut command = run_command()?;
    command.args(["--no-tests", "fail", "--show-progress", "none", "-E", filter]);
    command.envs(test_run.variables());
    configure(&mut command);
    // Nextest ignores `CARGO_TARGET_DIR` here.
    let report = paths::root().join("target/nextest/default/junit.xml");
    if report.exists() {
        fs::remove_file(&report)?;
    }
    let result = run(&mut command);
    if report.exists() {
        test_run.add_cases(parse_report(&fs::read_to_string(&report)?));
    }
    result
}

fn run_command() -> Result<Command> {
    let words = format!("nextest run --locked {TARGETS}");
    let mut command = cargo_program(&tools::ensure_nextest()?, &words);
    // A failed assertion names its location; a backtrace through libraries adds nothing.
    command.env("RUST_BACKTRACE", "0");
    // A second process for each test would only protect its start from Ctrl+Z.
    command.env("NEXTEST_DOUBLE_SPAWN", "0");
    Ok(command)
}

/// Parses the tests of a `JUnit` report of nextest. Text in the report is escaped.
fn parse_report(report: &str) -> Vec<Case> {
    report.split("<testcase ").skip(1).map(parse_case).collect()
}

fn parse_case(text: &str) -> Case {
    let attribute = |name: &str| {
        let (_, rest) = text.split_once(&format!("{name}=\""))?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let name = attribute("name").unwrap_or_default();
    let program = attribute("classname").unwrap_or_default();
    let seconds = attribute(" time").and_then(|time| time.parse().ok()).unwrap_or_default();
    let is_failed = text.contains("<failure") || text.contains("<error");
    let is_flaky = !is_failed && text.contains("<flaky");
    Case { name: format!("{program} {name}"), seconds, is_failed, is_flaky }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_has_passed_failed_flaky_tests() {
        let report = r#"<testsuite name="a::it" tests="3">
            <testcase name="b::c" classname="a::it" timestamp="2026-11-25T06:00:00Z" time="1.250">
            </testcase><testcase name="b::d" classname="a::it" time="0.010">
            <failure type="test failure">a &lt;flakyFailure</failure>
            </testcase><testcase name="b::e" classname="a::it" time="0.020">
            <flakyFailure time="0.5" type="test failure"></flakyFailure></testcase>"#;
        let found = parse_report(report);
        let results: Vec<_> = found.iter().map(|case| (case.is_failed, case.is_flaky)).collect();
        assert_eq!(results, [(false, false), (true, false), (false, true)]);
        assert_eq!((found[0].name.as_str(), found[0].seconds), ("a::it b::c", 1.25));
    }
}
