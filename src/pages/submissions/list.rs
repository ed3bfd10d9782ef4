//! The list: asks the model which rows to load, loads them at the pace of the rate limit, and
//! notifies the page through a few signals. The rows themselves are outside the reactive graph.

mod change;
mod fetch;
mod loaded_rows;
mod new_submissions;
mod signals;
pub mod source;

use std::sync::Arc;

use contract::{ListQuery, Page, Submission, SubmissionId, Timestamp};
use leptos::{prelude::*, task::spawn_local};
use web_sys::AbortSignal;

use super::list_cache::ListCache;
use crate::{
    api::{ApiError, ApiResponse},
    domain::list_model::{ListModel, ListPhase},
    state::{changes::Changes, session::SessionStore, triage::TriageState},
    ui::{focus_is_lost, set_if_changed, table::TableHandle},
};
use fetch::Loader;
use signals::ListSignals;
pub use source::ListSource;

/// Pending scroll and focus changes.
#[derive(Clone, Copy, Default)]
struct PendingScroll {
    /// Timestamp of the row to scroll to, once its index is known.
    target: StoredValue<Option<Timestamp>>,
    /// Whether the first row takes the focus when it is loaded.
    focus_first: StoredValue<bool>,
    /// Position to restore once the first page is loaded again.
    resume_at: StoredValue<Option<f64>>,
}

/// The list of a page. Cheap to copy.
#[derive(Clone, Copy)]
pub struct SubmissionList {
    model: StoredValue<ListModel>,
    source: StoredValue<Option<ListSource>>,
    signals: ListSignals,
    loader: Loader,
    scroll: PendingScroll,
    /// The table that renders the list.
    pub table: TableHandle,
    session: SessionStore,
    cache: ListCache,
    changes: Changes,
    triage: TriageState,
}

impl SubmissionList {
    /// Returns an empty list, owned by the current reactive owner.
    pub fn from_context() -> Self {
        let list = Self {
            model: StoredValue::new(ListModel::default()),
            source: StoredValue::new(None),
            signals: ListSignals::default(),
            loader: Loader::new(),
            scroll: PendingScroll::default(),
            table: TableHandle::default(),
            session: expect_context(),
            cache: expect_context(),
            changes: expect_context(),
            triage: expect_context(),
        };
        list.watch_new_submissions();
        list.follow_changes();
        on_cleanup(move || {
            list.cache_list();
            list.loader.abort.try_update_value(Option::take);
        });
        list
    }

    /// Shows the list of `source`. Does nothing if that is the current list.
    pub fn show_list(self, source: ListSource) {
        if self.source.with_value(|now| now.as_ref() == Some(&source)) {
            return;
        }
        let same_form =
            self.source.with_value(|now| now.as_ref().is_some_and(|now| now.is_same_list(&source)));
        let cached = self.cache.take_list(&source);
        let order = source.order();
        self.scroll.resume_at.set_value(None);
        if same_form {
            // Keeps the previous rows until the first page is loaded, to avoid flicker.
            self.model.update_value(|model| model.refresh(order));
        } else {
            self.cache_list();
            self.model.update_value(|model| model.clear(order));
        }
        self.loader.abort.update_value(|abort| *abort = None);
        self.source.set_value(Some(source));
        self.signals.error.set(None);
        self.signals.new_count.set(0);
        if let Some(cached) = cached {
            self.model.update_value(|model| model.restore(cached.model));
            self.signals.generation.update(|generation| *generation += 1);
            self.publish_signals();
            self.restore_position(cached.position);
        } else {
            self.publish_signals();
            self.load_missing();
        }
    }

    /// Stores the current list in the cache, for Back and Forward.
    fn cache_list(self) {
        let Some(Some(source)) = self.source.try_update_value(Option::take) else { return };
        let model = self.model.try_update_value(std::mem::take);
        let position = self.table.position().try_get_untracked();
        if let (Some(model), Some(position)) = (model, position) {
            self.cache.store_list(source, model, position);
        }
    }

    /// Restores the scroll position after the table has rendered the new number of rows.
    fn restore_position(self, position: f64) {
        spawn_local(async move {
            leptos::task::tick().await;
            self.table.restore_position(position);
        });
    }

    /// Scrolls to the first row older than `before`, as soon as its index is known.
    pub fn jump_to(self, before: Timestamp) {
        // If the index is known, no request is needed.
        if self.index_before(before).is_none() {
            self.model.try_update_value(|model| model.jump_to(before));
        }
        self.scroll.target.try_set_value(Some(before));
        self.publish_signals();
        self.load_missing();
    }

    /// Loads the oldest row, for its timestamp, without scrolling.
    pub fn find_end(self) {
        self.model.try_update_value(ListModel::request_end);
        self.load_missing();
    }

