//! Notifies lists and cards of changes of submissions: of the user, and of others.

use contract::{Environment, FormId, SubmissionId};
use leptos::prelude::*;

use crate::domain::list_model::SubmissionKey;

/// Kind of change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Submissions left the list: deleted, moved to the trash or marked as spam.
    Removed(Vec<SubmissionKey>),
    /// Submissions returned, or unknown ones changed: lists are out of date. Contains the known
    /// keys.
    Restored(Vec<SubmissionKey>),
    /// The triage or notes of submissions have changed, perhaps by another user. Empty if the
    /// submissions are not known.
    Updated(Vec<SubmissionId>),
}

/// A change to submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeEvent {
    /// The environment.
    pub environment: Environment,
    /// The form; `None` if they may be of several forms.
    pub form: Option<FormId>,
    /// The change.
    pub change: Change,
}

/// The listeners; provided as context by the app.
#[derive(Clone, Copy, Default)]
pub struct Changes {
    listeners: StoredValue<Vec<(u32, Callback<ChangeEvent>)>>,
    next_id: StoredValue<u32>,
}

impl Changes {
    /// Calls `listener` with every change until the current owner is disposed.
    pub fn listen(&self, listener: impl Fn(ChangeEvent) + Send + Sync + 'static) {
        let listeners = self.listeners;
        let id = self.next_id.get_value();
        self.next_id.set_value(id + 1);
        listeners.update_value(|list| list.push((id, Callback::new(listener))));
        on_cleanup(move || {
            listeners.try_update_value(|list| list.retain(|entry| entry.0 != id));
        });
    }

    /// Notifies all listeners of a change to submissions of a form; of several forms without one.
    pub fn notify(&self, environment: Environment, form: Option<&FormId>, change: Change) {
        let event = ChangeEvent { environment, form: form.cloned(), change };
        for (_, listener) in self.listeners.try_get_value().unwrap_or_default() {
            listener.run(event.clone());
        }
    }
}
