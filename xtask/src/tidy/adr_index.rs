//! Checks that each decision record has a unique number and is listed in the index.

use std::collections::BTreeMap;

use super::{Finding, Sources};

const FOLDER: &str = "docs/adr/";
const INDEX: &str = "docs/adr/README.md";

/// Checks that numbers are unique and have four digits, and that the index lists exactly the
/// existing records.
pub(super) fn decisions_are_numbered_and_listed(sources: &Sources) -> Vec<Finding> {
    let index = sources.get(INDEX).map_or("", String::as_str);
    let mut findings = Vec::new();
    let mut seen = BTreeMap::new();
    for path in sources.keys().filter(|path| path.starts_with(FOLDER) && *path != INDEX) {
        let name = &path[FOLDER.len()..];
        let number = name.split('-').next().unwrap_or_default();
        if number.len() != 4 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            findings.push(Finding::new(path, 0, "call it `NNNN-title.md`"));
        } else if let Some(other) = seen.insert(number, name) {
            findings.push(Finding::new(path, 0, format!("it has the same number as `{other}`")));
        }
        if !index.contains(&format!("({name})")) {
            findings.push(Finding::new(INDEX, 0, format!("does not link to `{name}`")));
        }
    }
    for (at, line) in index.lines().enumerate() {
        for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let is_record = link.starts_with(|c: char| c.is_ascii_digit());
            if is_record && !sources.contains_key(&format!("{FOLDER}{link}")) {
                findings.push(Finding::new(INDEX, at + 1, format!("`{link}` does not exist")));
            }
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
        check(&[], 0);
    }
}
