//! What may be among our dependencies, by `deny.toml`: licences, sources, banned crates, and what
//! the advisory database knows of. Where that cannot be reached, its last copy is asked; where
//! there is none, that check is left out, and said to be.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::run::{Result, output_of, run, say};
use crate::test::record;
use crate::test::test_run::TestRun;
use crate::{place, tools};

/// Where cargo-deny keeps databases, within cargo's home.
const DATABASES: &str = "advisory-dbs";

/// Runs it; each kind of check counts as a test. A run that is not full leaves it out while the
/// dependencies are those of the last full run: to compile cargo-deny takes a minute.
pub(crate) fn check(test_run: &mut TestRun) -> Result {
    if !test_run.is_full() && record::has_checked_dependencies() {
        say("LEFT OUT: the last full run has checked the same Cargo.lock and deny.toml.");
        return Ok(());
    }
    let counts = &mut test_run.counts;
    let program = tools::cargo_deny()?;
    run(deny(&program).args(["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]))?;
    counts.passed += 3;
    let fresh = output_of(deny(&program).args(["fetch", "db"])).is_some();
    if !fresh && !has_copy() {
        say("LEFT OUT: advisories. Their database cannot be reached, and no copy of it is here; \
             `cargo deny fetch db` gets one where there is a network.");
        return Ok(());
    }
    if !fresh {
        say("The database of advisories cannot be reached: its last copy is asked.");
    }
    run(deny(&program).args(["--offline", "check", "advisories"]))?;
    counts.passed += 1;
    Ok(())
}

fn deny(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--locked", "--log-level", "error"]).current_dir(place::root());
    command
}

/// Whether there is a database from an earlier time.
fn has_copy() -> bool {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = named.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let folder = home.map(|home| home.join(DATABASES));
    let mut inside = folder.and_then(|it| it.read_dir().ok()).into_iter().flatten().flatten();
    // A lock is left behind even where nothing could be had.
    inside.any(|one| one.path().is_dir())
}
