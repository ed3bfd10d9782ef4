//! Saved views of a form. The server stores them if it can, else the browser. If the browser
//! refuses storage, they last as long as the page.

use contract::FormId;
use leptos::prelude::*;

use super::{last_date_preset::LastDatePreset, session::SessionStore};
use crate::{
    api,
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
    /// Message of the last request for the views, if it failed.
    pub load_error: RwSignal<Option<String>>,
    /// The signed-in user.
    pub session: SessionStore,
    /// The last date preset.
    pub last_preset: LastDatePreset,
}

impl SavedViews {
    /// Creates a store without a form, owned by the current reactive owner.
    pub fn new(pressed: LastDatePreset, session: SessionStore) -> Self {
        Self {
            form: RwSignal::new(None),
            views: RwSignal::new(Vec::new()),
            is_stored: RwSignal::new(true),
            load_error: RwSignal::new(None),
            session,
            last_preset: pressed,
        }
    }

    /// Returns whether the server stores the views. Tracked.
    pub fn is_on_server(self) -> bool {
        self.session.capabilities().saved_views
    }

    /// Sets the form; `None` in the inbox, which has no views. Loads the views that the browser
    /// stores; [`SavedViews::fetch`] loads those of a server. Returns whether the form changed.
    pub fn load_form(self, form: Option<&FormId>) -> bool {
        let other = self.form.with_untracked(|now| now.as_ref() != form);
        if other {
            self.form.set(form.cloned());
            let is_on_server = untrack(|| self.is_on_server());
            self.views.set(if is_on_server { Vec::new() } else { self.stored() });
        }
        other
    }

    /// Returns the current form.
    pub fn form(self) -> Option<FormId> {
        self.form.try_get_untracked().flatten()
    }

    /// Loads the views of the form from the server.
    pub async fn fetch(self) {
        let Some(form) = self.form() else { return };
        let answer = api::list_views(&form).await;
        if self.form().as_ref() != Some(&form) {
            return;
        }
        let error = match answer {
            Ok(views) => {
                self.views.set(views.into_iter().map(SavedView::from).collect());
                None
            }
            Err(error) => {
                self.session.handle_error(&error);
                Some(error.message())
            }
        };
        self.load_error.try_set(error);
    }

    /// Returns the views in their order.
    pub fn list(self) -> Signal<Vec<SavedView>> {
        self.views.into()
    }

    /// Returns whether the browser stored the last change.
    pub fn is_stored(self) -> Signal<bool> {
        self.is_stored.into()
    }

    /// Returns the views that the browser stores for the form.
    pub fn stored(self) -> Vec<SavedView> {
        self.storage_key().map(|key| parse(&read_storage(&key))).unwrap_or_default()
    }

    /// Stores views of the form in the browser. Returns whether the browser accepted them.
    pub fn store(self, views: &[SavedView]) -> bool {
        self.storage_key().is_some_and(|key| write_storage(&key, &write(views)))
    }

    fn storage_key(self) -> Option<String> {
        self.form().map(|form| format!("{VIEWS_KEY}{form}"))
    }

    /// Applies a change and stores it in the browser. If another tab has changed the views
    /// meanwhile, loads its version instead, because the indexes in `change` no longer match.
    /// Saving a view always works.
    pub fn apply_change(self, change: SavedViewChange) {
        let shown = self.views.get_untracked();
        let mut views = if self.is_stored.get_untracked() { self.stored() } else { shown.clone() };
        if views == shown || matches!(change, SavedViewChange::Save(_)) {
            apply_change(&mut views, change);
            self.is_stored.set(self.store(&views));
        }
        self.views.set(views);
    }
}
