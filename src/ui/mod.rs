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
        leptos::prelude::Effect::new(move |_| effect());
    }
    start(Box::new(effect));
}

/// Moves the keyboard focus to `element`. Does nothing if the element cannot take it.
pub fn focus(element: &web_sys::Element) {
    use leptos::wasm_bindgen::JsCast;
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        // Browsers ignore elements that cannot be focused; there is no error to handle.
        let _ = element.focus();
    }
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

/// Returns whether no element has the keyboard focus because the focused one was removed.
pub fn focus_is_lost() -> bool {
    let active = leptos::prelude::document().active_element();
    active.is_none_or(|element| element.tag_name() == "BODY")
}

/// Moves the keyboard focus like [`focus`], without scrolling the element into view.
pub fn focus_without_scroll(element: &web_sys::Element) {
    use leptos::wasm_bindgen::JsCast;
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}
