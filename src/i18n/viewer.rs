//! Which language the interface speaks: the one that the viewer chose, else the first of the
//! browser's that there is. The choice is kept in the browser's storage. `public/first.js` finds
//! the same before the first paint.

use js_sys::{Array, Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{
    LANGUAGE_KEY, Language, Texts,
    catalog::OTHER,
    de,
    locale::{of_numbers, of_words},
    shown,
};
use crate::ui::lazy::ChunkLoadError;

/// Fetches the texts of the viewer's language. Where they do not come, the interface is English.
pub async fn load() {
    let language = Language::of_viewer();
    let texts = match language {
        Language::English => return,
        Language::German => german().await,
    };
    match texts {
        // Set once for as long as the page lives: another choice loads the page anew.
        Ok(texts) => drop(OTHER.set((language, texts))),
        Err(ChunkLoadError) => Language::English.mark(),
    }
}

#[cfg(split)]
#[leptos::wasm_split::wasm_split(german, wasm_split_path = ::leptos::wasm_split, fallible)]
fn german() -> Result<&'static Texts, ChunkLoadError> {
    Ok(&de::TEXTS)
}

#[cfg(not(split))]
#[expect(clippy::unused_async, reason = "as where the build splits")]
async fn german() -> Result<&'static Texts, ChunkLoadError> {
    Ok(&de::TEXTS)
}

impl Language {
    /// Returns what the viewer chose, if anything.
    pub fn chosen() -> Option<Self> {
        let kept =
            window().local_storage().ok().flatten()?.get_item(LANGUAGE_KEY).ok().flatten()?;
        Self::of_tag(&kept)
    }

    /// Returns what the viewer chose, else the first of the browser's languages that there is.
    pub fn of_viewer() -> Self {
        let preferred = || preferred().iter().find_map(|tag| Self::of_tag(tag));
        Self::chosen().or_else(preferred).unwrap_or_default()
    }

    /// Keeps what the viewer chose, `None` for what the browser says, and begins anew with it.
    pub fn choose(choice: Option<Self>) {
        // A browser may refuse storage: then there is no choice.
        if let Ok(Some(storage)) = window().local_storage() {
            let _ = match choice {
                Some(language) => storage.set_item(LANGUAGE_KEY, language.code()),
                None => storage.remove_item(LANGUAGE_KEY),
            };
        }
        // Refused only in a document that is being left.
        let _ = window().location().reload();
    }

    /// Says on the root element that the page is in this language.
    fn mark(self) {
        if let Some(root) = document().document_element() {
            // `lang` is a valid attribute name, the only thing that could be refused.
            let _ = root.set_attribute("lang", self.code());
        }
    }
}

/// Returns the tags of the browser's languages, the one it likes best first.
fn preferred() -> Vec<String> {
    window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect()
}

/// Returns the locales, for a constructor of `Intl`, of what is made of words.
pub fn words() -> Array {
    locales(Some(of_words(shown(), &preferred())))
}

/// Returns the locales, for a constructor of `Intl`, of numbers and dates.
pub fn numbers() -> Array {
    locales(of_numbers(shown(), Language::chosen(), &preferred()))
}

/// Returns the locale as `Intl` takes it. It throws for what is no locale, like `en-US@posix`, and
/// a throw ends the page: then it is the browser's own.
fn locales(tag: Option<String>) -> Array {
    let known = |tag: String| {
        let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
        let check = Reflect::get(&intl, &"getCanonicalLocales".into()).ok()?;
        let locales = check.dyn_into::<Function>().ok()?.call1(&intl, &tag.into()).ok()?;
        locales.dyn_into::<Array>().ok()
    };
    tag.and_then(known).unwrap_or_default()
}
