//! Saved views of a form, stored in the browser. If the browser refuses storage, they last as long
//! as the page.

use contract::FormId;
use leptos::prelude::*;

use super::{
    last_date_preset::Pressed,
    list_view::{put, read},
};
use crate::domain::{
    saved_views::{Change, SavedView, apply, parse, write},
    script_names::VIEWS_KEY,
};

/// The saved views of one list page.
#[derive(Debug, Clone, Copy)]
pub struct SavedViews {
    form: RwSignal<Option<FormId>>,
    views: RwSignal<Vec<SavedView>>,
    kept: RwSignal<bool>,
    /// The last date preset.
    pub pressed: Pressed,
}

impl SavedViews {
    /// Creates a store without a form, owned by the current reactive owner.
    pub fn new(pressed: Pressed) -> Self {
        let (form, views) = (RwSignal::new(None), RwSignal::new(Vec::new()));
        Self { form, views, kept: RwSignal::new(true), pressed }
    }

    /// Loads the views of a form. Returns whether the form changed.
    pub fn show(self, form: &FormId) -> bool {
        let other = self.form.with_untracked(|now| now.as_ref() != Some(form));
        if other {
            self.views.set(parse(&read(&format!("{VIEWS_KEY}{form}"))));
            self.form.set(Some(form.clone()));
        }
        other
    }

    /// Returns the views in their order.
    pub fn list(self) -> Signal<Vec<SavedView>> {
        self.views.into()
    }

    /// Returns whether the browser stored the last change.
    pub fn are_kept(self) -> Signal<bool> {
        self.kept.into()
    }

    /// Applies and stores a change. If another tab has changed the views meanwhile, loads its
    /// version instead, because the indexes in `change` no longer match. Saving a view always
    /// works.
    pub fn change(self, change: Change) {
        let Some(form) = self.form.get_untracked() else { return };
        let key = format!("{VIEWS_KEY}{form}");
        let shown = self.views.get_untracked();
        let mut views = if self.kept.get_untracked() { parse(&read(&key)) } else { shown.clone() };
        if views == shown || matches!(change, Change::Save(_)) {
            apply(&mut views, change);
            self.kept.set(put(&key, &write(&views)));
        }
        self.views.set(views);
    }
}
