//! Record of the last full run, `docs/full-run.json`: steps, date and versions.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::place;
use crate::run::{Result, io_at, output_of, say};
use crate::test::test_run::Outcome;

fn path() -> PathBuf {
    place::root().join("docs/full-run.json")
}

/// Writes the record of a successful full run.
pub(crate) fn write(outcomes: &[Outcome], flaky: &[String]) -> Result {
    let said = |program: &str, words: &[&str]| output_of(Command::new(program).args(words));
    let step = |step: &Outcome| {
        let (passed, seconds) = (step.counts.passed, step.time.as_secs());
        json!({"name": step.name, "passed": passed, "seconds": seconds})
    };
    let steps: Vec<Value> = outcomes.iter().map(step).collect();
    let record = json!({
        "commit": said("git", &["rev-parse", "--short=12", "HEAD"]),
        "date": said("date", &["-u", "+%F"]),
        "rustc": said("rustc", &["--version"]),
        "chromium": said("chromium", &["--version"]),
        "firefox": said("firefox-esr", &["--version"]),
        "dependencies": dependencies(),
        "steps": steps,
        "flaky": flaky,
    });
    let text = format!("{record:#}\n");
    fs::write(path(), text).map_err(io_at("write", &path()))
}

/// Prints the date, the commit and the age of the last full run.
pub(crate) fn show() {
    let Some(record) = read() else {
        say("No full run is recorded: `cargo xtask test --full` writes docs/full-run.json.");
        return;
    };
    let text = |key: &str| record[key].as_str().unwrap_or("?").to_owned();
    let range = format!("{}..HEAD", text("commit"));
    let since = output_of(Command::new("git").args(["rev-list", "--count", &range]));
    let since = since.unwrap_or_else(|| "an unknown number of".to_owned());
    say(&format!(
        "Last full run: {}, commit {}, {since} commits ago.",
        text("date"),
        text("commit")
    ));
}

/// Returns whether the dependencies are those that the last full run checked.
pub(crate) fn has_checked_dependencies() -> bool {
    read().is_some_and(|record| record["dependencies"] == dependencies().as_str())
}

fn read() -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(path()).ok()?).ok()
}

/// Returns a hash of the dependencies and their rules.
fn dependencies() -> String {
    let read = |name: &str| fs::read(place::root().join(name)).unwrap_or_default();
    let hash = Sha256::new().chain_update(read("Cargo.lock")).chain_update(read("deny.toml"));
    format!("{:x}", hash.finalize())
}
