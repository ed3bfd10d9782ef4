//! Gives what is named in the script alone, or between script and module, short names. Those of
//! wasm-bindgen are sentences, some with a hash, which nothing compresses. Changes names alone.

use std::collections::BTreeMap;

/// What the page asks for, by its name.
const KNOWN: [&str; 2] = ["initSync", "__wbg_init"];

/// Returns the script with short names for its functions, and these by the long ones.
pub(crate) fn shorten(script: &str) -> (String, BTreeMap<String, String>) {
    let mut short = BTreeMap::new();
    for line in script.lines() {
        let line = line.strip_prefix("async ").unwrap_or(line);
        let name = line.strip_prefix("function ").and_then(|rest| rest.split('(').next());
        if let Some(name) = name.filter(|name| !KNOWN.contains(name)) {
            let number = short.len();
            short.entry(name.to_owned()).or_insert_with(|| format!("${number}"));
        }
    }
    (renamed(script, &short), short)
}

/// The script with other names. What stands behind a dot is another's, but for the module's own.
fn renamed(script: &str, names: &BTreeMap<String, String>) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (mut out, mut rest) = (String::with_capacity(script.len()), script);
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        let is_own = !out.ends_with('.') || out.ends_with("wasm.");
        out.push_str(names.get(word).filter(|_| is_own).map_or(word, String::as_str));
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_get_short_names_wherever_they_are_meant() {
        let script = "function passString(a) {\nreturn wasm.invoke__h01(a.passString, passStringToo);\n}\n\
            async function invoke__h01(a) {\npassString(a)\n}\nasync function __wbg_init() {}\n";
        let (after, names) = shorten(script);
        let wanted = "function $0(a) {\nreturn wasm.$1(a.passString, passStringToo);\n}\n\
            async function $1(a) {\n$0(a)\n}\nasync function __wbg_init() {}\n";
        assert_eq!(after, wanted);
        assert_eq!(names.len(), 2);
        assert_eq!(names["invoke__h01"], "$1");
    }
}
