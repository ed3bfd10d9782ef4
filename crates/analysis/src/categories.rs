//! Categories by rules: each is told by words and phrases that its owner named.
//!
//! Words are compared folded, as the search compares them, and whole. Nothing is inferred: a text
//! without any of the words has no category.

use super::prose::is_ideograph;
use contract::fold::fold;
use contract::insight::{Categories, Category};

/// What tells that a word goes on as it likes: `deliver*`.
const ANY_END: char = '*';

/// The rules of a form, ready to be used on many texts.
pub(super) struct Rules(Vec<(String, Vec<String>)>);

impl Rules {
    /// Returns the rules of categories.
    pub(super) fn new(categories: &Categories) -> Self {
        let rule = |category: &Category| {
            let needles = category.words.iter().map(|word| needle(word));
            (category.name.clone(), needles.collect())
        };
        Self(categories.as_slice().iter().map(rule).collect())
    }

    /// Returns the categories of a text, in the owner's order.
    pub(super) fn categories(&self, text: &str) -> Vec<String> {
        let words = words(text);
        let told = |(_, needles): &&(String, Vec<String>)| {
            needles.iter().any(|needle| words.contains(needle.as_str()))
        };
        self.0.iter().filter(told).map(|(name, _)| name.clone()).collect()
    }
}

/// What is looked for in [`words`]: the spaces around it are where words begin and end.
fn needle(word: &str) -> String {
    let (word, is_open) = match word.trim_end().strip_suffix(ANY_END) {
        Some(word) => (word, true),
        None => (word, false),
    };
    let needle = words(word);
    if word.chars().any(is_ideograph) {
        // No spaces are between words there.
        needle.trim().to_owned()
    } else if is_open {
        needle.trim_end().to_owned()
    } else {
        needle
    }
}

/// The folded words of a text, with one space before, between and behind them.
fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    for c in fold(text).chars() {
        // A mark belongs to the letter before it.
        let is_mark = matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}');
        if c.is_alphanumeric() || is_mark {
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

    fn check(rule: &str, text: &str, is_told: bool) {
        let categories = vec![Category { name: "it".to_owned(), words: vec![rule.to_owned()] }];
        let rules = Rules::new(&categories.try_into().unwrap());
        assert_eq!(!rules.categories(text).is_empty(), is_told, "`{rule}` in `{text}`");
    }

    #[test]
    fn words_are_whole_and_in_any_case() {
        check("price", "The PRICE, please", true);
        check("price", "pricey", false);
        check("price", "half-price!", true);
        check("straße", "In der STRASSE", true);
        check("café", "cafe", false);
    }

    #[test]
    fn a_phrase_is_words_in_a_row() {
        check("too late", "It came TOO\n late.", true);
        check("too late", "too very late", false);
        check("doesn't work", "it doesn't work", true);
        check("doesn't work", "it doesn’t work", true);
    }

    #[test]
    fn a_star_lets_a_word_go_on() {
        check("deliver*", "the delivery", true);
        check("deliver*", "undelivered", false);
        check("liefer* zu spät", "lieferung zu spät", false);
        check("zu spät*", "zu später Stunde", true);
    }

    #[test]
    fn scripts_without_spaces_are_searched_through() {
        check("配達", "昨日の配達が遅い", true);
        check("ส่ง", "การจัดส่งล่าช้า", true);
        check("हिंदी", "यह हिंदी है", true);
    }

    #[track_caller]
    fn usual_are(text: &str, names: &[&str]) {
        assert_eq!(Rules::new(&default_categories()).categories(text), names, "{text}");
    }

    #[test]
    fn the_usual_ones_tell_common_feedback() {
        assert!(default_categories().as_slice().len() >= 10, "the usual ones are not well formed");
        usual_are("The parcel arrived two weeks late", &["delivery"]);
        usual_are("Die Lieferung kam zu spät", &["delivery"]);
        usual_are("Way too expensive, and support never answered", &["support", "pricing"]);
        usual_are("Der Kundendienst war freundlich", &["support"]);
        usual_are("The app crashes when I log in", &["account", "bug", "app"]);
        usual_are("I would like to have a dark mode", &["request"]);
        usual_are("Ich wünsche mir eine Suche", &["request"]);
        usual_are("I want to cancel my subscription", &["billing", "cancellation"]);
        usual_are("Nothing to say", &[]);
    }
}
