//! Merges the scripts of wasm-bindgen and wasm-split-cli into the one script of the dashboard. Two
//! scripts that import each other could not both be named by their content hash, and would add a
//! request.

use std::collections::BTreeMap;

use crate::build::files::regex;
use crate::run::{Error, Result};

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

/// Files named in the loader of wasm-split-cli.
#[derive(Default)]
struct ChunkFiles {
    /// Shared files by variable: the file name, and the marks of the chunks that need it.
    shared: BTreeMap<String, (String, String)>,
    /// Chunks: variable, file name and mark.
    parts: Vec<(String, String, char)>,
}

/// Returns the script of wasm-bindgen with the loader inside. Both import it as `name`.
pub(crate) fn merge_scripts(glue: &str, loader: &str, name: &str) -> Result<String> {
    let from = format!("from \"./{name}\"");
    let entry = format!("\"./{name}\": ");
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
        return Err(unknown_format_error("the script of wasm-bindgen"));
    }
    let (runtime, files) =
        parse_loader(loader).ok_or_else(|| unknown_format_error("the script of wasm-split-cli"))?;
    lines.push("const parts = (() => {".to_owned());
    lines.push(runtime);
    lines.push(FETCH.to_owned());
    lines.push("const shared = [".to_owned());
    for (file, marks) in files.shared.values() {
        lines.push(format!("[\"./{file}\", \"{marks}\"],"));
    }
    lines.push("].map(([name, marks]) => [makeLoad(fetched(name), []), marks]);".to_owned());
    lines.push("return {".to_owned());
    for (variable, file, mark) in &files.parts {
        lines.push(format!("{variable}: part(\"./{file}\", \"{mark}\"),"));
    }
    lines.push("};\n})();\n".to_owned());
    Ok(lines.join("\n"))
}

fn unknown_format_error(what: &str) -> Error {
    Error::new(format!("{what} has an unknown format: adapt `loader.rs`"))
}

/// Splits the loader into its common code and the list of files. Returns `None` if the format is
/// unknown.
fn parse_loader(loader: &str) -> Option<(String, ChunkFiles)> {
    let declaration = regex(DECLARATION).ok()?;
    let mut files = ChunkFiles::default();
    let mut marks = 'a'..='z';
    for found in declaration.captures_iter(loader) {
        let [variable, file, needed] = [1, 3, 4].map(|group| found[group].to_owned());
        if found.get(2).is_none() {
            files.shared.insert(variable, (file, String::new()));
            continue;
        }
        let mark = marks.next()?;
        for shared in needed.split(", ").filter(|shared| !shared.is_empty()) {
            files.shared.get_mut(shared)?.1.push(mark);
        }
        files.parts.push((variable, file, mark));
    }
    // The loader imports `initSync` from the other script, which is now the same script.
    let imports = regex(r"(?m)^(import .*|/\*.*\*/)\n").ok()?;
    let runtime = declaration.replace_all(loader, "");
    let runtime = imports.replace_all(&runtime, "").into_owned();
    let is_whole =
        ["function makeLoad(", "function wrapAsyncCb("].iter().all(|known| runtime.contains(known));
    (is_whole && !runtime.contains("new URL(") && !files.parts.is_empty())
        .then_some((runtime, files))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "__wasm_split.js";
    const GLUE: &str = "import * as import1 from \"./__wasm_split.js\"\n\
        import * as import2 from \"./__wasm_split.js\"\n\
        const imports = {\n\"./__wasm_split.js\": import1,\n\"./__wasm_split.js\": import2,\n};\n\
        export { initSync, __wbg_init as default };\n";
    const LOADER: &str = "import { initSync } from \"./dashboard.js\";\n\
        function wrapAsyncCb(callee) {\n    const now = 1;\n}\n\
        function makeLoad(fetcher, deps) {\n}\n\
        /* card, deletion */\n\
        const __chunk_5 = makeLoad(() => {\n\
        \x20   const src = fetch(new URL(\"./chunk_5.wasm\", import.meta.url));\n}\n, []);\n\
        export const __wasm_split_load_card = wrapAsyncCb(makeLoad(() => {\n\
        \x20   const src = fetch(new URL(\"./split_card.wasm\", import.meta.url));\n}\n\
        , [__chunk_5]));\n\
        export const __wasm_split_load_forms = wrapAsyncCb(makeLoad(() => {\n\
        \x20   const src = fetch(new URL(\"./split_forms.wasm\", import.meta.url));\n}\n, []));\n";

    #[test]
    fn script_contains_its_loader() {
        let script = merge_scripts(GLUE, LOADER, NAME).unwrap();
        assert_eq!(script.matches("import ").count(), 0, "{script}");
        assert_eq!(script.matches("\"./__wasm_split.js\"").count(), 1, "{script}");
        assert!(script.contains("    const now = 1;\n"), "{script}");
        assert!(script.contains("[\"./chunk_5.wasm\", \"a\"],"), "{script}");
        for (name, mark) in [("card", 'a'), ("forms", 'b')] {
            let part =
                format!("__wasm_split_load_{name}: part(\"./split_{name}.wasm\", \"{mark}\"),");
            assert!(script.contains(&part), "{script}");
        }
    }

    #[test]
    fn unknown_script_formats_are_rejected() {
        let is_refused = |glue: &str, loader: &str| merge_scripts(glue, loader, NAME).is_err();
        assert!(is_refused("export {};", LOADER));
        assert!(is_refused(GLUE, "export function card() {}"));
        assert!(is_refused(GLUE, &LOADER.replace("[__chunk_5]", "[__chunk_6]")));
        assert!(is_refused(GLUE, &LOADER.replace("function makeLoad", "function load")));
        assert!(is_refused(GLUE, &LOADER.replace("new URL", "url")));
    }
}
