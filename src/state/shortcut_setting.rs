//! Whether letters and signs act by themselves, as `j` and `#` do. Who dictates, or presses keys by
//! mistake, can switch that off. Kept in the browser's storage.

use leptos::prelude::*;

use super::list_view::{put, read};

/// The storage key.
const KEY: &str = "sheaf-single-keys";

/// The store, for the whole window.
#[derive(Debug, Clone, Copy)]
pub struct SingleKeys(RwSignal<bool>);

impl SingleKeys {
    /// Returns what is kept, owned by the present reactive owner.
    pub fn load() -> Self {
        Self(RwSignal::new(read(KEY) != "off"))
    }

    /// Returns whether they act.
    pub fn are_on(self) -> Signal<bool> {
        self.0.into()
    }

    /// Switches them on or off, and keeps that.
    pub fn switch(self, on: bool) {
        put(KEY, if on { "" } else { "off" });
        self.0.set(on);
    }
}
