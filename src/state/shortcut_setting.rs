//! Whether shortcuts of a single character, such as `j` and `#`, are enabled. Users who dictate or
//! press keys by mistake can disable them. Stored in the browser.

use leptos::prelude::*;

use crate::ui::storage::{read_storage, write_storage};

/// Storage key.
const KEY: &str = "sheaf-single-keys";

/// The setting, shared by all pages.
#[derive(Debug, Clone, Copy)]
pub struct ShortcutSetting(RwSignal<bool>);

impl ShortcutSetting {
    /// Loads the stored setting; owned by the current reactive owner.
    pub fn load() -> Self {
        Self(RwSignal::new(read_storage(KEY) != "off"))
    }

    /// Returns whether the shortcuts are enabled.
    pub fn is_enabled(self) -> Signal<bool> {
        self.0.into()
    }

    /// Enables or disables the shortcuts, and stores the setting.
    pub fn set_enabled(self, is_on: bool) {
        write_storage(KEY, if is_on { "" } else { "off" });
        self.0.set(is_on);
    }
}
