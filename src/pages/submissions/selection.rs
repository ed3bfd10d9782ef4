//! The selection of the list: rows, ranges, or all that match. The bar with its actions is loaded
//! with the first selected row.

pub mod bar;
pub mod confirm_all;
pub mod range_fetch;
pub mod triage;
pub mod triage_menu;

use contract::SubmissionId;
use leptos::{prelude::*, task::spawn_local};

use super::{list::SubmissionList, list_state::ListState};
use crate::{
    api::MoveTarget,
    domain::{list_model::SubmissionKey, selection::Selection},
    i18n, lazy_actions, lazy_views,
    state::{
        changes::{Change, Changes},
        toasts::Toasts,
    },
    ui::{
        run_effect, set_if_changed,
        table::{RowSelection, SelectionChange},
    },
};

use bar::SelectionBar;

lazy_actions! {
    /// Applies a gesture to the selection.
    fn select(selection: SelectionState, pick: SelectionChange) in tools =>
        selection.apply_gesture(pick);
}

lazy_views! {
    /// The selection bar.
    pub fn lazy_bar() in deletion => view! { <SelectionBar /> };
}

/// The selection. Cheap to copy.
#[derive(Clone, Copy)]
pub struct SelectionState {
    rows: RwSignal<Selection>,
    /// Ends of the range that is being fetched, newer first.
    pub range_fetch: RwSignal<Option<(SubmissionKey, SubmissionKey)>>,
    /// Row indexes of a selected range with an end that is not loaded yet.
    pending_range: StoredValue<Option<(usize, usize)>>,
    /// Target of moving all that match, while the user is asked to confirm.
    pub confirm_all: RwSignal<Option<MoveTarget>>,
    list: SubmissionList,
    toasts: Toasts,
}

impl SelectionState {
    /// Returns an empty selection of a list, owned by the current reactive owner.
    pub fn new(list: SubmissionList) -> Self {
        let selection = Self {
            rows: RwSignal::new(Selection::default()),
            range_fetch: RwSignal::new(None),
            pending_range: StoredValue::new(None),
            confirm_all: RwSignal::new(None),
            list,
            toasts: expect_context(),
        };
        // Removed rows leave the selection, also those that other users remove.
        expect_context::<Changes>().listen(move |event| {
            if let Change::Removed(keys) = &event.change {
                untrack(|| selection.remove_rows(keys));
            }
        });
        run_effect(move || {
            list.track_rows();
            if let Some((from, to)) = selection.pending_range.get_value() {
                untrack(|| selection.request_gesture(SelectionChange::Range { from, to }));
            }
        });
        selection
    }

    fn key(self, index: usize) -> Option<SubmissionKey> {
        let row = untrack(|| self.list.loaded_row(index))?;
        Some((row.metadata.submitted_at, row.id.clone()))
    }

    /// Returns the selection interface for the table.
    pub fn checks(self) -> RowSelection {
        RowSelection {
            is_on: Callback::new(move |index| {
                self.rows
                    .with(|selection| self.key(index).is_some_and(|key| selection.contains(&key)))
            }),
            any: Signal::derive(move || self.rows.with(|selection| !selection.is_empty())),
            on_pick: Callback::new(move |pick| self.request_gesture(pick)),
        }
    }

    /// Applies a gesture once its code is loaded.
    pub fn request_gesture(self, pick: SelectionChange) {
        self.toasts.run_lazy(select(self, pick));
    }

    /// Applies a gesture.
    pub fn apply_gesture(self, pick: SelectionChange) {
        // The user may have left the page while the code was loaded.
        if self.rows.is_disposed() {
            return;
        }
        match pick {
            SelectionChange::Toggle(index) => {
                let Some(key) = self.key(index) else { return };
                self.keep_only_loaded();
                self.rows.update(|selection| selection.toggle(&key));
            }
            SelectionChange::Range { from, to } => self.select_range(from, to),
            SelectionChange::All => self.select_more(),
            SelectionChange::Clear => self.clear(),
        }
    }

    /// Selects the rows from the anchor to `to`. If some are not loaded, the bar fetches them.
    fn select_range(self, from: usize, to: usize) {
        let (Some(start), Some(end)) = (self.key(from).or_else(|| self.key(to)), self.key(to))
        else {
            self.pending_range.set_value(Some((from, to)));
            return;
        };
        self.pending_range.set_value(None);
        self.keep_only_loaded();
        let anchor = self.rows.try_update(|selection| selection.anchor_or(&start)).unwrap_or(start);
        if let Some(keys) = self.list.keys_between(&anchor, &end) {
            self.rows.update(|selection| selection.extend(keys));
        } else {
            let (newer, older) = if anchor > end { (anchor, end) } else { (end, anchor) };
            self.range_fetch.set(Some((newer, older)));
        }
    }

