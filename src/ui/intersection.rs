//! Detects that an element is near the viewport.

use leptos::{html::ElementType, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Margin around the viewport; elements within it count as near.
const NEAR_MARGIN: &str = "600px";

/// Runs `action` whenever the element comes near the viewport, until the current owner is disposed.
pub fn on_near_view<E>(element: NodeRef<E>, action: impl Fn() + 'static)
where
    E: ElementType + 'static,
    E::Output: JsCast + AsRef<Element> + Clone + 'static,
{
    let action: Box<dyn Fn()> = Box::new(action);
    let action = StoredValue::new_local(action);
    element.on_load(move |element| observe_element(element.as_ref(), action));
}

fn observe_element(element: &Element, action: StoredValue<Box<dyn Fn()>, LocalStorage>) {
    let on_intersect = move |entries: js_sys::Array| {
        let is_near = |entry: wasm_bindgen::JsValue| {
            entry.unchecked_into::<IntersectionObserverEntry>().is_intersecting()
        };
        if entries.iter().any(is_near) {
            action.try_with_value(|action| action());
        }
    };
    let callback = Closure::<dyn FnMut(js_sys::Array)>::new(on_intersect);
    let options = IntersectionObserverInit::new();
    options.set_root_margin(NEAR_MARGIN);
    let observer =
        IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options);
    let Ok(observer) = observer else { return };
    observer.observe(element);
    let registration = StoredValue::new_local(Some((observer, callback)));
    on_cleanup(move || {
        if let Some(Some((observer, _))) = registration.try_update_value(Option::take) {
            observer.disconnect();
        }
    });
}
