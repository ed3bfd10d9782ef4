//! Leaves out the classes that crates of others export to scripts, where nothing makes one: what
//! nobody can hold, nobody can call. The linker must keep them, with all that they need.

use std::collections::BTreeSet;

use wasm_encoder::{ExportSection, Module, RawSection};
use wasmparser::{BinaryReaderError, Parser, Payload};

use crate::{
    panics::at,
    run::{Error, Result},
};

/// What begins the name of a class's export by which a script gives one up.
const GIVES_UP: (&str, &str) = ("__wbg_", "_free_");
/// What begins the name of an export that tells `wasm-bindgen` of another.
const TELLS: &str = "__wbindgen_describe_";

/// Returns the linked module without the exports of classes that nothing makes, and the names of
/// these, in small letters.
pub(crate) fn without_unmade(module: &[u8]) -> Result<(Vec<u8>, BTreeSet<String>)> {
    shortened(module)
        .map_err(|error| Error::new(format!("the linked module cannot be read: {error}")))
}

fn shortened(module: &[u8]) -> std::result::Result<(Vec<u8>, BTreeSet<String>), BinaryReaderError> {
    let (mut made, mut classes) = (String::new(), BTreeSet::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    made.push_str(import?.name);
                    made.push('\n');
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let name = export?.name.strip_prefix(GIVES_UP.0);
                    let class = name.and_then(|name| name.split_once(GIVES_UP.1));
                    classes.extend(class.map(|(class, _)| class.to_owned()));
                }
            }
            _ => {}
        }
    }
    classes.retain(|class| !made.contains(&format!("__wbg_{class}_new")));
    let of_these = |name: &str| {
        let name = name.strip_prefix(TELLS).unwrap_or(name);
        let name = name.strip_prefix(GIVES_UP.0).unwrap_or(name);
        name.split_once('_').is_some_and(|(class, _)| classes.contains(class))
    };
    let mut out = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        if let Payload::ExportSection(exports) = payload {
            let mut kept = ExportSection::new();
            for export in exports {
                let export = export?;
                if !of_these(export.name) {
                    kept.export(export.name, export.kind.into(), export.index);
                }
            }
            out.section(&kept);
        } else {
            out.section(&RawSection { id, data: &module[at(range.start)..at(range.end)] });
        }
    }
    Ok((out.finish(), classes))
}

/// Returns the script of wasm-bindgen without these classes. A statement begins at the margin, and
/// what belongs to it is indented or closes it.
pub(crate) fn script_without(script: &str, classes: &BTreeSet<String>) -> String {
    let begins = ["export class ", "const ", "if (Symbol.dispose) "];
    let (mut out, mut is_gone) = (String::with_capacity(script.len()), false);
    for line in script.lines() {
        if !line.is_empty() && !line.starts_with([' ', '}']) {
            let rest = begins.iter().find_map(|begin| line.strip_prefix(begin));
            let name = rest.and_then(|rest| rest.split([' ', '.']).next()).unwrap_or_default();
            let name = name.strip_suffix("Finalization").unwrap_or(name).to_lowercase();
            is_gone = classes.contains(&name);
        }
        if !is_gone {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        CodeSection, EntityType, ExportKind, Function, FunctionSection, ImportSection, TypeSection,
    };

    use super::*;

    /// Two classes with a method each, of which the module can make one.
    fn module() -> Vec<u8> {
        let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
        types.ty().function([], []);
        imports.import("placeholder", "__wbg_held_new_0123", EntityType::Function(0));
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        let mut exports = ExportSection::new();
        let names = ["__wbg_held_free_0", "held_act_0", "__wbg_unheld_free_0", "unheld_act_0"];
        let names = names.into_iter().chain(["__wbindgen_describe_unheld_act_0", "main"]);
        for (function, name) in (1..).zip(names) {
            functions.function(0);
            let mut body = Function::new([]);
            body.instructions().end();
            code.function(&body);
            exports.export(name, ExportKind::Func, function);
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&exports);
        module.section(&code);
        module.finish()
    }

    #[test]
    fn a_class_that_nothing_makes_is_not_exported() {
        let (after, classes) = without_unmade(&module()).unwrap();
        assert_eq!(classes, BTreeSet::from(["unheld".to_owned()]));
        let mut names = Vec::new();
        for payload in Parser::new(0).parse_all(&after) {
            let Payload::ExportSection(exports) = payload.unwrap() else { continue };
            names = exports.into_iter().map(|export| export.unwrap().name.to_owned()).collect();
        }
        assert_eq!(names, ["__wbg_held_free_0", "held_act_0", "main"]);
    }

    #[test]
    fn the_script_loses_the_class_and_all_that_is_its_own() {
        let script = "export class Unheld {\n    free() {\n        go();\n    }\n}\n\
            if (Symbol.dispose) Unheld.prototype[Symbol.dispose] = Unheld.prototype.free;\n\
            const UnheldFinalization = (typeof A === 'undefined')\n    ? {}\n    : new A();\n\
            const other = 1;\nexport class Held {\n    free() {}\n}\n";
        let classes = BTreeSet::from(["unheld".to_owned()]);
        let left = "const other = 1;\nexport class Held {\n    free() {}\n}\n";
        assert_eq!(script_without(script, &classes), left);
    }

    #[test]
    fn what_is_no_module_is_told() {
        assert!(without_unmade(b"\0asm\x01\0\0\0\x07\xff").is_err());
    }
}
