//! The submission that is open over the list, and navigation to it and back.

use std::sync::Arc;

use contract::{
    Field, Filter, ListQuery, Sort, Submission, SubmissionId,
    filter::{FieldCriterion, FieldOperator},
};
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use super::{
    board_slot::{BoardFocus, BoardSlot, in_board},
    list::{ListSource, SubmissionList},
    list_state::ListState,
};
use crate::{
    domain::{
        answers::{self, isolate_bidi},
        filter::{FilterPart, is_supported, narrow_to_answer},
    },
    routes,
    ui::{focus, run_effect},
};

type Navigate = Arc<dyn Fn(&str, NavigateOptions) + Send + Sync>;

/// Width of a window below which the card covers the list, in px, as in `style/layout.css`.
const PHONE_WIDTH: f64 = 768.0;

/// A row that was opened before it was loaded, with the list epoch and the submission open then.
#[derive(Clone, PartialEq)]
struct PendingRow {
    index: usize,
    epoch: u32,
    over: Option<SubmissionId>,
}

/// The open submission. Cheap to copy.
#[derive(Clone, Copy)]
pub struct OpenSubmission {
    /// Its id; `None` while only the list is open.
    pub id: Memo<Option<SubmissionId>>,
    /// Its index in the list, if it has one.
    pub index: Signal<Option<usize>>,
    /// The submission, once it is loaded.
    pub submission: RwSignal<Option<Arc<Submission>>>,
    /// A step from this submission, requested before its index was known. `true` is forward.
    pub pending_step: RwSignal<Option<(SubmissionId, bool)>>,
    /// The row to open as soon as it is loaded.
    pending_row: StoredValue<Option<PendingRow>>,
    /// The focus on the board.
    pub board: BoardSlot,
    /// The list that it was opened from. Closing it goes back there.
    opened_from: StoredValue<Option<ListSource>>,
    navigate: StoredValue<Navigate, LocalStorage>,
    list: ListState,
}

impl OpenSubmission {
    /// Returns the open submission at the current URL, owned by the current reactive owner.
    pub fn from_url(list: ListState) -> Self {
        let url = use_url();
        let navigate = use_navigate();
        let navigate: Navigate = Arc::new(move |path, options| navigate(path, options));
        let id = Memo::new(move |_| url.with(|url| routes::parse_path(url.path()).submission));
        Self {
            id,
            index: open_row_index(id, list.rows),
            submission: RwSignal::new(None),
            pending_step: RwSignal::new(None),
            pending_row: StoredValue::new(None),
            board: BoardSlot::default(),
            opened_from: StoredValue::new(None),
            navigate: StoredValue::new_local(navigate),
            list,
        }
    }

    /// Opens the pending row as soon as it is loaded, unless the user has navigated elsewhere.
    /// Lasts as long as the current owner.
    pub fn open_pending_row(self) {
        run_effect(move || {
            self.list.rows.track_rows();
            let card = self.id.get();
            let Some(pending) = self.pending_row.get_value() else { return };
            if pending != self.pending_now(pending.index, card) {
                self.pending_row.set_value(None);
            } else if untrack(|| self.list.rows.loaded_row(pending.index)).is_some() {
                untrack(|| self.open_row(pending.index));
            }
        });
    }

    /// Returns the submission of the focused row, or of the focused card of the board. Not tracked.
    pub fn focused(self) -> Option<Arc<Submission>> {
        if untrack(|| self.list.is_board()) {
            return self.board.focused();
        }
        let row = || self.list.rows.loaded_row(self.list.rows.table.active().get_untracked());
        in_table().then(|| untrack(row)).flatten()
    }

    fn pending_now(self, index: usize, card: Option<SubmissionId>) -> PendingRow {
        PendingRow { index, epoch: self.list.rows.model_epoch(), over: card }
    }

    /// Returns the title of the page: the title of the open submission, or else the name of the
    /// list. Tracked.
    pub fn title(self) -> String {
        if self.id.with(Option::is_none) {
            return isolate_bidi(self.list.name());
        }
        let title = self.submission.with(|shown| {
            let shown = shown.as_ref()?;
            Some(answers::submission_title(shown, &self.list.fields_of(shown)))
        });
        isolate_bidi(title.unwrap_or_else(|| self.list.name()))
    }

    fn navigate_to(self, path: &str, replace: bool) {
        let options = NavigateOptions { replace, scroll: false, ..NavigateOptions::default() };
        self.navigate.try_with_value(|navigate| navigate(path, options));
    }

    /// Replaces the filter in the URL. The open submission stays open.
    pub fn set_filter(self, filter: Filter) {
        self.change_list(|list| ListSource { filter, ..list });
    }

    /// Replaces filter and order in the URL. The open submission stays open.
    pub fn set_query(self, ListQuery { filter, sort, .. }: ListQuery) {
        self.change_list(|list| ListSource { filter, sort, ..list });
    }

    /// Replaces the order in the URL. The open submission stays open.
    pub fn set_sort(self, sort: Option<Sort>) {
        self.change_list(|list| ListSource { sort, ..list });
    }

    fn change_list(self, change: impl FnOnce(ListSource) -> ListSource) {
        let Some(list) = self.list.location() else { return };
        self.navigate_to(&change(list).url(self.id.get_untracked().as_ref()), true);
    }

    /// Filters the list by a value of the open submission. A card that covers the list is closed,
    /// so that the result is visible.
    pub fn filter_by(self, part: FilterPart, value: &str) {
        self.narrow(|mut filter| {
            part.set_value(&mut filter, Some(value));
            Some(filter)
        });
    }

