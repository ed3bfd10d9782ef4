//! Saves files through the browser: as a download, or to a file that the user chooses.

use std::time::Duration;

use export_worker::task::Format;
use js_sys::{Array, Function, Object, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Lifetime of an object URL. It is long because the browser may first ask the user for a location,
/// and copies the file only then.
const URL_LIFETIME: Duration = Duration::from_mins(10);

/// Downloads a file under a name, like a click on a link. Returns false if the browser refuses.
pub fn download_file(file: &Blob, name: &str) -> bool {
    let Ok(address) = Url::create_object_url_with_blob(file) else { return false };
    let link = document()
        .create_element("a")
        .ok()
        .and_then(|element| element.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(link) = &link {
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    let forget = move || {
        // Cannot fail for a URL that was created here.
        let _ = Url::revoke_object_url(&address);
    };
    set_timeout(forget, URL_LIFETIME);
    link.is_some()
}

/// Returns whether the user can choose a file to write to directly.
pub fn can_choose_file() -> bool {
    file_picker().is_some()
}

fn file_picker() -> Option<Function> {
    Reflect::get(&window(), &"showSaveFilePicker".into()).ok()?.dyn_into().ok()
}

/// Opens the file picker and returns the file handle; `None` if the user cancels. Must be called
/// during a user gesture.
pub async fn choose_file(name: &str, format: Format) -> Option<JsValue> {
    let options = Object::new();
    let kind = Object::new();
    let accept = Object::new();
    let ending = Array::of1(&format!(".{}", format.as_str()).into());
    set_property(&accept, format.media_type(), &ending);
    set_property(&kind, "accept", &accept);
    set_property(&options, "types", &Array::of1(&kind));
    set_property(&options, "suggestedName", &name.into());
    let promise = file_picker()?.call1(&window(), &options).ok()?;
    JsFuture::from(promise.unchecked_into::<Promise>()).await.ok()
}

/// Requests permission to write to a file that was chosen earlier. Returns whether it was granted.
pub async fn request_write_permission(handle: &JsValue) -> bool {
    let options = Object::new();
    set_property(&options, "mode", &"readwrite".into());
    let promise = Reflect::get(handle, &"requestPermission".into())
        .ok()
        .and_then(|ask| ask.dyn_into::<Function>().ok())
        .and_then(|ask| ask.call1(handle, &options).ok());
    let Some(promise) = promise else { return false };
    let answer = JsFuture::from(promise.unchecked_into::<Promise>()).await;
    answer.is_ok_and(|answer| answer == "granted")
}

fn set_property(object: &Object, name: &str, value: &JsValue) {
    // Cannot fail for a plain object.
    let _ = Reflect::set(object, &name.into(), value);
}