    /// Requests a page of a list. Tells the triage which forms the submissions of the inbox belong
    /// to.
    ///
    /// # Errors
    /// If the request fails.
    pub async fn fetch_page(
        self,
        source: &ListSource,
        query: &ListQuery,
        signal: Option<&AbortSignal>,
    ) -> Result<ApiResponse<Page<Submission>>, ApiError> {
        let response = source.fetch(query, signal).await?;
        if source.form.is_none() {
            self.triage.add_forms(&response.body.data);
        }
        Ok(response)
    }

    /// Returns whether the list is the inbox.
    pub fn is_inbox(self) -> bool {
        let is_inbox = |source: &Option<ListSource>| {
            source.as_ref().is_some_and(|source| source.form.is_none())
        };
        self.source.try_with_value(is_inbox).unwrap_or(false)
    }

    /// Handles a loaded first page: the list scrolls to its top, or after a reload to the previous
    /// position.
    fn handle_first_page(self) {
        self.signals.generation.try_update(|generation| *generation += 1);
        if let Some(Some(position)) = self.scroll.resume_at.try_update_value(Option::take) {
            self.restore_position(position);
            return;
        }
        if self.scroll.focus_first.try_update_value(std::mem::take) == Some(true) && focus_is_lost()
        {
            // The pressed button was removed, and the user has not focused anything else since.
            self.table.focus_row(0);
        } else {
            self.table.restore_position(0.0);
        }
    }

    /// Retries after an error.
    pub fn retry_request(self) {
        self.signals.error.try_set(None);
        self.model.try_update_value(ListModel::retry);
        self.load_missing();
    }

    /// Removes a submission that another client has deleted, if it is loaded.
    pub fn remove_missing(self, id: &SubmissionId) {
        let row = untrack(|| self.position(id).and_then(|index| self.loaded_row(index)));
        if let Some(row) = row {
            self.remove_row(id, row.metadata.submitted_at);
        }
    }

    /// Removes a deleted submission, and clears the cached lists, which may contain it too.
    pub fn remove_row(self, id: &SubmissionId, at: Timestamp) {
        self.cache.clear();
        self.model.try_update_value(|model| model.remove(id, at));
        self.update_counts();
    }

    /// Updates the signals after a change of rows or their count. If the list is unfiltered, also
    /// updates the count in the side bar.
    fn update_counts(self) {
        self.publish_signals();
        let current_source = self.source.try_get_value().flatten().filter(|_| !self.is_stale());
        if let (Some(source), Some(total)) =
            (current_source, self.signals.total.try_get_untracked().flatten())
            && let Some(form) = source.form.filter(|_| source.filter.is_empty())
        {
            self.session.set_submission_count(&form, total);
        }
        self.load_missing();
    }

    /// Copies changes of the model into the signals.
    fn publish_signals(self) {
        let Some((count, total, phase)) =
            self.model.try_with_value(|model| (model.len(), model.total(), model.phase()))
        else {
            return;
        };
        set_if_changed(self.signals.phase, phase);
        if phase != ListPhase::Loading {
            set_if_changed(self.signals.is_slow, false);
        }
        set_if_changed(self.signals.total, total);
        set_if_changed(self.signals.count, count);
        self.signals.version.try_update(|version| *version += 1);
        let target = self.scroll.target.try_get_value().flatten();
        if let Some(index) = target.and_then(|target| self.index_before(target)) {
            self.scroll.target.try_set_value(None);
            #[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
            self.table.restore_position(index as f64);
        }
    }

    /// Returns whether the rows still belong to the previous filter.
    pub fn is_stale(self) -> bool {
        self.model.try_with_value(ListModel::is_stale).unwrap_or(false)
    }

    /// Tracks the loading and unloading of rows.
    pub fn track_rows(self) {
        self.signals.version.track();
    }

    /// Returns a row if it is loaded. Tracks the loading and unloading of rows.
    pub fn loaded_row(self, index: usize) -> Option<Arc<Submission>> {
        self.signals.version.track();
        self.model.try_with_value(|model| model.row(index).cloned()).flatten()
    }

    /// Returns the index of a submission if it is loaded. Tracked.
    pub fn position(self, id: &SubmissionId) -> Option<usize> {
        self.signals.version.track();
        self.model.try_with_value(|model| model.position(id)).flatten()
    }

    /// Calls `read` with the loaded rows. Tracks the loading of first pages.
    pub fn with_rows<T>(
        self,
        read: impl FnOnce(&mut dyn Iterator<Item = &Submission>) -> T,
    ) -> Option<T> {
        self.signals.generation.track();
        self.model.try_with_value(|model| read(&mut model.rows()))
    }
}
