//! Rules for imports inside of a crate: no cycles between modules, and the layers of the dashboard.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Sources, code, is_test, rust_files};

/// Path of a module or item below its crate.
type Module = Vec<String>;

/// A file, its module, and the paths that it imports from its crate, with their lines.
struct SourceFile<'a> {
    path: &'a str,
    /// Source folder of the crate.
    root: &'a str,
    module: Module,
    imports: Vec<(usize, Module)>,
}

/// Folders of the dashboard, and the modules that each may use.
const LAYERS: [(&str, &[&str]); 7] = [
    ("domain", &["domain", "i18n"]),
    ("i18n", &["i18n", "ui"]),
    ("ui", &["i18n", "ui"]),
    ("api", &["api", "domain", "i18n", "routes"]),
    ("state", &["api", "domain", "i18n", "state", "ui"]),
    ("components", &["api", "components", "domain", "i18n", "routes", "state", "ui"]),
    ("pages", &["api", "components", "domain", "i18n", "pages", "routes", "state", "ui"]),
];

/// Macros of the dashboard, which are at the root of the crate.
const MACROS: [&str; 2] = ["lazy_actions", "lazy_views"];

/// Checks that a module of the dashboard uses only its own and lower layers, and that no page
/// imports another page.
pub(super) fn dashboard_layers_point_down(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in source_files(sources).filter(|file| file.root == "src/") {
        let own = |at: usize| file.module.get(at).map_or("", String::as_str);
        let Some((layer, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == own(0)) else {
            continue;
        };
        for (line, import) in &file.imports {
            let Some(name) = import.first() else { continue };
            if !allowed.contains(&name.as_str()) && !MACROS.contains(&name.as_str()) {
                let message =
                    format!("`{layer}` may not use `{name}`: see the map in ARCHITECTURE");
                findings.push(Finding::new(file.path, *line, message));
            }
            let is_page = name == "pages" && file.module.len() > 1;
            if is_page && import.get(1).is_some_and(|page| page != own(1)) {
                let message = "imports another page: move the code to `components` or `state`";
                findings.push(Finding::new(file.path, *line, message));
            }
        }
    }
    findings
}

/// Finds files that import each other, directly or through other files. A module and its submodules
/// may import each other.
pub(super) fn imports_are_acyclic(sources: &Sources) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, BTreeMap<Module, SourceFile<'_>>> = BTreeMap::new();
    for file in source_files(sources) {
        crates.entry(file.root).or_default().insert(file.module.clone(), file);
    }
    let mut findings = Vec::new();
    for files in crates.values() {
        let file_of = |import: &Module| {
            let ancestors = (0..=import.len()).rev().map(|end| import[..end].to_vec());
            ancestors.into_iter().find(|module| files.contains_key(module))
        };
        let others = |file: &SourceFile<'_>| -> BTreeSet<Module> {
            let modules = file.imports.iter().filter_map(|(_, import)| file_of(import));
            let own = &file.module;
            modules.filter(|other| !own.starts_with(other) && !other.starts_with(own)).collect()
        };
        let mut imports: BTreeMap<_, _> =
            files.iter().map(|(module, file)| (module.clone(), others(file))).collect();
        retain_cycles(&mut imports);
        for (module, others) in &imports {
            let others: Vec<_> = others.iter().map(|module| module.join("::")).collect();
            let message = format!("circular imports with `{}`", others.join("`, `"));
            findings.push(Finding::new(files[module].path, 0, message));
        }
    }
    findings
}

/// Keeps only modules in circles: repeatedly removes modules that import nothing of the rest, or
/// that nothing of the rest imports.
fn retain_cycles(imports: &mut BTreeMap<Module, BTreeSet<Module>>) {
    loop {
        let count = imports.len();
        let modules: BTreeSet<Module> = imports.keys().cloned().collect();
        for others in imports.values_mut() {
            others.retain(|module| modules.contains(module));
        }
        let imported: BTreeSet<Module> = imports.values().flatten().cloned().collect();
        imports.retain(|module, others| !others.is_empty() && imported.contains(module));
        if imports.len() == count {
            return;
        }
    }
}

