//! Responses that `public/first.js` requested while this code was loading. Each is used once. A
//! missing one is requested as usual.

use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use crate::domain::script_names::PRELOAD_GLOBAL;

/// Takes the preloaded response for a URL, if there is one.
pub(super) async fn take_response(url: &str) -> Option<Response> {
    let asked = Reflect::get(&js_sys::global(), &PRELOAD_GLOBAL.into()).ok()?;
    let asked = asked.dyn_ref::<js_sys::Object>()?;
    let url = JsValue::from_str(url);
    let promise = Reflect::get(asked, &url).ok()?.dyn_into::<Promise>().ok()?;
    // Deleting a property of a plain object does not fail.
    let _ = Reflect::delete_property(asked, &url);
    let answer = JsFuture::from(promise).await.ok()?;
    answer.dyn_into().ok()
}
