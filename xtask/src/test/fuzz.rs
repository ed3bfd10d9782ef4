//! Runs each fuzz target briefly over its corpus. For a long run use
//! `cargo fuzz run --sanitizer none TARGET`.

use std::{path::Path, process::Command};

use anyhow::Result;
use fs_err as fs;

use crate::run::run;
use crate::test::test_run::TestRun;
use crate::{paths, python};

/// Options of libFuzzer: the same inputs in each run, at most 20 s, and at most 2,048 bytes. Longer
/// inputs find little more and take longer.
const OPTIONS: &str = "-verbosity=0 -runs=200000 -seed=1 -max_total_time=20 -max_len=2048";

/// Runs every target; each counts as a test.
pub(crate) fn run_briefly(test_run: &mut TestRun) -> Result<()> {
    let files = paths::files_below(&paths::root().join("fuzz/fuzz_targets"))?;
    let names = files.iter().filter_map(|file| file.file_stem());
    let program = python::cargo_tool("cargo-fuzz")?;
    run(&mut fuzz_command(&program, "build"))?;
    let results: Vec<_> = names.map(|name| run_target(&program, &name.to_string_lossy())).collect();
    let passed = results.iter().filter(|result| result.is_ok()).count();
    test_run.counts.passed += passed;
    test_run.counts.failed += results.len() - passed;
    results.into_iter().collect()
}

fn fuzz_command(program: &Path, verb: &str) -> Command {
    let mut fuzz = Command::new(program);
    // The stable toolchain has no sanitizers, and this code has no unsafe blocks.
    fuzz.args([verb, "--sanitizer", "none", "--target-dir"]);
    fuzz.arg(paths::target().join("fuzz")).current_dir(paths::root());
    fuzz.env_remove("CARGO_TARGET_DIR");
    // A short run gains more from a fast build than from optimised code.
    fuzz.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    fuzz
}

/// Runs one target over its corpus.
fn run_target(program: &Path, target: &str) -> Result<()> {
    let corpus = paths::root().join("fuzz/corpus").join(target);
    // New inputs are written to a scratch folder; the corpus is only read.
    let scratch = paths::target().join("fuzz-corpus").join(target);
    fs::create_dir_all(&scratch)?;
    let mut fuzz = fuzz_command(program, "run");
    run(fuzz.arg(target).arg(scratch).arg(corpus).arg("--").args(OPTIONS.split(' ')))
}
