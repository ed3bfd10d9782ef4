//! Takes the dashboard apart: what the first view needs in one module, and each part that is
//! declared by `parts!` in one of its own. Knows nothing of names by content and of compression.
//!
//! Trunk has the module compiled, with relocations, but cannot split it. So its own script
//! and module are replaced: `wasm-split-cli` works on what cargo linked, `wasm-bindgen` on the main
//! module that is left, `wasm-opt` on each module.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    finish::{self, Files},
    imports, order, panics, place,
    run::{Error, Result, io_at, run, say},
    tools,
};

/// What tells `build.rs` that parts shall become modules of their own.
pub(crate) const WANTED: &str = "SHEAF_SPLIT";

/// What the module is called before and after.
const NAME: &str = "dashboard";

/// The loader of parts, as `wasm-split-cli` names it.
const LOADER: &str = "__wasm_split.js";

/// Bytes before speed; and what rustc takes for granted of every browser.
const OPTIMISE: [&str; 11] = [
    "--low-memory-unused",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Replaces Trunk's script and module by split ones.
pub(crate) fn split(files: &mut Files) -> Result {
    let work = place::target().join("split");
    if work.exists() {
        fs::remove_dir_all(&work).map_err(io_at("remove", &work))?;
    }
    let (parts, bound) = (work.join("parts"), work.join("bound"));
    take_apart(&parts)?;
    bind(&parts.join(format!("{NAME}.wasm")), &bound)?;
    let mut modules = vec![bound.join(format!("{NAME}_bg.wasm"))];
    modules.extend(parts_in(&parts)?);
    optimise(&modules)?;

    files.retain(|name, _| !is_trunks(name));
    for module in &modules {
        let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, fs::read(module).map_err(io_at("read", module))?);
    }
    let (glue, loader) = (text(&bound.join(format!("{NAME}.js")))?, text(&parts.join(LOADER))?);
    let script = one_script(&glue, &loader)?;
    let main = format!("{NAME}_bg.wasm");
    let whole = files.get(&main).map_or(&[][..], Vec::as_slice);
    let (module, script) = imports::shorten(whole, &script, &format!("./{NAME}_bg.js"))?;
    files.extend([(main, module), (format!("{NAME}.js"), script.into_bytes())]);
    Ok(())
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(io_at("read", path))
}

/// Trunk's own script and module; the hash in their names is of what was not yet split.
fn is_trunks(name: &str) -> bool {
    let own = name.starts_with(NAME) && !name.contains('/');
    own && (name.ends_with("_bg.wasm") || finish::is_kind(name, "js"))
}

fn take_apart(parts: &Path) -> Result {
    fs::create_dir_all(parts).map_err(io_at("create", parts))?;
    let linked = place::target().join(tools::WASM).join("wasm-release").join(NAME);
    let linked = linked.with_extension("wasm");
    let silent = parts.with_extension("wasm");
    let module = fs::read(&linked).map_err(io_at("read", &linked))?;
    fs::write(&silent, panics::silence(&module)?).map_err(io_at("write", &silent))?;
    let mut split = Command::new(tools::bin("wasm-split-cli"));
    split.arg(silent).arg(parts);
    // It tells on each run what of the name section it does not know.
    split.env("RUST_LOG", "error");
    run(split.args(["--target", "web", "--out-name", NAME]))
}

fn bind(module: &Path, into: &Path) -> Result {
    let mut bindgen = Command::new(tools::bin("wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-dir"]);
    run(bindgen.arg(into).args(["--out-name", NAME]).arg(module))
}

/// The modules that come later.
fn parts_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(io_at("read", folder))?.flatten();
    let is_later = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        finish::is_kind(&name, "wasm") && name != format!("{NAME}.wasm")
    };
    let mut modules: Vec<_> = entries.map(|entry| entry.path()).filter(is_later).collect();
    modules.sort();
    Ok(modules)
}

