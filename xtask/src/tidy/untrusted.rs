//! JSON from the network becomes a `serde_json::Value` only through `contract::untrusted`.

use super::{Finding, Sources, code, has_extension, is_test};

/// Files that read JSON from the network, or from a file of another program.
const NETWORK: &str = "^crates/(client|contract|export-worker|gateway)/|^src/\
    |^crates/api/src/(intake|handlers)|^crates/sheaf/src/(commands/import|insight)";

/// A use of the type `Value` of `serde_json`.
const NAMES_VALUE: &str = r"serde_json::(Value\b|\{[^}]*\bValue\b)";
/// A call that returns it.
const READS_VALUE: &str = concat!(
    r"(from_slice|from_str|from_reader|decode)::<[^(]*\bValue\b[^(:]*>\(",
    r"|: [^=\n]*\bValue\b[^=\n]* = serde_json::from_",
);
/// A type that is read from JSON, up to its end.
const READ_TYPE: &str = r"(?s)#\[derive\([^\]]*\bDeserialize\b.*?(;\n|\n\}|\z)";
/// A field of this type.
const VALUE_FIELD: &str = r"\bValue\b([^\w:]|$)";

/// Checks calls and fields that read a value. `untrusted::` in the same or the previous line bounds
/// its depth.
pub(super) fn json_is_untrusted(sources: &Sources) -> Vec<Finding> {
    let network = code::regex(NETWORK);
    let [names, reads, read_type, field] =
        [NAMES_VALUE, READS_VALUE, READ_TYPE, VALUE_FIELD].map(code::regex);
    let mut findings = Vec::new();
    let is_checked =
        |path: &str| network.is_match(path) && has_extension(path, "rs") && !is_test(path);
    for (path, source) in sources.iter().filter(|(path, _)| is_checked(path)) {
        let code = &source.code;
        if !names.is_match(code) {
            continue;
        }
        let calls = reads.find_iter(code).map(|call| code::line_of(code, call.start()));
        let fields = read_type.find_iter(code).flat_map(|item| {
            let first = code::line_of(code, item.start());
            let lines = item.as_str().lines().enumerate();
            let fields = lines.filter(|(_, line)| field.is_match(line) && !line.contains("fn "));
            fields.map(|(at, _)| first + at).collect::<Vec<_>>()
        });
        // The masked code has the same lines as the source, which has the attributes.
        let lines: Vec<&str> = source.text.lines().collect();
        let is_bounded = |line: usize| {
            lines[line.saturating_sub(2)..line].iter().any(|line| line.contains("untrusted::"))
        };
        let message = "read JSON from the network by `contract::untrusted`";
        let unbounded = calls.chain(fields).filter(|&line| !is_bounded(line));
        findings.extend(unbounded.map(|line| Finding::new(path, line, message)));
    }
    findings
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
