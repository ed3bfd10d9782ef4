//! Responses that `public/first.js` requested while this code was loading. Each is used once. If
//! there is no response, or its request failed, the caller sends a request as usual.

use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use crate::domain::script_names::PRELOAD_GLOBAL;

/// Takes the preloaded response for a URL, and waits for it. Returns `None` if there is none or if
/// its request failed.
pub(super) async fn take_response(url: &str) -> Option<Response> {
    let by_url = Reflect::get(&js_sys::global(), &PRELOAD_GLOBAL.into()).ok()?;
    let by_url = by_url.dyn_ref::<js_sys::Object>()?;
    let url = JsValue::from_str(url);
    let promise = Reflect::get(by_url, &url).ok()?.dyn_into::<Promise>().ok()?;
    // Before the wait, so that no other call takes it. For a plain object this does not fail.
    let _ = Reflect::delete_property(by_url, &url);
    let response = JsFuture::from(promise).await.ok()?;
    response.dyn_into().ok()
}
