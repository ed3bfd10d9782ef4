//! Finds cycles in the imports of each crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
};

use regex::Captures;

use super::{Sources, files_matching, regex};

/// Files by their module, each with the paths that it imports from its crate. A path starts with
/// the source folder of the crate: `crates/api/src/::router::table`.
type Modules<'a> = BTreeMap<String, (&'a str, Vec<String>)>;

/// Finds files that import each other, directly or through other files. A module and its submodules
/// may import each other.
pub(super) fn imports_are_acyclic(sources: &Sources) -> Vec<String> {
    let modules = modules(sources);
    let module_of = |import: &str| {
        let mut ancestors = iter::successors(Some(import), |path| parent(path));
        ancestors.find_map(|path| modules.get_key_value(path)).map(|(module, _)| module.as_str())
    };
    let is_other = |module: &str, other: &str| {
        let [module, other] = [module, other].map(|path| format!("{path}::"));
        !module.starts_with(&other) && !other.starts_with(&module)
    };
    let mut imports = BTreeMap::new();
    for (module, (_, paths)) in &modules {
        let others = paths.iter().filter_map(|path| module_of(path));
        imports.insert(module.as_str(), others.filter(|other| is_other(module, other)).collect());
    }
    retain_cycles(&mut imports);
    let finding = |(module, others): (&str, BTreeSet<&str>)| {
        let others: Vec<_> = others.into_iter().collect();
        format!("{}: circular imports with {}", modules[module].0, others.join(", "))
    };
    imports.into_iter().map(finding).collect()
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once("::").map(|(parent, _)| parent)
}

/// Keeps only modules in circles: repeatedly removes modules that import nothing of the rest, or
/// that nothing of the rest imports.
fn retain_cycles(imports: &mut BTreeMap<&str, BTreeSet<&str>>) {
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

fn modules(sources: &Sources) -> Modules<'_> {
    let list = regex(r"([\w:]+)::\{([^{}]*)\}");
    let import = regex(r"(?:^|[^\w:$])(?:crate|((?:super::)*super))((?:::\w+)+)");
    let mut modules = Modules::new();
    for (path, source) in files_matching(sources, r"(^|/)src/.*\.rs$") {
        let (root, below) = path.split_at(path.find("src/").unwrap_or_default() + "src/".len());
        let names = below.trim_end_matches(".rs").split('/');
        let names = names.filter(|name| !["lib", "main", "mod"].contains(name));
        let module = iter::once(root).chain(names).collect::<Vec<_>>().join("::");
        let mut code = source.code.clone();
        while list.is_match(&code) {
            // The innermost lists in braces become lists of complete paths.
            let expand = |found: &Captures<'_>| {
                let items = found[2].split(',');
                let items = items.map(|item| format!("{}::{}", &found[1], item.trim()));
                items.collect::<Vec<_>>().join(",")
            };
            code = list.replace_all(&code, expand).into_owned();
        }
        let imports = import.captures_iter(&code).map(|found| {
            let supers = found.get(1).map_or(0, |supers| supers.as_str().split("::").count());
            let base = if supers == 0 { root } else { &module };
            let base = (0..supers).fold(base, |base, _| parent(base).unwrap_or(root));
            format!("{base}{}", &found[2])
        });
        let imports = imports.collect();
        modules.insert(module, (path, imports));
    }
    modules
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
        check("use crate::{a as b, y::{self, Y}};", "use super::{finding, b, x};", "", 2);
        check("mod z; use z::Z; use crate::y;", "", "use super::X; use crate::x;", 0);
        check("", "use crate::{b::{c}, x::z::Z};", "use super::super::y::Y;", 2);
    }
}
