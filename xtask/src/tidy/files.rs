//! Rules for sets of files: the test targets that a step runs, and the index of the decision
//! records.

use std::collections::BTreeSet;

use super::{Sources, regex};

/// Test targets that the steps of `cargo xtask test` name. Another one would never run.
const TEST_TARGETS: &str = concat!(
    r"^crates/[^/]+/tests/(deploy|durability|it|many)/",
    r"|^tests/(spec\.rs|spec/|web\.rs|web/|e2e/)",
);

/// Folder of the decision records, and its index.
const RECORDS: &str = "docs/adr/";
const INDEX: &str = "docs/adr/README.md";

/// Checks that a step runs every test.
pub(super) fn test_targets_are_known(sources: &Sources) -> Vec<String> {
    let [tests, known] = [r"^(crates/[^/]+/)?tests/.*\.rs$", TEST_TARGETS].map(regex);
    let unknown = sources.keys().filter(|path| tests.is_match(path) && !known.is_match(path));
    let message = "no step runs this test: move it to `tests/it/`, or another known target";
    unknown.map(|path| format!("{path}: {message}")).collect()
}

/// Checks that the index lists exactly the existing decision records, each with its own number.
pub(super) fn decisions_are_listed(sources: &Sources) -> Vec<String> {
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
            format!("{INDEX}: list `{name}` once, as `[NNNN](NNNN-title.md)`, if it exists")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check_findings;

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
