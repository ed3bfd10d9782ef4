//! Saved views of a form, stored in the browser. If the browser refuses storage, they last as long
//! as the page.

use contract::FormId;
use leptos::prelude::*;

use super::last_date_preset::LastDatePreset;
use crate::{
    domain::{
        saved_views::{SavedView, SavedViewChange, apply_change, parse, write},
        script_names::VIEWS_KEY,
    },
    ui::storage::{read_storage, write_storage},
};

/// The saved views of one list page.
#[derive(Debug, Clone, Copy)]
pub struct SavedViews {
    form: RwSignal<Option<FormId>>,
    views: RwSignal<Vec<SavedView>>,
    is_stored: RwSignal<bool>,
    /// The last date preset.
    pub last_preset: LastDatePreset,
}

impl SavedViews {
    /// Creates a store without a form, owned by the current reactive owner.
    pub fn new(pressed: LastDatePreset) -> Self {
        let form = RwSignal::new(None);
        let views = RwSignal::new(Vec::new());
        Self { form, views, is_stored: RwSignal::new(true), last_preset: pressed }
    }

    /// Loads the views of a form. Returns whether the form changed.
    pub fn load_form(self, form: &FormId) -> bool {
        let other = self.form.with_untracked(|now| now.as_ref() != Some(form));
        if other {
            self.views.set(parse(&read_storage(&format!("{VIEWS_KEY}{form}"))));
            self.form.set(Some(form.clone()));
        }
        other
    }

    /// Returns the views in their order.
    pub fn list(self) -> Signal<Vec<SavedView>> {
        self.views.into()
    }

    /// Returns whether the browser stored the last change.
    pub fn is_stored(self) -> Signal<bool> {
        self.is_stored.into()
    }

    /// Applies and stores a change. If another tab has changed the views meanwhile, loads its
    /// version instead, because the indexes in `change` no longer match. Saving a view always
    /// works.
    pub fn apply_change(self, change: SavedViewChange) {
        let Some(form) = self.form.get_untracked() else { return };
        let key = format!("{VIEWS_KEY}{form}");
        let shown = self.views.get_untracked();
        let mut views =
            if self.is_stored.get_untracked() { parse(&read_storage(&key)) } else { shown.clone() };
        if views == shown || matches!(change, SavedViewChange::Save(_)) {
            apply_change(&mut views, change);
            self.is_stored.set(write_storage(&key, &write(&views)));
        }
        self.views.set(views);
    }
}
