//! Names of countries and languages in the viewer's language, by the browser's `Intl`. A code that
//! it does not know is shown as it came.

use js_sys::{Array, Function, Intl, Object, Reflect};
use wasm_bindgen::JsCast;

/// Returns the name of a country: `DE` is `Germany`.
pub fn country(code: &str) -> String {
    name("region", code).unwrap_or_else(|| code.to_owned())
}

/// Returns the name of a language: `pt-BR` is `Brazilian Portuguese`.
pub fn language(code: &str) -> String {
    name("language", code).unwrap_or_else(|| code.to_owned())
}

/// `of` throws for what is no code at all, which a server might send: so it is called by a way that
/// catches.
fn name(kind: &str, code: &str) -> Option<String> {
    let options = Object::new();
    Reflect::set(&options, &"type".into(), &kind.into()).ok()?;
    let names = Intl::DisplayNames::new(&Array::new(), &options);
    let of: Function = Reflect::get(&names, &"of".into()).ok()?.dyn_into().ok()?;
    of.call1(&names, &code.into()).ok()?.as_string()
}
