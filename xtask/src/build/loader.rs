//! Merges the scripts of wasm-bindgen and wasm-split-cli into the one script of the dashboard. Two
//! scripts that import each other could not both be named by their content hash, and would add a
//! request.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};
use regex::{Captures, Regex};

use crate::build::merge::{PASSED_ON, SharedFile};

/// Script that fetches a file. The fetch starts immediately, and its failure is reported when it is
/// awaited.
const FETCH: &str = "const fetched = (name) => () => {
const file = fetch(new URL(name, import.meta.url));
file.catch(() => {});
return async (imports) => WebAssembly.instantiateStreaming(file, { ...imports, PASSED_ON: \
    imports.__wasm_split });
};";

/// A declaration in the loader of wasm-split-cli: the variable, `wrapAsyncCb(` for a chunk, the
/// file name, and the variables of the shared files that it needs.
const DECLARATION: &str = concat!(
    r"(?m)^(?:export )?const (\w+) = (wrapAsyncCb\()?makeLoad\(\(\) => \{\n",
    r".*new URL\(\x22\./([^\x22]+)\x22(?s:.*?)\n, \[([^\]]*)\]\)+;?\n",
);

/// The loader of wasm-split-cli.
pub(crate) struct Loader {
    /// Functions that the declarations call.
    runtime: String,
    /// Variable and file of each chunk.
    chunks: Vec<(String, String)>,
    pub(crate) shared: Vec<SharedFile>,
}

/// Reads the script of wasm-split-cli.
pub(crate) fn read_loader(script: &str) -> Result<Loader> {
    parse_loader(script).context("unknown script of wasm-split-cli: adapt `loader.rs`")
}

fn parse_loader(script: &str) -> Option<Loader> {
    let declaration = Regex::new(DECLARATION).ok()?;
    let mut shared: BTreeMap<&str, SharedFile> = BTreeMap::new();
    let mut chunks = Vec::new();
    for found in declaration.captures_iter(script) {
        let [variable, file, needed] =
            [1, 3, 4].map(|group| found.get(group).map_or("", |text| text.as_str()));
        if found.get(2).is_none() {
            let needed_by = BTreeSet::new();
            shared.insert(variable, SharedFile { name: file.to_owned(), needed_by });
            continue;
        }
        for name in needed.split(", ").filter(|name| !name.is_empty()) {
            shared.get_mut(name)?.needed_by.insert(chunk_name(file).to_owned());
        }
        chunks.push((variable.to_owned(), file.to_owned()));
    }
    // The loader imports `initSync` from the other script, which will be the same script.
    let imports = Regex::new(r"(?m)^(import .*|/\*.*\*/)\n").ok()?;
    let runtime = declaration.replace_all(script, "");
    let runtime = imports.replace_all(&runtime, "").into_owned();
    let known = ["function makeLoad(", "function wrapAsyncCb("];
    let is_whole = known.iter().all(|known| runtime.contains(known));
    (is_whole && !runtime.contains("new URL(") && !chunks.is_empty()).then(|| Loader {
        runtime,
        chunks,
        shared: shared.into_values().collect(),
    })
}

/// Returns the name of a chunk from the name of its file.
fn chunk_name(file: &str) -> &str {
    stem(file).strip_prefix("split_").unwrap_or(file)
}

fn stem(file: &str) -> &str {
    file.strip_suffix(".wasm").unwrap_or(file)
}

/// Returns the script of wasm-bindgen with the loader inside, which uses the files `shared`. The
/// module and the script of wasm-bindgen import the loader as `name`.
pub(crate) fn merge_scripts(
    glue: &str,
    name: &str,
    loader: &Loader,
    shared: &[SharedFile],
) -> Result<String> {
    let imports = Regex::new(&format!(r"(?m)^import .*from \x22\./{name}\x22.*\n"))?;
    let entries = Regex::new(&format!(r"(?m)^ *\x22\./{name}\x22: .*\n"))?;
    let glue = imports.replace_all(glue, "");
    ensure!(entries.is_match(&glue), "unknown script of wasm-bindgen: adapt `loader.rs`");
    let mut parts = std::iter::once(format!("\"./{name}\": parts,\n"));
    let glue = entries.replace_all(&glue, |_: &Captures<'_>| parts.next().unwrap_or_default());
    Ok(format!("{glue}{}", parts_script(loader, shared)))
}

/// Returns a script that declares `parts`, with one function for each chunk.
fn parts_script(loader: &Loader, shared: &[SharedFile]) -> String {
    let declared = shared.iter().map(|SharedFile { name, .. }| {
        format!("const {} = makeLoad(fetched(\"./{name}\"), []);\n", stem(name))
    });
    let parts = loader.chunks.iter().map(|(variable, file)| {
        let needed = shared.iter().filter(|shared| shared.needed_by.contains(chunk_name(file)));
        let needed: Vec<_> = needed.map(|shared| stem(&shared.name)).collect();
        let needed = needed.join(", ");
        format!("{variable}: wrapAsyncCb(makeLoad(fetched(\"./{file}\"), [{needed}])),\n")
    });
    format!(
        "const parts = (() => {{\n{}\n{}\n{}return {{\n{}}};\n}})();\n",
        loader.runtime,
        FETCH.replace("PASSED_ON", PASSED_ON),
        declared.collect::<String>(),
        parts.collect::<String>()
    )
}
