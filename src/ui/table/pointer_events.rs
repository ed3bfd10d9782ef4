//! Pointer and focus events of the rows. All rows share these listeners.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, Event};

use super::{RowSelection, SelectionChange, grid::GridState};

/// Controls that can be pressed without opening the row.
const CONTROL_ELEMENTS: &str = "a, button, input, select, label";
/// Cells of columns. The check box is in another element.
const CELL: &str = ".grid-cell";
/// Parts of a cell that do not show its value.
const OTHER_PARTS: &str = ".row-marks, .found";
/// Elements with a tooltip.
const TOOLTIP_ELEMENTS: &str = ":is(time,abbr)";

fn closest_match(event: &Event, selector: &str) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest(selector).ok().flatten()
}

/// Returns the index of the row that an event happened in.
fn row_index_of(event: &Event) -> Option<usize> {
    let index = closest_match(event, ".grid-row")?.get_attribute("aria-rowindex")?;
    index.parse::<usize>().ok()?.checked_sub(2)
}

/// Returns the index of the column that an event happened in.
fn column_index_of(event: &Event) -> Option<usize> {
    let cell = closest_match(event, CELL)?;
    let is_cell = |element: &Element| element.matches(CELL).unwrap_or_default();
    let before = std::iter::successors(cell.previous_element_sibling(), |element| {
        element.previous_element_sibling()
    });
    Some(before.take_while(is_cell).count())
}

impl GridState {
    /// Handles a click on the value of a cell with Alt. Returns whether it was one.
    pub(super) fn filter_by_click(
        self,
        event: &MouseEvent,
        on_filter: Option<Callback<(usize, usize)>>,
    ) -> bool {
        let is_value = [CONTROL_ELEMENTS, OTHER_PARTS]
            .iter()
            .all(|selector| closest_match(event, selector).is_none());
        let cell = row_index_of(event).zip(column_index_of(event)).filter(|_| is_value);
        let Some((on_filter, (row, column))) = on_filter.filter(|_| event.alt_key()).zip(cell)
        else {
            return false;
        };
        self.set_active_row(row);
        on_filter.run((row, column));
        true
    }

    /// Handles a click on the check box of a row, on another control or on the row itself.
    pub(super) fn on_click(
        self,
        event: &MouseEvent,
        on_open: Option<Callback<usize>>,
        checks: Option<RowSelection>,
    ) {
        let Some(index) = row_index_of(event) else { return };
        if let Some(checks) = checks
            && closest_match(event, ".grid-check").is_some()
        {
            self.click_check_box(event, index, checks);
            return;
        }
        let free = closest_match(event, CONTROL_ELEMENTS).is_none();
        let picked = checks.filter(|_| free).and_then(|checks| {
            let pick = SelectionChange::from_click(event, self.active_row(), index)?;
            Some((checks, pick))
        });
        self.set_active_row(index);
        if let Some((checks, pick)) = picked {
            checks.on_pick.run(pick);
        } else if let Some(on_open) = on_open.filter(|_| free) {
            on_open.run(index);
        }
    }

    fn click_check_box(self, event: &MouseEvent, index: usize, checks: RowSelection) {
        let from = self.active_row();
        let range = event.shift_key().then_some(SelectionChange::Range { from, to: index });
        self.focus_row(index);
        checks.on_pick.run(range.unwrap_or(SelectionChange::Toggle(index)));
        // The caller owns the selection. The browser resets the box after `preventDefault`, so show
        // its state in the next frame.
        event.prevent_default();
        request_animation_frame(move || {
            self.with_rows(|rows| rows.show_check(index));
        });
    }

    /// Makes a focused row active, and sets its tooltips once no further key follows.
    pub(super) fn on_focus(self, event: &Event) {
        let is_row = |target: Element| target.class_list().contains("grid-row");
        let target = event.target().and_then(|target| target.dyn_into().ok());
        if let Some(index) = row_index_of(event)
            && target.is_some_and(is_row)
        {
            self.set_active_row(index);
            self.key_timer.schedule(move || {
                self.with_rows(|rows| rows.set_tooltips(index));
            });
        }
    }

    /// Sets the tooltips of a row when the pointer enters an element that has one.
    pub(super) fn on_over(self, event: &Event) {
        if let Some(index) =
            closest_match(event, TOOLTIP_ELEMENTS).and_then(|_| row_index_of(event))
        {
            self.with_rows(|rows| rows.set_tooltips(index));
        }
    }
}
