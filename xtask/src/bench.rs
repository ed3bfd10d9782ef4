//! Builds the release binary and the bench, and starts the bench. The measurements are in
//! `benches/`. Tests do not run this module.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::build::finish;
use crate::run::{Error, Result, run};
use crate::{browser, npm, place, serve, tools};

/// Runs the named bench. Further arguments are passed on to it.
pub(crate) fn bench(words: &[&str]) -> Result {
    match words {
        ["service", rest @ ..] => {
            serve::build()?;
            build()?;
            run(started("service").args(rest))
        }
        ["dashboard", rest @ ..] => dashboard(rest),
        _ => {
            let given = words.join(" ");
            Err(Error::new(format!("unknown bench `{given}`: use `service` or `dashboard`")))
        }
    }
}

fn build() -> Result {
    let words = ["build", "--release", "--locked", "--package", "bench"];
    run(Command::new("cargo").args(words).current_dir(place::root()))
}

/// For a first impression: little data, one round, and results outside of the repository.
const QUICK: &str = "--quick";
/// Without Lighthouse, which is installed from npm.
const NO_LIGHTHOUSE: &str = "--no-lighthouse";
const ROWS_QUICK: &str = "5000";

fn dashboard(words: &[&str]) -> Result {
    let is_quick = words.contains(&QUICK);
    let driver = browser::driver()?;
    let react = react_page()?;
    serve::build()?;
    build()?;
    let mut bench = if is_quick {
        let mut bench = told("dashboard", &folder().join("results"), &folder().join("quick.md"));
        bench.args(["--rows", ROWS_QUICK, "--rounds", "1"]);
        bench
    } else {
        started("dashboard")
    };
    bench.arg("--react").arg(react).arg("--chromedriver").arg(driver);
    if !is_quick && !words.contains(&NO_LIGHTHOUSE) {
        bench.arg("--lighthouse").arg(tools::lighthouse()?);
        // Lighthouse starts a browser itself: the installed Chromium.
        bench.env("CHROME_PATH", browser::chromium()?);
    }
    run(bench.args(words.iter().filter(|word| ![QUICK, NO_LIGHTHOUSE].contains(word))))
}

/// Builds the React page, and compresses it like the dashboard. Returns its folder.
fn react_page() -> Result<PathBuf> {
    let folder = place::root().join("benches/react-list");
    npm::npm_install(&folder)?;
    run(Command::new("npm").args(["run", "build", "--silent"]).current_dir(&folder))?;
    let dist = folder.join("dist");
    let mut files = finish::read(&dist)?;
    finish::compress(&mut files)?;
    finish::write(&files, &dist)?;
    Ok(dist)
}

fn folder() -> PathBuf {
    place::target().join("bench")
}

/// Returns the command of the bench with all paths, for the recorded results.
fn started(verb: &str) -> Command {
    told(verb, &place::bench_results(), &place::bench_page())
}

fn told(verb: &str, results: &Path, page: &Path) -> Command {
    let mut bench = Command::new(place::target().join("release/bench"));
    bench.arg(verb).arg("--sheaf").arg(place::binary()).arg("--folder").arg(folder());
    bench.arg("--results").arg(results).arg("--page").arg(page);
    bench
}
