//! Chooses the locales of what the browser's `Intl` writes. Words of its making ("3 hours ago",
//! "March") are in the language of the interface; numbers and dates are as the viewer writes them
//! elsewhere, until they choose a language for the interface that is not the browser's.

use super::Language;

/// Returns how the viewer names the language that is shown: `en-GB` is more than `en`.
pub fn of_words(shown: Language, preferred: &[String]) -> String {
    let same = preferred.iter().find(|tag| Language::of_tag(tag) == Some(shown));
    same.cloned().unwrap_or_else(|| shown.code().to_owned())
}

/// Returns the viewer's own locale; `None` where the browser names none.
pub fn of_numbers(
    shown: Language,
    chosen: Option<Language>,
    preferred: &[String],
) -> Option<String> {
    let first = preferred.first();
    let is_theirs = first.and_then(|tag| Language::of_tag(tag)) == Some(shown);
    if chosen == Some(shown) && !is_theirs {
        return Some(of_words(shown, preferred));
    }
    first.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    use Language::{English, German};

    #[track_caller]
    fn check(shown: Language, chosen: Option<Language>, preferred: &[&str], expected: [&str; 2]) {
        let preferred: Vec<_> = preferred.iter().map(|tag| (*tag).to_owned()).collect();
        let numbers = of_numbers(shown, chosen, &preferred).unwrap_or_default();
        assert_eq!([of_words(shown, &preferred), numbers], expected);
    }

    #[test]
    fn words_are_in_the_language_shown_and_numbers_as_the_viewer_writes_them() {
        check(English, None, &["en-GB", "de"], ["en-GB", "en-GB"]);
        check(German, None, &["de-AT"], ["de-AT", "de-AT"]);
        check(German, None, &["fr-FR", "de-CH"], ["de-CH", "fr-FR"]);
        check(English, None, &["fr-FR"], ["en", "fr-FR"]);
        check(English, None, &[], ["en", ""]);
    }

    #[test]
    fn a_chosen_language_that_is_not_the_first_of_the_browser_holds_for_numbers_too() {
        check(German, Some(German), &["en-US"], ["de", "de"]);
        check(English, Some(English), &["de-DE", "en-GB"], ["en-GB", "en-GB"]);
        check(German, Some(German), &["de-AT", "en"], ["de-AT", "de-AT"]);
        // It was chosen, but did not come.
        check(English, Some(German), &["fr-FR"], ["en", "fr-FR"]);
    }
}
