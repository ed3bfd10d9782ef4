//! Optimises WebAssembly modules for size with binaryen, and installs its `wasm-opt`.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::{
    install, paths,
    run::{print_line, run},
    tools,
};

const BINARYEN: &str = "132.0.0";

/// URL of the release of its makers, which has only the major version.
const RELEASE: &str = "https://github.com/WebAssembly/binaryen/releases/download/version_132/\
    binaryen-version_132-{arch}-linux.tar.gz";

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

/// Installs `wasm-opt` if it is missing: the release, or from npm. The sizes of their output differ
/// by less than 0.5 %. Returns its folder.
pub(crate) fn ensure_binaryen() -> Result<PathBuf> {
    install::ensure_installed(&format!("wasm-opt-{BINARYEN}"), |new| {
        if install::download_release(RELEASE, &["wasm-opt"], new) {
            return Ok(());
        }
        tools::install_npm_package(new, "binaryen", BINARYEN)
    })
}

/// Optimises modules in place, in two threads: the first module takes as long as all others.
pub(crate) fn optimise_all(modules: &[PathBuf]) -> Result<()> {
    print_line(&format!("Optimising {} modules: half a minute to a minute.", modules.len()));
    let (first, others) = modules.split_at(modules.len().min(1));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| optimise_modules(first));
        let others = optimise_modules(others);
        first.join().expect("the thread does not panic").and(others)
    })
}

/// Runs one process for all modules if `wasm-opt` is from npm, and otherwise one per module.
fn optimise_modules(modules: &[PathBuf]) -> Result<()> {
    let folder = ensure_binaryen()?;
    let library = folder.join("node_modules/binaryen/index.js");
    if library.is_file() {
        let mut node = Command::new("node");
        node.arg(paths::root().join("xtask/optimise/modules.mjs")).arg(library);
        return run(node.args(OPTIMISE).arg("--").args(modules));
    }
    modules.iter().try_for_each(|module| {
        let mut opt = Command::new(folder.join("bin/wasm-opt"));
        run(opt.args(OPTIMISE).arg(module).arg("--output").arg(module))
    })
}
