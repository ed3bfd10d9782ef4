//! All texts of the interface. Each language is one file. `i18n/en.rs` defines the sections of the
//! catalogue, with the English texts. Every other language has the same sections; a missing text is
//! a compile error. Each section is a function: `i18n::shell().sign_out`.
//!
//! English texts are compiled into the code that shows them, so that the first view does not load
//! texts of other pages. Another language is loaded as one file before the first render. Error
//! messages of the server are not translated.

mod catalog;
pub mod de;
mod en;
mod language;
pub mod locale;
#[cfg(target_arch = "wasm32")]
mod number;
#[cfg(target_arch = "wasm32")]
mod viewer;

pub use catalog::current_language;
pub use en::*;
pub use language::{LANGUAGE_KEY, Language};
#[cfg(target_arch = "wasm32")]
pub use viewer::{load, number_locales, text_locales};

#[cfg(target_arch = "wasm32")]
pub use number::{decimal, normalise_decimal, number, write_decimal};

/// Formats a number without separators. Only the browser can format it by locale.
#[cfg(not(target_arch = "wasm32"))]
fn number(value: u64) -> String {
    value.to_string()
}

/// Returns the parts of a text before and after the placeholder `{}`, for placeholders that are
/// replaced by an element.
pub fn split_at_placeholder(text: &'static str) -> (&'static str, &'static str) {
    text.split_once("{}").unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn around_splits_text_at_placeholder() {
        assert_eq!(split_at_placeholder("In {}."), ("In ", "."));
        assert_eq!(split_at_placeholder("{}"), ("", ""));
        assert_eq!(split_at_placeholder("None"), ("None", ""));
    }

    #[test]
    fn placeholder_exists_in_every_language() {
        let german = &de::TEXTS;
        for text in [
            failures().goes_on_in,
            german.failures.goes_on_in,
            sign_in().no_password,
            german.sign_in.no_password,
        ] {
            assert_eq!(text.matches("{}").count(), 1, "{text}");
        }
    }

    #[test]
    fn german_count_agrees_with_verb() {
        let texts = &de::TEXTS;
        assert_eq!((texts.deletion.deleted)(1), "Einsendung gelöscht");
        assert_eq!((texts.deletion.deleted)(2), "2 Einsendungen gelöscht");
    }
}
