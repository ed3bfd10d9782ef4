//! Builds the release binary and the bench, and starts the bench. The measurements are in
//! `benches/`. Tests do not run this module.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use crate::build::files;
use crate::run::{cargo, run};
use crate::{browser, paths, serve, tools};

/// Runs the named bench. Further arguments are passed on to it.
pub(crate) fn run_bench(words: &[String]) -> Result<()> {
    let root = paths::root();
    let (results, page) = (root.join("benches/results"), root.join("docs/performance.md"));
    match words {
        [name, rest @ ..] if name == "service" => {
            build()?;
            run(bench_command("service", &results, &page).args(rest))
        }
        [name, rest @ ..] if name == "dashboard" => run_dashboard_bench(rest, &results, &page),
        _ => bail!("unknown bench `{}`: use `service` or `dashboard`", words.join(" ")),
    }
}

fn build() -> Result<()> {
    serve::build_release()?;
    run(&mut cargo("build --release --locked --package bench"))
}

/// For a first impression: little data, one round, and results outside of the repository.
const QUICK: &str = "--quick";
/// Without Lighthouse, which is installed from npm.
const NO_LIGHTHOUSE: &str = "--no-lighthouse";

fn run_dashboard_bench(words: &[String], results: &Path, page: &Path) -> Result<()> {
    let has = |option| words.iter().any(|word| word == option);
    let is_quick = has(QUICK);
    let driver = browser::ensure_chromedriver()?;
    let react = build_react_page()?;
    build()?;
    let mut bench = bench_command("dashboard", results, page);
    if is_quick {
        let folder = paths::target().join("bench");
        bench = bench_command("dashboard", &folder.join("results"), &folder.join("quick.md"));
        bench.args(["--rows", "5000", "--rounds", "1"]);
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

fn bench_command(verb: &str, results: &Path, page: &Path) -> Command {
    let mut bench = Command::new(paths::target().join("release/bench"));
    bench.arg(verb).arg("--sheaf").arg(paths::binary(true)).arg("--folder");
    bench.arg(paths::target().join("bench"));
    bench.arg("--results").arg(results).arg("--page").arg(page);
    bench
}
