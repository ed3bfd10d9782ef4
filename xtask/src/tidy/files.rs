//! Rules for whole files: the length of modules, the test targets that a step runs, and the index
//! of the decision records.

use std::collections::BTreeSet;

use super::{Finding, Sources, files_matching, regex};

const FILE_LINES_MAX: usize = 400;

/// Test targets that the steps of `cargo xtask test` name. Another one would never run.
const TEST_TARGETS: &str = concat!(
    r"^crates/[^/]+/tests/(deploy|durability|it|many)/",
    r"|^tests/(spec\.rs|spec/|web\.rs|web/|e2e/)",
);

/// Folder of the decision records, and its index.
const RECORDS: &str = "docs/adr/";
const INDEX: &str = "docs/adr/README.md";

/// Checks that modules have at most 400 lines, without their unit tests. Files of a language, such
/// as `src/i18n/de.rs`, are exempt.
pub(super) fn files_are_short(sources: &Sources) -> Vec<Finding> {
    let language = regex(r"^src/i18n/..\.rs$");
    let counted = files_matching(sources, r"\.rs$").filter(|(path, _)| !language.is_match(path));
    let counted = counted.map(|(path, source)| (path, source.code.lines().count()));
    let long = counted.filter(|(_, lines)| *lines > FILE_LINES_MAX);
    long.map(|(path, lines)| Finding::new(path, 0, format!("{lines} lines: split the module")))
        .collect()
}

/// Checks that a step runs every test.
pub(super) fn test_targets_are_known(sources: &Sources) -> Vec<Finding> {
    let [tests, known] = [r"^(crates/[^/]+/)?tests/.*\.rs$", TEST_TARGETS].map(regex);
    let unknown = sources.keys().filter(|path| tests.is_match(path) && !known.is_match(path));
    let message = "no step runs this test: move it to `tests/it/`, or another known target";
    unknown.map(|path| Finding::new(path, 0, message)).collect()
}

/// Checks that the index lists exactly the existing decision records, each with its own number.
pub(super) fn decisions_are_listed(sources: &Sources) -> Vec<Finding> {
    let index = sources.get(INDEX).map_or("", |source| &source.text);
    let link = regex(r"\[(\d{4})\]\((\d{4})(-[^)]*)\)");
    let listed = link.captures_iter(index).filter(|link| link[1] == link[2]);
    let listed: BTreeSet<_> = listed.map(|link| format!("{}{}", &link[2], &link[3])).collect();
    let files = sources.keys().filter_map(|path| path.strip_prefix(RECORDS));
    let files: BTreeSet<_> = files.filter(|name| *name != "README.md").map(str::to_owned).collect();
    let is_duplicate =
        |name: &&String| files.iter().any(|other| other < *name && other.get(..4) == name.get(..4));
    let wrong = files.symmetric_difference(&listed).chain(files.iter().filter(is_duplicate));
    wrong
        .map(|name| {
            let message = format!("`{name}`: list each record once, as `[NNNN](NNNN-title.md)`");
            Finding::new(INDEX, 0, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check_findings;

    #[test]
    fn long_file_is_found_without_its_tests() {
        let check = |path: &str, lines: usize, tests: &str, count: usize| {
            let text = "use a;\n".repeat(lines) + tests;
            check_findings(files_are_short, &[(path, text.as_str())], count);
        };
        check("src/a.rs", 400, "", 0);
        check("src/a.rs", 401, "", 1);
        check("src/i18n/de.rs", 401, "", 0);
        check("src/a.rs", 399, &("#[cfg(test)]\nmod tests {\n".to_owned() + &"a\n".repeat(9)), 0);
    }

    #[test]
    fn unknown_test_target_is_found() {
        let paths = ["tests/spec/a.rs", "tests/b.rs", "crates/api/tests/it/c.rs"];
        check_findings(test_targets_are_known, &paths.map(|path| (path, "")), 1);
        check_findings(test_targets_are_known, &[("crates/api/tests/list.rs", "")], 1);
    }

    #[test]
    fn record_numbers_and_index_are_checked() {
        let index = (INDEX, "- [0001](0001-one.md) One\n- [0002](0002-two.md) Two\n");
        let records = ["0001-one.md", "0002-two.md", "0002-three.md"];
        let records = records.map(|name| format!("{RECORDS}{name}"));
        let [one, two, three] = records.each_ref().map(|path| (path.as_str(), ""));
        check_findings(decisions_are_listed, &[index, one, two], 0);
        check_findings(decisions_are_listed, &[index, one], 1);
        check_findings(decisions_are_listed, &[index, one, two, three], 2);
    }
}
