//! Owner and visibility of the running export. It belongs to the app, so that it continues across
//! pages. The progress and the UI of an export are in code that is loaded on demand.

use leptos::{prelude::*, reactive::owner::WeakOwner};

/// State of the export dialog; provided as context by the app.
#[derive(Clone)]
pub struct Exports {
    app_owner: Option<WeakOwner>,
    open: RwSignal<bool>,
    on_list_page: RwSignal<bool>,
    was_needed: RwSignal<bool>,
}

impl Default for Exports {
    fn default() -> Self {
        Self {
            app_owner: Owner::current().map(|owner| owner.downgrade()),
            open: RwSignal::default(),
            on_list_page: RwSignal::default(),
            was_needed: RwSignal::default(),
        }
    }
}

impl Exports {
    /// Returns whether the dialog is open.
    pub fn open(&self) -> RwSignal<bool> {
        self.open
    }

    /// Returns whether a list page is mounted. Only there the dialog has all its options.
    pub fn on_list_page(&self) -> RwSignal<bool> {
        self.on_list_page
    }

    /// Returns whether the export UI was ever needed.
    pub fn was_needed(&self) -> RwSignal<bool> {
        self.was_needed
    }

    /// Runs `run` with the app as owner: signals and effects that it creates live as long as the
    /// app.
    pub fn with_app_owner<T>(&self, run: impl FnOnce() -> T) -> T {
        match self.app_owner.as_ref().and_then(WeakOwner::upgrade) {
            Some(home) => home.with(run),
            None => run(),
        }
    }
}
