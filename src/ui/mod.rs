//! The kit: parts that any product could use. No noun of ours stands in here, nothing fetches,
//! and no part makes a URL; look and behaviour only. `style/` holds one block class for each part.

pub mod badge;
pub mod button;
pub mod calc;
pub mod calendar;
pub mod chart;
pub mod chip;
pub mod command_palette;
pub mod copy;
pub mod debounce;
pub mod dialog;
pub mod drawer;
pub mod empty;
pub mod field;
pub mod icon;
pub mod intersection;
pub mod lazy;
pub mod lazy_action;
pub mod menu;
pub mod notice;
pub mod popover;
pub mod progress;
pub mod skeleton;
pub mod table;
pub mod time;
pub mod toast;
pub mod visually_hidden;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Returns an element id that no other part of the page has, for `aria-*` references.
pub fn unique_id(prefix: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns a number as JavaScript writes it, which styles understand. Rust's own way to write
/// fractions would weigh 4 kB.
pub fn digits(number: f64) -> String {
    // A radix of ten is never refused.
    js_sys::Number::from(number).to_string_with_radix(10).map(String::from).unwrap_or_default()
}

/// Runs `act` soon, and again whenever a signal that it read has changed, for as long as the
/// present owner lives. It is boxed, since an effect of each type alone would cost a kilobyte.
pub fn react(act: impl FnMut() + 'static) {
    fn start(mut act: Box<dyn FnMut()>) {
        leptos::prelude::Effect::new(move |_| act());
    }
    start(Box::new(act));
}

/// Moves the keyboard focus to `element`, where it can take it; else does nothing.
pub fn focus(element: &web_sys::Element) {
    use leptos::wasm_bindgen::JsCast;
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        // A browser refuses focus only by ignoring it; there is nothing to mend.
        let _ = element.focus();
    }
}

/// Whether letters and signs act by themselves.
static SINGLE_KEYS: AtomicBool = AtomicBool::new(true);

/// Has letters and signs act by themselves, or only with Ctrl.
pub fn let_single_keys_act(on: bool) {
    SINGLE_KEYS.store(on, Ordering::Relaxed);
}

/// Returns whether they do.
pub fn single_keys_act() -> bool {
    SINGLE_KEYS.load(Ordering::Relaxed)
}

/// Returns whether a press is of a letter or sign by itself, which does not act.
pub fn is_switched_off(event: &web_sys::KeyboardEvent) -> bool {
    let is_single = || {
        let key = event.key();
        key != " " && key.chars().count() == 1 && !(event.ctrl_key() || event.meta_key())
    };
    !single_keys_act() && is_single()
}

/// Returns whether nothing has the keyboard focus, since what had it is gone.
pub fn focus_is_lost() -> bool {
    let active = leptos::prelude::document().active_element();
    active.is_none_or(|element| element.tag_name() == "BODY")
}

/// Moves the keyboard focus like [`focus`], without the scrolling that browsers add.
pub fn focus_still(element: &web_sys::Element) {
    use leptos::wasm_bindgen::JsCast;
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}