    /// Converts "all that match" into the loaded rows, before a single row is toggled.
    fn keep_only_loaded(self) {
        if self.rows.with_untracked(Selection::is_all) {
            let loaded_keys = self.list.loaded_keys();
            self.rows.update(|selection| {
                *selection = Selection::default();
                selection.add(loaded_keys);
            });
        }
    }

    /// Selects all loaded rows; if they are already selected, all that match. In the inbox only
    /// loaded rows can be selected, because a request changes submissions of one form.
    fn select_more(self) {
        let loaded_keys = self.list.loaded_keys();
        let before = self.rows.with_untracked(Selection::len);
        let total = untrack(|| self.list.total().get());
        self.rows.update(|selection| selection.add(loaded_keys));
        let now = self.rows.with_untracked(Selection::len);
        if now == before && Some(now as u64) != total && !self.list.is_inbox() {
            self.select_all_matching();
        }
    }

    /// Selects all that match.
    pub fn select_all_matching(self) {
        self.range_fetch.set(None);
        self.rows.update(Selection::select_all);
    }

    /// Adds the fetched rows of a range.
    pub fn add_range(self, keys: Vec<SubmissionKey>) {
        self.rows.try_update(|selection| selection.extend(keys));
    }

    /// Removes rows that leave the list.
    pub fn remove_rows(self, keys: &[SubmissionKey]) {
        self.rows.try_update(|selection| selection.remove_deleted(keys));
    }

    /// Clears the selection, and moves the focus back to the rows.
    pub fn clear_and_focus_rows(self) {
        self.clear();
        self.list.table.focus_row(self.list.table.active().get_untracked());
    }

    /// Returns the ids of the selected rows, newest first.
    pub fn ids(self) -> Signal<Vec<SubmissionId>> {
        Signal::derive(move || self.rows.with(Selection::ids))
    }

    /// Clears the selection.
    pub fn clear(self) {
        self.pending_range.try_set_value(None);
        self.range_fetch.try_set(None);
        set_if_changed(self.rows, Selection::default());
    }

    /// Returns the selected rows.
    pub fn rows(self) -> Signal<Selection> {
        self.rows.into()
    }

    /// Returns the number of selected submissions. Tracked.
    pub fn count(self) -> u64 {
        self.rows.with(|selection| {
            let total = || self.list.total().get().unwrap_or_default();
            if selection.is_all() { total() } else { selection.len() as u64 }
        })
    }

    /// Returns a description of the selection. Tracked.
    pub fn selection_text(self) -> String {
        let texts = i18n::list();
        let is_all = self.rows.with(Selection::is_all);
        (if is_all { texts.all_selected } else { texts.selected })(self.count())
    }
}

/// Slot of the selection bar, and the announcement for screen readers.
#[component]
pub fn SelectionSlot() -> impl IntoView {
    let list = expect_context::<ListState>();
    let selection = expect_context::<SelectionState>();
    let bar = RwSignal::new(None::<ViewFn>);
    let has_selection = Memo::new(move |_| {
        selection.rows.with(|rows| !rows.is_empty()) || selection.range_fetch.with(Option::is_some)
    });
    run_effect(move || {
        if has_selection.get() && bar.with_untracked(Option::is_none) {
            spawn_local(async move {
                // If it fails to load, the keys still work, and the next selection loads it again.
                if let Ok(view) = lazy_bar().await {
                    bar.try_set(Some(view));
                }
            });
        }
    });
    // The selection does not carry over to another list.
    run_effect(move || {
        list.source.track();
        untrack(|| selection.clear());
    });
    let announcement = Memo::new(move |before: Option<&String>| {
        let was_empty = before.is_none_or(String::is_empty);
        match has_selection.get() {
            true => selection.selection_text(),
            false if was_empty => String::new(),
            false => i18n::list().nothing_selected.to_owned(),
        }
    });
    view! {
        <p class="visually-hidden" role="status">
            {announcement}
        </p>
        {move || bar.get().filter(|_| has_selection.get()).map(|bar| bar.run())}
    }
}
