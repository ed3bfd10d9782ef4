//! Checks that each decision record has a unique number and is listed in the index.

use std::collections::BTreeSet;

use super::{Finding, Sources, code};

const FOLDER: &str = "docs/adr/";
const INDEX: &str = "docs/adr/README.md";

/// Checks that numbers are unique and have four digits, and that the index lists exactly the
/// existing records.
pub(super) fn decisions_are_numbered_and_listed(sources: &Sources) -> Vec<Finding> {
    let index = sources.get(INDEX).map_or("", |source| &source.text);
    let link = code::regex(r"\]\((\d[^)]*)\)");
    let listed: BTreeSet<_> = link.captures_iter(index).map(|link| link[1].to_owned()).collect();
    let names = sources.keys().filter_map(|path| path.strip_prefix(FOLDER));
    let files: BTreeSet<_> = names.filter(|name| *name != "README.md").map(str::to_owned).collect();
    let differing = files.symmetric_difference(&listed);
    let mut findings: Vec<_> = differing
        .map(|name| Finding::new(INDEX, 0, format!("`{name}` is missing or not listed here")))
        .collect();
    let number = code::regex(r"^\d{4}-");
    let mut numbers = BTreeSet::new();
    for name in &files {
        if !number.is_match(name) || !numbers.insert(&name[..4]) {
            let message = "call it `NNNN-title.md`, with a new number";
            findings.push(Finding::new(&format!("{FOLDER}{name}"), 0, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[test]
    fn record_numbers_and_index_are_checked() {
        let check = |files: &[(&str, &str)], found: usize| {
            let findings = decisions_are_numbered_and_listed(&sources_of(files));
            assert_eq!(findings.len(), found, "{findings:?}");
        };
        let index = (INDEX, "- [One](0001-one.md)\n- [Two](0002-two.md)\n");
        let one = ("docs/adr/0001-one.md", "");
        let two = ("docs/adr/0002-two.md", "");
        check(&[index, one, two], 0);
        check(&[index, one], 1);
        check(&[index, one, two, ("docs/adr/0002-three.md", "")], 2);
        check(&[index, one, two, ("docs/adr/three.md", "")], 2);
    }
}
