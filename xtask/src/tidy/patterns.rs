//! Code and words that are forbidden in some files.

use super::{Sources, files_matching, line_of, regex, without_tests};

/// Forbidden code or text, as regular expressions. Tests are exempt.
struct Pattern {
    /// Paths of the files that are checked.
    files: &'static str,
    /// Paths of the files that may have a match.
    allowed: &'static str,
    /// Whether comments and strings are checked too.
    in_text: bool,
    forbidden: &'static str,
    advice: &'static str,
}

const fn code(files: &'static str, forbidden: &'static str, advice: &'static str) -> Pattern {
    Pattern { files, allowed: "^$", in_text: false, forbidden, advice }
}

const fn text(files: &'static str, forbidden: &'static str, advice: &'static str) -> Pattern {
    Pattern { in_text: true, ..code(files, forbidden, advice) }
}

impl Pattern {
    const fn except(self, allowed: &'static str) -> Pattern {
        Pattern { allowed, ..self }
    }
}

const PATTERNS: [Pattern; 15] = [
    code(
        "^crates/contract/.*rs$",
        r"\b(Instant::now|std::fs|std::net|std::thread|async)\b",
        "`contract` has no input, output or clock",
    ),
    code(
        r"\.rs$",
        r"\b(std::env|env::vars?(_os)?)\b",
        "read the environment in `crates/sheaf/src/config.rs`",
    )
    .except(r"^benches/|^build\.rs|^xtask/|^crates/test-servers/|^crates/sheaf/src/config\.rs"),
    code(r"\.rs$", r"\b(SystemTime|Utc::now)\b", "read the time in the module `clock`")
        .except(r"^crates/(store|gateway)/src/clock\.rs"),
    code(r"\.rs$", r"\b((set_)?inner_html|insert_adjacent_html|outer_html)\b", "write text nodes"),
    code(
        r"^style/.*css$",
        concat!(
            r"#([[:xdigit:]]{3,4}|[[:xdigit:]]{6}|[[:xdigit:]]{8})\b",
            r"|\b(oklch|oklab|rgba?|hsla?|lab|lch)\(",
        ),
        "define the colour in `style/tokens.css` and use the variable",
    )
    .except(r"/tokens\.css$"),
    // A call that reads a `Value`, or a field of a type that is read. Only the attribute
    // `deserialize_with` bounds its depth.
    code(
        concat!(
            r"^crates/(client|contract|export-worker|gateway)/.*rs$|^src/",
            r"|^crates/api/src/(intake|handlers)|^crates/sheaf/src/(commands/import|insight)",
        ),
        concat!(
            r"\b(from_slice|from_str|from_reader|decode)::<[^(]*\bValue\b[^(:]*>\(",
            r"|: [^=\n]*\bValue\b[^=\n]* = serde_json::from_",
            r"|\bDeserialize\b[^;{}()]*\)\]([^;{}()]|\(crate\))*",
            r"(\(|\{([^}]*,)?)\s*(#\[serde\(default\)\]\s*)?(pub(\(\w+\))? )?[^\n(=#]*\bValue\b",
        ),
        "read JSON from the network by `contract::untrusted`",
    )
    .except("^crates/contract/src/untrusted"),
    // Development dependencies are exempt.
    text(
        r"^crates/[^/]+/Cargo\.toml$",
        r"\n\[(target.*)?dependencies\]\n([^\[\n].*\n|\n)*(rusqlite|tokio-postgres)[. =]",
        "only the `store` crates use SQL",
    )
    .except("^crates/(store-.*|test-servers)/"),
    text(
        r"^crates/[^/]+/Cargo\.toml$",
        r"\n\[(target.*)?dependencies\]\n([^\[\n].*\n|\n)*(api|gateway|store-\w+)[. =]",
        "only `sheaf` joins the API, the gateway and the stores",
    )
    .except("^crates/(sheaf|store-tests)/"),
    code(
        r"^src/(domain|i18n|ui)[./]",
        r"\bcrate::(\{[^;]*\b)?(api|components|layout|pages|state)(::|[,}])",
        "use only lower layers of the dashboard: see `docs/ARCHITECTURE.md`",
    ),
    code(
        r"^src/(api|components|state)[./]",
        r"\bcrate::(\{[^;]*\b)?(layout|pages)(::|[,}])",
        "use only lower layers of the dashboard: see `docs/ARCHITECTURE.md`",
    ),
    text(r"\.rs$", r"\A([^/#\s]|//[^!])", "describe the module with `//!` at its start"),
    code(r"\.rs$", r"\A([^\n]*\n){401}", "at most 400 lines are allowed: split the module")
        .except(r"^src/i18n/..\.rs$"),
    text(r"\.rs$|^style/", r"(?m)^[^\x22\n]{101,}$", "at most 100 columns are allowed"),
    code(
        r"\.rs$",
        concat!(
            r"(\b|_)(?i:arrived?|calm|desk|habits|heralded|judge|lobby|noting|patience|picture",
            r"|portion|purses|sheet|shelf|squeeze|stretch|survey|tenant|tier|told|tray|veil)",
            r"s?(\b|_|[A-Z][a-z])",
        ),
        "use a standard term of `docs/STYLE.md`",
    ),
    text(
        r"\.(rs|css|md)$",
        concat!(
            r"(?i:\b(anew|whoever|whomever|shall|thereof|likewise|lest|whereof)\b)",
            r"|(?m)^ *//[/!]? (What|Who|Of|Nobody|Nothing|That) ",
        ),
        "write subject, verb, object: see `docs/STYLE.md`",
    )
    .except("^xtask/src/tidy/"),
];

