//! Optimises WebAssembly modules for size with binaryen, and installs its `wasm-opt`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    apt, install, npm, paths,
    run::{Error, Result, has_program, print_line, run, run_silently},
};

const BINARYEN: &str = "132.0.0";
/// Oldest `wasm-opt` that understands the output of rustc 1.95.
const BINARYEN_MIN: u32 = 108;

/// Options: size before speed, and no inlining beyond that of rustc, because calls compress better
/// than inlined bodies. The features are those that rustc assumes for every browser.
const OPTIMISE: [&str; 15] = [
    "--low-memory-unused",
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
pub(crate) fn installed_folder() -> Option<PathBuf> {
    let folder = paths::tools().join(format!("binaryen-{BINARYEN}"));
    ["unpacked", "node_modules/.bin", "usr/bin"]
        .into_iter()
        .find_map(|below| install::find_file(&folder.join(below), "wasm-opt"))
        .and_then(|program| program.parent().map(Path::to_owned))
}

/// Installs `wasm-opt` if it is missing: the release of its makers, or from npm, or from Debian.
/// The sizes of their output differ by less than 0.5 %. Returns its path.
pub(crate) fn wasm_opt() -> Result<PathBuf> {
    install::ensure_installed(&format!("binaryen-{BINARYEN}"), |new| {
        let major = BINARYEN.split('.').next().unwrap_or(BINARYEN);
        let url = install::release_url("binaryen", major);
        if url.is_some_and(|url| install::download_archive("binaryen", &url, &new.join("unpacked")))
        {
            return Ok(());
        }
        if has_program("npm") {
            print_line("Installing wasm-opt by npm: usually half a minute.");
            return npm::install_npm_package(new, "binaryen", BINARYEN, &[]);
        }
        print_line(
            "Installing wasm-opt from the package `binaryen` by apt: usually half a minute.",
        );
        apt::unpack("binaryen", new)
    })?;
    let program = installed_folder()
        .map(|folder| folder.join("wasm-opt"))
        .filter(|found| wasm_opt_works(found));
    program.ok_or_else(|| {
        let folder = paths::tools().join(format!("binaryen-{BINARYEN}"));
        Error::new(format!(
            "`{}` has no wasm-opt of version {BINARYEN_MIN} or later: remove the folder and \
             install npm, which provides a newer one",
            folder.display()
        ))
    })
}

fn wasm_opt_works(program: &Path) -> bool {
    run_silently(Command::new(program).arg("--version"))
        .and_then(|output| output.split_whitespace().find_map(|word| word.parse::<u32>().ok()))
        .is_some_and(|version| version >= BINARYEN_MIN)
}

/// Optimises modules in place, in two threads: the first module takes as long as all others.
pub(crate) fn optimise_all(modules: &[PathBuf]) -> Result {
    print_line(&format!(
        "Optimising {} modules: usually half a minute to a minute.",
        modules.len()
    ));
    let (first, others) = modules.split_at(modules.len().min(1));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| optimise_modules(first));
        let others = optimise_modules(others);
        first.join().unwrap_or_else(|_| Err(Error::new("wasm-opt could not be run".to_owned())))?;
        others
    })
}

/// Runs one process for all modules if `wasm-opt` is from npm, and otherwise one per module.
fn optimise_modules(modules: &[PathBuf]) -> Result {
    let program = wasm_opt()?;
    let library = program.parent().unwrap_or(&program).join("../binaryen/index.js");
    if library.is_file() {
        let mut node = Command::new("node");
        node.arg(paths::root().join("xtask/optimise/modules.mjs")).arg(library);
        return run(node.args(OPTIMISE).arg("--").args(modules));
    }
    modules.iter().try_for_each(|module| {
        let mut opt = Command::new(&program);
        run(opt.args(OPTIMISE).arg(module).arg("--output").arg(module))
    })
}
