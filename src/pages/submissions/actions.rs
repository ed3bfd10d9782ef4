//! Actions that delete submissions or mark them as spam: the open one, the selection, or the
//! focused row. They ask for confirmation if the action cannot be undone.
//!
//! On a server without a trash, deletion is permanent.

pub mod moves;

use std::sync::Arc;

use contract::{FormId, Submission, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::{
    deletion::Deleter,
    list::ListSource,
    list_state::ListState,
    open_submission::OpenSubmission,
    selection::{SelectionState, lazy_bar},
};
use crate::{
    api::MoveTarget,
    domain::{answers, list_model::SubmissionKey, selection::Selection},
    i18n, lazy_actions,
    state::{changes::Changes, confirm::Confirm, toasts::Toasts},
    ui::lazy::fetch_ahead,
};

lazy_actions! {
    /// Deletes or marks as spam. It shares a chunk with the selection code, so that key presses
    /// take effect in their order.
    fn move_now(actions: SubmissionActions, target: MoveTarget, row: Option<Arc<Submission>>)
        in tools => actions.move_now(target, row);
}

/// The actions that delete submissions or mark them as spam. Cheap to copy.
#[derive(Clone, Copy)]
pub struct SubmissionActions {
    list: ListState,
    selection: SelectionState,
    opened: OpenSubmission,
    confirm: Confirm,
    toasts: Toasts,
    changes: Changes,
    deleter: Deleter,
    /// Submissions whose move is in progress.
    moving: StoredValue<Vec<SubmissionId>>,
}

impl SubmissionActions {
    /// Returns the actions of a page, owned by the current reactive owner.
    pub fn new(list: ListState, selection: SelectionState, opened: OpenSubmission) -> Self {
        Self {
            list,
            selection,
            opened,
            confirm: expect_context(),
            toasts: expect_context(),
            changes: expect_context(),
            deleter: Deleter::from_context(),
            moving: StoredValue::new(Vec::new()),
        }
    }

    /// Returns whether the user may move submissions, and there is one to move.
    pub fn can_move(self, target: MoveTarget) -> bool {
        let form = if self.has_selection() {
            untrack(|| self.list.form_id())
        } else {
            self.current_submission().map(|row| row.form_id.clone())
        };
        form.is_some_and(|form| {
            untrack(|| match target {
                MoveTarget::Trash => self.list.can_delete(&form),
                MoveTarget::Spam => self.list.can_mark_spam(),
            })
        })
    }

    /// Moves the open submission, or else the selection, or else the focused row, once the code is
    /// loaded. Returns whether there is something to move.
    pub fn request_move(self, target: MoveTarget) -> bool {
        let can_move = self.can_move(target);
        if can_move {
            // The focus may move while the code is loaded.
            let row = self.current_submission();
            self.toasts.run_lazy(move_now(self, target, row));
        }
        can_move
    }

    /// Returns whether rows are selected and no submission is open.
    fn has_selection(self) -> bool {
        self.opened.id.with_untracked(Option::is_none)
            && self.selection.rows().with_untracked(|rows| !rows.is_empty())
    }

    /// Returns the open submission, or else the focused row or card.
    fn current_submission(self) -> Option<Arc<Submission>> {
        if self.opened.id.with_untracked(Option::is_some) {
            return self.opened.submission.get_untracked();
        }
        self.opened.focused()
    }

    /// Moves the selection, or else a row. Rows may have been selected while the code was loaded.
    fn move_now(self, target: MoveTarget, row: Option<Arc<Submission>>) {
        // The user may have left the page meanwhile.
        if self.moving.is_disposed() {
            return;
        }
        if self.has_selection() {
            self.move_selected(target);
        } else if let Some(row) = row {
            let title = answers::submission_title(&row, &untrack(|| self.list.fields_of(&row)));
            let title = (i18n::deletion().one)(&answers::isolate_bidi(title));
            let keys = vec![(row.metadata.submitted_at, row.id.clone())];
            self.move_or_ask(target, &row.form_id, title, keys);
        }
    }

    /// Moves the selection, except in the inbox. If it is all that match the filter, asks first.
    pub fn move_selected(self, target: MoveTarget) {
        let Some(form) = untrack(|| self.list.form_id()) else { return };
        if self.selection.rows().with_untracked(Selection::is_all) {
            self.selection.confirm_all.set(Some(target));
            return;
        }
        let keys = self.selection.rows().with_untracked(|rows| rows.keys().to_vec());
        let title = (i18n::deletion().many)(keys.len() as u64);
        self.move_or_ask(target, &form, title, keys);
    }

    /// Moves submissions of a form. For a permanent deletion, opens the confirmation dialog with
    /// `title`.
    fn move_or_ask(
        self,
        target: MoveTarget,
        form: &FormId,
        title: String,
        keys: Vec<SubmissionKey>,
    ) {
        let form = form.clone();
        if target == MoveTarget::Spam || untrack(|| self.list.keeps_trash(&form)) {
            spawn_local(async move {
                if let Err(problem) = self.move_rows(target, &form, keys).await {
                    self.toasts.show_error(problem);
                }
            });
            return;
        }
        let texts = i18n::deletion();
        let in_bulk = untrack(|| self.list.session.capabilities().bulk_moves);
        let duration = || untrack(|| self.list.deletion_time_text(keys.len() as u64, false));
        let duration = (!in_bulk).then(duration).flatten();
        let sentences = [Some(texts.permanent_text.to_owned()), duration];
        let text = sentences.into_iter().flatten().collect::<Vec<_>>().join(" ");
        // The panel with the deletion's progress is in the same chunk as the bar.
        fetch_ahead(lazy_bar());
        let move_selected = move || {
            let (form, keys) = (form.clone(), keys.clone());
            async move {
                if in_bulk {
                    self.move_rows(target, &form, keys).await
                } else {
                    self.delete_one_by_one(&form, &keys)
                }
            }
        };
        self.confirm.ask(title, text, texts.verb, move_selected);
    }

    /// Queues deletions with one request each. If the open submission is one of them, opens the
    /// next one, or the previous one at the end of the list.
    fn delete_one_by_one(self, form: &FormId, keys: &[SubmissionKey]) -> Result<(), String> {
        let Some(ListSource { environment, .. }) = self.list.location() else {
            return Ok(());
        };
        let opened = self.opened.id.get_untracked();
        self.deleter.delete_submissions(environment, form, keys.to_vec())?;
        self.selection.remove_rows(keys);
        if keys.iter().any(|key| Some(&key.1) == opened.as_ref()) {
            let index = opened.and_then(|id| untrack(|| self.list.rows.position(&id)));
            let count = self.list.rows.count().get_untracked();
            let next = index.and_then(|index| {
                if index + 1 < count { Some(index + 1) } else { index.checked_sub(1) }
            });
            match next {
                Some(next) => self.opened.open_row(next),
                None => self.opened.close(),
            }
        }
        Ok(())
    }
}
