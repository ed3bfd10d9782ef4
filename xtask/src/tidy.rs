//! The style rules as a test: each rule is a pure function from the sources to its findings. Files
//! are never changed.

mod files;
mod imports;
mod patterns;
mod views;

use std::{collections::BTreeMap, process::Command, sync::LazyLock};

use anyhow::{Context as _, Result, ensure};
use fs_err as fs;
use regex::{Captures, Regex};

use crate::paths;
use crate::run::{print_line, run_silently};
use crate::test::record;

/// Files of the repository by their path below its root.
type Sources = BTreeMap<String, Source>;

/// A file.
struct Source {
    text: String,
    /// Code of Rust or CSS, with blanks for comments and strings, and without unit tests. Other
    /// files are unchanged.
    code: String,
}

/// Rules. Each returns its violations: the path, the line from 1, and what to do instead.
const RULES: [fn(&Sources) -> Vec<String>; 6] = [
    files::test_targets_are_known,
    files::decisions_are_listed,
    imports::imports_are_acyclic,
    patterns::forbidden_text_is_absent,
    views::texts_are_in_the_catalogue,
    views::classes_are_styled,
];

/// Checks all rules against all sources, and prints the findings.
pub(crate) fn check_style() -> Result<()> {
    let sources = read_sources()?;
    let findings: Vec<_> = RULES.iter().flat_map(|rule| rule(&sources)).collect();
    for finding in &findings {
        print_line(finding);
    }
    record::print_record();
    let count = findings.len();
    ensure!(count == 0, "{count} violations of the style rules: fix the findings above");
    Ok(())
}

/// Reads the files under version control, and new ones.
fn read_sources() -> Result<Sources> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]);
    let names = run_silently(git.current_dir(paths::root()))
        .context("`git ls-files` failed: run this command in a clone of the repository")?;
    // A deleted file is still listed. Fixtures may be binary.
    let read = |name: &str| fs::read_to_string(paths::root().join(name)).ok();
    let source = |name: &str| Some((name.to_owned(), Source::new(name, read(name)?)));
    Ok(names.lines().filter_map(source).collect())
}

impl Source {
    fn new(path: &str, text: String) -> Self {
        let blank = |c| if c == '\n' { c } else { ' ' };
        let blanks = |token: &Captures<'_>| token[0].chars().map(blank).collect::<String>();
        let code = match path.rsplit('.').next() {
            Some("rs") => RUST.replace_all(without_tests(&text), blanks).into_owned(),
            Some("css") => CSS.replace_all(&text, blanks).into_owned(),
            _ => text.clone(),
        };
        Self { text, code }
    }
}

/// Comments, strings and characters of Rust. `\x22` is a quotation mark.
static RUST: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?s)//[^\n]*|/\*.*?\*/",
        r"|\bb?r(##\x22.*?\x22##|#\x22.*?\x22#|\x22[^\x22]*\x22)",
        r"|\x22(\\.|[^\x22\\])*\x22",
        r"|'(\\.[^'\n]*|[^'\\\n])'",
    ))
});
/// Comments and strings of style sheets.
static CSS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)/\*.*?\*/|\x22[^\x22]*\x22"));

/// Compiles a pattern. Its word boundaries are those of ASCII, which are much faster to find.
fn regex(pattern: &str) -> Regex {
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).expect("the pattern is part of the program")
}

/// Returns the part of a file before its unit tests.
fn without_tests(text: &str) -> &str {
    let tests = text.find("#[cfg(test)]\nmod ").or_else(|| text.find("#[cfg(all(test"));
    tests.map_or(text, |at| &text[..at])
}

/// Returns the line of a position, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Returns the files whose path matches a pattern and that do not belong only to tests.
fn files_matching<'a>(
    sources: &'a Sources,
    pattern: &str,
) -> impl Iterator<Item = (&'a str, &'a Source)> + use<'a> {
    let [pattern, tests] = [pattern, "^tests/|^crates/store-tests/|/tests/|tests.rs$"].map(regex);
    let files = sources.iter().map(|(path, source)| (path.as_str(), source));
    files.filter(move |(path, _)| pattern.is_match(path) && !tests.is_match(path))
}

/// Asserts the number of findings of a rule in some files.
#[cfg(test)]
#[track_caller]
fn check_findings(rule: fn(&Sources) -> Vec<String>, files: &[(&str, &str)], count: usize) {
    let source = |path: &str, text: &str| (path.to_owned(), Source::new(path, text.to_owned()));
    let sources = files.iter().map(|(path, text)| source(path, text)).collect();
    let findings = rule(&sources);
    assert_eq!(findings.len(), count, "{files:?}: {findings:?}");
}
