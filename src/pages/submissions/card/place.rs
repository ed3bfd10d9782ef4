//! The position of the open submission in the list. A submission that was opened by URL is searched
//! by its timestamp, so that its row is highlighted and its neighbours can be opened. After a list
//! has been reloaded, the search waits for the next step, so that the list does not scroll away
//! from the new rows.

use std::sync::Arc;

use contract::{Submission, SubmissionId};
use leptos::prelude::*;

use crate::{
    api::ApiError,
    domain::list_model::after,
    pages::submissions::{list::List, list_state::ListState, open_submission::OpenSubmission},
    ui::react,
};

/// Maximum number of rows with the same timestamp to search.
const ALIKE_MAX: usize = 1_000;

/// Position of a submission in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// Not known yet.
    Unknown,
    /// At this row.
    At(usize),
    /// Not in the filtered list.
    Outside,
}

/// Returns the position of the open submission until the current owner is disposed of, and scrolls
/// its row into view once.
pub(super) fn follow(
    list: ListState,
    opened: OpenSubmission,
    failed: RwSignal<Option<ApiError>>,
) -> Signal<Stand> {
    let (stand, mut seek) = (RwSignal::new(Stand::Unknown), Seek::default());
    react(move || {
        let is_absent = |error: &ApiError| error.status() == Some(404);
        let absent = failed.with(|failed| failed.as_ref().is_some_and(is_absent));
        let now = seek.look(list, opened, absent);
        stand.maybe_update(|stand| std::mem::replace(stand, now) != now);
    });
    on_cleanup(move || {
        opened.pending_step.try_set(None);
    });
    stand.into()
}

/// Search for the position of a submission.
#[derive(Default)]
struct Seek {
    /// Submission of the last completed search. It is searched again only on a step.
    done: Option<SubmissionId>,
    /// Submission and list epoch of the running search.
    asked: Option<(SubmissionId, u32)>,
    /// Row to compare next.
    next: usize,
    /// Submission that caused a reload, because it is newer than the list's first row.
    renewed: Option<SubmissionId>,
}

impl Seek {
    fn look(&mut self, list: ListState, opened: OpenSubmission, absent: bool) -> Stand {
        list.rows.track();
        let (step, id) = (opened.pending_step.get(), opened.id.get());
        let Some(id) = id else { return Stand::Unknown };
        let step = step.filter(|(of, _)| *of == id).map(|(_, forward)| forward);
        let shown = opened.submission.get().filter(|shown| shown.id == id);
        let stand = match (opened.index.get(), shown) {
            // The rows still belong to the previous filter: neighbours may no longer match.
            _ if list.rows.is_stale() => Stand::Unknown,
            (Some(index), _) => Stand::At(index),
            (None, _) if absent => Stand::Outside,
            (None, Some(shown)) => untrack(|| self.seek(list, &shown, step.is_some())),
            (None, None) => Stand::Unknown,
        };
        if let Stand::At(index) = stand
            && self.done.as_ref() != Some(&id)
        {
            list.rows.table.show(index);
        }
        if stand != Stand::Unknown {
            self.done = Some(id);
            if let Some(forward) = step {
                opened.pending_step.set(None);
                if stand != Stand::Outside {
                    untrack(|| opened.step(forward));
                }
            }
        }
        stand
    }

    /// Searches a submission that is not among the loaded rows.
    fn seek(&mut self, state: ListState, shown: &Arc<Submission>, wished: bool) -> Stand {
        let (list, at) = (state.rows, shown.metadata.submitted_at);
        if !state.filter.with(|filter| filter.matches(shown)) {
            return Stand::Outside;
        }
        let Some((newest, _)) = list.ends() else {
            let is_empty = list.has_begun() && list.count().get() == 0;
            return if is_empty { Stand::Outside } else { Stand::Unknown };
        };
        if at > newest {
            return self.renew(list, shown, wished);
        }
        if !wished && self.done.as_ref() == Some(&shown.id) {
            return Stand::Unknown;
        }
        let asked = Some((shown.id.clone(), list.epoch()));
        if self.asked != asked {
            (self.asked, self.next) = (asked, 0);
            list.jump(after(at));
        }
        let Some(first) = list.index_before(after(at)) else { return Stand::Unknown };
        self.among(list, first, shown)
    }

    /// Handles a submission that is newer than the list: reloads the list if the user wants to
    /// step.
    fn renew(&mut self, list: List, shown: &Submission, wished: bool) -> Stand {
        if self.renewed.as_ref() == Some(&shown.id) {
            return Stand::Outside;
        }
        if wished {
            self.renewed = Some(shown.id.clone());
            list.renew();
        }
        Stand::Unknown
    }

    /// Compares the rows with the same timestamp, and loads more of them if necessary.
    fn among(&mut self, list: List, first: usize, shown: &Submission) -> Stand {
        let at = shown.metadata.submitted_at;
        let alike = |row: Arc<Submission>| row.metadata.submitted_at == at;
        self.next = self.next.max(first);
        while self.next < first + ALIKE_MAX && list.row(self.next).is_some_and(alike) {
            self.next += 1;
        }
        let waits = self.next < list.count().get() && list.row(self.next).is_none();
        if !waits || self.next >= first + ALIKE_MAX {
            return Stand::Outside;
        }
        if self.next > first {
            list.table.show(self.next);
        }
        Stand::Unknown
    }
}
