//! The catalogue of texts: its sections, and the current language.

use std::sync::OnceLock;

use super::{Language, Texts};

/// The current language and its texts, once loaded, if the language is not English.
pub(super) static OTHER: OnceLock<(Language, &Texts)> = OnceLock::new();

/// Returns the current language.
pub fn current_language() -> Language {
    OTHER.get().map_or(Language::English, |(language, _)| *language)
}

/// Declares the sections of the catalogue with their English texts.
///
/// `name: "text"` declares a constant text; `name(count: u64): expression` one with parameters,
/// called as `(i18n::section().name)(count)`.
macro_rules! catalogue {
    ($($(#[$doc:meta])+ $section:ident: $Section:ident {
        $($key:ident $(($($argument:ident: $kind:ty),+))?: $text:expr,)+
    })+) => {
        $(
            $(#[$doc])+
            #[expect(missing_docs, reason = "the English texts document the fields")]
            #[derive(Debug)]
            pub struct $Section {
                $(pub $key: catalogue!(@kind $(($($kind),+))?),)+
            }

            $(#[$doc])+
            pub fn $section() -> &'static $Section {
                static ENGLISH: $Section = $Section {
                    $($key: catalogue!(@text $(($($argument: $kind),+))? $text),)+
                };
                $crate::i18n::catalog::OTHER.get().map_or(&ENGLISH, |(_, texts)| &texts.$section)
            }
        )+

        /// All sections of one language.
        #[derive(Debug)]
        pub struct Texts {
            $($(#[$doc])+ pub $section: $Section,)+
        }
    };
    (@kind) => { &'static str };
    (@kind ($($kind:ty),+)) => { fn($($kind),+) -> String };
    (@text ($($argument:ident: $kind:ty),+) $text:expr) => { |$($argument: $kind),+| $text };
    (@text $text:expr) => { $text };
}
pub(super) use catalogue;