    /// Returns whether the server filters by this part. Not tracked.
    pub fn supports_filter(self, part: FilterPart) -> bool {
        let capabilities = untrack(|| self.list.session.capabilities());
        part.is_available(capabilities.filters_properties, capabilities.triage)
    }

    /// Returns the criterion that selects the submissions with the same answer, if the list can be
    /// filtered by it. Not tracked.
    pub fn answer_criterion(self, field: &Field, value: &str) -> Option<FieldCriterion> {
        // The fields of an inbox belong to several forms.
        let has_filter = untrack(|| {
            self.list.session.capabilities().filters_properties && !self.list.is_inbox()
        });
        if !has_filter {
            return None;
        }
        let criterion = FieldCriterion::new(field.id.clone(), FieldOperator::Eq, value).ok()?;
        is_supported(&criterion, field).then_some(criterion)
    }

    /// Filters the list by an answer, like [`OpenSubmission::filter_by`].
    /// Returns whether the filter has room for it.
    pub fn filter_by_answer(self, criterion: &FieldCriterion) -> bool {
        self.narrow(|filter| narrow_to_answer(&filter, criterion))
    }

    fn narrow(self, change: impl FnOnce(Filter) -> Option<Filter>) -> bool {
        let Some(list) = self.list.location() else { return false };
        let Some(filter) = change(list.filter.clone()) else { return false };
        if is_phone() {
            self.navigate_to(&ListSource { filter, ..list }.url(None), true);
        } else {
            self.set_filter(filter);
        }
        true
    }

    /// Opens the submission of a row. It replaces an open one in the history.
    pub fn open_row(self, index: usize) {
        let row = untrack(|| self.list.rows.loaded_row(index));
        let card = self.id.get_untracked();
        self.pending_row.set_value(row.is_none().then(|| self.pending_now(index, card)));
        if let Some(row) = row {
            self.open(&row.id);
        }
    }

    /// Opens a submission of the list or the board. It replaces an open one in the history.
    pub fn open(self, id: &SubmissionId) {
        let Some(list) = self.list.location() else { return };
        let over_card = self.id.with_untracked(Option::is_some);
        let url = list.url(Some(id));
        if !over_card {
            self.opened_from.set_value(Some(list));
        } else if in_table() || in_board() {
            // The user chose it in the list: move the keyboard focus to the submission.
            focus_card();
        }
        self.navigate_to(&url, over_card);
    }

    /// Opens another submission in place of the open one. It need not be loaded.
    pub fn open_other(self, id: &SubmissionId) {
        let Some(list) = self.list.location() else { return };
        if in_table() {
            focus_card();
        }
        self.navigate_to(&list.url(Some(id)), true);
    }

    /// Closes it: goes back to the list that it was opened from, or else to the list of the URL.
    pub fn close(self) {
        let Some(list) = self.list.location() else { return };
        self.pending_row.set_value(None);
        // If filter or order have changed since, that list is not the one to show.
        let from = self.opened_from.try_update_value(Option::take).flatten();
        if from.as_ref() == Some(&list)
            && window().history().is_ok_and(|history| history.back().is_ok())
        {
            return;
        }
        self.navigate_to(&list.url(None), true);
    }

    /// Goes to the next or previous row: opens it if a submission is open, or else moves the focus
    /// in the table or on the board. Returns whether there was one.
    pub fn step_row(self, forward: bool) -> bool {
        let count = self.list.rows.count().get_untracked();
        let card = self.id.get_untracked();
        let open = card.is_some();
        if !open && untrack(|| self.list.is_board()) {
            self.board.request_focus(BoardFocus::Step { forward });
            return true;
        }
        if open && (self.index.get_untracked().is_none() || self.list.rows.is_stale()) {
            self.pending_step.set(card.map(|card| (card, forward)));
            return true;
        }
        let from = if open {
            self.index.get_untracked()
        } else {
            Some(self.list.rows.table.active().get_untracked())
        };
        let to = from.and_then(|from| {
            if forward { Some(from + 1).filter(|to| *to < count) } else { from.checked_sub(1) }
        });
        match to {
            Some(to) if open => {
                self.list.rows.table.show_row(to);
                self.open_row(to);
            }
            _ if count == 0 => return false,
            // The focus is not in the table: the first press focuses the row that Tab would focus.
            _ if !open && !in_table() => {
                let active = from.unwrap_or_default().min(count - 1);
                self.list.rows.table.focus_row(active);
            }
            Some(to) => self.list.rows.table.focus_row(to),
            None => return false,
        }
        true
    }
}

/// Returns the index of the open submission. If the list has unloaded the row, its last index.
fn open_row_index(id: Memo<Option<SubmissionId>>, rows: SubmissionList) -> Signal<Option<usize>> {
    type Known = Option<(SubmissionId, u32, usize)>;
    let row = Memo::new(move |before: Option<&Known>| -> Known {
        let id = id.get()?;
        let generation = rows.generation();
        let known = before.cloned().flatten();
        let known =
            known.filter(|(of, known_generation, _)| *of == id && *known_generation == generation);
        rows.position(&id).map(|index| (id, generation, index)).or(known)
    });
    Signal::derive(move || row.get().map(|(_, _, index)| index))
}

/// Moves the focus to the heading of the submission.
fn focus_card() {
    if let Ok(Some(heading)) = document().query_selector(".drawer-title") {
        focus(&heading);
    }
}

/// Returns whether the focus is in the table.
pub(super) fn in_table() -> bool {
    let active = document().active_element();
    active.is_some_and(|active| active.closest(".grid").ok().flatten().is_some())
}

/// Returns whether the card covers the list.
fn is_phone() -> bool {
    let width = window().inner_width().ok().and_then(|width| width.as_f64());
    width.is_some_and(|width| width < PHONE_WIDTH)
}
