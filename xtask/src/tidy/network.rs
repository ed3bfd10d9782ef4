//! Rule for reading JSON from the network.

use super::{Finding, Sources, code, is_test, rust_files};

/// Files below these paths may read JSON from the network, or from a file of another program.
const NETWORK: [&str; 9] = [
    "crates/client/",
    "crates/contract/",
    "crates/export-worker/",
    "crates/gateway/",
    "crates/api/src/intake",
    "crates/api/src/handlers",
    "crates/sheaf/src/commands/import",
    "crates/sheaf/src/insight",
    "src/",
];

/// Checks that JSON from the network becomes a `serde_json::Value` only through
/// `contract::untrusted`.
pub(super) fn json_is_untrusted(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_watched = |path: &str| NETWORK.iter().any(|place| path.starts_with(place));
    for (path, text) in rust_files(sources).filter(|(path, _)| is_watched(path) && !is_test(path)) {
        let mut is_read = false;
        let mut before = "";
        // Masked text keeps its lines, so attributes are found in the same line of the source.
        let code = code::code_only(code::without_tests(text));
        if !names_value(&code) {
            continue;
        }
        for (at, (line, source)) in code.lines().zip(text.lines()).enumerate() {
            if line.contains("#[derive(") {
                is_read = line.contains("Deserialize");
            }
            let reads = ["from_slice::<", "from_str::<", "from_reader::<", "decode::<"];
            let call = reads.iter().find_map(|call| line.split_once(call));
            let is_call =
                call.is_some_and(|(_, rest)| holds_value(rest.split(">(").next().unwrap_or(rest)));
            let is_typed = line.split_once(" = serde_json::from_").is_some_and(|(name, _)| {
                name.split_once(": ").is_some_and(|(_, kind)| holds_value(kind))
            });
            let is_field = is_read && holds_value(line) && !line.contains("fn ");
            let is_bounded = [before, source].iter().any(|line| line.contains("untrusted::"));
            if (is_call || is_typed || is_field) && !is_bounded {
                let message = "read JSON from the network by `contract::untrusted`";
                findings.push(Finding::new(path, at + 1, message));
            }
            is_read &= !line.starts_with('}') && !line.ends_with(';');
            before = source;
        }
    }
    findings
}

/// Returns whether a type is or contains `serde_json::Value`.
fn holds_value(kind: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    kind.match_indices("Value").any(|(at, word)| {
        let before = &kind[..at];
        let after = &kind[at + word.len()..];
        !before.ends_with(is_part) && !after.starts_with(is_part) && !after.starts_with("::")
    })
}

/// Returns whether `Value` means `serde_json::Value` in this file.
fn names_value(code: &str) -> bool {
    let names = |rest: &str| {
        let list = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        list.map_or_else(|| rest.starts_with("Value"), |(list, _)| holds_value(list))
    };
    code.split("serde_json::").skip(1).any(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[test]
    fn unbounded_json_value_is_found() {
        let check = |text: &str, found: usize| {
            let text = format!("use serde_json::{{Map, Value}};\n{text}");
            let sources = sources_of(&[("crates/gateway/src/lib.rs", text.as_str())]);
            assert_eq!(json_is_untrusted(&sources).len(), found, "{text}");
        };
        check("let x = serde_json::from_slice::<Value>(body);", 1);
        check("let x: Value = serde_json::from_slice(body).ok()?;", 1);
        check("let x: Page<Form> = serde_json::from_slice(body).ok()?;", 0);
        check("let x = decode::<Map<String, Value>>(body);", 1);
        check("let x = serde_json::from_slice::<Data<Form>>(body);", 0);
        check("#[derive(Debug, Deserialize)]\nstruct A {\n    keys: Vec<serde_json::Value>,\n}", 1);
        check("#[derive(Deserialize)]\nstruct A(Map<String, Value>);", 1);
        check("#[derive(Debug)]\nstruct A(Map<String, Value>);", 0);
        let bounded = "#[serde(deserialize_with = \"untrusted::object\")]";
        check(&format!("#[derive(Deserialize)]\nstruct A({bounded} Map<String, Value>);"), 0);
        check(
            &format!("#[derive(Deserialize)]\nstruct A {{\n{bounded}\n a: Map<String, Value>,\n}}"),
            0,
        );
        check("#[derive(Deserialize)]\nstruct A(Values);\nfn f(x: Value) {}", 0);
        check("let x = serde_json::from_str::<Number>(text).map(Value::Number);", 0);
    }
}
