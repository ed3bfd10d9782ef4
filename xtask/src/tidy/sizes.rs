//! Limits on the length of files and lines, the comment of each module, and the test targets that a
//! step runs. Tests may have any length. Clippy limits the length of functions.

use super::{Finding, Sources, code, has_extension, is_test, rust_files};

const FILE_LINES_MAX: usize = 400;
const COLUMNS_MAX: usize = 100;

/// Checks that files have at most 400 lines, without their tests. Files of a language, such as
/// `src/i18n/de.rs`, are exempt.
pub(super) fn files_are_short(sources: &Sources) -> Vec<Finding> {
    let language = code::regex(r"^src/i18n/..\.rs$");
    let counted =
        rust_files(sources).filter(|(path, _)| !is_test(path) && !language.is_match(path));
    let long = counted.filter_map(|(path, source)| {
        let lines = source.code.lines().count();
        let message =
            format!("{lines} lines, at most {FILE_LINES_MAX} are allowed: split the module");
        (lines > FILE_LINES_MAX).then(|| Finding::new(path, 0, message))
    });
    long.collect()
}

/// Checks that lines have at most 100 characters. A line with only a string, such as an icon's
/// path, is exempt.
pub(super) fn lines_are_short(sources: &Sources) -> Vec<Finding> {
    let checked = code::regex(r"\.(rs|css)$");
    let lone_string = code::regex(r"^\s*\x22.*\x22,?$");
    let mut findings = Vec::new();
    for (path, source) in
        sources.iter().filter(|(path, _)| checked.is_match(path) && !is_test(path))
    {
        for (at, line) in code::without_tests(&source.text).lines().enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS_MAX && !lone_string.is_match(line) {
                let message = format!("{columns} columns, at most {COLUMNS_MAX} are allowed");
                findings.push(Finding::new(path, at + 1, message));
            }
        }
    }
    findings
}

/// Checks that every module starts with `//!`.
pub(super) fn modules_have_comments(sources: &Sources) -> Vec<Finding> {
    let comment = code::regex(r"^(\s*#!\[.*\]\n)*\s*//!");
    let silent = rust_files(sources).filter(|(_, source)| !comment.is_match(&source.text));
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

    #[test]
    fn long_file_is_found_without_its_tests() {
        let long = |lines: usize| "//! A.\n".repeat(lines);
        let check = |path: &str, text: &str, found: usize| {
            assert_eq!(files_are_short(&sources_of(&[(path, text)])).len(), found, "{path}");
        };
        check("src/a.rs", &long(400), 0);
        check("src/a.rs", &long(401), 1);
        check("src/i18n/de.rs", &long(401), 0);
        check("src/i18n/locale.rs", &long(401), 1);
        check("src/a.rs", &(long(399) + "#[cfg(test)]\nmod tests {\n" + &long(300)), 0);
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
