//! Finds circular imports between the files of a crate. A module and its submodules may import
//! each other.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Sources, code, is_test, rust_files};

/// Path of a module below its crate.
type Module = Vec<String>;

/// Modules that each module imports.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// Finds files that import each other, directly or through other files.
pub(super) fn imports_are_acyclic(sources: &Sources) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, BTreeMap<Module, (&str, &str)>> = BTreeMap::new();
    for (path, text) in rust_files(sources).filter(|(path, _)| !is_test(path)) {
        let Some((root, below)) = split_path(path) else { continue };
        crates.entry(root).or_default().insert(module_of_path(below), (path, text));
    }
    let mut findings = Vec::new();
    for files in crates.values() {
        let mut imports: Imports = files
            .iter()
            .map(|(module, (_, text))| (module.clone(), imported_modules(module, text, files)))
            .collect();
        retain_cycles(&mut imports);
        for (module, others) in &imports {
            let others: Vec<_> = others.iter().map(|module| module.join("::")).collect();
            let message = format!("circular imports with `{}`", others.join("`, `"));
            findings.push(Finding::new(files[module].0, 0, message));
        }
    }
    findings
}

/// Splits a path into the source folder of its crate and the rest.
fn split_path(path: &str) -> Option<(&str, &str)> {
    let at = if path.starts_with("src/") { 0 } else { path.find("/src/")? + 1 };
    Some((&path[..at], &path[at + "src/".len()..]))
}

fn module_of_path(below: &str) -> Module {
    let names = below.trim_end_matches(".rs").trim_end_matches("/mod");
    names.split('/').filter(|name| !["lib", "main"].contains(name)).map(str::to_owned).collect()
}

/// Returns the imported modules of a file, without its ancestors and descendants.
fn imported_modules<T>(own: &Module, text: &str, files: &BTreeMap<Module, T>) -> BTreeSet<Module> {
    let code = code::code_only(code::without_tests(text));
    let mut found = BTreeSet::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if !before.is_alphanumeric() && !matches!(before, '_' | ':' | '$') {
                collect_leaves(&mut Vec::new(), &mut &code[at..], &mut found);
            }
        }
    }
    let resolve = |path: &Module| {
        let supers = path.iter().take_while(|name| *name == "super").count();
        let base =
            if supers == 0 { &[][..] } else { own.get(..own.len() - supers.min(own.len()))? };
        let whole = [base, &path[supers.max(1)..]].concat();
        (0..=whole.len()).rev().map(|end| whole[..end].to_vec()).find(|it| files.contains_key(it))
    };
    let is_unrelated = |module: &Module| !own.starts_with(module) && !module.starts_with(own);
    found.iter().filter_map(resolve).filter(is_unrelated).collect()
}

/// Parses a path, including a list in braces, and adds its leaves to `found`.
fn collect_leaves(prefix: &mut Module, rest: &mut &str, found: &mut BTreeSet<Module>) {
    let before = prefix.len();
    loop {
        *rest = rest.trim_start();
        if let Some(inner) = rest.strip_prefix('{') {
            *rest = inner;
            while !rest.is_empty() && !rest.starts_with('}') {
                collect_leaves(prefix, rest, found);
                let end = rest.find([',', '}']).unwrap_or(rest.len());
                *rest = rest[end..].trim_start_matches(',').trim_start();
            }
            *rest = rest.strip_prefix('}').unwrap_or(rest);
            break;
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end > 0 && &rest[..end] != "self" {
            prefix.push(rest[..end].to_owned());
        }
        *rest = &rest[end..];
        let Some(behind) = rest.strip_prefix("::") else {
            found.insert(prefix.clone());
            break;
        };
        *rest = behind;
    }
    prefix.truncate(before);
}

/// Keeps only modules in circles: repeatedly removes modules that import nothing of the rest, or
/// that nothing of the rest imports.
fn retain_cycles(imports: &mut Imports) {
    loop {
        let count = imports.len();
        let left: BTreeSet<Module> = imports.keys().cloned().collect();
        for others in imports.values_mut() {
            others.retain(|module| left.contains(module));
        }
        let named: BTreeSet<Module> = imports.values().flatten().cloned().collect();
        imports.retain(|module, others| !others.is_empty() && named.contains(module));
        if imports.len() == count {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sources_of;
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], expect: &[&str]) {
        let findings = imports_are_acyclic(&sources_of(files));
        let found: Vec<_> = findings.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn circular_imports_are_found_except_parents() {
        let lib = ("crates/a/src/lib.rs", "mod x; mod y; use x::X;");
        check(&[lib, ("crates/a/src/x.rs", "use crate::Y;")], &[]);
        let x = "crates/a/src/x.rs";
        let y = "crates/a/src/y.rs";
        check(&[lib, (x, "use crate::y::Y;"), (y, "use crate::X;")], &[]);
        check(&[lib, (x, "use crate::y::Y;"), (y, "fn f() { super::x::g() }")], &[x, y]);
        check(&[lib, (x, "use crate::{a, y::{self, Y}};"), (y, "use super::{b, x};")], &[x, y]);
        let below = ("crates/a/src/x/z.rs", "use super::X; use crate::x;");
        check(&[lib, (x, "mod z; use z::Z; use crate::y;"), below, (y, "")], &[]);
        let round = ("crates/a/src/x/z.rs", "use crate::y::Y;");
        check(
            &[lib, (x, "mod z;"), round, (y, "use crate::x::z::Z;")],
            &["crates/a/src/x/z.rs", y],
        );
    }
}
