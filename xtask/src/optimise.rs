//! Makes modules small by binaryen: where its `wasm-opt` comes from, and what it is told to do.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    apt, order, place,
    run::{Error, Result, exists, io_at, output_of, run, say},
    tools,
};

const BINARYEN: &str = "132.0.0";
/// The oldest `wasm-opt` that understands what rustc 1.95 writes.
const BINARYEN_MIN: u32 = 108;

/// Bytes before speed; no function put into another that rustc left apart, since calls resemble
/// each other more than what is called; and what rustc takes for granted of every browser.
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

/// Makes sure of `wasm-opt`: the makers' program, or npm's, or Debian's; the sizes differ by less
/// than 0.5 %.
pub(crate) fn wasm_opt() -> Result {
    let program = tools::bin("wasm-opt");
    if wasm_opt_works(&program) {
        return Ok(());
    }
    let _ = fs::remove_file(&program);
    let bin_folder = place::tools().join("bin");
    fs::create_dir_all(&bin_folder).map_err(io_at("create", &bin_folder))?;
    let real = if let Some(real) = binaryen_release() {
        real
    } else if exists("npm") {
        say("Getting wasm-opt by npm: usually half a minute.");
        tools::npm("binaryen", BINARYEN)?;
        PathBuf::from("../npm/binaryen/node_modules/.bin/wasm-opt")
    } else {
        say("Getting wasm-opt from the package `binaryen` by apt: usually half a minute.");
        apt::unpack("binaryen", &place::tools().join("apt"))?;
        PathBuf::from("../apt/usr/bin/wasm-opt")
    };
    std::os::unix::fs::symlink(&real, &program).map_err(io_at("link", &program))?;
    if wasm_opt_works(&program) {
        return Ok(());
    }
    let message = format!("`{}` is not a wasm-opt of {BINARYEN_MIN} or later", program.display());
    Err(Error::new(message + ": install npm, which brings a newer one"))
}

fn wasm_opt_works(program: &Path) -> bool {
    output_of(Command::new(program).arg("--version"))
        .and_then(|said| said.split_whitespace().find_map(|word| word.parse::<u32>().ok()))
        .is_some_and(|version| version >= BINARYEN_MIN)
}

/// The makers' release; `wasm-opt` is kept beside the libraries that it loads.
fn binaryen_release() -> Option<PathBuf> {
    let major = BINARYEN.split('.').next()?;
    let folder = tools::downloaded("binaryen", &tools::release_url("binaryen", major)?)?;
    let program = tools::find(&folder, "wasm-opt").filter(|program| wasm_opt_works(program))?;
    program.strip_prefix(place::tools()).map(|below| Path::new("..").join(below)).ok()
}

/// Optimises modules in place, two at a time: the first one takes as long as all others.
pub(crate) fn all(modules: &[PathBuf]) -> Result {
    say(&format!("Optimising {} modules: usually half a minute to a minute.", modules.len()));
    let (first, others) = modules.split_at(modules.len().min(1));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| optimised(first));
        let others = optimised(others);
        first.join().unwrap_or_else(|_| Err(Error::new("wasm-opt could not be run".to_owned())))?;
        others
    })?;
    modules.iter().try_for_each(|module| {
        let optimised = fs::read(module).map_err(io_at("read", module))?;
        fs::write(module, order::order(&optimised)?).map_err(io_at("write", module))
    })
}

/// By one process for all of them, where the program is npm's; else each by its own.
fn optimised(modules: &[PathBuf]) -> Result {
    let library = place::tools().join("npm/binaryen/node_modules/binaryen/index.js");
    if library.is_file() {
        let mut node = Command::new("node");
        node.arg(place::root().join("xtask/optimise/modules.mjs")).arg(library);
        return run(node.args(OPTIMISE).arg("--").args(modules));
    }
    modules.iter().try_for_each(|module| {
        let mut opt = Command::new(tools::bin("wasm-opt"));
        run(opt.args(OPTIMISE).arg(module).arg("--output").arg(module))
    })
}
