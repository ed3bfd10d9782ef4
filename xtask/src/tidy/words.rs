//! The words of the house: one noun for each thing. Only those words are refused that never have
//! another honest meaning in code.

use super::{Finding, Sources, code, is_test, rust};

/// What is not said, and what is said instead.
const BANNED: [(&str, &str); 4] =
    [("survey", "form"), ("tenant", "account"), ("tier", "plan"), ("apisecret", "secret")];

/// No name in the code contains a banned word.
pub(super) fn banned_words_are_not_said(sources: &Sources) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in rust(sources).filter(|(path, _)| !is_test(path)) {
        for (at, line) in code::code(code::without_tests(text)).lines().enumerate() {
            for name in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                if let Some((banned, instead)) = banned(name) {
                    let message = format!("`{name}` says `{banned}`: we say `{instead}`");
                    findings.push(Finding::new(path, at + 1, message));
                }
            }
        }
    }
    findings
}

fn banned(name: &str) -> Option<(&'static str, &'static str)> {
    let words = words(name);
    let says = |banned: &str| {
        let is = |word: &str| word == banned || word.strip_suffix('s') == Some(banned);
        words.iter().any(|word| is(word)) || words.windows(2).any(|pair| is(&pair.concat()))
    };
    BANNED.into_iter().find(|(banned, _)| says(banned))
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

    #[test]
    fn a_banned_word_is_found_in_every_spelling() {
        let check = |text: &str, found: usize| {
            let findings = banned_words_are_not_said(&sources_of(&[("src/a.rs", text)]));
            assert_eq!(findings.len(), found, "{text}: {findings:?}");
        };
        check("struct SurveyRow;", 1);
        check("let open_surveys = 1;", 1);
        check("const TIER: u8 = 1;", 1);
        check("let api_secret = 1;", 1);
        check("let frontier = 1;", 0);
        check("// a survey\nlet field = \"survey\";", 0);
    }
}
