//! Splits the dashboard: one module for the first view, and one module for each chunk that
//! `lazy_views!` or `lazy_actions!` declares.
//!
//! Trunk compiles the module with relocations, but cannot split it. So its script and module are
//! replaced: `wasm-split-cli` splits the linked output of cargo, `wasm-bindgen` processes the main
//! module, and `wasm-opt` optimises each module.

use std::{path::Path, process::Command};

use anyhow::Result;
use fs_err as fs;

use crate::build::files::{Files, MAIN, WORKER, is_kind};
use crate::build::{loader, optimise};
use crate::run::run;
use crate::{paths, tools};

/// Environment variable that makes `build.rs` prepare the module for splitting.
pub(crate) const SPLIT_VARIABLE: &str = "SHEAF_SPLIT";

/// Name of the module before and after splitting.
const NAME: &str = "dashboard";

/// Script that loads the chunks, as `wasm-split-cli` names it.
const LOADER: &str = "__wasm_split.js";

/// Replaces Trunk's script and module by the split ones.
pub(crate) fn split_modules(files: &mut Files) -> Result<()> {
    let work = paths::target().join("split");
    let parts = work.join("parts");
    let bound = work.join("bound");
    paths::remove_folder(&work)?;
    paths::empty_folder(&parts)?;
    run_wasm_split(&parts)?;
    let main = parts.join(format!("{NAME}.wasm"));
    run_bindgen(&main, &bound)?;
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
    optimise::optimise_all(&modules)?;

    for module in &modules {
        let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, fs::read(module)?);
    }
    let glue = fs::read_to_string(bound.join(format!("{NAME}.js")))?;
    let loader = fs::read_to_string(parts.join(LOADER))?;
    let script = loader::merge_scripts(&glue, &loader, LOADER)?;
    files.insert(format!("{NAME}.js"), script.into_bytes());
    Ok(())
}

/// Splits the linked output of cargo.
fn run_wasm_split(parts: &Path) -> Result<()> {
    let linked = paths::target().join(tools::WASM).join("wasm-release").join(NAME);
    let mut split = Command::new(tools::program_path("wasm-split-cli"));
    split.arg(linked.with_extension("wasm")).arg(parts);
    // It warns on each run about entries of the name section that it does not know.
    split.env("RUST_LOG", "error");
    run(split.args(["--target", "web", "--out-name", NAME]))
}

fn run_bindgen(module: &Path, into: &Path) -> Result<()> {
    let mut bindgen = Command::new(tools::program_path("wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-dir"]);
    run(bindgen.arg(into).args(["--out-name", NAME]).arg(module))
}
