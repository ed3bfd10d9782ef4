//! The style rules as a test: each rule is a pure function from the sources to its findings. Files
//! are never changed.

mod adr_index;
mod classes;
mod code;
mod dependencies;
mod imports;
mod patterns;
mod prose;
mod sizes;
mod ui_texts;
mod untrusted;
mod words;

use std::{collections::BTreeMap, fs, path::Path};

use crate::paths;
use crate::run::{Error, Result, print_line};
use crate::test::record;

/// Files of the repository by their path below its root.
type Sources = BTreeMap<String, Source>;

/// A file.
struct Source {
    text: String,
    /// Code of Rust or CSS, with blanks for comments and strings, and without unit tests. Empty for
    /// other files.
    code: String,
}

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

const RULES: [fn(&Sources) -> Vec<Finding>; 16] = [
    sizes::files_are_short,
    sizes::lines_are_short,
    sizes::modules_have_comments,
    sizes::test_targets_are_known,
    imports::imports_are_acyclic,
    imports::dashboard_layers_point_down,
    dependencies::crates_depend_downwards,
    patterns::forbidden_code_is_absent,
    untrusted::json_is_untrusted,
    words::names_use_standard_terms,
    prose::prose_stays_plain,
    ui_texts::texts_are_in_the_catalogue,
    classes::used_classes_exist,
    classes::styled_classes_are_used,
    classes::rows_do_not_use_empty_selector,
    adr_index::decisions_are_numbered_and_listed,
];

/// The React page of the bench, which follows the style of its own ecosystem.
const REACT_PAGE: &str = "benches/react-list";

/// Checks all rules against all sources, and prints the findings.
pub(crate) fn check_style() -> Result {
    let sources = read_sources(&paths::root())?;
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

fn read_sources(root: &Path) -> Result<Sources> {
    let mut sources = Sources::new();
    for name in CHECKED_PATHS {
        for path in paths::files_below(&root.join(name))? {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            if !name.starts_with(REACT_PAGE)
                && let Ok(text) = fs::read_to_string(&path)
            {
                sources.insert(name.clone(), Source::new(&name, text));
            }
        }
    }
    Ok(sources)
}

impl Source {
    fn new(path: &str, text: String) -> Self {
        let code = match path.rsplit('.').next() {
            Some("rs") => code::rust_code(&text),
            Some("css") => code::css_code(&text),
            _ => String::new(),
        };
        Self { text, code }
    }
}

/// Returns whether a file has this extension.
fn has_extension(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == ending)
}

/// Returns the Rust files.
fn rust_files(sources: &Sources) -> impl Iterator<Item = (&str, &Source)> {
    let files = sources.iter().filter(|(path, _)| has_extension(path, "rs"));
    files.map(|(path, source)| (path.as_str(), source))
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
    let source = |path: &str, text: &str| (path.to_owned(), Source::new(path, text.to_owned()));
    files.iter().map(|(path, text)| source(path, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_follow_all_rules() {
        let sources = read_sources(&paths::root()).unwrap();
        assert!(sources.contains_key("xtask/src/tidy.rs") && sources.contains_key("Cargo.toml"));
        let found = find_violations(&sources);
        assert!(found.is_empty(), "{found:#?}");
    }
}
