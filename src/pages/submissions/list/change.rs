//! Removes deleted or moved rows from the list, and restores them. The row at the top edge keeps
//! its position on the screen.

use leptos::prelude::*;

use super::SubmissionList;
use crate::{
    domain::list_model::{SubmissionKey, row_key},
    state::changes::{Change, ChangeEvent},
};

impl SubmissionList {
    /// Applies changes of submissions until the current owner is disposed of.
    pub(super) fn follow_changes(self) {
        self.changes.listen(move |event| untrack(|| self.apply_change(event)));
    }

    fn apply_change(self, ChangeEvent { environment, form, change }: ChangeEvent) {
        let is_same_list = self.source.try_with_value(|source| {
            let source = source.as_ref().filter(|source| source.environment == environment);
            source.is_some_and(|source| form.is_none_or(|form| source.has_form(&form)))
        });
        if is_same_list != Some(true) {
            return;
        }
        let (top, position) = self.top_row();
        match change {
            Change::Removed(keys) => {
                let by = self.count_above(&keys, top.as_ref());
                self.model.update_value(|model| {
                    for (at, id) in &keys {
                        model.remove(id, *at);
                    }
                });
                if by > 0.0 {
                    self.restore_position((position - by).max(0.0));
                }
                self.update_counts();
            }
            Change::Restored(keys) => {
                // Loads the first page again, then scrolls to this position.
                let to = position
                    + self.count_above(&keys, top.as_ref())
                    + self.new_rows_above(position);
                self.scroll.resume_at.set_value(Some(to));
                self.reload();
            }
            Change::Updated(_) => {}
        }
    }

    /// Returns how many new submissions a reload inserts above the row at the top edge. If that is
    /// the first row, they appear.
    fn new_rows_above(self, position: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
        let count = self.signals.new_count.get_untracked() as f64;
        if position > 0.0 { count } else { 0.0 }
    }

    /// Returns the row at the top edge, and the scroll position in rows.
    fn top_row(self) -> (Option<SubmissionKey>, f64) {
        let position = self.table.position().get_untracked();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "row counts are far below 2^52"
        )]
        let row = self.loaded_row(position as usize);
        (row.map(|row| row_key(&row)), position)
    }

    /// Returns how many of `keys` are above `row`. In a sorted list, those that are not loaded are
    /// below it.
    fn count_above(self, keys: &[SubmissionKey], row: Option<&SubmissionKey>) -> f64 {
        let Some(row) = row else { return 0.0 };
        let is_sorted = self
            .source
            .with_value(|source| source.as_ref().is_some_and(|source| source.sort.is_some()));
        let row_index = untrack(|| self.position(&row.1));
        let is_above = |key: &&SubmissionKey| {
            if is_sorted {
                untrack(|| self.position(&key.1)).is_some_and(|index| Some(index) < row_index)
            } else {
                key.0 > row.0
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
        let count = keys.iter().filter(is_above).count() as f64;
        count
    }
}
