//! The date preset that the user pressed last. The URL contains only dates, and several presets can
//! mean the same dates: on the first of a month, "today" and "this month". The choice is stored in
//! the browser, so that it survives a reload.

use leptos::prelude::*;

use super::list_view::{put, read};
use crate::domain::time::Preset;

/// Storage key.
const KEY: &str = "sheaf-days";

/// The last preset, shared by all pages.
#[derive(Debug, Clone, Copy)]
pub struct Pressed(RwSignal<Option<Preset>>);

impl Pressed {
    /// Loads the stored preset; owned by the current reactive owner.
    pub fn load() -> Self {
        Self(RwSignal::new(Preset::named(&read(KEY))))
    }

    /// Returns the last preset. Tracked.
    pub fn preset(self) -> Option<Preset> {
        self.0.get()
    }

    /// Stores the pressed preset, or the preset of an opened saved view, if any.
    pub fn press(self, preset: Option<Preset>) {
        put(KEY, preset.map_or("", Preset::name));
        self.0.set(preset);
    }
}
