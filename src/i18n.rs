//! Every text of the interface. A language is one file. `i18n/en.rs` names the texts, in sections,
//! and has them in English. Each other file has the same in its language; if one is missing, it
//! does not compile. A section is a function: `i18n::shell().sign_out`.
//!
//! English is part of the code that shows it, so that a first view brings no text of other pages.
//! Another language comes whole, as a file of its own, before anything is shown. What a server says
//! in its errors stays in the server's words.

mod catalog;
pub mod de;
mod en;
mod language;
pub mod locale;
#[cfg(target_arch = "wasm32")]
mod number;
#[cfg(target_arch = "wasm32")]
mod viewer;

pub use catalog::shown;
pub use en::*;
pub use language::{LANGUAGE_KEY, Language};
#[cfg(target_arch = "wasm32")]
pub use viewer::{load, numbers, words};

#[cfg(target_arch = "wasm32")]
pub use number::number;

/// Returns a number as it is: only the browser knows how people write it.
#[cfg(not(target_arch = "wasm32"))]
fn number(value: u64) -> String {
    value.to_string()
}

/// Returns what stands before and behind the place `{}` of a text, where the page puts something
/// else than text.
pub fn around(text: &'static str) -> (&'static str, &'static str) {
    text.split_once("{}").unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_told_around_its_place() {
        assert_eq!(around("In {}."), ("In ", "."));
        assert_eq!(around("{}"), ("", ""));
        assert_eq!(around("None"), ("None", ""));
    }

    #[test]
    fn the_place_for_something_else_is_in_every_language() {
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
    fn a_german_count_agrees_with_its_verb() {
        let texts = &de::TEXTS;
        assert_eq!((texts.deletion.deleted)(1), "Einsendung gelöscht");
        assert_eq!((texts.deletion.deleted)(2), "2 Einsendungen gelöscht");
    }
}
