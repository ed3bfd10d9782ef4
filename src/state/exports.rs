//! Owner and visibility of the running export. It belongs to the app, so that it continues across
//! pages. The progress and the UI of an export are in code that is loaded on demand.

use leptos::{prelude::*, reactive::owner::WeakOwner};

/// State of the export dialog; provided as context by the app.
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
    /// Creates the store for the current reactive owner.
    pub fn new() -> Self {
        Self {
            home: Owner::current().map(|owner| owner.downgrade()),
            open: RwSignal::new(false),
            at_list: RwSignal::new(false),
            needed: RwSignal::new(false),
        }
    }

    /// Returns whether the dialog is open.
    pub fn open(&self) -> RwSignal<bool> {
        self.open
    }

    /// Returns whether a list page is mounted. Only there the dialog has all its options.
    pub fn at_list(&self) -> RwSignal<bool> {
        self.at_list
    }

    /// Returns whether the export UI was ever needed.
    pub fn needed(&self) -> RwSignal<bool> {
        self.needed
    }

    /// Runs `act` with the app as owner: signals and effects that it creates live as long as the
    /// app.
    pub fn at_home<T>(&self, act: impl FnOnce() -> T) -> T {
        match self.home.as_ref().and_then(WeakOwner::upgrade) {
            Some(home) => home.with(act),
            None => act(),
        }
    }
}
