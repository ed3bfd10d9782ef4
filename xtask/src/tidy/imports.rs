//! Finds cycles in the imports of each crate.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Sources, code, files_matching};

/// A file, its module, and the paths that it imports from its crate. Paths start at `crate`.
struct SourceFile<'a> {
    path: &'a str,
    /// Source folder of the crate.
    root: &'a str,
    module: String,
    imports: Vec<String>,
}

/// Finds files that import each other, directly or through other files. A module and its submodules
/// may import each other.
pub(super) fn imports_are_acyclic(sources: &Sources) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, BTreeMap<String, SourceFile<'_>>> = BTreeMap::new();
    for file in source_files(sources) {
        crates.entry(file.root).or_default().insert(file.module.clone(), file);
    }
    let mut findings = Vec::new();
    for files in crates.values() {
        let mut imports = BTreeMap::new();
        for (module, file) in files {
            let others = file.imports.iter().filter_map(|import| {
                let mut ancestors =
                    std::iter::successors(Some(import.as_str()), |path| parent(path));
                ancestors.find_map(|path| files.get_key_value(path)).map(|(other, _)| other)
            });
            let others: BTreeSet<_> =
                others.filter(|other| !is_in(other, module) && !is_in(module, other)).collect();
            imports.insert(module, others);
        }
        retain_cycles(&mut imports);
        findings.extend(imports.into_iter().map(|(module, others)| {
            let others: Vec<_> = others.into_iter().map(String::as_str).collect();
            let message = format!("circular imports with `{}`", others.join("`, `"));
            Finding::new(files[module].path, 0, message)
        }));
    }
    findings
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once("::").map(|(parent, _)| parent)
}

/// Returns whether a module is another one, or below it.
fn is_in(module: &str, other: &str) -> bool {
    module.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Keeps only modules in circles: repeatedly removes modules that import nothing of the rest, or
/// that nothing of the rest imports.
fn retain_cycles(imports: &mut BTreeMap<&String, BTreeSet<&String>>) {
    loop {
        let count = imports.len();
        let modules: BTreeSet<_> = imports.keys().copied().collect();
        for others in imports.values_mut() {
            others.retain(|module| modules.contains(module));
        }
        let imported: BTreeSet<_> = imports.values().flatten().copied().collect();
        imports.retain(|module, others| !others.is_empty() && imported.contains(module));
        if imports.len() == count {
            return;
        }
    }
}

fn source_files(sources: &Sources) -> impl Iterator<Item = SourceFile<'_>> {
    let start = code::regex(r"(?:^|[^\w:$])(?:crate|super)::");
    files_matching(sources, r"(^|/)src/.*\.rs$").filter_map(move |(path, source)| {
        let at = if path.starts_with("src/") { 0 } else { path.find("/src/")? + 1 };
        let (root, below) = path.split_at(at + "src/".len());
        let names = below.trim_end_matches(".rs").split('/');
        let names = names.filter(|name| !["lib", "main", "mod"].contains(name));
        let module = std::iter::once("crate").chain(names).collect::<Vec<_>>().join("::");
        let mut imports = Vec::new();
        for found in start.find_iter(&source.code) {
            let import = found.as_str().trim_start_matches(|c: char| !c.is_alphabetic());
            let mut rest = &source.code[found.end() - import.len()..];
            let mut base = "crate";
            if let Some(path) = rest.strip_prefix("crate::") {
                rest = path;
            } else {
                base = &module;
                while let Some(path) = rest.strip_prefix("super::") {
                    (base, rest) = (parent(base).unwrap_or("crate"), path);
                }
            }
            collect_paths(base, rest, &mut imports);
        }
        Some(SourceFile { path, root, module, imports })
    })
}

/// Adds the paths of an import below `base`, which may be a list in braces. Returns the rest of the
/// code.
fn collect_paths<'a>(base: &str, code: &'a str, found: &mut Vec<String>) -> &'a str {
    if let Some(list) = code.strip_prefix('{') {
        let mut list = list.trim_start();
        while !list.is_empty() && !list.starts_with('}') {
            list = collect_paths(base, list, found);
            let end = list.find([',', '}']).unwrap_or(list.len());
            list = list[end..].trim_start_matches(',').trim_start();
        }
        return list.strip_prefix('}').unwrap_or(list);
    }
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    let path = match &code[..end] {
        "" | "self" => base.to_owned(),
        name => format!("{base}::{name}"),
    };
    if let Some(below) = code[end..].strip_prefix("::") {
        return collect_paths(&path, below, found);
    }
    found.push(path);
    &code[end..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check_findings;

    #[test]
    fn circular_imports_are_found_except_parents() {
        let check = |x: &str, y: &str, z: &str, count: usize| {
            let lib = ("crates/a/src/lib.rs", "mod x; mod y; use x::X;");
            let files = [
                lib,
                ("crates/a/src/x.rs", x),
                ("crates/a/src/y.rs", y),
                ("crates/a/src/x/z.rs", z),
            ];
            check_findings(imports_are_acyclic, &files, count);
        };
        check("use crate::y::Y;", "use crate::X;", "", 0);
        check("use crate::y::Y;", "fn f() { super::x::g() }", "", 2);
        check("use crate::{a as b, y::{self, Y}};", "use super::{b, x};", "", 2);
        check("mod z; use z::Z; use crate::y;", "", "use super::X; use crate::x;", 0);
        check("", "use crate::{b::{c}, x::z::Z};", "use super::super::y::Y;", 2);
    }
}
