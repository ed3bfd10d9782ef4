//! The catalogue of texts: its sections, and the language that is shown.

use std::sync::OnceLock;

use super::{Language, Texts};

/// A language other than English and its texts, once they are there.
pub(super) static OTHER: OnceLock<(Language, &Texts)> = OnceLock::new();

/// Returns the language that is shown.
pub fn shown() -> Language {
    OTHER.get().map_or(Language::English, |(language, _)| *language)
}

/// Declares the sections of the catalogue with their English texts.
///
/// `name: "text"` is a text as it is; `name(count: u64): expression` is one with something in it,
/// called as `(i18n::section().name)(count)`.
macro_rules! catalogue {
    ($($(#[$doc:meta])+ $section:ident: $Section:ident {
        $($key:ident $(($($argument:ident: $kind:ty),+))?: $text:expr,)+
    })+) => {
        $(
            $(#[$doc])+
            #[expect(missing_docs, reason = "the English texts say what they are")]
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

        /// Every section of a language.
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
