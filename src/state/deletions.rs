//! The permanent deletion that is under way, if any. It is lost on reload, and sends nothing.

use leptos::prelude::*;

use crate::domain::deletion::Deletion;

/// The store, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct Deletions {
    current: RwSignal<Option<Deletion>>,
    /// The number of the current loop; each start begins a new one.
    run: StoredValue<u32>,
    needed: RwSignal<bool>,
}

impl Default for Deletions {
    fn default() -> Self {
        Self::new()
    }
}

impl Deletions {
    /// Returns a store without a deletion, owned by the present reactive owner.
    pub fn new() -> Self {
        Self {
            current: RwSignal::new(None),
            run: StoredValue::new(0),
            needed: RwSignal::new(false),
        }
    }

    /// Returns the deletion.
    pub fn current(&self) -> RwSignal<Option<Deletion>> {
        self.current
    }

    /// Returns whether there was ever one.
    pub fn needed(&self) -> RwSignal<bool> {
        self.needed
    }

    /// Returns whether one is under way.
    pub fn is_running(&self) -> bool {
        let is_running = |one: &Option<Deletion>| one.as_ref().is_some_and(Deletion::is_running);
        self.current.try_with_untracked(is_running) == Some(true)
    }

    /// Begins another run, and returns its number. The one before ends.
    pub fn begin_run(&self) -> u32 {
        self.run.try_update_value(|run| {
            *run += 1;
            *run
        });
        self.run.try_get_value().unwrap_or_default()
    }

    /// Returns whether a run may go on.
    pub fn is_current(&self, run: u32) -> bool {
        self.run.try_get_value() == Some(run)
    }

    /// Changes the deletion.
    pub fn change(&self, change: impl FnOnce(&mut Deletion)) {
        self.current.try_update(|one| one.as_mut().map(change));
    }

    /// Drops the deletion. What was not deleted stays.
    pub fn clear(&self) {
        self.begin_run();
        self.current.try_set(None);
    }
}
