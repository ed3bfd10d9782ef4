//! Builds the release binary and the bench, and starts the bench. The measurements are in
//! `benches/`. Tests do not run this module.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use crate::build::files;
use crate::run::run;
use crate::{browser, paths, serve, tools};

/// Runs the named bench. Further arguments are passed on to it.
pub(crate) fn run_bench(words: &[String]) -> Result<()> {
    match words {
        [name, rest @ ..] if name == "service" => {
            serve::build_release()?;
            build()?;
            run(recorded_bench_command("service").args(rest))
        }
        [name, rest @ ..] if name == "dashboard" => run_dashboard_bench(rest),
        _ => bail!("unknown bench `{}`: use `service` or `dashboard`", words.join(" ")),
    }
}

fn build() -> Result<()> {
    let words = ["build", "--release", "--locked", "--package", "bench"];
    run(Command::new("cargo").args(words).current_dir(paths::root()))
}

/// For a first impression: little data, one round, and results outside of the repository.
const QUICK: &str = "--quick";
/// Without Lighthouse, which is installed from npm.
const NO_LIGHTHOUSE: &str = "--no-lighthouse";
const ROWS_QUICK: &str = "5000";

fn run_dashboard_bench(words: &[String]) -> Result<()> {
    let has = |option| words.iter().any(|word| word == option);
    let is_quick = has(QUICK);
    let driver = browser::ensure_chromedriver()?;
    let react = build_react_page()?;
    serve::build_release()?;
    build()?;
    let mut bench = if is_quick {
        bench_command("dashboard", &data_folder().join("results"), &data_folder().join("quick.md"))
    } else {
        recorded_bench_command("dashboard")
    };
    if is_quick {
        bench.args(["--rows", ROWS_QUICK, "--rounds", "1"]);
    }
    bench.arg("--react").arg(react).arg("--chromedriver").arg(driver);
    if !is_quick && !has(NO_LIGHTHOUSE) {
        bench.arg("--lighthouse").arg(tools::lighthouse_path()?);
        // Lighthouse starts a browser itself: the installed Chromium.
        bench.env("CHROME_PATH", browser::ensure_chromium()?);
    }
    run(bench.args(words.iter().filter(|word| ![QUICK, NO_LIGHTHOUSE].contains(&word.as_str()))))
}

/// Builds the React page, and compresses it like the dashboard. Returns its folder.
fn build_react_page() -> Result<PathBuf> {
    let folder = paths::root().join("benches/react-list");
    tools::install_lock_file(&folder)?;
    run(Command::new("npm").args(["run", "build", "--silent"]).current_dir(&folder))?;
    let dist = folder.join("dist");
    let mut built = files::read_files(&dist)?;
    files::compress(&mut built)?;
    files::write_files(&built, &dist)?;
    Ok(dist)
}

fn data_folder() -> PathBuf {
    paths::target().join("bench")
}

/// Returns the command of the bench with all paths, for the recorded results.
fn recorded_bench_command(verb: &str) -> Command {
    let root = paths::root();
    bench_command(verb, &root.join("benches/results"), &root.join("docs/performance.md"))
}

fn bench_command(verb: &str, results: &Path, page: &Path) -> Command {
    let mut bench = Command::new(paths::target().join("release/bench"));
    bench.arg(verb).arg("--sheaf").arg(paths::binary(true)).arg("--folder").arg(data_folder());
    bench.arg("--results").arg(results).arg("--page").arg(page);
    bench
}
