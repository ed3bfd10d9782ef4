//! Checks the dependencies with cargo-deny and `deny.toml`: licences, sources, banned crates and
//! advisories. The last check is skipped with a message if the advisory database cannot be reached.

use std::process::Command;

use anyhow::Result;

use crate::run::{print_line, run, run_silently};
use crate::test::record;
use crate::test::test_run::TestRun;
use crate::{paths, tools};

/// Runs cargo-deny; each kind of check counts as a test. Merge runs skip it while the dependencies
/// are those of the last full run, because compiling cargo-deny takes a minute.
pub(crate) fn check_dependencies(test_run: &mut TestRun) -> Result<()> {
    if !test_run.is_full() && record::has_checked_dependencies() {
        print_line("LEFT OUT: the last full run checked the same Cargo.lock and deny.toml.");
        return Ok(());
    }
    let program = tools::ensure_tool(&tools::DENY)?;
    let deny = |words: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["--locked", "--log-level", "error"]).args(words).current_dir(paths::root());
        command
    };
    run(&mut deny(&["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]))?;
    test_run.counts.passed += 3;
    if run_silently(&mut deny(&["fetch", "db"])).is_none() {
        print_line(
            "LEFT OUT: advisories. The database cannot be reached; run \
             `cargo deny check advisories` with network access.",
        );
        return Ok(());
    }
    run(&mut deny(&["--offline", "check", "advisories"]))?;
    test_run.counts.passed += 1;
    Ok(())
}
