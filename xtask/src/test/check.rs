//! Checks a change quickly: format, lints, and the tests of the changed packages and their
//! dependents.

use std::{collections::BTreeSet, process::Command, time::Instant};

use crate::cargo::cargo;
use crate::run::{Error, Result, format_duration, print_line, run, run_silently};
use crate::test::steps;
use crate::test::test_run::{Level, TestRun};
use crate::{paths, tidy};

/// Packages that are compiled into the dashboard.
const DASHBOARD_PACKAGES: [&str; 4] = ["dashboard", "contract", "export-worker", "row-view"];

/// Checks the changes since the last commit, or the last commit if there are none.
pub(crate) fn check_changes() -> Result {
    let began = Instant::now();
    let changed = changed_files()?;
    let packages = packages_of_files(&changed);
    let names: Vec<&str> = packages.iter().copied().collect();
    print_line(&format!(
        "Changed packages: {}.",
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    ));
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    tidy::check_style()?;
    let mut test_run = TestRun::new(Level::Merge, None)?;
    steps::clippy(&mut test_run)?;
    if names.iter().any(|name| DASHBOARD_PACKAGES.contains(name)) {
        steps::clippy_wasm(&mut test_run)?;
    }
    if let Some(filter) = dependents_filter(&names) {
        steps::host_tests(&mut test_run, &filter)?;
    }
    if names.contains(&"dashboard") {
        steps::run_web_tests(&mut test_run)?;
    }
    print_line(&format!(
        "{} tests passed in {}.",
        test_run.counts.passed,
        format_duration(began.elapsed())
    ));
    Ok(())
}

/// Returns the filter for the tests of these packages and their dependents, without the suites that
/// take minutes.
fn dependents_filter(packages: &[&str]) -> Option<String> {
    let rdeps: Vec<_> = packages.iter().map(|name| format!("rdeps({name})")).collect();
    let all = rdeps.join(" + ");
    (!rdeps.is_empty()).then(|| format!("({all}) & ({})", steps::HOST))
}

fn changed_files() -> Result<Vec<String>> {
    let git =
        |words: &[&str]| run_silently(Command::new("git").args(words).current_dir(paths::root()));
    let status = git(&["status", "--porcelain", "--untracked-files=all"]).ok_or_else(|| {
        Error::new("`git status` failed: run this command in a clone of the repository")
    })?;
    // Two letters of state, a space, and a path; for a moved file, the new path follows an arrow.
    let path = |line: &str| {
        let path = line.trim_start().split_once(' ').map_or(line, |(_, path)| path.trim());
        path.rsplit(" -> ").next().unwrap_or(path).to_owned()
    };
    let paths: Vec<String> = status.lines().map(path).collect();
    if !paths.is_empty() {
        return Ok(paths);
    }
    let last = git(&["show", "--name-only", "--format=", "HEAD"]).unwrap_or_default();
    Ok(last.lines().map(str::to_owned).collect())
}

/// Returns the packages of these files.
fn packages_of_files(paths: &[String]) -> BTreeSet<&str> {
    paths.iter().filter_map(|path| package_of_file(path)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_map_to_packages() {
        let paths =
            ["crates/gateway/src/lib.rs", "tests/web/stage.rs", "docs/api.md", "tests/spec.rs"];
        let paths = paths.map(str::to_owned);
        let expected = ["acceptance", "dashboard", "gateway"];
        assert_eq!(packages_of_files(&paths).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn filter_names_each_package() {
        assert_eq!(dependents_filter(&[]), None);
        let filter = dependents_filter(&["gateway", "xtask"]).unwrap();
        assert!(filter.starts_with("(rdeps(gateway) + rdeps(xtask)) &"), "{filter}");
    }
}
