//! Checks the dependencies with cargo-deny and `deny.toml`: licences, sources, banned crates and
//! advisories. If the advisory database cannot be reached, the last copy is used; without a copy
//! the check is skipped with a message.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::run::{Result, print_line, run, run_silently};
use crate::test::record;
use crate::test::test_run::TestRun;
use crate::{paths, tools};

/// Folder of cargo-deny's databases in cargo's home.
const DATABASES: &str = "advisory-dbs";

/// Runs cargo-deny; each kind of check counts as a test. Merge runs skip it while the dependencies
/// are those of the last full run, because compiling cargo-deny takes a minute.
pub(crate) fn check_dependencies(test_run: &mut TestRun) -> Result {
    if !test_run.is_full() && record::has_checked_dependencies() {
        print_line("LEFT OUT: the last full run checked the same Cargo.lock and deny.toml.");
        return Ok(());
    }
    let counts = &mut test_run.counts;
    let program = tools::ensure_cargo_deny()?;
    run(deny_command(&program).args([
        "check",
        "--hide-inclusion-graph",
        "bans",
        "licenses",
        "sources",
    ]))?;
    counts.passed += 3;
    let fresh = run_silently(deny_command(&program).args(["fetch", "db"])).is_some();
    if !fresh && !has_copy() {
        print_line(
            "LEFT OUT: advisories. The database cannot be reached and there is no copy; \
             run `cargo deny fetch db` with network access.",
        );
        return Ok(());
    }
    if !fresh {
        print_line("The advisory database cannot be reached: using the last copy.");
    }
    run(deny_command(&program).args(["--offline", "check", "advisories"]))?;
    counts.passed += 1;
    Ok(())
}

fn deny_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--locked", "--log-level", "error"]).current_dir(paths::root());
    command
}

/// Returns whether an earlier copy of the database exists.
fn has_copy() -> bool {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = named.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let folder = home.map(|home| home.join(DATABASES));
    let mut inside = folder.and_then(|it| it.read_dir().ok()).into_iter().flatten().flatten();
    // The lock file exists even if no database was downloaded.
    inside.any(|one| one.path().is_dir())
}
