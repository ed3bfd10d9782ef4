//! Optimises WebAssembly modules for size with binaryen, and installs its `wasm-opt`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    apt, install, npm, place,
    run::{Error, Result, exists, output_of, run, say},
};

const BINARYEN: &str = "132.0.0";
/// Oldest `wasm-opt` that understands the output of rustc 1.95.
const BINARYEN_MIN: u32 = 108;

/// Options: size before speed, and no inlining beyond that of rustc, because calls compress better
/// than inlined bodies. The features are those that rustc assumes for every browser.
const OPTIMISE: [&str; 19] = [
    "--low-memory-unused",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "--strip-producers",
    "--strip-target-features",
    "--one-caller-inline-max-function-size=0",
    "--always-inline-max-function-size=0",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Returns the folder of `wasm-opt` if it is installed.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = place::tools().join(format!("binaryen-{BINARYEN}"));
    ["unpacked", "node_modules/.bin", "usr/bin"]
        .into_iter()
        .find_map(|below| install::find(&folder.join(below), "wasm-opt"))
        .and_then(|program| program.parent().map(Path::to_owned))
}

/// Installs `wasm-opt` if it is missing: the release of its makers, or from npm, or from Debian.
/// The sizes of their output differ by less than 0.5 %. Returns its path.
pub(crate) fn wasm_opt() -> Result<PathBuf> {
    install::installed(&format!("binaryen-{BINARYEN}"), |new| {
        let major = BINARYEN.split('.').next().unwrap_or(BINARYEN);
        let url = install::release_url("binaryen", major);
        if url.is_some_and(|url| install::downloaded("binaryen", &url, &new.join("unpacked"))) {
            return Ok(());
        }
        if exists("npm") {
            say("Installing wasm-opt by npm: usually half a minute.");
            return npm::npm_into(new, "binaryen", BINARYEN, &[]);
        }
        say("Installing wasm-opt from the package `binaryen` by apt: usually half a minute.");
        apt::unpack("binaryen", new)
    })?;
    let program =
        folder().map(|folder| folder.join("wasm-opt")).filter(|found| wasm_opt_works(found));
    program.ok_or_else(|| {
        let folder = place::tools().join(format!("binaryen-{BINARYEN}"));
        Error::new(format!(
            "`{}` has no wasm-opt of version {BINARYEN_MIN} or later: remove the folder and \
             install npm, which provides a newer one",
            folder.display()
        ))
    })
}

fn wasm_opt_works(program: &Path) -> bool {
    output_of(Command::new(program).arg("--version"))
        .and_then(|said| said.split_whitespace().find_map(|word| word.parse::<u32>().ok()))
        .is_some_and(|version| version >= BINARYEN_MIN)
}

/// Optimises modules in place, in two threads: the first module takes as long as all others.
pub(crate) fn all(modules: &[PathBuf]) -> Result {
    say(&format!("Optimising {} modules: usually half a minute to a minute.", modules.len()));
    let (first, others) = modules.split_at(modules.len().min(1));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| optimised(first));
        let others = optimised(others);
        first.join().unwrap_or_else(|_| Err(Error::new("wasm-opt could not be run".to_owned())))?;
        others
    })
}

/// Runs one process for all modules if `wasm-opt` is from npm, and otherwise one per module.
fn optimised(modules: &[PathBuf]) -> Result {
    let program = wasm_opt()?;
    let library = program.parent().unwrap_or(&program).join("../binaryen/index.js");
    if library.is_file() {
        let mut node = Command::new("node");
        node.arg(place::root().join("xtask/optimise/modules.mjs")).arg(library);
        return run(node.args(OPTIMISE).arg("--").args(modules));
    }
    modules.iter().try_for_each(|module| {
        let mut opt = Command::new(&program);
        run(opt.args(OPTIMISE).arg(module).arg("--output").arg(module))
    })
}
