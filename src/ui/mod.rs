//! Generic UI components: look and behaviour only. They use no terms of the domain, send no
//! requests and build no URLs. `style/` has one block class per component.

pub mod badge;
pub mod button;
pub mod calc;
pub mod calendar;
pub mod chart;
pub mod chip;
pub mod command_palette;
pub mod component_owner;
pub mod copy;
pub mod debounce;
pub mod dialog;
pub mod drawer;
pub mod empty;
pub mod field;
pub mod icon;
pub mod intersection;
pub mod keyboard;
pub mod lazy;
pub mod lazy_action;
pub mod menu;
pub mod notice;
pub mod popover;
pub mod progress;
pub mod skeleton;
pub(crate) mod storage;
pub mod table;
pub mod throttle;
pub mod time;
pub mod toast;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, closure::Closure};

/// Returns an element id that is unique in the page, for `aria-*` references.
pub fn unique_id(prefix: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns `number` as JavaScript formats it, for use in styles. Rust's own float formatting would
/// add 4 kB to the bundle.
pub fn format_js_number(number: f64) -> String {
    // Fails only for a radix outside of 2 to 36.
    js_sys::Number::from(number).to_string_with_radix(10).map(String::from).unwrap_or_default()
}

/// Runs `effect` as an effect: soon, and again whenever a signal that it read changes, until the
/// current owner is disposed of. `effect` is boxed because each effect of a distinct type adds a
/// kilobyte of code.
pub fn run_effect(effect: impl FnMut() + 'static) {
    fn start(mut effect: Box<dyn FnMut()>) {
        Effect::new(move |_| effect());
    }
    start(Box::new(effect));
}

/// Moves the keyboard focus to `element`. Does nothing if the element cannot take it.
pub fn focus(element: &web_sys::Element) {
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        // Browsers ignore elements that cannot be focused; there is no error to handle.
        let _ = element.focus();
    }
}

/// Moves the focus to the first match of `selector`, after the next render.
pub fn focus_after_render(selector: String) {
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        document().query_selector(&selector).ok().flatten().iter().for_each(focus);
    });
}

/// Whether letters and signs act as shortcuts without Ctrl.
static SINGLE_KEYS_ENABLED: AtomicBool = AtomicBool::new(true);

/// Enables or disables single-key shortcuts: letters and signs pressed without Ctrl.
pub fn set_single_keys_enabled(is_on: bool) {
    SINGLE_KEYS_ENABLED.store(is_on, Ordering::Relaxed);
}

/// Returns whether single-key shortcuts are enabled.
pub fn single_keys_enabled() -> bool {
    SINGLE_KEYS_ENABLED.load(Ordering::Relaxed)
}

/// Returns whether `event` is a single-key shortcut and these are disabled.
pub fn is_disabled_single_key(event: &web_sys::KeyboardEvent) -> bool {
    let is_single = || {
        let key = event.key();
        key != " " && key.chars().count() == 1 && !(event.ctrl_key() || event.meta_key())
    };
    !single_keys_enabled() && is_single()
}

/// Returns an observer that runs `action` whenever an observed element changes its size, until the
/// current owner is disposed of.
fn resize_observer(action: impl FnMut() + 'static) -> Option<web_sys::ResizeObserver> {
    let callback = Closure::<dyn FnMut()>::new(action);
    let observer = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
    let registration = StoredValue::new_local(Some((observer.clone(), callback)));
    on_cleanup(move || {
        if let Some(Some((observer, _))) = registration.try_update_value(Option::take) {
            observer.disconnect();
        }
    });
    Some(observer)
}

/// Sets a signal, and notifies its subscribers only if the value differs.
pub fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    signal.try_maybe_update(|now| (std::mem::replace(now, value) != *now, ()));
}

/// Scrolls the list of the option with this id, so that the option is visible.
fn scroll_to_option(id: &str) {
    if let Some(option) = document().get_element_by_id(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        option.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Returns whether a dialog, a menu or another popover is open.
pub fn is_overlay_open() -> bool {
    let above = document().query_selector("dialog[open], :popover-open");
    above.is_ok_and(|element| element.is_some())
}

/// Returns whether no element has the keyboard focus because the focused one was removed.
pub fn focus_is_lost() -> bool {
    let active = document().active_element();
    active.is_none_or(|element| element.tag_name() == "BODY")
}

/// Moves the keyboard focus like [`focus`], without scrolling the element into view.
pub fn focus_without_scroll(element: &web_sys::Element) {
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}
