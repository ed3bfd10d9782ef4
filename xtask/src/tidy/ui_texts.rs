//! Checks that all texts of the user interface are in the catalogue, which has one file per
//! language. A literal counts as a text if it starts like a heading, or if it has several parts and
//! one of them is a word.

use super::{Finding, Sources, code, is_test, rust_files};

/// Folder of the catalogue.
const CATALOGUE: &str = "src/i18n";

/// Literals that look like texts and are not: product names, key names, names of browser APIs, and
/// values for programs.
const NAMES: [&str; 20] = [
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "Backspace",
    "CapsLock",
    "Delete",
    "End",
    "Enter",
    "Escape",
    "Home",
    "Intl",
    "Locale",
    "PageDown",
    "PageUp",
    "Sheaf",
    "Tab",
    "minmax({width_px}px, {share}fr)",
    "sheaf account sign-in-link",
    "sheaf import --form {id} --csv answers.csv",
];

/// Element names that make a literal a CSS selector if all its parts are such names or have a sign,
/// such as `.` or `[`.
const ELEMENTS: [&str; 8] = ["a", "abbr", "button", "input", "label", "select", "textarea", "time"];

/// Code directly before a literal that is not for users but for programs or developers.
const FOR_PROGRAMS: [&str; 4] = ["class=", "class =", "rel=", "reason ="];

/// A literal that starts like a heading or a sentence.
const TITLE: &str = r"^\p{Lu}\p{Ll}";
/// A part of a literal that is a word.
const WORD: &str = r"(^|\s)[[:punct:]&&[^{}/-]]*[\p{Ll}’']{2,}[[:punct:]&&[^{}/-]]*(\s|$)";

/// Checks that the dashboard has no texts outside of the catalogue.
pub(super) fn texts_are_in_the_catalogue(sources: &Sources) -> Vec<Finding> {
    let is_checked =
        |path: &str| path.starts_with("src/") && !path.starts_with(CATALOGUE) && !is_test(path);
    let [title, word] = [TITLE, WORD].map(code::regex);
    let is_text = |text: &str| {
        let has_parts = text.split_whitespace().count() > 1;
        title.is_match(text) || has_parts && word.is_match(text)
    };
    let mut findings = Vec::new();
    for (path, source) in rust_files(sources).filter(|(path, _)| is_checked(path)) {
        for literal in code::quoted_literals(code::without_tests(&source.text)) {
            let before = literal.before.trim_end();
            let for_programs = FOR_PROGRAMS.iter().any(|word| before.ends_with(word));
            let is_name = NAMES.contains(&literal.text) || is_selector(literal.text);
            if !for_programs && !is_name && is_text(literal.text) {
                let message = format!(
                    "`{:.40}` looks like a text: move it to `src/i18n/en.rs` and the other languages",
                    literal.text
                );
                findings.push(Finding::new(path, literal.line, message));
            }
        }
    }
    findings
}

/// Returns whether a literal is a CSS selector, such as `.dialog-body :is(input, select)`.
fn is_selector(literal: &str) -> bool {
    let mut parts = literal.split([' ', ',']).filter(|part| !part.is_empty());
    let has_sign = |part: &str| part.starts_with(['.', '[', ':', '#']);
    let is_element = |part: &str| {
        let end = part.find(['.', '[', ':', '#']).unwrap_or(part.len());
        ELEMENTS.contains(&&part[..end])
    };
    has_sign(literal) || parts.all(|part| has_sign(part) || is_element(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[track_caller]
    fn check(path: &str, text: &str, found: usize) {
        let findings = texts_are_in_the_catalogue(&sources_of(&[(path, text)]));
        assert_eq!(findings.len(), found, "{path}: {text}: {findings:?}");
    }

    #[test]
    fn texts_in_pages_are_found() {
        let page = "src/pages/forms.rs";
        check(page, r#"view! { <Button>"Save"</Button> }"#, 1);
        check(page, r#"aria-label="Main navigation""#, 1);
        check(page, r#"format!("{} of {}", a, b)"#, 1);
        check(page, r#"format!("{count} wait")"#, 1);
        check(page, r#"the("part", "could not be loaded")"#, 1);
        check(page, "\"Straße\"\n\"Ärger\"", 2);
        check("src/i18n/en.rs", r#"save: "Save""#, 0);
        check("crates/sheaf/src/main.rs", r#""Save""#, 0);
        check(page, "// \"Save\"\n#[cfg(test)]\nmod tests { \"Save\" }", 0);
    }

    #[test]
    fn literals_for_programs_are_ignored() {
        let page = "src/ui/dialog.rs";
        check(page, r#"<div class="button icon-button" id="menu" d="M10 3v9M6 8.5l4 4">"#, 0);
        check(page, r#"#[expect(dead_code, reason = "as the other build")]"#, 0);
        check(page, r#"matches("input, textarea, select, [contenteditable]")"#, 0);
        check(page, r#"matches("input:not([type=checkbox]), textarea")"#, 0);
        check(page, r#"query(".dialog-body :is(input, select)")"#, 0);
        check(page, r#"if key == "Escape" || key == "j" { "true" }"#, 0);
        check(page, r#"format!("{first} – {last}") + "," + "utm_source=x" + "UTC""#, 0);
    }
}
