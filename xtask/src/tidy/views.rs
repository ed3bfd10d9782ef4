//! Rules for the dashboard: texts are in the catalogue, which has one file per language, and
//! classes are both styled and used.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, RUST, Source, Sources, files_matching, line_of, regex, without_tests};

/// A literal that is for users: it starts like a heading, or has two words in lower case.
const TEXT: &str = r"^\p{Lu}\p{Ll}|(\p{Ll}{2}|\}) \p{Ll}{2}|^\p{Ll}{2,} \{";

/// Literals that look like texts and are not: selectors, keys, browser APIs and commands.
const NOT_TEXT: &str = concat!(
    r"^\.|^Arrow|^Page(Up|Down)$|^sheaf |^cargo ",
    "|^(Backspace|CapsLock|Delete|End|Enter|Escape|Home|Intl|Locale|Sheaf|Tab)$",
);

/// Code directly before a literal that is for programs or developers.
const FOR_PROGRAMS: &str = r"(class|rel|reason) ?=\(?$";

/// Checks that the dashboard has no texts outside of the catalogue.
pub(super) fn texts_are_in_the_catalogue(sources: &Sources) -> Vec<Finding> {
    let [text, not_text, for_programs, catalogue] =
        [TEXT, NOT_TEXT, FOR_PROGRAMS, "^src/i18n"].map(regex);
    let mut findings = Vec::new();
    for (path, source) in views(sources).filter(|(path, _)| !catalogue.is_match(path)) {
        let texts = quoted_literals(&source.text).filter(|literal| {
            text.is_match(literal.text)
                && !not_text.is_match(literal.text)
                && !for_programs.is_match(literal.before)
        });
        findings.extend(texts.map(|literal| {
            let message = format!("move `{:.40}` to `src/i18n/en.rs` and de.rs", literal.text);
            Finding::new(path, literal.line, message)
        }));
    }
    findings
}

/// Checks that every class in an attribute has a rule in `style/`, and that every class with a rule
/// is used: in a literal, an attribute `class:` or the page.
pub(super) fn classes_are_styled_and_used(sources: &Sources) -> Vec<Finding> {
    let [word, attribute] = [r"[\w-]+", r"class:([\w-]+)"].map(regex);
    let styled = styled_classes(sources);
    let mut findings = Vec::new();
    let page = sources.get("index.html").map_or("", |page| page.text.as_str());
    let mut words: BTreeSet<&str> = word.find_iter(page).map(|word| word.as_str()).collect();
    for (path, source) in views(sources) {
        let attributes = attribute.captures_iter(&source.code).filter_map(|found| found.get(1));
        let mut used: Vec<_> = attributes
            .map(|class| (line_of(&source.code, class.start()), class.as_str()))
            .collect();
        for literal in quoted_literals(&source.text) {
            words.extend(word.find_iter(literal.text).map(|word| word.as_str()));
            if literal.before.ends_with(" class=") || literal.before.ends_with(" class=(") {
                used.extend(literal.text.split_whitespace().map(|class| (literal.line, class)));
            }
        }
        words.extend(used.iter().map(|(_, class)| class));
        let unstyled = used.into_iter().filter(|(_, class)| !styled.contains_key(class));
        findings.extend(unstyled.map(|(line, class)| {
            Finding::new(path, line, format!("no rule in style/ for the class `{class}`"))
        }));
    }
    let unused = styled.iter().filter(|(class, _)| !words.contains(*class));
    findings.extend(unused.map(|(class, (path, line))| {
        Finding::new(path, *line, format!("no code in src/ uses the class `{class}`: remove it"))
    }));
    findings
}

fn views(sources: &Sources) -> impl Iterator<Item = (&str, &Source)> {
    files_matching(sources, r"^src/.*\.rs$")
}

/// A quoted string: its line, the text before it on the line, and its contents.
struct Literal<'a> {
    line: usize,
    before: &'a str,
    text: &'a str,
}

/// Returns the quoted strings outside of comments and unit tests, without raw strings.
fn quoted_literals(text: &str) -> impl Iterator<Item = Literal<'_>> {
    let text = without_tests(text);
    let quoted = RUST.find_iter(text).filter(|token| token.as_str().starts_with('"'));
    quoted.map(|token| Literal {
        line: line_of(text, token.start()),
        before: text[..token.start()].rsplit('\n').next().unwrap_or_default().trim_end(),
        text: token.as_str().trim_matches('"'),
    })
}

/// Returns every class with a rule, and the location of its first rule.
fn styled_classes(sources: &Sources) -> BTreeMap<&str, (&str, usize)> {
    let class = regex(r"\.([A-Za-z_][\w-]*)");
    let mut found = BTreeMap::new();
    for (path, source) in files_matching(sources, r"^style/.*css$") {
        for class in class.captures_iter(&source.code).filter_map(|found| found.get(1)) {
            let line = || line_of(&source.code, class.start());
            found.entry(class.as_str()).or_insert_with(|| (path, line()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::check_findings;

    #[test]
    fn texts_in_pages_are_found() {
        let check = |text: &str, count: usize| {
            check_findings(texts_are_in_the_catalogue, &[("src/ui/dialog.rs", text)], count);
        };
        check("<Button>\"Save\"</Button> format!(\"{count} wait\") \"could not load\"", 3);
        check("// \"Save\"\nreason = \"as the other build\" class=\"button icon button\"", 0);
        check("query(\".dialog-body input\") \"Escape\" \"M10 3v9M6 8.5l4 4\" \"{a} – {b}\"", 0);
        check_findings(texts_are_in_the_catalogue, &[("src/i18n/en.rs", "\"Save\"")], 0);
    }

    #[test]
    fn class_without_rule_or_use_is_found() {
        let check = |view: &str, count: usize| {
            let css = ".badge { .icon { width: 1.5rem } } .row:hover { top: .5em } /* .gone */";
            let files = [("style/data.css", css), ("src/ui/badge.rs", view)];
            check_findings(classes_are_styled_and_used, &files, count);
        };
        check("<p class=\"badge row\" class:icon=on/>", 0);
        check("<p class=\"badge raw\"/> // \"row\"\nlet kind = \"wide icon\";", 2);
        check("<p class=\"badge row\" class=(\"rows\", on) class:icons=on/>", 3);
    }
}
