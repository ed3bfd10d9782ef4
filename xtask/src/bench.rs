//! Builds the release binary and the bench, and starts the bench. The measurements are in
//! `benches/`. Tests do not run this module.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::build::files;
use crate::run::{cargo, run};
use crate::{browser, paths, serve, tools};

/// For a first impression: little data, one round, and results outside of the repository.
const QUICK: &str = "--quick";

/// Runs the named bench. Further arguments are passed on to it.
pub(crate) fn run_bench(name: &str, words: &[String]) -> Result<()> {
    serve::build_release()?;
    run(&mut cargo("build --release --locked --package bench"))?;
    let folder = paths::target().join("bench");
    let mut bench = Command::new(paths::target().join("release/bench"));
    bench.arg(name).arg("--sheaf").arg(paths::binary(true)).arg("--folder").arg(&folder);
    let mut output =
        ["benches/results", "docs/performance.md"].map(|path| paths::root().join(path));
    if name == "dashboard" {
        bench.arg("--react").arg(build_react_page()?);
        bench.arg("--chromedriver").arg(browser::ensure_chromedriver()?);
        if words.iter().any(|word| word == QUICK) {
            bench.args(["--rows", "5000", "--rounds", "1"]);
            output = ["results", "quick.md"].map(|path| folder.join(path));
        }
    }
    let [results, page] = output;
    bench.arg("--results").arg(results).arg("--page").arg(page);
    run(bench.args(words.iter().filter(|word| name != "dashboard" || *word != QUICK)))
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
