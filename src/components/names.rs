//! Names of countries, languages and devices in the language of the interface. Country and language
//! names come from the browser's `Intl`. Unknown codes are shown unchanged.

use js_sys::{Function, Intl, Object, Reflect};
use wasm_bindgen::JsCast;

use super::sentiment::word;
use crate::i18n;

thread_local! {
    // Cached: a list needs it for every row.
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

/// Returns the name of a device type: `mobile` is `Mobile`.
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

    /// Returns the name of a code. `of` throws for malformed codes, which a server might send;
    /// calling it as a `Function` catches the exception.
    fn name(&self, code: &str) -> Option<String> {
        self.1.call1(&self.0, &code.into()).ok()?.as_string()
    }
}
