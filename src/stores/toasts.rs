//! The notices on show. Acts add to them; only `ui::toast` draws them.

use leptos::prelude::*;

use crate::ui::toast::ToastItem;

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
        self.show(text.into(), false);
    }

    /// Tells that something failed and what to do. It stays until dismissed.
    pub fn failed(&self, text: impl Into<String>) {
        self.show(text.into(), true);
    }

    /// Takes a notice away; an unknown id is already gone.
    pub fn dismiss(&self, id: u64) {
        self.items.try_update(|items| items.retain(|item| item.id != id));
    }

    fn show(&self, text: String, failed: bool) {
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
            items.push(ToastItem { id, text, failed });
        });
    }
}
