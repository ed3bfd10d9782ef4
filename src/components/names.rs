//! Names of countries and languages in the language of the interface, by the browser's `Intl`. A
//! code that it does not know is shown as it came.

use js_sys::{Function, Intl, Object, Reflect};
use wasm_bindgen::JsCast;

use super::sentiment::word;
use crate::i18n;

thread_local! {
    // Made once: a list asks for every row.
    static COUNTRIES: Option<Names> = Names::of("region");
}

/// Returns the name of a country: `DE` is `Germany`.
pub fn country(code: &str) -> String {
    COUNTRIES
        .with(|names| names.as_ref().and_then(|names| names.name(code)))
        .unwrap_or_else(|| code.to_owned())
}

/// Returns the name of a language: `pt-BR` is `Brazilian Portuguese`.
pub fn language(code: &str) -> String {
    Names::of("language").and_then(|names| names.name(code)).unwrap_or_else(|| code.to_owned())
}

/// Returns the name of a kind of device: `mobile` is `Mobile`.
pub fn device(code: &str) -> String {
    let texts = i18n::devices();
    match code {
        "desktop" => texts.desktop.to_owned(),
        "mobile" => texts.mobile.to_owned(),
        "tablet" => texts.tablet.to_owned(),
        other => word(other),
    }
}

struct Names(Intl::DisplayNames, Function);

impl Names {
    fn of(kind: &str) -> Option<Self> {
        let options = Object::new();
        Reflect::set(&options, &"type".into(), &kind.into()).ok()?;
        let names = Intl::DisplayNames::new(&i18n::words(), &options);
        let of = Reflect::get(&names, &"of".into()).ok()?.dyn_into().ok()?;
        Some(Self(names, of))
    }

    /// `of` throws for what is no code at all, which a server might send: so it is called by a way
    /// that catches.
    fn name(&self, code: &str) -> Option<String> {
        self.1.call1(&self.0, &code.into()).ok()?.as_string()
    }
}
