//! Where the focus is among rows that come to be others: it is never lost, and told once.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{grid::Grid, rows::Rows};
use crate::ui::{calc::window::Window, focus_still};

impl Grid {
    /// A focused row that leaves the window would take the focus with it: the grid takes it over.
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

    /// Moves the keyboard to row `index`, into view, and with the focus.
    pub(super) fn focus(self, index: usize) {
        let from = self.active();
        let leads = self.element(from).is_some_and(|row| is_focused(&row));
        self.leads.set_value(leads.then_some((from, index)));
        self.handle.active.set(index);
        self.show(index);
        // The row may only come to exist by this scroll.
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            self.leads.try_set_value(None);
            if let Some(row) = self.element(index) {
                self.give_focus(row);
            }
        });
    }

    /// Moves the focus to a row. One that had it as another row is told anew, once no further key
    /// comes: who holds a key down hears where it ends.
    fn give_focus(self, row: Element) {
        let turned = self.with_rows(Rows::have_turned) == Some(true);
        if !is_focused(&row) {
            focus_still(&row);
        } else if turned {
            self.moment.ask(move || {
                if let Some(row) = row.dyn_ref::<HtmlElement>().filter(|_| is_focused(&row)) {
                    // A browser refuses only by ignoring it.
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
