//! The range of days that was pressed last. The URL has the days alone, and on some of them several
//! ranges mean the same: on the first of a month, "today" and "this month". Kept in the browser's
//! storage, so that a reload does not forget which was meant.

use leptos::prelude::*;

use super::list_view::{put, read};
use crate::domain::time::Preset;

/// The storage key.
const KEY: &str = "sheaf-days";

/// The store, for all pages.
#[derive(Debug, Clone, Copy)]
pub struct Pressed(RwSignal<Option<Preset>>);

impl Pressed {
    /// Returns what is kept, owned by the present reactive owner.
    pub fn load() -> Self {
        Self(RwSignal::new(Preset::named(&read(KEY))))
    }

    /// Returns what was pressed last. Tracked.
    pub fn preset(self) -> Option<Preset> {
        self.0.get()
    }

    /// Takes in that a range was pressed, or a view opened that keeps it, if it keeps one.
    pub fn press(self, preset: Option<Preset>) {
        put(KEY, preset.map_or("", Preset::name));
        self.0.set(preset);
    }
}
