//! DOM bindings for writing recycled rows. They are faster than those of `web_sys`: attribute names
//! are static JavaScript strings, and numbers are passed as numbers.

use js_sys::JsString;
use leptos::wasm_bindgen::prelude::wasm_bindgen;

// rustfmt would remove the values of the statics.
#[rustfmt::skip]
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, static_string)]
    pub(super) static ROW_INDEX: JsString = "aria-rowindex";
    #[wasm_bindgen(thread_local_v2, static_string)]
    pub(super) static KEY: JsString = "data-key";
    #[wasm_bindgen(thread_local_v2, static_string)]
    pub(super) static TONE: JsString = "data-tone";
    #[wasm_bindgen(thread_local_v2, static_string)]
    pub(super) static PATH: JsString = "d";
    #[wasm_bindgen(thread_local_v2, static_string)]
    pub(super) static MISSING: JsString = "data-missing";
    #[wasm_bindgen(thread_local_v2, static_string)]
    pub(super) static UNREAD: JsString = "data-unread";

    /// Element.
    #[wasm_bindgen(extends = web_sys::Element)]
    pub(super) type FastElement;
    #[wasm_bindgen(method, js_name = setAttribute)]
    pub(super) fn put_number(this: &FastElement, name: &JsString, value: f64);
    #[wasm_bindgen(method, js_name = setAttribute)]
    pub(super) fn put_text(this: &FastElement, name: &JsString, value: &JsString);
    #[wasm_bindgen(method, js_name = toggleAttribute)]
    pub(super) fn flag(this: &FastElement, name: &JsString, is_on: bool);
    #[wasm_bindgen(method, setter, js_name = scrollTop)]
    pub(super) fn set_scroll_top(this: &FastElement, px: f64);

    /// Text node.
    #[wasm_bindgen(extends = web_sys::Node)]
    pub(super) type FastText;
    #[wasm_bindgen(method, setter)]
    pub(super) fn set_data(this: &FastText, text: &JsString);

    /// Style declaration of an element.
    pub(super) type StyleDeclaration;
    #[wasm_bindgen(method, setter)]
    pub(super) fn set_translate(this: &StyleDeclaration, value: &JsString);
    #[wasm_bindgen(method, getter)]
    pub(super) fn style(this: &FastElement) -> StyleDeclaration;
}
