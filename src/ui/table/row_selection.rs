//! Row selection: by check box, by click with Shift or Ctrl, and by keyboard. The caller stores the
//! selection.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;

use crate::i18n;

/// Change of the selection by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionChange {
    /// Toggles a row.
    Toggle(usize),
    /// Selects the rows from the last toggled row to `to`; from `from` if no row was toggled.
    Range {
        /// Row that was active before.
        from: usize,
        /// Other end of the range.
        to: usize,
    },
    /// Extends the selection: first to all loaded rows, then to all rows.
    All,
    /// Clears the selection.
    Clear,
}

impl SelectionChange {
    /// Returns the selection change of a click on a row; `None` for a plain click.
    pub(super) fn from_click(event: &MouseEvent, from: usize, to: usize) -> Option<Self> {
        match (event.shift_key(), event.ctrl_key() || event.meta_key()) {
            (true, _) => Some(Self::Range { from, to }),
            (false, true) => Some(Self::Toggle(to)),
            (false, false) => None,
        }
    }
}

/// Selection of a table.
#[derive(Clone, Copy)]
pub struct RowSelection {
    /// Returns whether a row is selected. Tracked.
    pub is_on: Callback<usize, bool>,
    /// Whether any row is selected.
    pub any: Signal<bool>,
    /// Receives changes by the user.
    pub on_pick: Callback<SelectionChange>,
}

impl RowSelection {
    /// Handles a key. Returns whether it was a selection key.
    pub(super) fn on_key(self, event: &KeyboardEvent, key: &str, active: usize) -> bool {
        if !matches!(key, "a" | "x" | " " | "Escape") || event.alt_key() {
            return false;
        }
        let with = event.ctrl_key() || event.meta_key();
        let pick = match key {
            "a" if with => SelectionChange::All,
            "x" | " " if !with => SelectionChange::Toggle(active),
            "Escape" if self.any.get_untracked() => SelectionChange::Clear,
            _ => return false,
        };
        self.on_pick.run(pick);
        true
    }

    /// Check box of the header: selects all loaded rows or clears the selection.
    pub(super) fn header_box(self) -> impl IntoView {
        let press = move |_| {
            self.on_pick.run(if self.any.get_untracked() {
                SelectionChange::Clear
            } else {
                SelectionChange::All
            });
        };
        view! {
            <div class="grid-check" role="columnheader">
                <input
                    type="checkbox"
                    aria-label=i18n::ui().select_all_loaded
                    prop:checked=self.any
                    on:change=press
                />
            </div>
        }
    }

    /// Check box of a row, and the place of a text for unread rows. The box is no tab stop: the
    /// keyboard selects through the row itself. Event handlers find its row by `aria-rowindex`.
    pub(super) fn row_box() -> impl IntoView {
        view! {
            <div class="grid-check" role="gridcell">
                <input type="checkbox" tabindex="-1" aria-label=i18n::ui().select_row />
                <span class="visually-hidden"></span>
            </div>
        }
    }
}
