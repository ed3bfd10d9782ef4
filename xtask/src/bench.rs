//! Measures the release binary: builds it and the bench, and starts the bench. What is measured
//! stands in `benches/`; nothing here is timed, and no test runs it.

use std::process::Command;

use crate::{
    place,
    run::{Error, Result, run},
    serve,
};

/// Runs what is named, with further words passed on to it.
pub(crate) fn bench(words: &[&str]) -> Result {
    match words {
        ["service", rest @ ..] => {
            serve::build()?;
            build("release")?;
            run(started("service").args(rest))
        }
        ["instructions"] => {
            serve::build()?;
            build("release")?;
            // With symbols, so that callgrind's files tell where the instructions go.
            build("profiled")?;
            let paths = place::target().join("profiled/paths");
            run(started("instructions").args(["--rows", ROWS_COUNTED, "--paths"]).arg(paths))
        }
        _ => {
            let given = words.join(" ");
            let message = format!("`{given}` is no bench: say `service` or `instructions`");
            Err(Error::new(message))
        }
    }
}

/// Submissions of the form whose requests' instructions are counted.
const ROWS_COUNTED: &str = "10000";

fn build(profile: &str) -> Result {
    let words = ["build", "--profile", profile, "--locked", "--package", "bench"];
    run(Command::new("cargo").args(words).current_dir(place::root()))
}

/// The bench, told where all things stand.
fn started(verb: &str) -> Command {
    let mut bench = Command::new(place::target().join("release/bench"));
    bench.arg(verb).arg("--sheaf").arg(place::binary());
    bench.arg("--folder").arg(place::target().join("bench"));
    bench.arg("--results").arg(place::bench_results()).arg("--page").arg(place::bench_page());
    bench
}
