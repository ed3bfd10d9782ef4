//! The saved views of a form, kept in the browser's storage; a browser may refuse that, then they
//! last as long as the page. It knows neither a URL nor what day it is.

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

/// The store, for the list of one page.
#[derive(Debug, Clone, Copy)]
pub struct SavedViews {
    form: RwSignal<Option<FormId>>,
    views: RwSignal<Vec<SavedView>>,
    kept: RwSignal<bool>,
    /// The range of days that was pressed last.
    pub pressed: Pressed,
}

impl SavedViews {
    /// Returns the views of no form yet, owned by the present reactive owner.
    pub fn new(pressed: Pressed) -> Self {
        let (form, views) = (RwSignal::new(None), RwSignal::new(Vec::new()));
        Self { form, views, kept: RwSignal::new(true), pressed }
    }

    /// Takes up what is kept of a form. Returns whether that is another form than before.
    pub fn show(self, form: &FormId) -> bool {
        let other = self.form.with_untracked(|now| now.as_ref() != Some(form));
        if other {
            self.views.set(parse(&read(&format!("{VIEWS_KEY}{form}"))));
            self.form.set(Some(form.clone()));
        }
        other
    }

    /// Returns the views, in their order.
    pub fn list(self) -> Signal<Vec<SavedView>> {
        self.views.into()
    }

    /// Returns whether the browser kept the last change.
    pub fn are_kept(self) -> Signal<bool> {
        self.kept.into()
    }

    /// Changes the views, and keeps them. Where another tab has changed them meanwhile, what it
    /// kept is shown instead, since the places are others; a view is saved all the same.
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
