//! Toast notifications. Actions add them; `ui::toast` renders them.

use leptos::prelude::*;

use crate::ui::{
    lazy::ChunkLoadError,
    lazy_action::run_lazy_action,
    toast::{ToastAction, ToastItem},
};

/// Maximum number of visible toasts. Beyond it, the oldest success is removed first.
const SHOWN_MAX: usize = 4;

/// The visible toasts; provided as context by the app.
#[derive(Clone, Copy, Debug, Default)]
pub struct Toasts {
    items: RwSignal<Vec<ToastItem>>,
    next_id: StoredValue<u64>,
}

impl Toasts {
    /// Returns the visible toasts, oldest first.
    pub fn items(&self) -> Signal<Vec<ToastItem>> {
        self.items.into()
    }

    /// Shows a success. The toast disappears after a while.
    pub fn show_success(&self, text: impl Into<String>) {
        self.push_toast(text.into(), false, None);
    }

    /// Shows a success with a button. The toast disappears later than one without a button.
    pub fn show_success_with_action(&self, text: impl Into<String>, action: ToastAction) {
        self.push_toast(text.into(), false, Some(action));
    }

    /// Runs the action of the latest toast with a button, and removes the toast. Returns whether
    /// there was one.
    pub fn run_last_action(&self) -> bool {
        let last = self.items.try_with_untracked(|items| {
            items.iter().rev().find_map(|item| Some((item.id, item.action.clone()?)))
        });
        let Some(Some((id, action))) = last else { return false };
        self.dismiss(id);
        action.run();
        true
    }

    /// Returns whether a toast with a button is visible. Tracked.
    pub fn has_action(&self) -> bool {
        self.items.with(|items| items.iter().any(|item| item.action.is_some()))
    }

    /// Shows an error. The toast stays until it is dismissed.
    pub fn show_error(&self, text: impl Into<String>) {
        self.push_toast(text.into(), true, None);
    }

    /// Runs an action as soon as its code is loaded. Shows an error if it fails to load.
    pub fn run_lazy(self, action: impl Future<Output = Result<(), ChunkLoadError>> + 'static) {
        run_lazy_action(action, move |missing| self.show_error(missing.action_error_text()));
    }

    /// Shows an error in its dialog, or in a toast if that dialog is not shown any more.
    pub fn show_error_in(
        &self,
        (dialog, is_shown): (RwSignal<Option<String>>, bool),
        text: String,
    ) {
        if is_shown {
            dialog.try_set(Some(text));
        } else {
            self.show_error(text);
        }
    }

    /// Removes a toast. Ignores an unknown id.
    pub fn dismiss(&self, id: u64) {
        self.items.try_update(|items| items.retain(|item| item.id != id));
    }

    fn push_toast(&self, text: String, failed: bool, action: Option<ToastAction>) {
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
