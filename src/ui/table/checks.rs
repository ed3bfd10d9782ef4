//! How rows are selected: by a box at their edge, by a press with Shift or Ctrl, and by keys. Which
//! rows are, the caller knows.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;

use crate::i18n;

/// What a person does to a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Selects a row, or takes it out.
    Toggle(usize),
    /// Selects the rows from where the last one was toggled, else from `from`, to `to`.
    Range {
        /// The row that the keyboard was at.
        from: usize,
        /// The other end.
        to: usize,
    },
    /// Selects more: all that are there, then all there are.
    All,
    /// Selects nothing.
    Nothing,
}

impl Pick {
    /// Returns what a press on a row means for the selection; `None` where that is nothing.
    pub(super) fn of_press(event: &MouseEvent, from: usize, to: usize) -> Option<Self> {
        match (event.shift_key(), event.ctrl_key() || event.meta_key()) {
            (true, _) => Some(Self::Range { from, to }),
            (false, true) => Some(Self::Toggle(to)),
            (false, false) => None,
        }
    }
}

/// How rows are selected.
#[derive(Clone, Copy)]
pub struct Checks {
    /// Whether the row at an index is. Tracked.
    pub is_on: Callback<usize, bool>,
    /// Whether any row is.
    pub any: Signal<bool>,
    /// Takes what a person does.
    pub on_pick: Callback<Pick>,
}

impl Checks {
    /// Does what a key asks for, and returns whether that was anything.
    pub(super) fn on_key(self, event: &KeyboardEvent, key: &str, active: usize) -> bool {
        if !matches!(key, "a" | "x" | " " | "Escape") || event.alt_key() {
            return false;
        }
        let with = event.ctrl_key() || event.meta_key();
        let pick = match key {
            "a" if with => Pick::All,
            "x" | " " if !with => Pick::Toggle(active),
            "Escape" if self.any.get_untracked() => Pick::Nothing,
            _ => return false,
        };
        self.on_pick.run(pick);
        true
    }

    /// The box in the head: all that are there, or nothing.
    pub(super) fn head(self) -> impl IntoView {
        let press = move |_| {
            self.on_pick.run(if self.any.get_untracked() { Pick::Nothing } else { Pick::All });
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

    /// The box of a row, whose index tells it from the others. The keyboard has the row itself for
    /// that, so Tab passes it by.
    pub(super) fn cell() -> impl IntoView {
        view! {
            <div class="grid-check" role="gridcell">
                <input type="checkbox" tabindex="-1" aria-label=i18n::ui().select_row />
            </div>
        }
    }
}
