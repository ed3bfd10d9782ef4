//! Names use the standard terms of the field: one noun for each concept. The list has words that
//! have another common meaning, and private words that say nothing to a reader from outside.

use super::{Finding, Sources, code, is_test, rust_files};

/// Words that a name must not contain, with the term to use where there is one.
const BANNED: &[(&str, &str)] =
    &[("survey", "form"), ("tenant", "account"), ("tier", "plan"), ("apisecret", "secret")];

/// Words of names that mean nothing outside of this project. Tests are checked for them too.
const PRIVATE: &[&str] = &[
    "arrive", "arrived", "calm", "desk", "habits", "heralded", "judge", "lobby", "noting",
    "patience", "picture", "portion", "purses", "sheet", "shelf", "squeeze", "stretch", "told",
    "tray", "veil",
];

/// Reports names that contain a banned or a private word.
pub(super) fn names_use_standard_terms(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in rust_files(sources) {
        for (at, line) in code::rust_code_and_tests(&source.text).lines().enumerate() {
            for name in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                if let Some(message) = problem(name, is_test(path)) {
                    findings.push(Finding::new(path, at + 1, message));
                }
            }
        }
    }
    findings
}

/// Describes the first word of `name` that must not be used.
fn problem(name: &str, in_test: bool) -> Option<String> {
    let words = words(name);
    let has = |term: &str| {
        let is = |word: &str| word == term || word.strip_suffix('s') == Some(term);
        words.iter().any(|word| is(word)) || words.windows(2).any(|pair| is(&pair.concat()))
    };
    if let Some((term, instead)) = BANNED.iter().find(|(term, _)| !in_test && has(term)) {
        return Some(format!("`{name}` contains `{term}`: use `{instead}`"));
    }
    let term = PRIVATE.iter().find(|term| has(term))?;
    Some(format!("`{name}` contains `{term}`: use a standard term of `docs/STYLE.md`"))
}

/// The words of a name, in lower case: `ApiKey`, `api_key` and `API_KEY` are the same two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        after_lower = c.is_lowercase();
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::sources_of;

    #[track_caller]
    fn check(path: &str, text: &str, found: usize) {
        let findings = names_use_standard_terms(&sources_of(&[(path, text)]));
        assert_eq!(findings.len(), found, "{text}: {findings:?}");
    }

    #[test]
    fn banned_word_is_found_in_every_spelling() {
        check("src/a.rs", "struct SurveyRow;", 1);
        check("src/a.rs", "let open_surveys = 1;", 1);
        check("src/a.rs", "const TIER: u8 = 1;", 1);
        check("src/a.rs", "let api_secret = 1;", 1);
        check("src/a.rs", "let frontier = 1;", 0);
        check("src/a.rs", "// a survey\nlet field = \"survey\";", 0);
    }

    #[test]
    fn private_word_is_found_in_tests_too() {
        check("tests/it/a.rs", "fn desk_is_open() {}", 1);
        check("src/a.rs", "struct TrayView;", 1);
        check("src/a.rs", "let stylesheet = worksheet();", 0);
    }
}
