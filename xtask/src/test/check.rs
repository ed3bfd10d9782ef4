//! Checks a change quickly: format, lints, and the tests of the changed packages and their
//! dependents.

use std::{collections::BTreeSet, process::Command};

use anyhow::{Context as _, Result};

use crate::run::{cargo, print_line, run, run_silently};
use crate::test::steps;
use crate::test::test_run::TestRun;
use crate::{paths, tidy};

/// Checks the changes since the last commit, or the last commit if there are none.
pub(crate) fn check_changes() -> Result<()> {
    let changed = changed_files()?;
    let packages: BTreeSet<&str> = changed.lines().filter_map(package_of_file).collect();
    let names: Vec<&str> = packages.into_iter().collect();
    print_line(&format!("Changed packages: {}.", names.join(", ")));
    run(&mut cargo("fmt --all --check"))?;
    tidy::check_style()?;
    let mut test_run = TestRun::new(false, false)?;
    steps::lint_host()?;
    if ["dashboard", "contract", "export-worker", "row-view"]
        .iter()
        .any(|name| names.contains(name))
    {
        steps::lint_wasm()?;
    }
    if !names.is_empty() {
        // Without the suites that take minutes.
        let dependents: Vec<_> = names.iter().map(|name| format!("rdeps({name})")).collect();
        let filter = format!("({}) & ({})", dependents.join(" + "), steps::HOST);
        steps::host_tests(&mut test_run, &filter)?;
    }
    if names.contains(&"dashboard") {
        steps::run_web_tests(&mut test_run)?;
    }
    print_line(&format!("{} tests passed.", test_run.counts.passed));
    Ok(())
}

/// Returns the changed and new files, one a line; without any, those of the last commit.
fn changed_files() -> Result<String> {
    let git = |words: &[&str]| {
        let output = run_silently(Command::new("git").args(words).current_dir(paths::root()));
        output.context("`git` failed: run this command in a clone of the repository")
    };
    let changed = git(&["diff", "--name-only", "HEAD"])?;
    let new = git(&["ls-files", "--others", "--exclude-standard"])?;
    if changed.is_empty() && new.is_empty() {
        return git(&["show", "--name-only", "--format=", "HEAD"]);
    }
    Ok(format!("{changed}\n{new}"))
}

fn package_of_file(path: &str) -> Option<&str> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    match first {
        "crates" => rest.split('/').next(),
        "xtask" => Some("xtask"),
        "benches" => Some("bench"),
        "tests" if rest.starts_with("web") => Some("dashboard"),
        "tests" => Some("acceptance"),
        "src" | "style" | "public" | "index.html" | "Trunk.toml" | "build.rs" => Some("dashboard"),
        // All packages depend on these files.
        "Cargo.lock" | "Cargo.toml" | ".cargo" | "rust-toolchain.toml" => Some("contract"),
        _ => None,
    }
}
