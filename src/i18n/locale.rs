//! Chooses the locales for the browser's `Intl` objects. Texts that `Intl` generates ("3 hours
//! ago", "March") use the language of the interface. Numbers and dates use the browser's locale,
//! unless the user chooses another language for the interface.

use super::Language;

/// Returns the locale for generated texts: the browser's tag for the language `shown`, since
/// `en-GB` is more precise than `en`.
pub fn text_locale(shown: Language, preferred: &[String]) -> String {
    let matching = preferred.iter().find(|tag| Language::from_tag(tag) == Some(shown));
    matching.cloned().unwrap_or_else(|| shown.code().to_owned())
}

/// Returns the locale for numbers and dates; `None` if the browser names no locale.
pub fn number_locale(
    shown: Language,
    chosen: Option<Language>,
    preferred: &[String],
) -> Option<String> {
    let first = preferred.first();
    let is_theirs = first.and_then(|tag| Language::from_tag(tag)) == Some(shown);
    if chosen == Some(shown) && !is_theirs {
        return Some(text_locale(shown, preferred));
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
        let numbers = number_locale(shown, chosen, &preferred).unwrap_or_default();
        assert_eq!([text_locale(shown, &preferred), numbers], expected);
    }

    #[test]
    fn words_follow_interface_numbers_follow_viewer() {
        check(English, None, &["en-GB", "de"], ["en-GB", "en-GB"]);
        check(German, None, &["de-AT"], ["de-AT", "de-AT"]);
        check(German, None, &["fr-FR", "de-CH"], ["de-CH", "fr-FR"]);
        check(English, None, &["fr-FR"], ["en", "fr-FR"]);
        check(English, None, &[], ["en", ""]);
    }

    #[test]
    fn chosen_language_applies_to_numbers() {
        check(German, Some(German), &["en-US"], ["de", "de"]);
        check(English, Some(English), &["de-DE", "en-GB"], ["en-GB", "en-GB"]);
        check(German, Some(German), &["de-AT", "en"], ["de-AT", "de-AT"]);
        // The chosen language failed to load.
        check(English, Some(German), &["fr-FR"], ["en", "fr-FR"]);
    }
}
