//! Record of the last full run, `docs/full-run.json`: steps, date and versions.

use std::process::Command;

use anyhow::Result;
use fs_err as fs;
use serde_json::{Value, json};

use crate::paths;
use crate::run::{print_line, run_silently};
use crate::test::test_run::StepResult;

const RECORD: &str = "docs/full-run.json";

/// Writes the record of a successful full run.
pub(crate) fn write_record(outcomes: &[StepResult], flaky: &[String]) -> Result<()> {
    let output = |program: &str, words: &[&str]| run_silently(Command::new(program).args(words));
    let step = |StepResult { name, counts, time, .. }: &StepResult| json!({"name": name, "passed": counts.passed, "seconds": time.as_secs()});
    let record = json!({
        "commit": output("git", &["rev-parse", "--short=12", "HEAD"]),
        "date": output("date", &["-u", "+%F"]),
        "rustc": output("rustc", &["--version"]),
        "chromium": output("chromium", &["--version"]),
        "firefox": output("firefox-esr", &["--version"]),
        "steps": outcomes.iter().map(step).collect::<Vec<_>>(),
        "flaky": flaky,
    });
    Ok(fs::write(paths::root().join(RECORD), format!("{record:#}\n"))?)
}

/// Prints the date, the commit and the age of the last full run, if one is recorded.
pub(crate) fn print_record() {
    let Some(record) = read_record() else { return };
    let [date, commit] = ["date", "commit"].map(|key| record[key].as_str().unwrap_or("?"));
    let range = format!("{commit}..HEAD");
    let since = run_silently(Command::new("git").args(["rev-list", "--count", &range]));
    let since = since.unwrap_or_else(|| "many".to_owned());
    print_line(&format!("Last full run: {date}, commit {commit}, {since} commits ago."));
}

fn read_record() -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(paths::root().join(RECORD)).ok()?).ok()
}
