//! Languages of the public pages, from the files in `locales`.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Texts of one language, with placeholders in braces.
#[derive(Debug, Deserialize)]
pub(crate) struct Locale {
    /// Language tag for HTML.
    pub(crate) language: String,
    pub(crate) page: PageTexts,
    /// Texts of the pages that links in e-mails open.
    pub(crate) link: LinkTexts,
    /// Error messages, by the ids of [`Message`](crate::message::Message).
    pub(crate) messages: HashMap<String, String>,
}

/// Texts of the pages, without error messages.
#[derive(Debug, Deserialize)]
pub(crate) struct PageTexts {
    pub(crate) thanks: String,
    pub(crate) received: String,
    /// Followed by a host name.
    pub(crate) back_to: String,
    pub(crate) not_sent: String,
    pub(crate) reason: String,
    /// Label of a reason that is in English only.
    pub(crate) reason_in_english: String,
    pub(crate) go_back: String,
    pub(crate) closed: String,
    pub(crate) closed_text: String,
    /// Contains `{seconds}`.
    pub(crate) wait: String,
}

/// Texts of the pages that links in e-mails open. Those of actions contain `{email}` and `{form}`.
#[derive(Debug, Deserialize)]
pub(crate) struct LinkTexts {
    pub(crate) confirm: String,
    pub(crate) confirm_text: String,
    pub(crate) confirm_button: String,
    pub(crate) confirmed: String,
    pub(crate) confirmed_text: String,
    pub(crate) unsubscribe: String,
    pub(crate) unsubscribe_text: String,
    pub(crate) unsubscribe_button: String,
    pub(crate) unsubscribed: String,
    pub(crate) unsubscribed_text: String,
    pub(crate) invalid: String,
    pub(crate) invalid_text: String,
    pub(crate) unavailable: String,
    pub(crate) unavailable_text: String,
}

static LOCALES: LazyLock<[Locale; 4]> = LazyLock::new(|| {
    [
        include_str!("../locales/en.json"),
        include_str!("../locales/de.json"),
        include_str!("../locales/fr.json"),
        include_str!("../locales/es.json"),
    ]
    .map(|json| serde_json::from_str(json).expect("each file in `locales` is valid"))
});

/// Returns all languages, English first.
#[cfg(test)]
pub(crate) fn all_locales() -> &'static [Locale] {
    &*LOCALES
}

/// Returns English.
pub(crate) fn english_locale() -> &'static Locale {
    &LOCALES[0]
}

/// Returns the language with the highest weight in an `Accept-Language` header, or English if it
/// names no supported language.
pub(crate) fn preferred_locale(accept: &str) -> &'static Locale {
    let mut best = (english_locale(), 0);
    for (name, weight) in parse_weights(accept) {
        let language = name.split('-').next().unwrap_or_default();
        let known = LOCALES.iter().find(|locale| locale.language.eq_ignore_ascii_case(language));
        if let Some(locale) = known
            && weight > best.1
        {
            best = (locale, weight);
        }
    }
    best.0
}

/// Returns the names in an `Accept…` header, each with its weight in thousandths.
pub(crate) fn parse_weights(header: &str) -> impl Iterator<Item = (&str, u16)> {
    header.split(',').map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        (name, weight.map_or(1000, parse_weight))
    })
}

/// Parses a weight such as `0.8` into thousandths. An invalid weight is 0.
fn parse_weight(text: &str) -> u16 {
    let weight = text.parse::<f32>().ok().filter(|weight| (0.0..=1.0).contains(weight));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    weight.map_or(0, |weight| (weight * 1000.0) as u16)
}

/// Replaces each name in braces by its value.
pub(crate) fn render_template(text: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or_default();
        filled.push_str(&value(name));
        filled.push_str(rest);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_with_highest_weight_is_used() {
        for (accept, language) in [
            ("", "en"),
            ("de", "de"),
            ("de-AT,de;q=0.9,en;q=0.8", "de"),
            ("ja,fr;q=0.5,es;q=0.7", "es"),
            ("ja", "en"),
            ("en,de", "en"),
            ("DE;q=0.1", "de"),
            ("de;q=0", "en"),
            ("de;q=x,fr;q=0.2", "fr"),
            (";;;,,,q=1", "en"),
        ] {
            assert_eq!(preferred_locale(accept).language, language, "{accept}");
        }
    }

    #[test]
    fn placeholders_are_replaced_by_values() {
        let value = |name: &str| format!("<{name}>");
        assert_eq!(render_template("{a} and {b}", value), "<a> and <b>");
        assert_eq!(render_template("none", value), "none");
        assert!(all_locales().iter().all(|locale| locale.page.wait.contains("{seconds}")));
    }
}
