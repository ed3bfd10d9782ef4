//! Limits on the length of files, functions and lines, and rules for module comments and test
//! targets. Tests may have any length.

use super::{Finding, Sources, code, has_extension, is_test, rust_files};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;
const COLUMNS_MAX: usize = 100;

/// Checks that files have at most 400 lines, without their tests. Files of a language are exempt.
pub(super) fn files_are_short(sources: &Sources) -> Vec<Finding> {
    let counts = |path: &str| !is_test(path) && !is_language(path);
    let long = rust_files(sources).filter(|(path, _)| counts(path)).filter_map(|(path, text)| {
        let lines = code::without_tests(text).lines().count();
        let message =
            format!("{lines} lines, at most {FILE_LINES_MAX} are allowed: split the module");
        (lines > FILE_LINES_MAX).then(|| Finding::new(path, 0, message))
    });
    long.collect()
}

/// Returns whether a file has the texts of a language, such as `src/i18n/de.rs`.
fn is_language(path: &str) -> bool {
    let name = path.strip_prefix("src/i18n/").and_then(|name| name.strip_suffix(".rs"));
    name.is_some_and(|code| code.len() == 2)
}

/// Checks that functions have at most 70 lines.
pub(super) fn functions_are_short(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in rust_files(sources).filter(|(path, _)| !is_test(path)) {
        for (line, length) in function_lengths(&code::code_only(code::without_tests(text))) {
            if length > FUNCTION_LINES_MAX {
                let message = format!("a function of {length} lines: split it");
                findings.push(Finding::new(path, line, message));
            }
        }
    }
    findings
}

/// Returns the first line and the length of every function. In code formatted by rustfmt, a
/// function ends at the first closing brace with the indentation of its start.
fn function_lengths(code: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = code.lines().map(str::trim_end).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let depth = line.len() - line.trim_start().len();
        if !is_function(line) || line.ends_with([';', '}']) {
            continue;
        }
        let closes = |line: &str| {
            line.get(..depth).is_some_and(|blank| blank.trim().is_empty())
                && (line[depth..].starts_with('}')
                    || line[depth..].starts_with(')') && line.ends_with(';'))
        };
        if let Some(length) = lines[at + 1..].iter().position(|line| closes(line)) {
            found.push((at + 1, length + 2));
        }
    }
    found
}

fn is_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let qualifiers = ["pub", "pub(crate)", "pub(super)", "async", "const", "unsafe", "extern"];
    words.find(|word| !qualifiers.contains(word)) == Some("fn")
}

/// Checks that lines have at most 100 characters. A line with only a string, such as an icon's
/// path, is exempt.
pub(super) fn lines_are_short(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in sources {
        let watched = (has_extension(path, "rs") && !is_test(path)) || has_extension(path, "css");
        if !watched {
            continue;
        }
        for (at, line) in code::without_tests(text).lines().enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS_MAX && !is_lone_string(line) {
                let message = format!("{columns} columns, at most {COLUMNS_MAX} are allowed");
                findings.push(Finding::new(path, at + 1, message));
            }
        }
    }
    findings
}

fn is_lone_string(line: &str) -> bool {
    line.trim_start().starts_with('"') && line.trim_end_matches(',').ends_with('"')
}

/// Checks that every module starts with `//!`.
pub(super) fn modules_have_comments(sources: &Sources) -> Vec<Finding> {
    let opens_well = |text: &str| {
        let first = text.lines().find(|line| !line.is_empty() && !line.starts_with("#!["));
        first.is_some_and(|line| line.starts_with("//!"))
    };
    let silent = rust_files(sources).filter(|(_, text)| !opens_well(text));
    let message = "no `//!` at the start: describe the module";
    silent.map(|(path, _)| Finding::new(path, 1, message)).collect()
}

