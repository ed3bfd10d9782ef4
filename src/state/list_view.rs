//! How a person wants to see lists: the columns of each form, and whether times are told as
//! distances or whole. Kept in the browser's storage; a browser may refuse that, then every start
//! has the defaults.

use contract::FormId;
use leptos::prelude::*;

use crate::domain::{
    columns::{Chosen, parse, write},
    script_names::{COLUMNS_KEY, TIME_KEY},
};

/// The store, for the list of one page.
#[derive(Debug, Clone, Copy)]
pub struct ViewStore {
    form: RwSignal<Option<FormId>>,
    columns: RwSignal<Vec<Chosen>>,
    whole_times: RwSignal<bool>,
}

impl ViewStore {
    /// Returns what is kept, before any form is known; owned by the present reactive owner.
    pub fn load() -> Self {
        Self {
            form: RwSignal::new(None),
            columns: RwSignal::new(Vec::new()),
            whole_times: RwSignal::new(read(TIME_KEY) == "absolute"),
        }
    }

    /// Takes up what is kept of a form.
    pub fn show(&self, form: &FormId) {
        if self.form.with_untracked(|now| now.as_ref() != Some(form)) {
            self.columns.set(parse(&read(&format!("{COLUMNS_KEY}{form}"))));
            self.form.set(Some(form.clone()));
        }
    }

    /// Returns the columns as they were chosen; none where nothing was.
    pub fn columns(&self) -> Signal<Vec<Chosen>> {
        self.columns.into()
    }

    /// Chooses columns and keeps them; none is a return to the defaults.
    pub fn choose(&self, columns: Vec<Chosen>) {
        if let Some(form) = self.form.get_untracked() {
            put(&format!("{COLUMNS_KEY}{form}"), &write(&columns));
        }
        self.columns.set(columns);
    }

    /// Returns whether times are told whole.
    pub fn whole_times(&self) -> Signal<bool> {
        self.whole_times.into()
    }

    /// Chooses how times are told, and keeps it.
    pub fn tell_whole_times(&self, whole: bool) {
        put(TIME_KEY, if whole { "absolute" } else { "" });
        self.whole_times.set(whole);
    }
}

/// Returns what outlives the page, where the browser lets us.
pub(super) fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

pub(super) fn read(key: &str) -> String {
    storage().and_then(|storage| storage.get_item(key).ok().flatten()).unwrap_or_default()
}

/// Keeps a text; an empty one is forgotten. Returns whether the browser lets us.
pub(super) fn put(key: &str, text: &str) -> bool {
    let Some(storage) = storage() else { return false };
    let kept = if text.is_empty() { storage.remove_item(key) } else { storage.set_item(key, text) };
    kept.is_ok()
}
