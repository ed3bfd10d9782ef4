//! What the pointer does in the rows, all of which share the same few listeners.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, Event};

use super::{Checks, Pick, grid::Grid};

/// What may be pressed in a row without opening it.
const CONTROLS: &str = "a, button, input, select, label";
/// What says more to whom looks at it.
const TELLING: &str = ":is(time,abbr)";

fn within(event: &Event, selector: &str) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest(selector).ok().flatten()
}

/// Returns which row an event happened in.
fn index_of(event: &Event) -> Option<usize> {
    let index = within(event, ".grid-row")?.get_attribute("aria-rowindex")?;
    index.parse::<usize>().ok()?.checked_sub(2)
}

impl Grid {
    /// A press: on the box of a row, on another control, or on the row.
    pub(super) fn on_click(
        self,
        event: &MouseEvent,
        on_open: Option<Callback<usize>>,
        checks: Option<Checks>,
    ) {
        let Some(index) = index_of(event) else { return };
        if let Some(checks) = checks
            && within(event, ".grid-check").is_some()
        {
            self.check(event, index, checks);
            return;
        }
        let free = within(event, CONTROLS).is_none();
        let picked = checks.filter(|_| free).and_then(|checks| {
            let pick = Pick::of_press(event, self.active(), index)?;
            Some((checks, pick))
        });
        self.activate(index);
        if let Some((checks, pick)) = picked {
            checks.on_pick.run(pick);
        } else if let Some(on_open) = on_open.filter(|_| free) {
            on_open.run(index);
        }
    }

    fn check(self, event: &MouseEvent, index: usize, checks: Checks) {
        let from = self.active();
        let range = event.shift_key().then_some(Pick::Range { from, to: index });
        self.focus(index);
        checks.on_pick.run(range.unwrap_or(Pick::Toggle(index)));
        // The state is told by who knows it: not before the browser has done with the box.
        event.prevent_default();
        request_animation_frame(move || {
            self.with_rows(|rows| rows.show_check(index));
        });
    }

    /// Something in the rows has taken the focus.
    pub(super) fn on_focus(self, event: &Event) {
        let is_row = |target: Element| target.class_list().contains("grid-row");
        let target = event.target().and_then(|target| target.dyn_into().ok());
        if let Some(index) = index_of(event)
            && target.is_some_and(is_row)
        {
            self.activate(index);
            self.moment.ask(move || {
                self.with_rows(|rows| rows.tell(index));
            });
        }
    }

    /// The pointer comes over something in the rows.
    pub(super) fn on_over(self, event: &Event) {
        if let Some(index) = within(event, TELLING).and_then(|_| index_of(event)) {
            self.with_rows(|rows| rows.tell(index));
        }
    }
}
