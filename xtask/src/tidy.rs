//! The style rules as a test: each rule is a pure function from the sources to its findings. Files
//! are never changed.

mod adr_index;
mod code;
mod import_cycles;
mod layering;
mod network;
mod prose;
mod sizes;
mod stylesheets;
mod ui_texts;
mod words;

use std::{collections::BTreeMap, fs, path::Path};

use crate::paths;
use crate::run::{Error, Result, print_line};
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
const CHECKED_PATHS: [&str; 11] = [
    "CHANGELOG.md",
    "Cargo.toml",
    "README.md",
    "benches",
    "crates",
    "docs",
    "index.html",
    "src",
    "style",
    "tests",
    "xtask",
];

const RULES: [fn(&Sources) -> Vec<Finding>; 19] = [
    sizes::files_are_short,
    sizes::functions_are_short,
    sizes::lines_are_short,
    sizes::modules_have_comments,
    sizes::test_targets_are_known,
    import_cycles::imports_are_acyclic,
    layering::crates_depend_downwards,
    layering::restricted_words_stay_in_allowed_files,
    layering::pages_do_not_import_each_other,
    layering::dashboard_layers_point_down,
    network::json_is_untrusted,
    words::names_use_standard_terms,
    prose::prose_stays_plain,
    ui_texts::texts_are_in_the_catalogue,
    stylesheets::colours_are_tokens,
    stylesheets::rows_do_not_use_empty_selector,
    stylesheets::used_classes_exist,
    stylesheets::styled_classes_are_used,
    adr_index::decisions_are_numbered_and_listed,
];

/// The React page of the bench, which follows the style of its own ecosystem.
const REACT_PAGE: &str = "benches/react-list";

/// Checks all rules against all sources, and prints the findings.
pub(crate) fn check_style() -> Result {
    let sources = read_sources(&paths::root());
    let findings = find_violations(&sources);
    print_line(&prose::summary(&sources));
    for Finding { path, line, message } in &findings {
        print_line(&format!("{path}:{line}: {message}"));
    }
    record::print_record();
    match findings.len() {
        0 => Ok(()),
        n => Err(Error::new(format!("{n} violations of the style rules: fix the findings above"))),
    }
}

fn find_violations(sources: &Sources) -> Vec<Finding> {
    let mut all: Vec<_> = RULES.iter().flat_map(|rule| rule(sources)).collect();
    all.sort();
    all
}

fn read_sources(root: &Path) -> Sources {
    let mut sources = Sources::new();
    for name in CHECKED_PATHS {
        collect_sources(root, &root.join(name), &mut sources);
    }
    sources
}

fn collect_sources(root: &Path, path: &Path, into: &mut Sources) {
    if path.ends_with(REACT_PAGE) {
        return;
    }
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|entry| collect_sources(root, &entry.path(), into));
    } else if let (Ok(text), Ok(name)) = (fs::read_to_string(path), path.strip_prefix(root)) {
        into.insert(name.to_string_lossy().into_owned(), text);
    }
}

/// Returns the Rust files.
fn rust_files(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    sources
        .iter()
        .filter(|(path, _)| has_extension(path, "rs"))
        .map(|(p, t)| (p.as_str(), t.as_str()))
}

/// Returns whether a file has this extension.
fn has_extension(path: &str, ending: &str) -> bool {
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
        let found: Vec<_> = find_violations(&read_sources(&paths::root()));
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn sources_are_collected() {
        let sources = read_sources(&paths::root());
        assert!(sources.contains_key("xtask/src/tidy.rs") && sources.contains_key("Cargo.toml"));
    }
}
