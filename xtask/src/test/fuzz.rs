//! Runs each fuzz target briefly over its corpus. For a long run use
//! `cargo fuzz run --sanitizer none TARGET`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
};

use crate::run::{Error, Result, io_at, run};
use crate::test::test_run::TestRun;
use crate::{paths, tools};

/// Inputs per target. With a fixed seed they are the same in each run.
const RUNS: u32 = 200_000;
const SEED: u32 = 1;
/// Time limit of a target, in seconds.
const TIME_MAX_S: u32 = 20;
/// Number of targets that run concurrently. Each uses one core.
const CONCURRENT_TARGETS: usize = 2;
/// Maximum length of an input, in bytes. Longer inputs find little more and take longer.
const LENGTH_MAX: u32 = 2048;
/// Maximum number of files in a corpus. It is under version control, so the inputs of long runs are
/// minimised.
const CORPUS_FILES_MAX: usize = 100;

/// Runs every target; each counts as a test.
pub(crate) fn run_briefly(test_run: &mut TestRun) -> Result {
    tools::ensure_cargo_fuzz()?;
    let targets = list_targets()?;
    // The stable toolchain has no sanitizers, and this code has no unsafe blocks.
    let fuzz = |verb: &str| {
        let mut cargo = Command::new("cargo");
        cargo.args(["fuzz", verb, "--sanitizer", "none", "--target-dir"]);
        cargo.arg(paths::target().join("fuzz")).current_dir(paths::root());
        cargo.env("PATH", tools::search_path()).env_remove("CARGO_TARGET_DIR");
        // A short run gains more from a fast build than from optimised code.
        cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        cargo
    };
    run(&mut fuzz("build"))?;
    let waiting = Mutex::new(targets.into_iter());
    let tried = Mutex::new(Vec::new());
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.next());
    thread::scope(|scope| {
        for _ in 0..CONCURRENT_TARGETS {
            scope.spawn(|| {
                while let Some(target) = next() {
                    let outcome = run_target(fuzz("run"), &target);
                    let _ = tried.lock().map(|mut tried| tried.push(outcome));
                }
            });
        }
    });
    let tried = tried.into_inner().unwrap_or_default();
    let counts = &mut test_run.counts;
    counts.passed += tried.iter().filter(|outcome| outcome.is_ok()).count();
    counts.failed += tried.iter().filter(|outcome| outcome.is_err()).count();
    tried.into_iter().collect()
}

/// Runs one target over its corpus.
fn run_target(mut fuzz: Command, target: &str) -> Result {
    // New inputs are written to a scratch folder; the corpus is only read.
    let scratch = paths::target().join("fuzz-corpus").join(target);
    fs::create_dir_all(&scratch).map_err(io_at("create", &scratch))?;
    fuzz.arg(target).arg(&scratch).arg(corpus_folder(target)).arg("--");
    fuzz.args(["-verbosity=0".to_owned(), format!("-runs={RUNS}"), format!("-seed={SEED}")]);
    fuzz.args([format!("-max_total_time={TIME_MAX_S}"), format!("-max_len={LENGTH_MAX}")]);
    run(&mut fuzz)
}

fn fuzz_folder() -> PathBuf {
    paths::root().join("fuzz")
}

fn corpus_folder(target: &str) -> PathBuf {
    fuzz_folder().join("corpus").join(target)
}

/// Returns the names of all targets. Fails if one has no valid corpus.
fn list_targets() -> Result<Vec<String>> {
    let sources = fuzz_folder().join("fuzz_targets");
    let files = fs::read_dir(&sources).map_err(io_at("read", &sources))?.flatten();
    let stem = |file: PathBuf| file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut targets: Vec<String> = files.filter_map(|file| stem(file.path())).collect();
    targets.sort();
    targets.iter().try_for_each(|target| check_corpus(target, &corpus_folder(target)))?;
    Ok(targets)
}

/// Checks that a corpus is not empty and is minimised.
fn check_corpus(target: &str, corpus: &Path) -> Result {
    let files = fs::read_dir(corpus).map_or(0, Iterator::count);
    let shown = corpus.display();
    match files {
        0 => Err(Error::new(format!("`{target}` has no corpus: add inputs to `{shown}`"))),
        1..=CORPUS_FILES_MAX => Ok(()),
        _ => Err(Error::new(format!(
            "the corpus of `{target}` has {files} files, at most {CORPUS_FILES_MAX} are allowed: \
             minimise it with `cargo fuzz run --sanitizer none {target} NEW {shown} -- \
             -set_cover_merge=1`, and commit the oldest files of NEW, which have the most coverage"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_in_manifest_and_have_corpus() {
        let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).unwrap();
        for target in list_targets().unwrap() {
            let path = format!("path = \"fuzz_targets/{target}.rs\"");
            assert!(manifest.contains(&path), "{target} is not in fuzz/Cargo.toml");
        }
    }

    /// The targets are compiled only by `cargo xtask test fuzz`.
    #[test]
    fn targets_call_existing_functions() {
        for target in list_targets().unwrap() {
            let text = fs::read_to_string(fuzz_folder().join(format!("fuzz_targets/{target}.rs")));
            let text = text.unwrap();
            let (before, after) = text.split_once("::fuzzing::").unwrap();
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let library = before.rsplit(|c| !is_name(c)).next().unwrap();
            let function = after.split(|c| !is_name(c)).next().unwrap();
            let library = paths::root().join(format!("crates/{library}/src/fuzzing.rs"));
            let library = fs::read_to_string(library).unwrap();
            assert!(library.contains(&format!("pub fn {function}(")), "{target}: {function}");
        }
    }

    #[test]
    fn empty_or_large_corpus_is_rejected() {
        let folder = paths::target().join(format!("corpus-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let refused = |of: &Path| check_corpus("key", of).unwrap_err().to_string();
        assert!(refused(&folder).contains("has no corpus"));
        for file in 0..CORPUS_FILES_MAX {
            fs::write(folder.join(file.to_string()), "x").unwrap();
        }
        check_corpus("key", &folder).unwrap();
        fs::write(folder.join("more"), "x").unwrap();
        assert!(refused(&folder).contains("has 101 files"), "{}", refused(&folder));
        fs::remove_dir_all(&folder).unwrap();
    }
}