fn source_files(sources: &Sources) -> impl Iterator<Item = SourceFile<'_>> {
    let start = code::regex(r"(?:^|[^\w:$])((?:crate|super)::)");
    let files = rust_files(sources).filter(|(path, _)| !is_test(path));
    files.filter_map(move |(path, source)| {
        let at = if path.starts_with("src/") { 0 } else { path.find("/src/")? + 1 };
        let (root, below) = path.split_at(at + "src/".len());
        let names = below.trim_end_matches(".rs").trim_end_matches("/mod").split('/');
        let names = names.filter(|name| !["lib", "main", "mod"].contains(name));
        let module: Module = names.map(str::to_owned).collect();
        let mut imports = Vec::new();
        for found in start.captures_iter(&source.code).filter_map(|found| found.get(1)) {
            let mut leaves = Vec::new();
            collect_leaves(&mut Vec::new(), &mut &source.code[found.start()..], &mut leaves);
            let line = code::line_of(&source.code, found.start());
            imports.extend(leaves.iter().map(|leaf| (line, absolute_path(&module, leaf))));
        }
        Some(SourceFile { path, root, module, imports })
    })
}

/// Returns a path that starts with `crate` or `super` in `module` as a path below the crate.
fn absolute_path(module: &Module, path: &Module) -> Module {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let base = if supers == 0 { 0 } else { module.len().saturating_sub(supers) };
    [&module[..base], &path[supers.max(1)..]].concat()
}

/// Parses a path, including a list in braces, and adds its leaves to `found`.
fn collect_leaves(prefix: &mut Module, rest: &mut &str, found: &mut Vec<Module>) {
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
            found.push(prefix.clone());
            break;
        };
        *rest = behind;
    }
    prefix.truncate(before);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[test]
    fn circular_imports_are_found_except_parents() {
        let check = |files: &[(&str, &str)], expect: &[&str]| {
            let findings = imports_are_acyclic(&sources_of(files));
            let found: Vec<_> = findings.iter().map(|finding| finding.path.as_str()).collect();
            assert_eq!(found, expect, "{files:?}");
        };
        let lib = ("crates/a/src/lib.rs", "mod x; mod y; use x::X;");
        let x = "crates/a/src/x.rs";
        let y = "crates/a/src/y.rs";
        check(&[lib, (x, "use crate::y::Y;"), (y, "use crate::X;")], &[]);
        check(&[lib, (x, "use crate::y::Y;"), (y, "fn f() { super::x::g() }")], &[x, y]);
        check(&[lib, (x, "use crate::{a, y::{self, Y}};"), (y, "use super::{b, x};")], &[x, y]);
        let below = ("crates/a/src/x/z.rs", "use super::X; use crate::x;");
        check(&[lib, (x, "mod z; use z::Z; use crate::y;"), below, (y, "")], &[]);
        let round = ("crates/a/src/x/z.rs", "use crate::y::Y;");
        check(&[lib, (x, ""), round, (y, "use crate::x::z::Z;")], &["crates/a/src/x/z.rs", y]);
    }

    #[test]
    fn use_of_other_page_or_higher_layer_is_found() {
        let check = |path: &str, text: &str, found: usize| {
            let findings = dashboard_layers_point_down(&sources_of(&[(path, text)]));
            assert_eq!(findings.len(), found, "{path}: {text}: {findings:?}");
        };
        let badge = "src/ui/badge.rs";
        check(badge, "use crate::ui::icon::Icon;", 0);
        check(badge, "use crate::domain::time;", 1);
        check(badge, "use crate::{\n    i18n,\n    ui::{icon::Icon, focus},\n    state::x,\n};", 1);
        check("src/domain/filter.rs", "crate::state::session::f()", 1);
        check("src/i18n.rs", "use crate::components::page::number;", 1);
        check("src/pages/forms.rs", "use crate::{components::page, lazy_views, layout::bars};", 1);
        check("src/pages/forms.rs", "use crate::pages::forms::x;", 0);
        check("src/pages/forms.rs", "use crate::pages::insights::x;", 1);
        check("src/pages/forms.rs", "use super::insights;", 1);
        check("src/pages/forms/card.rs", "use super::x;", 0);
        check("src/pages/forms/card.rs", "use super::super::x;", 1);
        check("src/pages/mod.rs", "pub use crate::pages::insights::Insights;", 0);
        check("src/app.rs", "use crate::{layout, lazy, pages};", 0);
    }
}
