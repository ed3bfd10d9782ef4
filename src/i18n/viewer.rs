//! Language of the interface: the user's choice, else the first supported language of the browser.
//! The choice is stored in the browser. `public/first.js` determines the same language before the
//! first paint.

use js_sys::{Array, Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{
    LANGUAGE_KEY, Language, Texts,
    catalog::OTHER,
    current_language, de,
    locale::{number_locale, text_locale},
};
use crate::ui::{
    lazy::ChunkLoadError,
    storage::{read_storage, write_storage},
};

/// Loads the texts of the viewer's language. If loading fails, the interface is English.
pub async fn load() {
    let language = Language::from_viewer();
    let texts = match language {
        Language::English => return,
        Language::German => german().await,
    };
    match texts {
        // Set once per page: choosing another language reloads the page.
        Ok(texts) => drop(OTHER.set((language, texts))),
        Err(ChunkLoadError) => Language::English.set_document_language(),
    }
}

#[cfg(split)]
#[leptos::wasm_split::wasm_split(german, wasm_split_path = ::leptos::wasm_split, fallible)]
fn german() -> Result<&'static Texts, ChunkLoadError> {
    Ok(&de::TEXTS)
}

#[cfg(not(split))]
#[expect(clippy::unused_async, reason = "same signature as in a split build")]
async fn german() -> Result<&'static Texts, ChunkLoadError> {
    Ok(&de::TEXTS)
}

impl Language {
    /// Returns the language that the user chose, if any.
    pub fn stored_choice() -> Option<Self> {
        Self::from_tag(&read_storage(LANGUAGE_KEY))
    }

    /// Returns the chosen language, else the first supported language of the browser.
    pub fn from_viewer() -> Self {
        let preferred = || browser_languages().iter().find_map(|tag| Self::from_tag(tag));
        Self::stored_choice().or_else(preferred).unwrap_or_default()
    }

    /// Stores the choice and reloads the page. `None` selects the language of the browser.
    pub fn set_choice(choice: Option<Self>) {
        // A browser may refuse storage. Then the choice is lost.
        write_storage(LANGUAGE_KEY, choice.map_or("", Self::code));
        // Fails only in a document that is being unloaded.
        let _ = window().location().reload();
    }

    /// Sets the `lang` attribute of the root element.
    fn set_document_language(self) {
        if let Some(root) = document().document_element() {
            // Setting an attribute fails only for an invalid name, and `lang` is valid.
            let _ = root.set_attribute("lang", self.code());
        }
    }
}

/// Returns the tags of the browser's languages in order of preference.
fn browser_languages() -> Vec<String> {
    window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect()
}

/// Returns the locales for `Intl` constructors that generate texts.
pub fn text_locales() -> Array {
    to_intl_locales(Some(text_locale(current_language(), &browser_languages())))
}

/// Returns the locales for `Intl` constructors of numbers and dates.
pub fn number_locales() -> Array {
    to_intl_locales(number_locale(
        current_language(),
        Language::stored_choice(),
        &browser_languages(),
    ))
}

/// Returns a locale in the form that `Intl` accepts. `Intl` throws for invalid tags such as
/// `en-US@posix`, and an exception would end the page. Then the result is empty, which selects the
/// browser's default.
fn to_intl_locales(tag: Option<String>) -> Array {
    let known = |tag: String| {
        let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
        let check = Reflect::get(&intl, &"getCanonicalLocales".into()).ok()?;
        let locales = check.dyn_into::<Function>().ok()?.call1(&intl, &tag.into()).ok()?;
        locales.dyn_into::<Array>().ok()
    };
    tag.and_then(known).unwrap_or_default()
}
