//! The style rules as a test: each rule is a pure function from the sources to its findings. Files
//! are never changed.

mod circles;
mod code;
mod edges;
mod network;
mod prose;
mod records;
mod said;
mod shape;
mod sheets;
mod words;

use std::{collections::BTreeMap, fs, path::Path};

use crate::place;
use crate::run::{Error, Result, say};
use crate::test::record;

/// Files of the repository by their path below its root.
type Sources = BTreeMap<String, String>;

/// A violation of a rule: the location, and what to do instead.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Line number from 1, or 0 for the complete file.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, message: message.into() }
    }
}

/// Files and folders that the rules check, below the root.
const LOOKED_AT: [&str; 11] = [
    "CHANGELOG.md",
    "Cargo.toml", "README.md", "benches", "crates", "docs", "index.html", "src",
    "style", "tests", "xtask",
];

const RULES: [fn(&Sources) -> Vec<Finding>; 19] = [
    shape::files_are_short,
    shape::functions_are_short,
    shape::lines_are_short,
    shape::modules_say_what_they_are,
    shape::test_targets_are_known,
    circles::imports_have_one_direction,
    edges::crates_depend_downwards,
    edges::words_stay_in_their_place,
    edges::pages_do_not_know_each_other,
    edges::dashboard_layers_point_down,
    network::json_is_untrusted,
    words::names_use_standard_terms,
    prose::prose_stays_plain,
    said::texts_are_in_the_catalogue,
    sheets::colours_are_tokens,
    sheets::rows_are_not_asked_if_empty,
    sheets::used_classes_exist,
    sheets::styled_classes_are_used,
    records::decisions_are_numbered_and_listed,
];

/// The React page of the bench, which follows the style of its own ecosystem.
const PEER: &str = "benches/react-list";

/// Checks all rules against all sources, and prints the findings.
pub(crate) fn check() -> Result {
    let sources = sources(&place::root());
    let findings = findings(&sources);
    say(&prose::summary(&sources));
    for Finding { path, line, message } in &findings {
        say(&format!("{path}:{line}: {message}"));
    }
    record::show();
    match findings.len() {
        0 => Ok(()),
        n => Err(Error::new(format!("{n} violations of the style rules: fix the findings above"))),
    }
}

fn findings(sources: &Sources) -> Vec<Finding> {
    let mut all: Vec<_> = RULES.iter().flat_map(|rule| rule(sources)).collect();
    all.sort();
    all
}

fn sources(root: &Path) -> Sources {
    let mut sources = Sources::new();
    for name in LOOKED_AT {
        collect(root, &root.join(name), &mut sources);
    }
    sources
}

fn collect(root: &Path, path: &Path, into: &mut Sources) {
    if path.ends_with(PEER) {
        return;
    }
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|entry| collect(root, &entry.path(), into));
    } else if let (Ok(text), Ok(name)) = (fs::read_to_string(path), path.strip_prefix(root)) {
        into.insert(name.to_string_lossy().into_owned(), text);
    }
}

/// Returns the Rust files.
fn rust(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    sources.iter().filter(|(path, _)| ends(path, "rs")).map(|(p, t)| (p.as_str(), t.as_str()))
}

/// Returns whether a file has this extension.
fn ends(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == ending)
}

/// Returns whether a file belongs only to tests.
fn is_test(path: &str) -> bool {
    path.starts_with("tests/")
        || path.starts_with("crates/store-tests/")
        || path.contains("/tests/")
        || path.ends_with("tests.rs")
}

#[cfg(test)]
fn sources_of(files: &[(&str, &str)]) -> Sources {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_follow_all_rules() {
        let found: Vec<_> = findings(&sources(&place::root()));
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn sources_are_collected() {
        let sources = sources(&place::root());
        assert!(sources.contains_key("xtask/src/tidy.rs") && sources.contains_key("Cargo.toml"));
    }
}