/// Checks that every test target is known. The steps of `cargo xtask test` name their targets, so
/// another test would never run.
pub(super) fn test_targets_are_known(sources: &Sources) -> Vec<Finding> {
    let unknown = sources.keys().filter(|path| {
        let below = match path.split_once("tests/") {
            Some(("", below)) => {
                let is_known = ROOT_TESTS.iter().any(|known| below.starts_with(known));
                return has_extension(below, "rs") && !is_known;
            }
            Some((before, below)) if before.matches('/').count() == 2 => below,
            _ => return false,
        };
        has_extension(below, "rs") && !CRATE_TESTS.iter().any(|known| below.starts_with(known))
    });
    let message = "no step runs this test: move it to `tests/it/`, or another known target";
    unknown.map(|path| Finding::new(path, 0, message)).collect()
}

const CRATE_TESTS: [&str; 4] = ["deploy/", "durability/", "it/", "many/"];
const ROOT_TESTS: [&str; 5] = ["spec.rs", "spec/", "web.rs", "web/", "e2e/"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    fn long_file(lines: usize) -> String {
        "//! A.\n".repeat(lines)
    }

    #[test]
    fn long_file_is_found_without_its_tests() {
        let check = |text: String, found: usize| {
            let sources = sources_of(&[("src/a.rs", &text)]);
            assert_eq!(files_are_short(&sources).len(), found);
        };
        let language = sources_of(&[("src/i18n/de.rs", &long_file(900))]);
        assert!(files_are_short(&language).is_empty());
        check(long_file(400), 0);
        check(long_file(401), 1);
        check(long_file(399) + "#[cfg(test)]\nmod tests {\n" + &long_file(300), 0);
    }

    #[test]
    fn language_file_may_be_long() {
        for (path, found) in [("src/i18n/de.rs", 0), ("src/i18n/locale.rs", 1)] {
            let findings = files_are_short(&sources_of(&[(path, &long_file(401))]));
            assert_eq!(findings.len(), found, "{path}");
        }
    }

    #[test]
    fn long_function_is_found() {
        let check = |lines: usize, found: usize| {
            let body = "    x();\n".repeat(lines - 2);
            let text = format!("fn short() {{\n}}\n\npub(crate) async fn f() {{\n{body}}}\n");
            let findings = functions_are_short(&sources_of(&[("src/a.rs", &text)]));
            assert_eq!(findings.len(), found);
            assert!(findings.iter().all(|finding| finding.line == 4));
        };
        check(70, 0);
        check(71, 1);
    }

    #[test]
    fn declarations_and_one_liners_are_ignored() {
        let text =
            "trait A {\n    fn a();\n    fn b(\n        x: u8,\n    ) -> u8;\n}\nfn c() {}\n";
        assert!(
            function_lengths(text).iter().all(|(_, length)| *length < 5),
            "{:?}",
            function_lengths(text)
        );
    }

    #[test]
    fn long_line_is_found() {
        let good = "é".repeat(100);
        let bad = "é".repeat(101);
        assert!(lines_are_short(&sources_of(&[("a.rs", &good)])).is_empty());
        assert_eq!(lines_are_short(&sources_of(&[("a.css", &bad)])).len(), 1);
        let string = format!("        \"{bad}\",\n");
        assert!(lines_are_short(&sources_of(&[("a.rs", &string)])).is_empty());
    }

    #[test]
    fn missing_module_comment_is_found() {
        let check = |text: &str, found: usize| {
            assert_eq!(modules_have_comments(&sources_of(&[("a.rs", text)])).len(), found);
        };
        check("//! What.\n", 0);
        check("#![cfg(unix)]\n//! What.\n", 0);
        check("use a;\n", 1);
        check("// Not this.\n", 1);
    }

    #[test]
    fn unknown_test_target_is_found() {
        let check = |path: &str, found: usize| {
            assert_eq!(test_targets_are_known(&sources_of(&[(path, "")])).len(), found, "{path}");
        };
        check("tests/spec/list.rs", 0);
        check("tests/other.rs", 1);
        check("crates/api/tests/it/main.rs", 0);
        check("crates/store-sqlite/tests/durability/main.rs", 0);
        check("crates/api/tests/list.rs", 1);
    }
}
