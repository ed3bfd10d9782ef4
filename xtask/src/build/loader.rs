//! Merges the scripts of wasm-bindgen and wasm-split-cli into the one script of the dashboard. Two
//! scripts that import each other could not both be named by their content hash, and would add a
//! request.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use regex::{Captures, Regex};

/// Script that fetches the chunks. A fetch starts soon after its request, and its failure is
/// reported when it is awaited. A chunk consists of dozens of small files. Fetched at once, they
/// would block a phone's page for a tenth of a second and more. They are fetched four at a time,
/// with time for input events between.
const FETCH: &str = "const waiting = [];
const turns = new MessageChannel();
turns.port1.onmessage = () => {
waiting.splice(0, 4).forEach((ask) => ask());
if (waiting.length) turns.port2.postMessage(0);
};
const fetched = (name) => () => {
const file = new Promise((come) => {
const ask = () => come(fetch(new URL(name, import.meta.url)));
if (waiting.push(ask) === 1) turns.port2.postMessage(0);
});
file.catch(() => {});
return async (imports) => WebAssembly.instantiateStreaming(file, imports);
};
const part = (name, mark) => wrapAsyncCb(makeLoad(fetched(name),
shared.filter(([, marks]) => marks.includes(mark)).map(([load]) => load)));";

/// A declaration in the loader of wasm-split-cli: the variable, `wrapAsyncCb(` for a chunk, the
/// file name, and the variables of the shared files that it needs.
const DECLARATION: &str = concat!(
    r"(?m)^(?:export )?const (\w+) = (wrapAsyncCb\()?makeLoad\(\(\) => \{\n",
    r".*new URL\(\x22\./([^\x22]+)\x22(?s:.*?)\n, \[([^\]]*)\]\)+;?\n",
);

/// Returns the script of wasm-bindgen with the loader inside. Both import it as `name`.
pub(crate) fn merge_scripts(glue: &str, loader: &str, name: &str) -> Result<String> {
    let imports = Regex::new(&format!(r"(?m)^import .*from \x22\./{name}\x22.*\n"))?;
    let entries = Regex::new(&format!(r"(?m)^ *\x22\./{name}\x22: .*\n"))?;
    let glue = imports.replace_all(glue, "");
    ensure!(entries.is_match(&glue), "unknown script of wasm-bindgen: adapt `loader.rs`");
    let mut parts = std::iter::once(format!("\"./{name}\": parts,\n"));
    let glue = entries.replace_all(&glue, |_: &Captures<'_>| parts.next().unwrap_or_default());
    let loader =
        parts_script(loader).context("unknown script of wasm-split-cli: adapt `loader.rs`")?;
    Ok(format!("{glue}{loader}"))
}

/// Returns a script that declares `parts`, with the common code of the loader and the list of its
/// files. Each chunk has a letter; a shared file has the letters of the chunks that need it.
/// Returns `None` if the format is unknown.
fn parts_script(loader: &str) -> Option<String> {
    let declaration = Regex::new(DECLARATION).ok()?;
    let mut shared: BTreeMap<&str, (&str, String)> = BTreeMap::new();
    let mut parts = Vec::new();
    let mut marks = 'a'..='z';
    for found in declaration.captures_iter(loader) {
        let [variable, file, needed] =
            [1, 3, 4].map(|group| found.get(group).map_or("", |text| text.as_str()));
        if found.get(2).is_none() {
            shared.insert(variable, (file, String::new()));
            continue;
        }
        let mark = marks.next()?;
        for name in needed.split(", ").filter(|name| !name.is_empty()) {
            shared.get_mut(name)?.1.push(mark);
        }
        parts.push(format!("{variable}: part(\"./{file}\", \"{mark}\"),\n"));
    }
    let shared = shared.values().map(|(file, marks)| format!("[\"./{file}\", \"{marks}\"],\n"));
    let shared: String = shared.collect();
    // The loader imports `initSync` from the other script, which is now the same script.
    let imports = Regex::new(r"(?m)^(import .*|/\*.*\*/)\n").ok()?;
    let runtime = declaration.replace_all(loader, "");
    let runtime = imports.replace_all(&runtime, "");
    let known = ["function makeLoad(", "function wrapAsyncCb("];
    let is_whole = known.iter().all(|known| runtime.contains(known));
    (is_whole && !runtime.contains("new URL(") && !parts.is_empty()).then(|| {
        let parts = parts.concat();
        format!(
            "const parts = (() => {{\n{runtime}\n{FETCH}\nconst shared = [\n{shared}].map(([name, \
             marks]) => [makeLoad(fetched(name), []), marks]);\nreturn {{\n{parts}}};\n}})();\n"
        )
    })
}