/// Checks that no file has a match that is forbidden there.
pub(super) fn forbidden_text_is_absent(sources: &Sources) -> Vec<String> {
    let mut findings = Vec::new();
    for Pattern { files, allowed, in_text, forbidden, advice } in PATTERNS {
        let [allowed, forbidden] = [allowed, forbidden].map(regex);
        for (path, source) in files_matching(sources, files) {
            if allowed.is_match(path) {
                continue;
            }
            let checked = if in_text { without_tests(&source.text) } else { &source.code };
            findings.extend(forbidden.find_iter(checked).map(|found| {
                let line = line_of(checked, found.end());
                let last = found.as_str().trim_end().lines().last().unwrap_or_default();
                format!("{path}:{line}: `{last:.40}`: {advice}")
            }));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check_findings;

    #[track_caller]
    fn check(path: &str, code: &str, count: usize) {
        let text = format!("//! A.\n{code}");
        check_findings(forbidden_text_is_absent, &[(path, &text)], count);
    }

    #[test]
    fn forbidden_code_is_found() {
        check("crates/contract/src/lib.rs", "use std::time::Duration; Instant::now()", 1);
        check("crates/api/src/lib.rs", "use std::env; SystemTime::now()", 2);
        check("crates/store/src/clock.rs", "SystemTime::now()", 0);
        check("src/ui/badge.rs", "<p inner_html=x/> // inner_html\nf(\"inner_html\")", 1);
        check("src/ui/badge.rs", "use crate::{\n    i18n,\n    state::x,\n};", 1);
        check("src/ui/badge.rs", "use crate::ui::{menu, focus::state};", 0);
        check("src/a.rs", "struct SurveyRow;\nlet open_surveys = api_tiers();", 3);
        check("src/a.rs", "let frontier = worksheet(); // a survey", 0);
        check("src/a.rs", "// The caller shall wait.\n/// That is all.", 2);
        check("src/a.rs", &format!("// {}\n\"{}\"", "é".repeat(98), "é".repeat(101)), 1);
        check("src/a.rs", &"a();\n".repeat(400), 1);
        check("src/i18n/de.rs", &"a();\n".repeat(400), 0);
        check("src/a.rs", &("#[cfg(test)]\nmod tests {\n".to_owned() + &"a();\n".repeat(400)), 0);
        check("tests/e2e/main.rs", "std::env::var(a)", 0);
        check("style/base.css", "a: oklch(.2 .01 260); b: #fff; c: var(--ink); /* #fff */", 2);
        check_findings(forbidden_text_is_absent, &[("src/a.rs", "#![cfg(unix)]\n//! A.\n")], 0);
        check_findings(forbidden_text_is_absent, &[("src/a.rs", "// A.\nuse a;\n")], 1);
    }

    #[test]
    fn unbounded_json_is_found() {
        let check = |code: &str, count: usize| check("crates/gateway/src/lib.rs", code, count);
        check("serde_json::from_slice::<Value>(a); let x: Value = serde_json::from_str(b)?;", 2);
        check("let x: Page<Form> = serde_json::from_slice(body).ok()?;", 0);
        check("#[derive(Deserialize)]\nstruct A {\n    a: u8,\n    keys: Vec<Value>,\n}", 1);
        check("#[derive(Deserialize)]\nstruct A(Map<String, Value>);", 1);
        check("#[derive(Deserialize)]\nstruct A(Values);\nfn f(x: Value) {}", 0);
        let bounded = "#[serde(deserialize_with = \"untrusted::object\")]";
        check(&format!("#[derive(Deserialize)]\nstruct A({bounded} Map<String, Value>);"), 0);
        check(&format!("#[derive(Deserialize)]\nstruct A {{\n{bounded}\n a: Value,\n}}"), 0);
    }

    #[test]
    fn upward_dependency_is_found() {
        let check = |manifest: &str, count: usize| {
            check("crates/gateway/Cargo.toml", manifest, count);
        };
        check("[dependencies]\na = { features = [\"b\"] }\n\napi.workspace = true\n", 1);
        check("[target.'cfg(unix)'.dependencies]\nrusqlite = \"1\"\n", 1);
        check("[dependencies]\nstore.workspace = true\n\n[dev-dependencies]\napi = \"1\"\n", 0);
    }
}
