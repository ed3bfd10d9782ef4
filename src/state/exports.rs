//! Where an export that runs belongs: to the app, so that it goes on from page to page. What it is
//! at, and all that shows of it, comes with the part that exports.

use leptos::{prelude::*, reactive::owner::WeakOwner};

/// The store, to be provided as context by the app.
#[derive(Clone)]
pub struct Exports {
    home: Option<WeakOwner>,
    open: RwSignal<bool>,
    at_list: RwSignal<bool>,
    needed: RwSignal<bool>,
}

impl Default for Exports {
    fn default() -> Self {
        Self::new()
    }
}

impl Exports {
    /// Returns the store of the present reactive owner, for as long as that lives.
    pub fn new() -> Self {
        Self {
            home: Owner::current().map(|owner| owner.downgrade()),
            open: RwSignal::new(false),
            at_list: RwSignal::new(false),
            needed: RwSignal::new(false),
        }
    }

    /// Returns whether the dialog is shown.
    pub fn open(&self) -> RwSignal<bool> {
        self.open
    }

    /// Returns whether a list is on view, whose dialog is the whole one.
    pub fn at_list(&self) -> RwSignal<bool> {
        self.at_list
    }

    /// Returns whether there was ever anything to be seen of an export.
    pub fn needed(&self) -> RwSignal<bool> {
        self.needed
    }

    /// Calls `act` as the app itself would: what it makes lives as long as that.
    pub fn at_home<T>(&self, act: impl FnOnce() -> T) -> T {
        match self.home.as_ref().and_then(WeakOwner::upgrade) {
            Some(home) => home.with(act),
            None => act(),
        }
    }
}
