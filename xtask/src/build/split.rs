//! Splits the dashboard: one module for the first view, and one module for each chunk that
//! `lazy_views!` or `lazy_actions!` declares.
//!
//! Trunk compiles the module with relocations, but cannot split it. So its script and module are
//! replaced: `wasm-split-cli` splits the linked output of cargo, `wasm-bindgen` processes the main
//! module, and `wasm-opt` optimises each module.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::build::files::{Files, MAIN, WORKER, is_kind};
use crate::build::{loader, optimise};
use crate::run::{Result, io_at, run};
use crate::{paths, tools};

/// Environment variable that makes `build.rs` prepare the module for splitting.
pub(crate) const SPLIT_VARIABLE: &str = "SHEAF_SPLIT";

/// Name of the module before and after splitting.
const NAME: &str = "dashboard";

/// Script that loads the chunks, as `wasm-split-cli` names it.
const LOADER: &str = "__wasm_split.js";

/// Replaces Trunk's script and module by the split ones.
pub(crate) fn split_modules(files: &mut Files) -> Result {
    let work = paths::target().join("split");
    let parts = work.join("parts");
    let bound = work.join("bound");
    paths::remove_folder(&work)?;
    paths::empty_folder(&parts)?;
    run_wasm_split(&parts)?;
    run_bindgen(&parts.join(format!("{NAME}.wasm")), &bound)?;
    let mut modules = vec![bound.join(MAIN)];
    modules.extend(chunk_modules(&parts)?);
    // The module of the worker is not split.
    let worker_name = format!("{WORKER}_bg.wasm");
    if let Some(worker) = files.get(&worker_name) {
        let path = work.join(worker_name);
        fs::write(&path, worker).map_err(io_at("write", &path))?;
        modules.push(path);
    }
    optimise::optimise_all(&modules)?;

    for module in &modules {
        let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, fs::read(module).map_err(io_at("read", module))?);
    }
    let glue = read_text(&bound.join(format!("{NAME}.js")))?;
    let loader = read_text(&parts.join(LOADER))?;
    let script = loader::merge_scripts(&glue, &loader, LOADER)?;
    files.insert(format!("{NAME}.js"), script.into_bytes());
    Ok(())
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(io_at("read", path))
}

/// Splits the linked output of cargo.
fn run_wasm_split(parts: &Path) -> Result {
    let linked = paths::target().join(tools::WASM).join("wasm-release").join(NAME);
    let linked = linked.with_extension("wasm");
    let mut split = Command::new(tools::program_path("wasm-split-cli"));
    split.arg(linked).arg(parts);
    // It warns on each run about entries of the name section that it does not know.
    split.env("RUST_LOG", "error");
    run(split.args(["--target", "web", "--out-name", NAME]))
}

fn run_bindgen(module: &Path, into: &Path) -> Result {
    let mut bindgen = Command::new(tools::program_path("wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-dir"]);
    run(bindgen.arg(into).args(["--out-name", NAME]).arg(module))
}

/// Returns the modules of the chunks.
fn chunk_modules(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut modules = paths::files_below(folder)?;
    let is_main = |name: &str| name == format!("{NAME}.wasm");
    modules.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        is_kind(&name, "wasm") && !is_main(&name)
    });
    Ok(modules)
}
