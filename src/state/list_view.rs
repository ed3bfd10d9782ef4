//! View settings of lists: the columns of each form, and relative or absolute times. They are
//! stored in the browser. If the browser refuses storage, every start uses the defaults.

use contract::FormId;
use leptos::prelude::*;

use crate::{
    domain::{
        columns::{SelectedColumn, format_selection, parse_selection},
        script_names::{COLUMNS_KEY, TIME_KEY},
    },
    ui::storage::{read_storage, write_storage},
};

/// The view settings of one list page.
#[derive(Debug, Clone, Copy)]
pub struct ViewStore {
    form: RwSignal<Option<FormId>>,
    columns: RwSignal<Vec<SelectedColumn>>,
    absolute_times: RwSignal<bool>,
}

impl ViewStore {
    /// Loads the settings that are independent of a form; owned by the current reactive owner.
    pub fn load() -> Self {
        Self {
            form: RwSignal::new(None),
            columns: RwSignal::new(Vec::new()),
            absolute_times: RwSignal::new(read_storage(TIME_KEY) == "absolute"),
        }
    }

    /// Loads the settings of a form. The inbox, which has no form, always starts with the defaults.
    pub fn load_form(&self, form: Option<&FormId>) {
        if self.form.with_untracked(|now| now.as_ref() != form) {
            let stored = form.map(|form| read_storage(&format!("{COLUMNS_KEY}{form}")));
            self.columns.set(parse_selection(&stored.unwrap_or_default()));
            self.form.set(form.cloned());
        }
    }

    /// Returns the chosen columns; empty for the defaults.
    pub fn columns(&self) -> Signal<Vec<SelectedColumn>> {
        self.columns.into()
    }

    /// Sets and stores the columns; an empty list restores the defaults.
    pub fn set_columns(&self, columns: Vec<SelectedColumn>) {
        if let Some(form) = self.form.get_untracked() {
            write_storage(&format!("{COLUMNS_KEY}{form}"), &format_selection(&columns));
        }
        self.columns.set(columns);
    }

    /// Returns whether times are absolute instead of relative.
    pub fn absolute_times(&self) -> Signal<bool> {
        self.absolute_times.into()
    }

    /// Sets and stores whether times are absolute instead of relative.
    pub fn set_absolute_times(&self, is_absolute: bool) {
        write_storage(TIME_KEY, if is_absolute { "absolute" } else { "" });
        self.absolute_times.set(is_absolute);
    }
}
