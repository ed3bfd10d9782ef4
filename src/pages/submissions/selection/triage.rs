//! Changes of the triage of the selection, and their undo.

use std::sync::Arc;

use contract::trash::IDS_MAX;
use contract::triage::{TriageChange, UndoStep, UpdatedSubmissions};
use contract::{Environment, FormId, ListQuery, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::SelectionState;
use crate::{
    api::ApiError,
    components::page::{explain_failure, rescue_focus},
    domain::selection::Selection,
    i18n,
    pages::submissions::{
        actions::moves::focus_in_selection_bar, list::ListSource, list_state::ListState,
        open_submission::in_table,
    },
    state::{
        changes::{Change, Changes},
        confirm::Confirm,
        toasts::Toasts,
        triage::TriageState,
    },
    ui::{focus_is_lost, toast::ToastAction},
};

/// Changes the triage of the selection. Cheap to copy.
#[derive(Clone, Copy)]
pub struct TriageActions {
    list: ListState,
    selection: SelectionState,
    state: TriageState,
    changes: Changes,
    confirm: Confirm,
    toasts: Toasts,
}

/// List that a change was made in: its environment and form; `None` in the inbox.
pub type ShownList = (Environment, Option<FormId>);

impl TriageActions {
    /// Returns the actions of the page in context.
    pub fn from_context() -> Self {
        Self {
            list: expect_context(),
            selection: expect_context(),
            state: expect_context(),
            changes: expect_context(),
            confirm: expect_context(),
            toasts: expect_context(),
        }
    }

    /// Changes the selected submissions. If these are all that match the filter, asks first, with a
    /// `description` of the change such as "Status: Done".
    pub(super) fn change_selection(self, change: TriageChange, description: &str) {
        let Some(ListSource { environment, form, .. }) = self.list.location() else { return };
        self.state.show_form(form.as_ref());
        if self.selection.rows().with_untracked(Selection::is_all) {
            self.ask_to_change_all(change, description);
            return;
        }
        let ids = self.selection.rows().with_untracked(Selection::ids);
        spawn_local(async move {
            match self.change_ids(form.as_ref(), &ids, &change, true).await {
                Ok(updated) => {
                    // The user may have moved on to another field meanwhile.
                    let takes_focus = in_table() || focus_in_selection_bar() || focus_is_lost();
                    self.clear_if_filtered(&change, takes_focus);
                    self.show_result(updated, (environment, form));
                }
                Err(error) => self.show_error(&error, i18n::triage_actions().failed),
            }
        });
    }

    /// Changes submissions. If their list is visible and `shows_change` is set, the change appears
    /// immediately.
    async fn change_ids(
        self,
        form: Option<&FormId>,
        ids: &[SubmissionId],
        change: &TriageChange,
        shows_change: bool,
    ) -> Result<UpdatedSubmissions, ApiError> {
        if shows_change && self.is_shown(form) {
            self.state.try_update_ids(ids, change).await
        } else {
            self.state.update_elsewhere(form, ids, change).await
        }
    }

    /// Asks whether to change all submissions that match the filter.
    fn ask_to_change_all(self, change: TriageChange, description: &str) {
        let texts = i18n::triage_actions();
        let count = untrack(|| self.list.rows.total().get()).unwrap_or_default();
        let act = move || {
            let change = change.clone();
            async move { self.change_all(count, change).await }
        };
        self.confirm.ask(
            (texts.change_all)(count),
            (texts.change_all_text)(description),
            texts.change_verb,
            act,
        );
    }

    /// Changes all submissions that match the filter, if there are still `count` of them.
    ///
    /// # Errors
    /// Returns why nothing was changed, in a sentence.
    async fn change_all(self, count: u64, change: TriageChange) -> Result<(), String> {
        let Some(ListSource { environment, form, filter, .. }) = self.list.location() else {
            return Ok(());
        };
        let query = ListQuery { filter, ..ListQuery::default() }.to_query_string();
        match self.state.update_matching(query, count, change.clone()).await {
            Ok(updated) => {
                self.show_result(updated, (environment, form));
                // The dialog keeps the focus until it closes.
                self.clear_if_filtered(&change, true);
                Ok(())
            }
            Err(error) => {
                let reason = explain_failure(self.list.session, &error);
                if error.status() != Some(409) {
                    return Err((i18n::triage_actions().failed)(&reason));
                }
                // The visible count is outdated.
                self.changes.notify(environment, form.as_ref(), Change::Restored(Vec::new()));
                Err((i18n::deletion().count_changed)(&reason))
            }
        }
    }

    /// Returns the visible list; `None` while no list is visible.
    pub fn shown_list(self) -> Option<ShownList> {
        let ListSource { environment, form, .. } = self.list.location()?;
        Some((environment, form))
    }

    /// Shows the number of changed submissions, with an undo button if there is something to undo.
    pub fn show_result(self, updated: UpdatedSubmissions, list: ShownList) {
        let UpdatedSubmissions { changed, undo } = updated;
        let text = (i18n::triage_actions().changed)(changed);
        if undo.is_empty() {
            self.toasts.show_success(text);
            return;
        }
        let undo = Arc::new((undo, list));
        let act = move || {
            let undo = Arc::clone(&undo);
            spawn_local(async move {
                // The button has left the page, and many requests take some seconds.
                rescue_focus().await;
                self.undo(&undo.0, &undo.1).await;
                rescue_focus().await;
            });
        };
        self.toasts.show_success_with_action(text, ToastAction::new(i18n::common().undo, act));
    }

    async fn undo(self, steps: &[UndoStep], (environment, form): &ShownList) {
        let texts = i18n::triage_actions();
        // The marks of many submissions that are not shown would take long.
        let is_small = steps.iter().all(|step| step.ids.len() <= IDS_MAX);
        let undone = self.apply_steps(steps, form.as_ref(), is_small).await;
        let is_shown = self.is_shown(form.as_ref());
        if !is_small || !is_shown {
            self.state.forget();
        }
        if is_shown {
            if !is_small {
                self.state.count_update();
            }
            if steps.iter().any(|step| step.set.read.is_some()) {
                self.state.count_read_update();
            }
        } else {
            self.changes.notify(*environment, form.as_ref(), Change::Restored(Vec::new()));
        }
        match undone {
            Ok(count) => self.toasts.show_success((texts.undone)(count)),
            Err(error) => self.show_error(&error, texts.not_undone),
        }
    }

    /// Sends the changes of an undo. Returns the number of submissions that are different now.
    ///
    /// # Errors
    /// The first error. A change that the server refuses, because its status or member was removed,
    /// does not prevent the others.
    async fn apply_steps(
        self,
        steps: &[UndoStep],
        form: Option<&FormId>,
        is_small: bool,
    ) -> Result<u64, ApiError> {
        let mut undone = Ok(0);
        for UndoStep { ids, set } in steps {
            // The user may open another list meanwhile.
            let updated = self.change_ids(form, ids, set, is_small).await;
            match (&mut undone, updated) {
                (Ok(count), Ok(updated)) => *count += updated.changed,
                (Ok(_), Err(error)) if error.status() == Some(400) => undone = Err(error),
                (_, Err(error)) if error.status() != Some(400) => return Err(error),
                _ => {}
            }
        }
        undone
    }

    /// Returns whether the page still shows the list of a form, or the inbox without a form.
    /// Otherwise [`TriageState`] may belong to another list.
    fn is_shown(self, form: Option<&FormId>) -> bool {
        self.list.location().is_some_and(|shown| shown.form.as_ref() == form)
    }

    /// Clears the selection of a list that is filtered by a changed part: its rows may not match
    /// any more. With `takes_focus`, the focus moves to the rows. Reports changed read states, so
    /// that such a list is loaded again.
    fn clear_if_filtered(self, change: &TriageChange, takes_focus: bool) {
        let is_filtered = self.list.location().is_some_and(|ListSource { filter, .. }| {
            filter.labels.has_triage() || (change.read.is_some() && filter.read.is_some())
        });
        if is_filtered {
            if takes_focus {
                self.selection.clear_and_focus_rows();
            } else {
                self.selection.clear();
            }
        }
        if change.read.is_some() {
            self.state.count_read_update();
        }
    }

    fn show_error(self, error: &ApiError, text: fn(&str) -> String) {
        self.toasts.show_error(text(&explain_failure(self.list.session, error)));
    }
}
