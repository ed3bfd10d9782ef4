//! Merges the files of shared code. `wasm-split-cli` writes one file for each set of chunks that
//! use the same functions: hundreds of files, most below 1 kB. Merged, they are a few requests, and
//! half of the bytes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use fs_err as fs;
use regex::Regex;

use crate::run::{print_line, run, run_silently};
use crate::tools;

/// Features that rustc assumes for browsers.
pub(crate) const FEATURES: &str = "--enable-bulk-memory --enable-nontrapping-float-to-int \
    --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue";

/// File of code that more than one chunk needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SharedFile {
    pub(crate) name: String,
    /// Names of the chunks.
    pub(crate) needed_by: BTreeSet<String>,
}

/// Merged files: the name, and chunks. A shared file belongs to the first of them with a chunk that
/// needs it, or to [`REST`]. A chunk loads each merged file that contains code it needs, so chunks
/// that a page loads early must not depend on the rest.
const GROUPS: [(&str, &[&str]); 2] = [
    ("shared_start", &["german", "sign_in"]),
    // The list loads these chunks as soon as it shows its rows.
    ("shared_list", &["card", "row_marks", "tools", "triage"]),
];

/// Merged file of the shared code that only other chunks need.
const REST: &str = "shared_pages";

/// Name under which all modules import the memory, the table and the stack pointer.
const IMPORTS: &str = "__wasm_split";

/// Name under which a merged module imports the same. `wasm-merge` connects the imports named
/// [`IMPORTS`] to one module that passes them on. Otherwise each part would keep its own memory.
pub(crate) const PASSED_ON: &str = "main";

/// Merges the shared files in `folder`, and returns the merged ones.
pub(crate) fn merge_shared_files(folder: &Path, files: &[SharedFile]) -> Result<Vec<SharedFile>> {
    let program = tools::binaryen_program("wasm-merge")?;
    let connector = folder.join("connector.wat");
    fs::write(&connector, connector_module(&largest(folder, files)?)?)?;
    let mut merged = Vec::new();
    for name in GROUPS.iter().map(|(name, _)| *name).chain([REST]) {
        let parts: Vec<_> = files.iter().filter(|file| group_of(file) == name).collect();
        if parts.is_empty() {
            continue;
        }
        let mut merge = Command::new(&program);
        merge.arg(&connector).arg(IMPORTS);
        for part in &parts {
            merge.arg(folder.join(&part.name)).arg(&part.name);
        }
        let file = format!("{name}.wasm");
        merge.args(FEATURES.split(' '));
        run(merge.arg("--output").arg(folder.join(&file)))?;
        let needed_by = parts.iter().flat_map(|part| part.needed_by.iter().cloned()).collect();
        print_line(&format!("{file}: {} files of shared code", parts.len()));
        merged.push(SharedFile { name: file, needed_by });
    }
    for part in files {
        fs::remove_file(folder.join(&part.name))?;
    }
    Ok(merged)
}

/// Returns the name of the merged file that a shared file belongs to.
fn group_of(file: &SharedFile) -> &'static str {
    let is_needed = |chunk: &&str| file.needed_by.contains(*chunk);
    let group = GROUPS.iter().find(|(_, chunks)| chunks.iter().any(is_needed));
    group.map_or(REST, |(name, _)| name)
}

/// Returns the path of the largest shared file, which imports everything that shared files import.
fn largest(folder: &Path, files: &[SharedFile]) -> Result<PathBuf> {
    let paths = files.iter().map(|file| folder.join(&file.name));
    paths
        .max_by_key(|path| path.metadata().map_or(0, |file| file.len()))
        .context("`wasm-split-cli` wrote no shared files: adapt `merge.rs`")
}

/// Returns a module, as text, that passes on the imports of `module`.
fn connector_module(module: &Path) -> Result<String> {
    let mut print = Command::new(tools::binaryen_program("wasm-dis")?);
    let text = run_silently(print.arg(module)).context("`wasm-dis` failed")?;
    let import = Regex::new(&format!(
        r#"(?m)^ *\(import "{IMPORTS}" "(?<name>\w+)" \((?<kind>\w+) \S+ (?<type>.*)\)\)$"#
    ))?;
    let mut lines = Vec::new();
    let mut kinds = BTreeSet::new();
    for found in import.captures_iter(&text) {
        let (name, kind, of_type) = (&found["name"], &found["kind"], &found["type"]);
        lines.push(format!(
            "(import \"{PASSED_ON}\" \"{name}\" ({kind} ${name} {of_type})) (export \"{name}\" \
             ({kind} ${name}))"
        ));
        kinds.insert(kind.to_owned());
    }
    ensure!(
        kinds.iter().map(String::as_str).eq(["global", "memory", "table"]),
        "shared files import {kinds:?}, not a global, a memory and a table: adapt `merge.rs`"
    );
    Ok(format!("(module\n{})\n", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_is_that_of_earliest_chunk() {
        let group = |chunks: &[&str]| {
            let needed_by = chunks.iter().map(|&chunk| chunk.to_owned()).collect();
            group_of(&SharedFile { name: String::new(), needed_by })
        };
        assert_eq!(group(&["card", "sign_in", "webhooks"]), "shared_start");
        assert_eq!(group(&["tools", "webhooks"]), "shared_list");
        assert_eq!(group(&["export", "webhooks"]), "shared_pages");
    }
}
