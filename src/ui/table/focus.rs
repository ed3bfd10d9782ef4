//! Focus of recycled rows: it is never lost, and each move is announced once.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{grid::Grid, rows::Rows};
use crate::ui::{calc::window::Window, focus_still};

impl Grid {
    /// Moves the focus to the grid if the focused row leaves the window. Otherwise it would be
    /// lost.
    pub(super) fn keep_focus(self, window: &Window, viewport: &Element) {
        let active = self.active();
        if window.range(self.top.get_value().0).contains(&active) {
            return;
        }
        let row = self.element(active);
        if row.is_some_and(|row| is_focused(&row)) {
            focus_still(viewport);
        }
    }

    /// Makes row `index` active, scrolls it into view and focuses it.
    pub(super) fn focus(self, index: usize) {
        let from = self.active();
        let leads = self.element(from).is_some_and(|row| is_focused(&row));
        self.leads.set_value(leads.then_some((from, index)));
        self.handle.active.set(index);
        self.show(index);
        // The row may be drawn only after this scroll.
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            self.leads.try_set_value(None);
            if let Some(row) = self.element(index) {
                self.give_focus(row);
            }
        });
    }

    /// Focuses a row. If its element is focused already but was recycled, it is focused again so
    /// that screen readers announce it. This waits until no further key follows: with a key held
    /// down only the last row is announced.
    fn give_focus(self, row: Element) {
        let turned = self.with_rows(Rows::have_turned) == Some(true);
        if !is_focused(&row) {
            focus_still(&row);
        } else if turned {
            self.moment.ask(move || {
                if let Some(row) = row.dyn_ref::<HtmlElement>().filter(|_| is_focused(&row)) {
                    // Browsers ignore a `blur` that is not possible; there is no error to handle.
                    let _ = row.blur();
                    focus_still(row);
                }
            });
        }
    }
}

fn is_focused(row: &Element) -> bool {
    document().active_element().as_ref() == Some(row)
}
