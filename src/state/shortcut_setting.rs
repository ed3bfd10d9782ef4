//! Whether shortcuts of a single character, such as `j` and `#`, are enabled. Users who dictate or
//! press keys by mistake can disable them. Stored in the browser.

use leptos::prelude::*;

use super::list_view::{put, read};

/// Storage key.
const KEY: &str = "sheaf-single-keys";

/// The setting, shared by all pages.
#[derive(Debug, Clone, Copy)]
pub struct SingleKeys(RwSignal<bool>);

impl SingleKeys {
    /// Loads the stored setting; owned by the current reactive owner.
    pub fn load() -> Self {
        Self(RwSignal::new(read(KEY) != "off"))
    }

    /// Returns whether the shortcuts are enabled.
    pub fn are_on(self) -> Signal<bool> {
        self.0.into()
    }

    /// Enables or disables the shortcuts, and stores the setting.
    pub fn switch(self, on: bool) {
        put(KEY, if on { "" } else { "off" });
        self.0.set(on);
    }
}
