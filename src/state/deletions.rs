//! State of the current permanent deletion. It is lost on reload, and sends no requests.

use leptos::prelude::*;

use crate::domain::deletion::Deletion;

/// The current deletion; provided as context by the app.
#[derive(Clone, Copy, Default)]
pub struct Deletions {
    current: RwSignal<Option<Deletion>>,
    /// Number of the current run; each start increments it.
    run: StoredValue<u32>,
    /// Whether a deletion was ever started: loads its panel.
    was_started: RwSignal<bool>,
}

impl Deletions {
    /// Returns the current deletion, if any.
    pub fn current(&self) -> RwSignal<Option<Deletion>> {
        self.current
    }

    /// Returns whether a deletion was ever started.
    pub fn was_started(&self) -> RwSignal<bool> {
        self.was_started
    }

    /// Returns whether a deletion is running.
    pub fn is_running(&self) -> bool {
        let is_running =
            |deletion: &Option<Deletion>| deletion.as_ref().is_some_and(Deletion::is_running);
        self.current.try_with_untracked(is_running) == Some(true)
    }

    /// Starts a run, and returns its number. The previous run ends.
    pub fn begin_run(&self) -> u32 {
        let next = |run: &mut u32| {
            *run += 1;
            *run
        };
        self.run.try_update_value(next).unwrap_or_default()
    }

    /// Returns whether a run may continue.
    pub fn is_current(&self, run: u32) -> bool {
        self.run.try_get_value() == Some(run)
    }

    /// Applies `change` to the current deletion, if any.
    pub fn change(&self, change: impl FnOnce(&mut Deletion)) {
        self.current.try_update(|deletion| deletion.as_mut().map(change));
    }

    /// Ends the run and discards the deletion. Pending submissions are not deleted.
    pub fn clear(&self) {
        self.begin_run();
        self.current.try_set(None);
    }
}
