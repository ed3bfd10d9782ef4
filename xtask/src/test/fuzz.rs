//! Runs each fuzz target briefly over its corpus. For a long run use
//! `cargo fuzz run --sanitizer none TARGET`.

use std::{fs, path::PathBuf, process::Command, thread};

use crate::run::{Error, Result, io_at, run};
use crate::test::test_run::TestRun;
use crate::{paths, tools};

/// Options of libFuzzer: the same inputs in each run, at most 20 s, and at most 2,048 bytes. Longer
/// inputs find little more and take longer.
const OPTIONS: [&str; 5] =
    ["-verbosity=0", "-runs=200000", "-seed=1", "-max_total_time=20", "-max_len=2048"];
/// Maximum number of files in a corpus. It is under version control, so the inputs of long runs are
/// minimised.
const CORPUS_FILES_MAX: usize = 100;

/// Runs every target; each counts as a test.
pub(crate) fn run_briefly(test_run: &mut TestRun) -> Result {
    tools::ensure_tool(&tools::FUZZ)?;
    let targets = list_targets()?;
    run(&mut fuzz_command("build"))?;
    // Each half uses one core.
    let (first, second) = targets.split_at(targets.len() / 2);
    let run_half = |half: &[String]| half.iter().map(|target| run_target(target)).collect();
    let results: Vec<Result> = thread::scope(|scope| {
        let first = scope.spawn(|| -> Vec<Result> { run_half(first) });
        let second: Vec<Result> = run_half(second);
        let panicked = |_| vec![Err(Error::new("the fuzz targets could not be run"))];
        first.join().unwrap_or_else(panicked).into_iter().chain(second).collect()
    });
    test_run.counts.passed += results.iter().filter(|result| result.is_ok()).count();
    test_run.counts.failed += results.iter().filter(|result| result.is_err()).count();
    results.into_iter().collect()
}

fn fuzz_command(verb: &str) -> Command {
    let mut cargo = Command::new("cargo");
    // The stable toolchain has no sanitizers, and this code has no unsafe blocks.
    cargo.args(["fuzz", verb, "--sanitizer", "none", "--target-dir"]);
    cargo.arg(paths::target().join("fuzz")).current_dir(paths::root());
    cargo.env("PATH", tools::search_path()).env_remove("CARGO_TARGET_DIR");
    // A short run gains more from a fast build than from optimised code.
    cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    cargo
}

/// Runs one target over its corpus.
fn run_target(target: &str) -> Result {
    // New inputs are written to a scratch folder; the corpus is only read.
    let scratch = paths::target().join("fuzz-corpus").join(target);
    fs::create_dir_all(&scratch).map_err(io_at("create", &scratch))?;
    let mut fuzz = fuzz_command("run");
    run(fuzz.arg(target).arg(&scratch).arg(corpus_folder(target)).arg("--").args(OPTIONS))
}

fn fuzz_folder() -> PathBuf {
    paths::root().join("fuzz")
}

fn corpus_folder(target: &str) -> PathBuf {
    fuzz_folder().join("corpus").join(target)
}

/// Returns the names of all targets. Fails if one has an empty corpus, or one that is not
/// minimised.
fn list_targets() -> Result<Vec<String>> {
    let files = paths::files_below(&fuzz_folder().join("fuzz_targets"))?;
    let names = files.iter().filter_map(|file| file.file_stem());
    let targets: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    for target in &targets {
        let corpus = corpus_folder(target);
        let files = paths::files_below(&corpus)?.len();
        if !(1..=CORPUS_FILES_MAX).contains(&files) {
            return Err(Error::new(format!(
                "`{}` has {files} files, 1 to {CORPUS_FILES_MAX} are allowed: see \
                 `docs/CONTRIBUTING.md` on how to minimise it",
                corpus.display()
            )));
        }
    }
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The targets are compiled only by `cargo xtask test fuzz`.
    #[test]
    fn targets_are_in_manifest_and_call_existing_functions() {
        let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).unwrap();
        let call = regex::Regex::new(r"(\w+)::fuzzing::(\w+)").unwrap();
        for target in list_targets().unwrap() {
            let path = format!("fuzz_targets/{target}.rs");
            assert!(manifest.contains(&format!("path = \"{path}\"")), "{target} is not in it");
            let text = fs::read_to_string(fuzz_folder().join(path)).unwrap();
            let call = call.captures(&text).unwrap();
            let library = paths::root().join(format!("crates/{}/src/fuzzing.rs", &call[1]));
            let library = fs::read_to_string(library).unwrap();
            assert!(library.contains(&format!("pub fn {}(", &call[2])), "{target}");
        }
    }
}
