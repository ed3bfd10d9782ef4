//! Rules for the dashboard: texts are in the catalogue, which has one file per language, and
//! classes have a rule.

use std::collections::BTreeSet;

use super::{RUST, Sources, files_matching, line_of, regex, without_tests};

/// A literal that is for users: it starts like a heading, or has two words in lower case.
const TEXT: &str = r"^\p{Lu}\p{Ll}|(\p{Ll}{2}|\}) \p{Ll}{2}|^\p{Ll}{2,} \{";

/// Literals that look like texts and are not: selectors, keys, browser APIs and commands.
const NOT_TEXT: &str = concat!(
    r"^\.|^Arrow|^Page(Up|Down)$|^sheaf |^cargo ",
    "|^(Backspace|CapsLock|Delete|End|Enter|Escape|Home|Intl|Locale|Sheaf|Tab)$",
);

/// Code directly before a literal that is for programs or developers.
const FOR_PROGRAMS: &str = r"(class|rel|reason) ?=\(?$";

/// Files of the dashboard.
const VIEWS: &str = r"^src/.*\.rs$";

/// Checks that the dashboard has no texts outside of the catalogue.
pub(super) fn texts_are_in_the_catalogue(sources: &Sources) -> Vec<String> {
    let [text, not_text, for_programs, catalogue] =
        [TEXT, NOT_TEXT, FOR_PROGRAMS, "^src/i18n"].map(regex);
    let mut findings = Vec::new();
    for (path, source) in
        files_matching(sources, VIEWS).filter(|(path, _)| !catalogue.is_match(path))
    {
        let texts = quoted_literals(&source.text).filter(|literal| {
            text.is_match(literal.text)
                && !not_text.is_match(literal.text)
                && !for_programs.is_match(literal.before)
        });
        findings.extend(texts.map(|Literal { line, text, .. }| {
            format!("{path}:{line}: move `{text:.40}` to `src/i18n/en.rs` and de.rs")
        }));
    }
    findings
}

/// Checks that every class in an attribute has a rule in `style/`.
pub(super) fn classes_are_styled(sources: &Sources) -> Vec<String> {
    let [rule, attribute] = [r"\.([A-Za-z_][\w-]*)", r" class:([\w-]+)"].map(regex);
    let styled: BTreeSet<&str> = files_matching(sources, "^style/")
        .flat_map(|(_, source)| rule.captures_iter(&source.code))
        .filter_map(|found| found.get(1).map(|class| class.as_str()))
        .collect();
    let mut findings = Vec::new();
    for (path, source) in files_matching(sources, VIEWS) {
        let attributes = attribute.captures_iter(&source.code).filter_map(|found| found.get(1));
        let attributes =
            attributes.map(|class| (line_of(&source.code, class.start()), class.as_str()));
        let literals = quoted_literals(&source.text).filter(|literal| {
            literal.before.ends_with(" class=") || literal.before.ends_with(" class=(")
        });
        let classes = literals.flat_map(|Literal { line, text, .. }| {
            text.split_whitespace().map(move |class| (line, class))
        });
        let unstyled = attributes.chain(classes).filter(|(_, class)| !styled.contains(class));
        findings.extend(unstyled.map(|(line, class)| {
            format!("{path}:{line}: no rule in style/ for the class `{class}`")
        }));
    }
    findings
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
    fn class_without_rule_is_found() {
        let check = |view: &str, count: usize| {
            let css = ".badge { .icon { width: 1.5rem } } .row:hover { top: .5em } /* .gone */";
            let files = [("style/data.css", css), ("src/ui/badge.rs", view)];
            check_findings(classes_are_styled, &files, count);
        };
        check("<p class=\"badge row\" class:icon=on/> // class=\"none\"", 0);
        check("<p class=\"badge gone\" class=(\"rows\", on) class:icons=on/>", 3);
    }
}
