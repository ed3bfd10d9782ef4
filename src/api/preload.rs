//! Answers to what `public/first.js` asked while this code was on its way. Each is taken once, and
//! what is not there is asked for as if nobody had.

use js_sys::{Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use crate::domain::script_names::ASKED;

/// Takes the answer to a URL, where it was asked for and came.
pub(super) async fn take(url: &str) -> Option<Response> {
    let asked = Reflect::get(&js_sys::global(), &ASKED.into()).ok()?;
    let asked = asked.dyn_ref::<js_sys::Object>()?;
    let url = JsValue::from_str(url);
    let promise = Reflect::get(asked, &url).ok()?.dyn_into::<Promise>().ok()?;
    // A plain object lets go of whatever it holds.
    let _ = Reflect::delete_property(asked, &url);
    let answer = JsFuture::from(promise).await.ok()?;
    answer.dyn_into().ok()
}
