//! Measures the release binary: builds it and the bench, and starts the bench. What is measured
//! stands in `benches/`; nothing here is timed, and no test runs it.

use std::process::Command;

use crate::{
    instructions, place,
    run::{Error, Result, run},
    serve,
};

/// Runs what is named, with further words passed on to it.
pub(crate) fn bench(words: &[&str]) -> Result {
    match words {
        ["service", rest @ ..] => service(rest),
        ["instructions"] => instructions::count(),
        _ => {
            let given = words.join(" ");
            let message = format!("`{given}` is no bench: say `service` or `instructions`");
            Err(Error::new(message))
        }
    }
}

/// Measures the service against its ceilings, and writes `docs/performance.md`.
fn service(words: &[&str]) -> Result {
    serve::build()?;
    run(Command::new("cargo").args(["build", "--release", "--locked", "--package", "bench"]))?;
    let mut bench = Command::new(place::target().join("release/bench"));
    bench.arg("service").arg("--sheaf").arg(place::binary());
    bench.arg("--folder").arg(place::target().join("bench"));
    bench.arg("--results").arg(place::bench_results()).arg("--page").arg(place::bench_page());
    run(bench.args(words))
}
