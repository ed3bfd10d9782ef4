//! Notifies lists which submissions left a form's list or came back.

use contract::{Environment, FormId};
use leptos::prelude::*;

use crate::domain::list_model::Key;

/// What happened to submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// They are no longer listed: deleted, moved to the trash or marked as spam.
    Removed(Vec<Key>),
    /// Others left or came back; these are the known ones that came back. Lists are out of date.
    Restored(Vec<Key>),
}

/// A change of a form's submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeEvent {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// What happened.
    pub change: Change,
}

/// The store, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct Changes {
    listeners: StoredValue<Vec<(u32, Callback<ChangeEvent>)>>,
    next_id: StoredValue<u32>,
}

impl Default for Changes {
    fn default() -> Self {
        Self::new()
    }
}

impl Changes {
    /// Returns a store without listeners, owned by the present reactive owner.
    pub fn new() -> Self {
        Self { listeners: StoredValue::new(Vec::new()), next_id: StoredValue::new(0) }
    }

    /// Calls `listener` with every change, for as long as the current owner lives.
    pub fn listen(&self, listener: impl Fn(ChangeEvent) + Send + Sync + 'static) {
        let (listeners, id) = (self.listeners, self.next_id.get_value());
        self.next_id.set_value(id + 1);
        listeners.update_value(|all| all.push((id, Callback::new(listener))));
        on_cleanup(move || {
            listeners.try_update_value(|all| all.retain(|one| one.0 != id));
        });
    }

    /// Notifies all listeners of a change of a form's submissions.
    pub fn notify(&self, environment: Environment, form: &FormId, change: Change) {
        let event = ChangeEvent { environment, form: form.clone(), change };
        for (_, listener) in self.listeners.try_get_value().unwrap_or_default() {
            listener.run(event.clone());
        }
    }
}
