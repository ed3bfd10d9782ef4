//! Focus of recycled rows: it is never lost, and each move is announced once.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{grid::GridState, row_pool::RowPool};
use crate::ui::{calc::list_window::ListWindow, focus_without_scroll};

impl GridState {
    /// Moves the focus to the grid if the focused row leaves the window. Otherwise it would be
    /// lost.
    pub(super) fn rescue_focus(self, window: &ListWindow, viewport: &Element) {
        let active = self.active_row();
        if window.drawn_range(self.scroll_positions.get_value().0).contains(&active) {
            return;
        }
        let row = self.row_element(active);
        if row.is_some_and(|row| is_focused(&row)) {
            focus_without_scroll(viewport);
        }
    }

    /// Makes row `index` active, scrolls it into view and focuses it.
    pub(super) fn focus_row(self, index: usize) {
        let from = self.active_row();
        let has_focus = self.row_element(from).is_some_and(|row| is_focused(&row));
        self.focus_move.set_value(has_focus.then_some((from, index)));
        self.handle.active.set(index);
        self.show_row(index);
        // The row may be drawn only after this scroll.
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            self.focus_move.try_set_value(None);
            if let Some(row) = self.row_element(index) {
                self.focus_element(row);
            }
        });
    }

    /// Focuses a row. If its element is focused already but was recycled, it is focused again so
    /// that screen readers announce it. This waits until no further key follows: with a key held
    /// down only the last row is announced.
    fn focus_element(self, row: Element) {
        let was_recycled = self.with_rows(RowPool::take_recycled) == Some(true);
        if !is_focused(&row) {
            focus_without_scroll(&row);
        } else if was_recycled {
            self.key_timer.schedule(move || {
                if let Some(row) = row.dyn_ref::<HtmlElement>().filter(|_| is_focused(&row)) {
                    // Browsers ignore a `blur` that is not possible; there is no error to handle.
                    let _ = row.blur();
                    focus_without_scroll(row);
                }
            });
        }
    }
}

fn is_focused(row: &Element) -> bool {
    document().active_element().as_ref() == Some(row)
}
