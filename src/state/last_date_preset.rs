//! The date preset that the user pressed last. The URL contains only dates, and several presets can
//! mean the same dates: on the first of a month, "today" and "this month". The choice is stored in
//! the browser, so that it survives a reload.

use leptos::prelude::*;

use crate::{
    domain::time::DatePreset,
    ui::storage::{read_storage, write_storage},
};

/// Storage key.
const KEY: &str = "sheaf-days";

/// The last preset, shared by all pages.
#[derive(Debug, Clone, Copy)]
pub struct LastDatePreset(RwSignal<Option<DatePreset>>);

impl LastDatePreset {
    /// Loads the stored preset; owned by the current reactive owner.
    pub fn load() -> Self {
        Self(RwSignal::new(DatePreset::from_name(&read_storage(KEY))))
    }

    /// Returns the last preset. Tracked.
    pub fn preset(self) -> Option<DatePreset> {
        self.0.get()
    }

    /// Stores the pressed preset, or the preset of an opened saved view, if any.
    pub fn set_preset(self, preset: Option<DatePreset>) {
        write_storage(KEY, preset.map_or("", DatePreset::name));
        self.0.set(preset);
    }
}
