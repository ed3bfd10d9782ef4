//! Keyword rules for categories: a category applies if the text contains one of its words or
//! phrases.
//!
//! Words are compared case-folded, as in the search, and as whole words; a `*` at the end stands
//! for any suffix. A text can have any number of categories.

use super::prose::is_ideograph;
use contract::fold::fold;
use contract::insight::{Categories, Category};

/// Suffix wildcard, as in `deliver*`.
const WILDCARD: char = '*';

/// Prepared rules of a form, for use on many texts: category names with their prepared keywords.
pub(super) struct CategoryRules(Vec<(String, Vec<String>)>);

impl CategoryRules {
    /// Prepares the rules of categories.
    pub(super) fn new(categories: &Categories) -> Self {
        let rule = |category: &Category| {
            let needles = category.words.iter().map(|word| prepare_keyword(word));
            (category.name.clone(), needles.collect())
        };
        Self(categories.as_slice().iter().map(rule).collect())
    }

    /// Returns the categories of a text, in the form's order.
    pub(super) fn match_categories(&self, text: &str) -> Vec<String> {
        let words = normalise_words(text);
        let matches = |(_, needles): &&(String, Vec<String>)| {
            needles.iter().any(|needle| words.contains(needle.as_str()))
        };
        self.0.iter().filter(matches).map(|(name, _)| name.clone()).collect()
    }
}

/// Returns the text to search for in the result of [`normalise_words`]. Its spaces mark word
/// boundaries.
fn prepare_keyword(word: &str) -> String {
    let (word, has_wildcard) = match word.trim_end().strip_suffix(WILDCARD) {
        Some(word) => (word, true),
        None => (word, false),
    };
    let needle = normalise_words(word);
    if word.chars().any(is_ideograph) {
        // These scripts have no spaces between words, so the keyword may occur anywhere.
        needle.trim().to_owned()
    } else if has_wildcard {
        needle.trim_end().to_owned()
    } else {
        needle
    }
}

/// Returns the folded words of a text without punctuation, with one space before, between and after
/// them.
fn normalise_words(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    for c in fold(text).chars() {
        // A combining mark belongs to the letter before it. The second range is the Indic scripts.
        let is_mark = matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}');
        // The danda and the double danda of that range end a sentence.
        let is_danda = matches!(c, '\u{964}' | '\u{965}');
        if c.is_alphanumeric() || (is_mark && !is_danda) {
            words.push(c);
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::insight::default_categories;

    fn check(rule: &str, text: &str, is_match: bool) {
        let categories = vec![Category { name: "it".to_owned(), words: vec![rule.to_owned()] }];
        let rules = CategoryRules::new(&categories.try_into().unwrap());
        assert_eq!(!rules.match_categories(text).is_empty(), is_match, "`{rule}` in `{text}`");
    }

    #[test]
    fn keyword_matches_whole_word_in_any_case() {
        check("price", "The PRICE, please", true);
        check("price", "pricey", false);
        check("price", "half-price!", true);
        check("straße", "In der STRASSE", true);
        check("café", "cafe", false);
    }

    #[test]
    fn phrase_matches_consecutive_words() {
        check("too late", "It came TOO\n late.", true);
        check("too late", "too very late", false);
        check("doesn't work", "it doesn't work", true);
        check("doesn't work", "it doesn’t work", true);
    }

    #[test]
    fn star_matches_any_suffix() {
        check("deliver*", "the delivery", true);
        check("deliver*", "undelivered", false);
        check("liefer* zu spät", "lieferung zu spät", false);
        check("zu spät*", "zu später Stunde", true);
    }

    #[test]
    fn keyword_matches_inside_scripts_without_spaces() {
        check("配達", "昨日の配達が遅い", true);
        check("ส่ง", "การจัดส่งล่าช้า", true);
        check("हिंदी", "यह हिंदी है", true);
        check("हिंदी", "यह हिंदी।", true);
    }

    #[track_caller]
    fn assert_default_categories(text: &str, names: &[&str]) {
        assert_eq!(
            CategoryRules::new(&default_categories()).match_categories(text),
            names,
            "{text}"
        );
    }

    #[test]
    fn default_categories_match_common_feedback() {
        assert!(default_categories().as_slice().len() >= 10, "the default categories are invalid");
        assert_default_categories("The parcel arrived two weeks late", &["delivery"]);
        assert_default_categories("Die Lieferung kam zu spät", &["delivery"]);
        assert_default_categories(
            "Way too expensive, and support never answered",
            &["support", "pricing"],
        );
        assert_default_categories("Der Kundendienst war freundlich", &["support"]);
        assert_default_categories("The app crashes when I log in", &["account", "bug", "app"]);
        assert_default_categories("I would like to have a dark mode", &["request"]);
        assert_default_categories("Ich wünsche mir eine Suche", &["request"]);
        assert_default_categories("I want to cancel my subscription", &["billing", "cancellation"]);
        assert_default_categories("Nothing to say", &[]);
    }
}
