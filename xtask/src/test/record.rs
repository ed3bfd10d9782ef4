//! Record of the last full run, `docs/full-run.json`: steps, date and versions.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::paths;
use crate::run::{Result, io_at, print_line, run_silently};
use crate::test::test_run::StepResult;

fn record_path() -> PathBuf {
    paths::root().join("docs/full-run.json")
}

/// Writes the record of a successful full run.
pub(crate) fn write_record(outcomes: &[StepResult], flaky: &[String]) -> Result {
    let output = |program: &str, words: &[&str]| run_silently(Command::new(program).args(words));
    let step = |step: &StepResult| {
        let passed = step.counts.passed;
        let seconds = step.time.as_secs();
        json!({"name": step.name, "passed": passed, "seconds": seconds})
    };
    let steps: Vec<Value> = outcomes.iter().map(step).collect();
    let record = json!({
        "commit": output("git", &["rev-parse", "--short=12", "HEAD"]),
        "date": output("date", &["-u", "+%F"]),
        "rustc": output("rustc", &["--version"]),
        "chromium": output("chromium", &["--version"]),
        "firefox": output("firefox-esr", &["--version"]),
        "dependencies": dependencies_hash(),
        "steps": steps,
        "flaky": flaky,
    });
    let text = format!("{record:#}\n");
    fs::write(record_path(), text).map_err(io_at("write", &record_path()))
}

/// Prints the date, the commit and the age of the last full run.
pub(crate) fn print_record() {
    let Some(record) = read_record() else {
        print_line("No full run is recorded: `cargo xtask test --full` writes docs/full-run.json.");
        return;
    };
    let text = |key: &str| record[key].as_str().unwrap_or("?").to_owned();
    let range = format!("{}..HEAD", text("commit"));
    let since = run_silently(Command::new("git").args(["rev-list", "--count", &range]));
    let since = since.unwrap_or_else(|| "an unknown number of".to_owned());
    print_line(&format!(
        "Last full run: {}, commit {}, {since} commits ago.",
        text("date"),
        text("commit")
    ));
}

/// Returns whether the dependencies are those that the last full run checked.
pub(crate) fn has_checked_dependencies() -> bool {
    read_record().is_some_and(|record| record["dependencies"] == dependencies_hash().as_str())
}

fn read_record() -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(record_path()).ok()?).ok()
}

/// Returns a hash of the dependencies and their rules.
fn dependencies_hash() -> String {
    let read = |name: &str| fs::read(paths::root().join(name)).unwrap_or_default();
    let hash = Sha256::new().chain_update(read("Cargo.lock")).chain_update(read("deny.toml"));
    format!("{:x}", hash.finalize())
}
