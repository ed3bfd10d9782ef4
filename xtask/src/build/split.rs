//! Splits the dashboard: one module for the first view, and one module for each chunk that
//! `lazy_views!` or `lazy_actions!` declares.
//!
//! Trunk compiles the module with relocations, but cannot split it. So its script and module are
//! replaced: `wasm-split-cli` splits the linked output of cargo, `wasm-bindgen` processes the main
//! module, `wasm-merge` merges the files of shared code, and `wasm-opt` optimises each module.

use std::{path::PathBuf, process::Command};

use anyhow::Result;
use fs_err as fs;

use crate::build::files::{Files, MAIN, WORKER, is_kind};
use crate::build::{loader, merge};
use crate::run::{print_line, run};
use crate::{paths, tools};

/// Environment variable that makes `build.rs` prepare the module for splitting.
pub(crate) const SPLIT_VARIABLE: &str = "SHEAF_SPLIT";

/// Name of the module before and after splitting.
const NAME: &str = "dashboard";

/// Script that loads the chunks, as `wasm-split-cli` names it.
const LOADER: &str = "__wasm_split.js";

/// Options of binaryen: size before speed, and no inlining beyond that of rustc, because calls
/// compress better than inlined bodies.
const OPTIMISE: &str = "--low-memory-unused --flatten --rereloop -Oz -Oz --strip-producers \
    --strip-target-features --one-caller-inline-max-function-size=0 \
    --always-inline-max-function-size=0";

/// Replaces Trunk's script and module by the split ones.
pub(crate) fn split_modules(files: &mut Files) -> Result<()> {
    let work = paths::target().join("split");
    let parts = work.join("parts");
    let bound = work.join("bound");
    paths::remove_folder(&work)?;
    paths::empty_folder(&parts)?;
    let linked = paths::target().join(tools::WASM).join("wasm-release").join(NAME);
    let mut split = Command::new(tools::program_path("wasm-split-cli"));
    split.arg(linked.with_extension("wasm")).arg(&parts);
    // It warns on each run about entries of the name section that it does not know.
    split.env("RUST_LOG", "error");
    run(split.args(["--target", "web", "--out-name", NAME]))?;
    let main = parts.join(format!("{NAME}.wasm"));
    let mut bindgen = Command::new(tools::program_path("wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-dir"]);
    run(bindgen.arg(&bound).args(["--out-name", NAME]).arg(&main))?;
    let loader = fs::read_to_string(parts.join(LOADER))?;
    let loader = loader::read_loader(&loader)?;
    let shared = merge::merge_shared_files(&parts, &loader.shared)?;
    let mut modules = vec![bound.join(MAIN)];
    let chunks = paths::files_below(&parts)?.into_iter();
    modules.extend(chunks.filter(|path| is_kind(&path.to_string_lossy(), "wasm") && *path != main));
    // The module of the worker is not split.
    let worker_name = format!("{WORKER}_bg.wasm");
    if let Some(worker) = files.get(&worker_name) {
        let path = work.join(worker_name);
        fs::write(&path, worker)?;
        modules.push(path);
    }
    optimise_all(&modules)?;

    for module in &modules {
        let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, fs::read(module)?);
    }
    let glue = fs::read_to_string(bound.join(format!("{NAME}.js")))?;
    let script = loader::merge_scripts(&glue, LOADER, &loader, &shared)?;
    files.insert(format!("{NAME}.js"), script.into_bytes());
    Ok(())
}

/// Optimises modules in place, in two threads: the first module takes as long as all others.
fn optimise_all(modules: &[PathBuf]) -> Result<()> {
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
    let options = || OPTIMISE.split(' ').chain(merge::FEATURES.split(' '));
    let folder = tools::ensure_binaryen()?;
    let library = folder.join("node_modules/binaryen/index.js");
    if library.is_file() {
        let mut node = Command::new("node");
        node.arg(paths::root().join("xtask/optimise/modules.mjs")).arg(library);
        return run(node.args(options()).arg("--").args(modules));
    }
    modules.iter().try_for_each(|module| {
        let mut opt = Command::new(folder.join("bin/wasm-opt"));
        run(opt.args(options()).arg(module).arg("--output").arg(module))
    })
}
