//! The position of the open submission in the list. A submission that was opened by URL is searched
//! by its timestamp, so that its row is highlighted and its neighbours can be opened. After a list
//! has been reloaded, the search waits for the next step, so that the list does not scroll away
//! from the new rows.

use std::sync::Arc;

use contract::filter::FieldCriteria;
use contract::{Filter, Submission, SubmissionId, Triage};
use leptos::prelude::*;

use crate::{
    api::ApiError,
    domain::{filter::without_triage, list_model::next_instant},
    pages::submissions::{
        list::SubmissionList, list_state::ListState, open_submission::OpenSubmission,
    },
    state::triage::TriageState,
    ui::run_effect,
};

/// Maximum number of rows with the same timestamp to search.
const SAME_INSTANT_ROWS_MAX: usize = 1_000;

/// Position of a submission in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListPosition {
    /// Not known yet.
    Unknown,
    /// At this row.
    Row(usize),
    /// Not in the filtered list.
    NotInList,
}

/// Returns the position of the open submission until the current owner is disposed of, and scrolls
/// its row into view once.
pub(super) fn follow_position(
    list: ListState,
    opened: OpenSubmission,
    failed: RwSignal<Option<ApiError>>,
) -> Signal<ListPosition> {
    let position = RwSignal::new(ListPosition::Unknown);
    let triage = expect_context::<TriageState>();
    let mut seek = PositionSearch::default();
    run_effect(move || {
        let is_absent = |error: &ApiError| error.status() == Some(404);
        let absent = failed.with(|failed| failed.as_ref().is_some_and(is_absent));
        let now = seek.update_position((list, triage), opened, absent);
        position.maybe_update(|position| std::mem::replace(position, now) != now);
    });
    on_cleanup(move || {
        opened.pending_step.try_set(None);
    });
    position.into()
}

/// Returns whether a submission can be in the filtered list. Unknown triage can match, and so can
/// any read state: a list of unread submissions keeps one that is opened. The server compares the
/// answers to fields.
fn may_match(filter: &Filter, shown: &Submission, triage: TriageState) -> bool {
    let fields = FieldCriteria::default();
    let filter = &Filter { fields, ..filter.clone() };
    let known = triage.with_marks(|marks| marks.is_loaded(&shown.id).then(|| marks.get(&shown.id)));
    match known {
        Some(known) => {
            let read = filter.read.unwrap_or(known.read);
            filter.matches(shown, &Triage { read, ..known })
        }
        None => without_triage(filter).matches(shown, &Triage::default()),
    }
}

/// Search for the position of a submission.
#[derive(Default)]
struct PositionSearch {
    /// Submission of the last completed search. It is searched again only on a step.
    completed: Option<SubmissionId>,
    /// Submission and list epoch of the running search.
    running: Option<(SubmissionId, u32)>,
    /// Row to compare next.
    next_row: usize,
    /// Submission that caused a reload, because it is newer than the list's first row.
    reloaded_for: Option<SubmissionId>,
}

impl PositionSearch {
    fn update_position(
        &mut self,
        (list, triage): (ListState, TriageState),
        opened: OpenSubmission,
        absent: bool,
    ) -> ListPosition {
        list.rows.track_rows();
        let step = opened.pending_step.get();
        let id = opened.id.get();
        let Some(id) = id else { return ListPosition::Unknown };
        let step = step.filter(|(of, _)| *of == id).map(|(_, forward)| forward);
        let shown = opened.submission.get().filter(|shown| shown.id == id);
        let position = match (opened.index.get(), shown) {
            // The rows still belong to the previous filter: neighbours may no longer match.
            _ if list.rows.is_stale() => ListPosition::Unknown,
            (Some(index), _) => ListPosition::Row(index),
            (None, _) if absent => ListPosition::NotInList,
            (None, Some(shown)) => {
                untrack(|| self.search_position((list, triage), &shown, step.is_some()))
            }
            (None, None) => ListPosition::Unknown,
        };
        if let ListPosition::Row(index) = position
            && self.completed.as_ref() != Some(&id)
        {
            list.rows.table.show_row(index);
        }
        if position != ListPosition::Unknown {
            self.completed = Some(id);
            if let Some(forward) = step {
                opened.pending_step.set(None);
                if position != ListPosition::NotInList {
                    untrack(|| opened.step_row(forward));
                }
            }
        }
        position
    }

    /// Searches a submission that is not among the loaded rows.
    fn search_position(
        &mut self,
        (state, triage): (ListState, TriageState),
        shown: &Arc<Submission>,
        wished: bool,
    ) -> ListPosition {
        let list = state.rows;
        let at = shown.metadata.submitted_at;
        if !state.filter.with(|filter| may_match(filter, shown, triage)) {
            return ListPosition::NotInList;
        }
        let Some((newest, _)) = list.first_and_last() else {
            let is_empty = list.is_loaded() && list.count().get() == 0;
            return if is_empty { ListPosition::NotInList } else { ListPosition::Unknown };
        };
        if at > newest {
            return self.reload_for_step(list, shown, wished);
        }
        if !wished && self.completed.as_ref() == Some(&shown.id) {
            return ListPosition::Unknown;
        }
        let request = Some((shown.id.clone(), list.model_epoch()));
        if self.running != request {
            (self.running, self.next_row) = (request, 0);
            list.jump_to(next_instant(at));
        }
        let Some(first) = list.index_before(next_instant(at)) else { return ListPosition::Unknown };
        self.compare_rows(list, first, shown)
    }

    /// Handles a submission that is newer than the list: reloads the list if the user wants to
    /// step.
    fn reload_for_step(
        &mut self,
        list: SubmissionList,
        shown: &Submission,
        wished: bool,
    ) -> ListPosition {
        if self.reloaded_for.as_ref() == Some(&shown.id) {
            return ListPosition::NotInList;
        }
        if wished {
            self.reloaded_for = Some(shown.id.clone());
            list.reload();
        }
        ListPosition::Unknown
    }

    /// Compares the rows with the same timestamp, and loads more of them if necessary.
    fn compare_rows(
        &mut self,
        list: SubmissionList,
        first: usize,
        shown: &Submission,
    ) -> ListPosition {
        let at = shown.metadata.submitted_at;
        let has_same_instant = |row: Arc<Submission>| row.metadata.submitted_at == at;
        self.next_row = self.next_row.max(first);
        while self.next_row < first + SAME_INSTANT_ROWS_MAX
            && list.loaded_row(self.next_row).is_some_and(has_same_instant)
        {
            self.next_row += 1;
        }
        let is_incomplete =
            self.next_row < list.count().get() && list.loaded_row(self.next_row).is_none();
        if !is_incomplete || self.next_row >= first + SAME_INSTANT_ROWS_MAX {
            return ListPosition::NotInList;
        }
        if self.next_row > first {
            list.table.show_row(self.next_row);
        }
        ListPosition::Unknown
    }
}
