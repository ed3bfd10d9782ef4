//! Requests that load and change the triage of submissions.

use contract::trash::IDS_MAX;
use contract::triage::{
    SubmissionTriage, SubmissionsUpdate, TriageChange, TriageQuery, UpdatedSubmissions,
};
use contract::{FormId, SubmissionId};
use leptos::prelude::*;

use super::TriageState;
use crate::{
    api::{self, ApiError},
    domain::triage_marks::{TriageMarks, first_batch},
};

impl TriageState {
    /// Loads the triage of submissions of the list, even if it is known.
    ///
    /// # Errors
    /// If a request fails. Loaded data stay.
    pub async fn load(self, ids: &[SubmissionId]) -> Result<(), ApiError> {
        let shown = self.form.try_get_untracked().flatten();
        for (form, ids) in self.group_by_form(shown.as_ref(), ids) {
            let mut left = &ids[..];
            while !left.is_empty() {
                let batch = first_batch(left);
                let sent_at = self.marks.try_with_untracked(TriageMarks::last_number);
                let query = TriageQuery { ids: batch.to_vec() };
                let found = api::list_triage(&form, &query).await?;
                if let (Some(sent_at), true) = (sent_at, self.is_shown(shown.as_ref())) {
                    self.marks.try_update(|marks| marks.store(batch, found, sent_at));
                }
                left = &left[batch.len()..];
            }
        }
        Ok(())
    }

    /// Stores the triage of a submission that was loaded with its notes. `sent_at` is the
    /// [`TriageMarks::last_number`] when the request was sent.
    pub fn store(self, form: &FormId, found: SubmissionTriage, sent_at: u32) {
        if self.is_shown(Some(form)) || self.is_shown(None) {
            let id = found.id.clone();
            self.marks.try_update(|marks| marks.store(&[id], vec![found], sent_at));
        }
    }

    /// Loads the triage of submissions that another user has changed. Returns whether it differs
    /// from the known one.
    ///
    /// # Errors
    /// If a request fails. Loaded data stay.
    pub async fn refresh(self, ids: &[SubmissionId]) -> Result<bool, ApiError> {
        let versions = || {
            let version = |marks: &TriageMarks| -> Vec<_> {
                ids.iter().map(|id| (marks.was_loaded(id), marks.version(id))).collect()
            };
            self.marks.try_with_untracked(version)
        };
        let before = versions();
        self.load(ids).await?;
        Ok(before != versions())
    }

    /// Counts a successful change.
    pub fn count_update(self) {
        self.update_count.try_update(|count| *count += 1);
    }

    /// Loads the triage of every submission again when it is needed next.
    pub fn forget(self) {
        self.marks.try_update(TriageMarks::forget);
    }

    /// Changes the triage of submissions of the list. The change appears immediately. Returns the
    /// number of submissions that are different now, and the changes that undo it.
    ///
    /// # Errors
    /// If a request fails: the changes of its submissions and of later ones are reverted. Those of
    /// earlier requests stay.
    pub async fn try_update_ids(
        self,
        ids: &[SubmissionId],
        change: &TriageChange,
    ) -> Result<UpdatedSubmissions, ApiError> {
        let shown = self.form.try_get_untracked().flatten();
        let knows_read_states = self.marks.try_with_untracked(|marks| {
            change.read.is_none() || ids.iter().all(|id| marks.is_loaded(id))
        });
        // A request changes submissions of one form, and has a maximum of them.
        let mut parts = Vec::new();
        for (form, ids) in self.group_by_form(shown.as_ref(), ids) {
            let begin = |marks: &mut TriageMarks| marks.begin(&ids, change);
            let number = self.update_marks(&form, &ids, begin).unwrap_or_default();
            let chunks = ids.chunks(IDS_MAX).map(|chunk| (form.clone(), chunk.to_vec(), number));
            parts.extend(chunks);
        }
        let turn = self.turns.take();
        turn.start().await;
        let mut updated = UpdatedSubmissions::default();
        for (index, (form, ids, number)) in parts.iter().enumerate() {
            match api::update_submissions(form, &update_of(ids, change)).await {
                Ok(part) => add_updated(&mut updated, part),
                Err(error) => {
                    for (form, ids, number) in &parts[index..] {
                        self.update_marks(form, ids, |marks| marks.revert(ids, *number));
                    }
                    if change.read.is_some() {
                        // The marks of another list cannot correct the number.
                        self.reload_unread();
                    }
                    return Err(error);
                }
            }
            self.marks.try_update(|marks| marks.commit(ids, *number));
            self.record_change(change);
        }
        if knows_read_states == Some(false) {
            self.reload_unread();
        }
        Ok(updated)
    }

