//! Mounts a component, and sends it keys and input. The module asserts nothing itself.

use std::any::Any;

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{
    Event, EventInit, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent,
    KeyboardEventInit, MouseEvent, MouseEventInit,
};

pub(crate) use crate::clock::{settle, wait};

/// A mounted view. Dropping it removes it from the document.
pub(crate) struct Stage {
    host: HtmlElement,
    mounted: Option<Box<dyn Any>>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.mounted.take();
        self.host.remove();
    }
}

impl Stage {
    /// Mounts `view` in its own host element.
    pub(crate) fn new<V: IntoView + 'static>(view: impl FnOnce() -> V + 'static) -> Self {
        let host: HtmlElement = document().create_element("div").unwrap().unchecked_into();
        document().body().unwrap().append_child(&host).unwrap();
        let mounted = mount_to(host.clone(), view);
        Self { host, mounted: Some(Box::new(mounted)) }
    }

    /// Mounts `view` in a host of `width` × `height` px, with the styles of the dashboard.
    pub(crate) fn styled<V: IntoView + 'static>(
        (width, height): (u32, u32),
        view: impl FnOnce() -> V + 'static,
    ) -> Self {
        style_once();
        let stage = Self::new(view);
        let style = HtmlElement::style(&stage.host);
        for (name, value) in [
            ("display", "flex".to_owned()),
            ("flex-direction", "column".to_owned()),
            ("width", format!("{width}px")),
            ("height", format!("{height}px")),
        ] {
            style.set_property(name, &value).unwrap();
        }
        stage
    }

    /// Sets the width of the host, in px.
    pub(crate) fn resize(&self, width: u32) {
        HtmlElement::style(&self.host).set_property("width", &format!("{width}px")).unwrap();
    }

    pub(crate) fn all(&self, selector: &str) -> Vec<HtmlElement> {
        let nodes = self.host.query_selector_all(selector).unwrap();
        (0..nodes.length()).map(|i| nodes.get(i).unwrap().unchecked_into()).collect()
    }

    #[track_caller]
    pub(crate) fn one(&self, selector: &str) -> HtmlElement {
        let found = self.all(selector);
        assert_eq!(found.len(), 1, "`{selector}` in {}", self.host.inner_html());
        found.into_iter().next().unwrap()
    }

    #[track_caller]
    pub(crate) fn text(&self, selector: &str) -> String {
        self.one(selector).text_content().unwrap_or_default()
    }

    /// Returns the text of each element that matches.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        self.all(selector).iter().filter_map(|element| element.text_content()).collect()
    }

    pub(crate) fn nodes(&self) -> u32 {
        self.host.query_selector_all("*").unwrap().length()
    }
}

fn style_once() {
    if document().get_element_by_id("true-styles").is_some() {
        return;
    }
    let style = document().create_element("style").unwrap();
    style.set_id("true-styles");
    style.set_text_content(Some(concat!(
        include_str!("../../style/tokens.css"),
        include_str!("../../style/base.css"),
        include_str!("../../style/layout.css"),
        include_str!("../../style/controls.css"),
        include_str!("../../style/data.css"),
        include_str!("../../style/feedback.css"),
        include_str!("../../style/first.css"),
    )));
    document().head().unwrap().append_child(&style).unwrap();
}

/// Returns an owner for signals that a test creates outside of a view. The signals live as long as
/// the owner.
pub(crate) fn owner() -> Owner {
    let owner = Owner::new();
    owner.set();
    owner
}

pub(crate) fn body() -> HtmlElement {
    document().body().unwrap()
}

/// Presses a key on `element`. Returns whether the component prevented the default action.
pub(crate) fn press_key(element: &HtmlElement, key: &str) -> bool {
    press_with(element, key, false, false)
}

/// Presses a key, and runs what it starts.
pub(crate) async fn type_key(element: &HtmlElement, key: &str) {
    press_key(element, key);
    settle().await;
}

/// Presses a key, maybe with Shift or Ctrl, as [`press_key`] does.
pub(crate) fn press_with(element: &HtmlElement, key: &str, shift: bool, ctrl: bool) -> bool {
    let init = KeyboardEventInit::new();
    init.set_key(key);
    init.set_shift_key(shift);
    init.set_ctrl_key(ctrl);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    !element.dispatch_event(&event).unwrap()
}

/// Clicks an element, and runs what it starts.
pub(crate) async fn click(element: &HtmlElement) {
    element.click();
    settle().await;
}

/// Clicks `element` with the Alt key held.
pub(crate) fn click_with_alt(element: &HtmlElement) {
    let init = MouseEventInit::new();
    init.set_bubbles(true);
    init.set_alt_key(true);
    let click = MouseEvent::new_with_mouse_event_init_dict("click", &init).unwrap();
    element.dispatch_event(&click).unwrap();
}

pub(crate) fn dispatch_event(element: &HtmlElement, name: &str) {
    let init = EventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = Event::new_with_event_init_dict(name, &init).unwrap();
    element.dispatch_event(&event).unwrap();
}

pub(crate) fn type_into(element: &HtmlElement, text: &str) {
    element.unchecked_ref::<HtmlInputElement>().set_value(text);
    dispatch_event(element, "input");
}

/// Types text, and runs what the input starts.
pub(crate) async fn type_text(element: &HtmlElement, text: &str) {
    type_into(element, text);
    settle().await;
}

/// Selects an option of a `select` element.
pub(crate) fn select_value(element: &HtmlElement, value: &str) {
    element.unchecked_ref::<HtmlSelectElement>().set_value(value);
    dispatch_event(element, "change");
}

pub(crate) fn value(element: &HtmlElement) -> String {
    element.unchecked_ref::<HtmlInputElement>().value()
}

pub(crate) fn attr(element: &HtmlElement, name: &str) -> Option<String> {
    element.get_attribute(name)
}

pub(crate) fn is_focused(element: &HtmlElement) -> bool {
    document().active_element().as_ref() == Some(element.unchecked_ref())
}
