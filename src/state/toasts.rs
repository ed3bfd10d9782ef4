//! The notices on show. Actions add to them; only `ui::toast` draws them.

use leptos::prelude::*;

use crate::ui::toast::{ToastAction, ToastItem};

/// The most notices on show at once; the oldest success makes room first.
const SHOWN_MAX: usize = 4;

/// The store of notices, to be provided as context by the app.
#[derive(Clone, Copy, Debug)]
pub struct Toasts {
    items: RwSignal<Vec<ToastItem>>,
    next_id: StoredValue<u64>,
}

impl Default for Toasts {
    fn default() -> Self {
        Self::new()
    }
}

impl Toasts {
    /// Returns an empty store, owned by the present reactive owner.
    pub fn new() -> Self {
        Self { items: RwSignal::new(Vec::new()), next_id: StoredValue::new(1) }
    }

    /// Returns what is on show, oldest first.
    pub fn items(&self) -> Signal<Vec<ToastItem>> {
        self.items.into()
    }

    /// Tells that something was done. It leaves by itself.
    pub fn done(&self, text: impl Into<String>) {
        self.show(text.into(), false, None);
    }

    /// Tells that something was done, with a button. It leaves by itself, but later.
    pub fn done_with(&self, text: impl Into<String>, action: ToastAction) {
        self.show(text.into(), false, Some(action));
    }

    /// Does what the button of the latest notice with a button does, and takes that notice away.
    /// Returns whether there was one.
    pub fn act_on_last(&self) -> bool {
        let last = self.items.try_with_untracked(|items| {
            items.iter().rev().find_map(|item| Some((item.id, item.action.clone()?)))
        });
        let Some(Some((id, action))) = last else { return false };
        self.dismiss(id);
        action.run();
        true
    }

    /// Returns whether a notice with a button is on show. Tracked.
    pub fn have_action(&self) -> bool {
        self.items.with(|items| items.iter().any(|item| item.action.is_some()))
    }

    /// Tells that something failed and what to do. It stays until dismissed.
    pub fn failed(&self, text: impl Into<String>) {
        self.show(text.into(), true, None);
    }

    /// Takes a notice away; an unknown id is already gone.
    pub fn dismiss(&self, id: u64) {
        self.items.try_update(|items| items.retain(|item| item.id != id));
    }

    fn show(&self, text: String, failed: bool, action: Option<ToastAction>) {
        let Some(id) = self.next_id.try_update_value(|next| {
            *next += 1;
            *next
        }) else {
            return;
        };
        self.items.try_update(|items| {
            if items.len() >= SHOWN_MAX {
                items.remove(items.iter().position(|item| !item.failed).unwrap_or(0));
            }
            items.push(ToastItem { id, text, failed, action });
        });
    }
}
