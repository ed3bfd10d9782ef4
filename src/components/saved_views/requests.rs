//! Changes of saved views, on the server or in the browser.

use contract::{FormId, view::ViewChange};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, ApiError},
    components::page::explain_failure,
    domain::saved_views::{SavedView, SavedViewChange, ViewEdit, find_named},
    i18n,
    state::{saved_views::SavedViews, toasts::Toasts},
    ui::toast::ToastAction,
};

/// Changes of the views in a panel. Cheap to copy.
#[derive(Clone, Copy)]
pub struct ViewRequests {
    views: SavedViews,
    toasts: Toasts,
    is_busy: RwSignal<bool>,
    error: RwSignal<Option<String>>,
}

impl ViewRequests {
    /// Returns the changes of `views`, owned by the current reactive owner.
    pub fn new(views: SavedViews) -> Self {
        Self {
            views,
            toasts: expect_context(),
            is_busy: RwSignal::new(false),
            error: RwSignal::new(None),
        }
    }

    /// Returns whether a request is in flight.
    pub fn is_busy(self) -> Signal<bool> {
        self.is_busy.into()
    }

    /// Returns the message of the last change, if it failed.
    pub fn error(self) -> Signal<Option<String>> {
        self.error.into()
    }

    /// Makes a change, and calls `on_done` once it is stored. One change at a time.
    pub fn submit(self, change: SavedViewChange, on_done: impl FnOnce() + 'static) {
        if !untrack(|| self.views.is_on_server()) {
            self.views.apply_change(change);
            on_done();
            return;
        }
        self.run(
            async move {
                match change {
                    SavedViewChange::Save(view) => self.save(view).await,
                    SavedViewChange::Edit(at, edit) => self.edit(at, edit).await,
                    SavedViewChange::Delete(at) => self.delete(at).await,
                    SavedViewChange::Up(_) | SavedViewChange::Down(_) => Ok(()),
                }
            },
            on_done,
        );
    }

    /// Creates views on the server that the browser stores, as private ones. Each is removed from
    /// the browser once the server has it.
    pub fn move_stored(self) {
        let Some(form) = self.views.form() else { return };
        let mut stored = self.views.stored();
        let create = async move {
            while let Some(view) = stored.first() {
                if let Err(error) = create(&form, view).await {
                    self.views.fetch().await;
                    return Err(error);
                }
                stored.remove(0);
                self.views.store(&stored);
            }
            Ok(())
        };
        self.run(create, || ());
    }

    /// Loads the views again.
    pub fn reload(self) {
        self.run(async { Ok(()) }, || ());
    }

    /// Awaits a change. After a success, loads the views again and calls `on_done`. After a
    /// failure, the user's input stays.
    fn run(
        self,
        change: impl Future<Output = Result<(), ApiError>> + 'static,
        on_done: impl FnOnce() + 'static,
    ) {
        if self.is_busy.try_get_untracked() != Some(false) {
            return;
        }
        self.is_busy.set(true);
        spawn_local(async move {
            let result = change.await;
            match &result {
                Ok(()) => self.views.fetch().await,
                Err(error) => self.views.session.handle_error(error),
            }
            self.error.try_set(result.as_ref().err().map(ApiError::message));
            // `None` unless the panel is gone.
            if self.is_busy.try_set(false).is_none() && result.is_ok() {
                on_done();
            }
        });
    }

    async fn save(self, view: SavedView) -> Result<(), ApiError> {
        let Some(form) = self.views.form() else { return Ok(()) };
        let named = |views: &Vec<SavedView>| find_named(views, &view.name, view.shared);
        let replaced = self.views.list().try_with_untracked(named).flatten();
        let Some(replaced) = replaced.and_then(|at| self.view_at(at)) else {
            return create(&form, &view).await;
        };
        let new = view.to_new_view();
        let change = ViewChange {
            query: Some(new.query),
            dates: Some(new.dates),
            columns: Some(new.columns),
            // Replacing the default view keeps it the default.
            is_default: new.is_default.then_some(true),
            ..ViewChange::default()
        };
        self.update(&replaced, change).await
    }

    async fn edit(self, at: usize, edit: ViewEdit) -> Result<(), ApiError> {
        let Some(view) = self.view_at(at) else { return Ok(()) };
        let change = ViewChange {
            name: (edit.name != view.name).then_some(edit.name),
            shared: (edit.shared != view.shared).then_some(edit.shared),
            is_default: (edit.is_default != view.is_default).then_some(edit.is_default),
            ..ViewChange::default()
        };
        self.update(&view, change).await
    }

    async fn delete(self, at: usize) -> Result<(), ApiError> {
        let Some(view) = self.view_at(at) else { return Ok(()) };
        let (Some(form), Some(id)) = (self.views.form(), &view.id) else { return Ok(()) };
        match api::delete_view(&form, id).await {
            // Another tab or member has deleted it.
            Err(error) if error.status() == Some(404) => return Ok(()),
            deleted => deleted?,
        }
        let text = (i18n::saved_views().deleted)(&view.name);
        let undo = move || self.restore(form.clone(), view.clone());
        self.toasts.show_success_with_action(text, ToastAction::new(i18n::common().undo, undo));
        Ok(())
    }

    /// Creates a deleted view again. The panel may be closed meanwhile.
    fn restore(self, form: FormId, view: SavedView) {
        spawn_local(async move {
            match create(&form, &view).await {
                Ok(()) => self.views.fetch().await,
                Err(error) => {
                    self.toasts.show_error(explain_failure(self.views.session, &error));
                }
            }
        });
    }

    async fn update(self, view: &SavedView, change: ViewChange) -> Result<(), ApiError> {
        let (Some(form), Some(id)) = (self.views.form(), &view.id) else { return Ok(()) };
        api::update_view(&form, id, &change).await.map(|_| ())
    }

    fn view_at(self, at: usize) -> Option<SavedView> {
        self.views.list().try_with_untracked(|views| views.get(at).cloned()).flatten()
    }
}

async fn create(form: &FormId, view: &SavedView) -> Result<(), ApiError> {
    api::create_view(form, &view.to_new_view()).await.map(|_| ())
}
