//! Where the card stands on its list. One that came by a link is sought there by its instant, so
//! that its row is marked and the cards beside it can be walked to. Once the list has begun anew,
//! it is sought when someone wants to go on: until then they look at the rows that came.

use std::sync::Arc;

use contract::{Submission, SubmissionId};
use leptos::prelude::*;

use crate::{
    api::ApiError,
    domain::list_model::after,
    pages::submissions::{list::List, list_state::ListState, open_submission::OpenSubmission},
    ui::react,
};

/// Most rows of one instant among which a card is looked for.
const ALIKE_MAX: usize = 1_000;

/// Where a card stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stand {
    /// It is not known, or not yet.
    Unknown,
    /// At this row.
    At(usize),
    /// Not on the list as it is filtered.
    Outside,
}

/// Tells where the card stands for as long as the present owner lives, and keeps its row in view.
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

/// A search for the place of a card.
#[derive(Default)]
struct Seek {
    /// The card whose place was found, or that has none: it is not sought again unasked.
    done: Option<SubmissionId>,
    /// For which card in which list it was asked.
    asked: Option<(SubmissionId, u32)>,
    /// The row to look at next.
    next: usize,
    /// The card for which the list began anew, since it came after the list's first row.
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
            // The rows are those of the filter before: what stands beside it may match no more.
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

    /// Seeks a card that is not among the rows that are held.
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

    /// What came since the list began is not in it yet, and is taken in for who wants to go on.
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

    /// Looks through the rows of the same instant, of which more may have to come.
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
