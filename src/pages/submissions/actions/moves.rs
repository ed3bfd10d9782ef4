//! Moves submissions to the server's trash or spam, and undoes moves.

use std::sync::Arc;

use contract::trash::{IDS_MAX, MoveRequest, TrashRequest};
use contract::{BatchId, Environment, Filter, FormId, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::SubmissionActions;
use crate::{
    api::{self, ApiError, MoveTarget},
    components::page::{explain_failure, rescue_focus},
    domain::list_model::SubmissionKey,
    i18n,
    pages::submissions::{list::ListSource, open_submission::in_table},
    state::changes::Change,
    ui::{focus_is_lost, toast::ToastAction},
};

/// A completed move, with everything needed to undo it.
struct CompletedMove {
    environment: Environment,
    form: FormId,
    target: MoveTarget,
    /// The moved rows, if they are known.
    keys: Vec<SubmissionKey>,
    /// Batch ids of the server, which a restore request names.
    batches: Vec<BatchId>,
    count: u64,
    actions: SubmissionActions,
}

impl SubmissionActions {
    fn new_move(
        self,
        target: MoveTarget,
        environment: Environment,
        form: &FormId,
    ) -> CompletedMove {
        CompletedMove {
            environment,
            form: form.clone(),
            target,
            keys: Vec::new(),
            batches: Vec::new(),
            count: 0,
            actions: self,
        }
    }

    /// Moves submissions of a form, removes them from the list, and offers to undo that.
    ///
    /// # Errors
    ///
    /// Returns why the rest could not be moved, in a sentence.
    pub(super) async fn move_rows(
        self,
        target: MoveTarget,
        form: &FormId,
        mut keys: Vec<SubmissionKey>,
    ) -> Result<(), String> {
        let Some(source) = self.list.location() else { return Ok(()) };
        let environment = source.environment;
        // A key that auto-repeats must send only one request for a submission.
        self.moving.try_update_value(|moving| {
            keys.retain(|(_, id)| !moving.contains(id));
            moving.extend(keys.iter().map(|(_, id)| id.clone()));
        });
        if keys.is_empty() || self.moving.is_disposed() {
            return Ok(());
        }
        // Without a trash the user has confirmed that the deletion is permanent.
        let permanent = !untrack(|| self.list.keeps_trash(form));
        let mut pending_move = self.new_move(target, environment, form);
        let mut failed = None;
        for chunk in keys.chunks(IDS_MAX) {
            let ids = chunk.iter().map(|key| key.1.clone()).collect();
            let request = MoveRequest { ids: Some(ids), count: None, permanent };
            match api::move_submissions(form, target, &Filter::default(), &request).await {
                Ok(answer) => {
                    pending_move.batches.extend(answer.batch);
                    pending_move.count += answer.count;
                    pending_move.keys.extend_from_slice(chunk);
                }
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let is_done = |id: &SubmissionId| keys.iter().any(|key| key.1 == *id);
        self.moving.try_update_value(|moving| moving.retain(|id| !is_done(id)));
        if !pending_move.keys.is_empty() {
            self.remove_rows(environment, form, &pending_move.keys);
            // The shown list updates the total of its form, but only if it is not filtered.
            let updates_total =
                |now: ListSource| now.form.as_ref() == Some(form) && now.filter.is_empty();
            if !self.list.location().is_some_and(updates_total) {
                pending_move.refresh_count();
            }
            pending_move.show_toast();
        }
        failed.map_or(Ok(()), |error| Err(self.describe_error(target, &error)))
    }

    /// Removes rows from the list. If one of them is open or focused, moves to the row that takes
    /// its position.
    fn remove_rows(self, environment: Environment, form: &FormId, keys: &[SubmissionKey]) {
        let opened = self.opened.id.try_get_untracked().flatten();
        let open = keys.iter().find(|key| Some(&key.1) == opened.as_ref());
        let first = open.or(keys.first()).map(|key| key.1.clone());
        let index = first.and_then(|id| untrack(|| self.list.rows.position(&id)));
        // The board moves its focus itself.
        let takes_focus = !untrack(|| self.list.is_board())
            && (in_table() || focus_in_selection_bar() || focus_is_lost());
        self.changes.notify(environment, Some(form), Change::Removed(keys.to_vec()));
        // The user may have left the page before the response.
        if self.moving.is_disposed() {
            return;
        }
        let count = self.list.rows.count().get_untracked();
        let next = index.and_then(|index| count.checked_sub(1).map(|last| index.min(last)));
        match next {
            Some(next) if open.is_some() => self.opened.open_row(next),
            Some(next) if takes_focus => self.list.rows.table.focus_row(next),
            None if open.is_some() => self.opened.close(),
            _ => {}
        }
    }

    /// Moves all matching submissions, if there are still `count` of them. On a server without bulk
    /// moves, deletes them one by one.
    ///
    /// # Errors
    ///
    /// Returns why not all were moved, in a sentence.
    pub async fn move_all(self, target: MoveTarget, count: u64) -> Result<(), String> {
        let Some(ListSource { environment, form: Some(form), mut filter, .. }) =
            self.list.location()
        else {
            return Ok(());
        };
        if !untrack(|| self.list.session.capabilities().bulk_moves) {
            // Exclude submissions that arrive later.
            let bounds = [filter.date_to, self.list.rows.newest_bound()];
            filter.date_to = bounds.into_iter().flatten().min();
            self.deleter.delete_matching(environment, &form, filter, count)?;
            self.clear_after_all();
            return Ok(());
        }
        let permanent = !untrack(|| self.list.keeps_trash(&form));
        let mut pending_move = self.new_move(target, environment, &form);
        let mut remaining = count;
        let failed = loop {
            // The server moves one batch per request, and rejects a count that is not current.
            let request = MoveRequest { ids: None, count: Some(remaining), permanent };
            match api::move_submissions(&form, target, &filter, &request).await {
                Ok(answer) => {
                    pending_move.batches.extend(answer.batch);
                    pending_move.count += answer.count;
                    remaining = answer.remaining;
                    if remaining == 0 || answer.count == 0 {
                        break None;
                    }
                }
                Err(error) => break Some(error),
            }
        };
        // Also after a failure: the visible count may be outdated.
        self.changes.notify(environment, Some(&form), Change::Restored(Vec::new()));
        if pending_move.count > 0 {
            self.clear_after_all();
            pending_move.refresh_count();
            pending_move.show_toast();
        }
        failed.map_or(Ok(()), |error| Err(self.describe_error(target, &error)))
    }

    fn clear_after_all(self) {
        if self.opened.id.try_get_untracked().flatten().is_some() {
            self.opened.close();
        }
        self.selection.clear();
    }

    fn describe_error(self, target: MoveTarget, error: &ApiError) -> String {
        let texts = i18n::deletion();
        let reason = explain_failure(self.list.session, error);
        match (error.status(), target) {
            (Some(409), _) => (texts.count_changed)(&reason),
            (_, MoveTarget::Trash) => (texts.failed)(&reason),
            (_, MoveTarget::Spam) => (texts.mark_failed)(&reason),
        }
    }
}

impl CompletedMove {
    /// Shows a toast about the move, with an undo button if it can be undone.
    fn show_toast(self) {
        let texts = i18n::deletion();
        let toasts = self.actions.toasts;
        let count = self.count;
        let can_undo = !self.batches.is_empty();
        let text = match self.target {
            MoveTarget::Trash if !can_undo => (texts.deleted)(count),
            MoveTarget::Trash => (texts.moved)(count),
            MoveTarget::Spam => (texts.marked)(count),
        };
        if !can_undo {
            toasts.show_success(text);
            return;
        }
        let shared = Arc::new(self);
        let undo = move || {
            let shared = Arc::clone(&shared);
            spawn_local(async move {
                shared.undo_move().await;
                rescue_focus().await;
            });
        };
        toasts.show_success_with_action(text, ToastAction::new(i18n::common().undo, undo));
    }

    async fn undo_move(&self) {
        let texts = i18n::deletion();
        let SubmissionActions { list, toasts, changes, .. } = self.actions;
        match self.restore_batches().await {
            Ok(0) => toasts.show_error(texts.nothing_restored),
            Ok(count) => toasts.show_success((texts.restored)(count)),
            Err(error) => {
                let reason = explain_failure(list.session, &error);
                toasts.show_error((texts.not_restored)(&reason));
            }
        }
        // Also after a failure: some submissions may have been restored.
        let change = Change::Restored(self.keys.clone());
        changes.notify(self.environment, Some(&self.form), change);
        self.refresh_count();
    }

    /// Loads the form again, for its number of submissions.
    fn refresh_count(&self) {
        let form = self.form.clone();
        let session = self.actions.list.session;
        spawn_local(async move {
            if let Ok(form) = api::get_form(&form).await {
                session.upsert_form(form);
            }
        });
    }

    /// Restores the moved submissions. Returns their number.
    async fn restore_batches(&self) -> Result<u64, ApiError> {
        let mut count = 0;
        for batch in &self.batches {
            let request = TrashRequest { ids: None, batch: Some(batch.clone()) };
            count += api::restore_submissions(&self.form, self.target, &request).await?.count;
        }
        Ok(count)
    }
}

/// Returns whether the focus is in the selection bar.
pub fn focus_in_selection_bar() -> bool {
    let active = document().active_element();
    active.is_some_and(|active| active.closest(".selection").ok().flatten().is_some())
}
