//! Maps keyboard events of a table to commands.

use leptos::ev::KeyboardEvent;
use leptos::wasm_bindgen::JsCast;
use web_sys::Element;

pub(super) use crate::ui::calc::row_step::RowCommand;

impl RowCommand {
    /// Returns the command of `event`; `None` for other keys, with Ctrl, Meta or Alt, or for a
    /// letter with Shift, which is a shortcut of the page.
    pub(super) fn from_event(event: &KeyboardEvent, key: &str) -> Option<Self> {
        let step = Self::from_key(key)?;
        let with = event.ctrl_key() || event.meta_key() || event.alt_key();
        let is_shortcut = event.shift_key() && key.len() == 1;
        (!with && !is_shortcut).then_some(step)
    }

    /// Returns whether `event` belongs to a control inside of a cell. Checks the common case first:
    /// the target is the active row.
    pub(super) fn is_in_control(event: &KeyboardEvent, active: Option<&Element>) -> bool {
        let target = event.target();
        if target.is_some() && target.as_ref() == active.map(|row| &***row) {
            return false;
        }
        let target = target.and_then(|target| target.dyn_into::<Element>().ok());
        let controls = "a, button, input, select, textarea";
        target.is_none_or(|element| element.matches(controls).unwrap_or(false))
    }
}
