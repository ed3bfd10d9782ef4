//! Every text of the interface. A language is one file: `texts/en.rs` names the texts, in sections,
//! and has them in English; each other file has the same in its language, and the compiler sees to
//! it that none is missing. A section is asked for by its name: `texts::shell().sign_out`.
//!
//! English is part of the code that shows it, so that a first view brings no text of other pages.
//! Another language comes whole, as a file of its own, before anything is shown. What a server says
//! in its errors stays in the server's words.

mod de;
mod en;
mod language;

use std::sync::OnceLock;

pub use en::*;
pub use language::{LANGUAGE_KEY, Language};

use crate::ui::later::Missing;

/// The texts of a language other than English, once they are there.
static OTHER: OnceLock<&Texts> = OnceLock::new();

/// Fetches the texts of the viewer's language. Where they do not come, the interface is English.
pub async fn load() {
    let texts = match Language::of_viewer() {
        Language::English => return,
        Language::German => german().await,
    };
    if let Ok(texts) = texts {
        // Set once for as long as the page lives: another choice loads the page anew.
        let _ = OTHER.set(texts);
    }
}

#[cfg(split)]
#[leptos::wasm_split::wasm_split(german, wasm_split_path = ::leptos::wasm_split, fallible)]
fn german() -> Result<&'static Texts, Missing> {
    Ok(&de::TEXTS)
}

#[cfg(not(split))]
#[expect(clippy::unused_async, reason = "as where the build splits")]
async fn german() -> Result<&'static Texts, Missing> {
    Ok(&de::TEXTS)
}

/// Declares the sections of the catalogue with their English texts.
///
/// `name: "text"` is a text as it is; `name(count: u64): expression` is one with something in it,
/// called as `(texts::section().name)(count)`.
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
                $crate::texts::OTHER.get().map_or(&ENGLISH, |texts| &texts.$section)
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
use catalogue;
