//! Reads what the keys do in a table from their events.

use leptos::ev::KeyboardEvent;
use leptos::wasm_bindgen::JsCast;
use web_sys::Element;

pub(super) use crate::ui::calc::step::Step;

impl Step {
    /// Returns what the key of `event` asks for; `None` where it is none of ours, or is held with
    /// another.
    pub(super) fn of(event: &KeyboardEvent, key: &str) -> Option<Self> {
        let step = Self::named(key)?;
        let with = event.ctrl_key() || event.meta_key() || event.alt_key();
        (!with).then_some(step)
    }

    /// Returns whether `event` was pressed inside a control of a cell, which it belongs to then;
    /// mostly it was in the row itself that the keyboard is at.
    pub(super) fn is_in_control(event: &KeyboardEvent, active: Option<&Element>) -> bool {
        let target = event.target();
        if target.is_some() && target.as_ref() == active.map(|row| &***row) {
            return false;
        }
        let target = target.and_then(|target| target.dyn_into::<Element>().ok());
        let controls = "a, button, input, select, textarea";
        target.is_none_or(|one| one.matches(controls).unwrap_or(false))
    }
}