/// Two at a time: the first module takes as long as all others.
fn optimise(modules: &[PathBuf]) -> Result {
    say(&format!("Optimising {} modules: usually half a minute.", modules.len()));
    let (first, others) = modules.split_at(modules.len().min(1));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| first.iter().try_for_each(|module| optimised(module)));
        let others = others.iter().try_for_each(|module| optimised(module));
        first.join().unwrap_or_else(|_| Err(Error::new("wasm-opt could not be run".to_owned())))?;
        others
    })
}

fn optimised(module: &Path) -> Result {
    let mut opt = Command::new(tools::bin("wasm-opt"));
    run(opt.args(OPTIMISE).arg(module).arg("--output").arg(module))?;
    let optimised = fs::read(module).map_err(io_at("read", module))?;
    fs::write(module, order::order(&optimised)?).map_err(io_at("write", module))
}

/// The script of wasm-bindgen with the loader of parts inside: two scripts that import each other
/// could not both be named by their content, and would be one more way to the server.
fn one_script(glue: &str, loader: &str) -> Result<String> {
    let another = |what: &str| {
        Error::new(format!("{what} has another shape than is known: adapt `split.rs` to it"))
    };
    let from = format!("from \"./{LOADER}\"");
    let entry = format!("\"./{LOADER}\": ");
    let mut lines = Vec::new();
    let mut is_given = false;
    for line in glue.lines() {
        if line.trim_start().starts_with(&entry) {
            if !is_given {
                lines.push(format!("{entry}parts,"));
            }
            is_given = true;
        } else if !(line.starts_with("import ") && line.contains(&from)) {
            lines.push(line.to_owned());
        }
    }
    if !is_given {
        return Err(another("the script of wasm-bindgen"));
    }
    let mut names = Vec::new();
    lines.push("const parts = (() => {".to_owned());
    for line in loader.lines() {
        if let Some((name, _)) = line.strip_prefix("export const ").and_then(|l| l.split_once(' '))
        {
            names.push(name);
        }
        // It asks the other script for `initSync`, which is now its own.
        if !line.starts_with("import ") {
            lines.push(line.strip_prefix("export ").unwrap_or(line).to_owned());
        }
    }
    if names.is_empty() {
        return Err(another("the script of wasm-split-cli"));
    }
    lines.push(format!("return {{ {} }};", names.join(", ")));
    lines.push("})();\n".to_owned());
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLUE: &str = "import * as import1 from \"./__wasm_split.js\"\n\
        import * as import2 from \"./__wasm_split.js\"\n\
        const imports = {\n\"./__wasm_split.js\": import1,\n\"./__wasm_split.js\": import2,\n};\n\
        export { initSync, __wbg_init as default };\n";
    const LOADER_TEXT: &str = "import { initSync } from \"./dashboard.js\";\n\
        const __chunk_5 = makeLoad(\"./chunk_5.wasm\");\n\
        export const __wasm_split_load_card = wrap(\"./split_card.wasm\");\n";

    #[test]
    fn the_script_brings_its_loader_along() {
        let script = one_script(GLUE, LOADER_TEXT).unwrap();
        assert_eq!(script.matches("import ").count(), 0, "{script}");
        assert_eq!(script.matches("\"./__wasm_split.js\"").count(), 1, "{script}");
        assert!(script.contains("return { __wasm_split_load_card };"), "{script}");
        assert!(script.contains("\nconst __wasm_split_load_card = wrap("), "{script}");
    }

    #[test]
    fn scripts_of_another_shape_are_refused() {
        assert!(one_script("export {};", LOADER_TEXT).is_err());
        assert!(one_script(GLUE, "export function card() {}").is_err());
    }

    #[test]
    fn only_trunks_script_and_module_are_replaced() {
        assert!(is_trunks("dashboard-0123456789abcdef.js"));
        assert!(is_trunks("dashboard-0123456789abcdef_bg.wasm"));
        assert!(!is_trunks("theme.js") && !is_trunks("base-0123456789abcdef.css"));
    }
}