    /// Changes submissions of a form, or of the inbox without a form, that are not shown. Returns
    /// the number of submissions that are different now, and the changes that undo it.
    ///
    /// # Errors
    /// If a request fails. Changes by earlier requests stay.
    pub async fn update_elsewhere(
        self,
        form: Option<&FormId>,
        ids: &[SubmissionId],
        change: &TriageChange,
    ) -> Result<UpdatedSubmissions, ApiError> {
        let turn = self.turns.take();
        turn.start().await;
        let updated = self.send_parts(form, ids, change).await;
        if change.read.is_some() {
            self.reload_unread();
        }
        updated
    }

    async fn send_parts(
        self,
        form: Option<&FormId>,
        ids: &[SubmissionId],
        change: &TriageChange,
    ) -> Result<UpdatedSubmissions, ApiError> {
        let mut updated = UpdatedSubmissions::default();
        for (form, ids) in self.group_by_form(form, ids) {
            for chunk in ids.chunks(IDS_MAX) {
                let part = api::update_submissions(&form, &update_of(chunk, change)).await?;
                add_updated(&mut updated, part);
            }
        }
        Ok(updated)
    }

    /// Updates the marks of submissions, and the number of unread ones with them.
    fn update_marks<T>(
        self,
        form: &FormId,
        ids: &[SubmissionId],
        update: impl FnOnce(&mut TriageMarks) -> T,
    ) -> Option<T> {
        let (before, result, after) = self.marks.try_update(|marks| {
            let before = marks.count_unread(ids);
            let result = update(marks);
            (before, result, marks.count_unread(ids))
        })?;
        self.unread.change(form, before, after);
        Some(result)
    }

    /// Changes the triage of all submissions of the form that match `filter`, a query as in the
    /// address of the list, if there are still `count` of them. Returns the number of submissions
    /// that are different now, and the changes that undo it. The triage of the rows is loaded
    /// again.
    ///
    /// # Errors
    /// If the request fails, with status 409 if the count differs.
    pub async fn update_matching(
        self,
        filter: String,
        count: u64,
        change: TriageChange,
    ) -> Result<UpdatedSubmissions, ApiError> {
        let Some(form) = self.form.try_get_untracked().flatten() else {
            return Ok(UpdatedSubmissions::default());
        };
        let turn = self.turns.take();
        turn.start().await;
        let update = SubmissionsUpdate {
            filter: Some(filter),
            count: Some(count),
            set: change.clone(),
            undo: true,
            ..SubmissionsUpdate::default()
        };
        let updated = api::update_submissions(&form, &update).await?;
        self.forget();
        self.record_change(&change);
        if change.read.is_some() {
            self.reload_unread();
        }
        Ok(updated)
    }

    fn record_change(self, change: &TriageChange) {
        self.add_account_tags(&change.add_tags);
        if !change.changes_only_read() {
            self.count_update();
        }
    }

    /// Returns whether the list of a form is shown, or the inbox without a form.
    fn is_shown(self, form: Option<&FormId>) -> bool {
        self.form.try_with_untracked(|now| now.as_ref() == form) == Some(true)
    }
}

fn update_of(ids: &[SubmissionId], change: &TriageChange) -> SubmissionsUpdate {
    let (ids, set) = (Some(ids.to_vec()), change.clone());
    SubmissionsUpdate { ids, set, undo: true, ..SubmissionsUpdate::default() }
}

/// Adds the result of a request to the results of earlier requests.
fn add_updated(all: &mut UpdatedSubmissions, part: UpdatedSubmissions) {
    all.changed += part.changed;
    all.undo.extend(part.undo);
}
