//! The selection of the list: picked row by row, by ranges, or whole. What is done with it is in
//! its bar, which comes with the first row that is selected.

pub mod all;
pub mod bar;
pub mod reach;

use leptos::{prelude::*, task::spawn_local};

use super::{desk::Desk, lazy, list::List};
use crate::{
    domain::{feed::Key, selection::Selection},
    i18n,
    state::toasts::Toasts,
    ui::{
        act::come,
        react,
        table::{Checks, Pick},
    },
};

/// A handle on the selection; cheap to copy.
#[derive(Clone, Copy)]
pub struct Picks {
    selection: RwSignal<Selection>,
    /// A range of which not every row is held: its ends, newer first.
    pub reach: RwSignal<Option<(Key, Key)>>,
    /// A range whose end has not come yet.
    awaited: StoredValue<Option<(usize, usize)>>,
    list: List,
    toasts: Toasts,
}

impl Picks {
    /// Returns an empty selection of a list, owned by the present reactive owner.
    pub fn new(list: List) -> Self {
        let picks = Self {
            selection: RwSignal::new(Selection::default()),
            reach: RwSignal::new(None),
            awaited: StoredValue::new(None),
            list,
            toasts: expect_context(),
        };
        react(move || {
            list.track();
            if let Some((from, to)) = picks.awaited.get_value() {
                untrack(|| picks.wish(Pick::Range { from, to }));
            }
        });
        picks
    }

    fn key(self, index: usize) -> Option<Key> {
        let row = untrack(|| self.list.row(index))?;
        Some((row.metadata.submitted_at, row.id.clone()))
    }

    /// Returns how the table selects.
    pub fn checks(self) -> Checks {
        Checks {
            is_on: Callback::new(move |index| {
                self.selection.with(|one| self.key(index).is_some_and(|key| one.contains(&key)))
            }),
            any: Signal::derive(move || self.selection.with(|one| !one.is_empty())),
            on_pick: Callback::new(move |pick| self.wish(pick)),
        }
    }

    /// Has done what a person does to the selection. It comes after the first view.
    pub fn wish(self, pick: Pick) {
        let toasts = self.toasts;
        come(lazy::pick(self, pick), move |missing| toasts.failed(missing.told()));
    }

    /// Does what a person does to the selection.
    pub fn pick(self, pick: Pick) {
        match pick {
            Pick::Toggle(index) => {
                let Some(key) = self.key(index) else { return };
                self.settle();
                self.selection.update(|one| one.toggle(&key));
            }
            Pick::Range { from, to } => self.range(from, to),
            Pick::All => self.more(),
            Pick::Nothing => self.clear(),
        }
    }

    /// Selects the rows up to one. Those that are not held are fetched by the bar.
    fn range(self, from: usize, to: usize) {
        let (Some(start), Some(end)) = (self.key(from).or_else(|| self.key(to)), self.key(to))
        else {
            self.awaited.set_value(Some((from, to)));
            return;
        };
        self.awaited.set_value(None);
        self.settle();
        let anchor = self.selection.try_update(|one| one.anchor(&start)).unwrap_or(start);
        if let Some(keys) = self.list.between(&anchor, &end) {
            self.selection.update(|one| one.extend(keys));
        } else {
            let (newer, older) = if anchor > end { (anchor, end) } else { (end, anchor) };
            self.reach.set(Some((newer, older)));
        }
    }

    /// Of all that match, one is picked: from then on it is those that are held.
    fn settle(self) {
        if self.selection.with_untracked(Selection::is_all) {
            let held = self.list.held();
            self.selection.update(|one| {
                *one = Selection::default();
                one.add(held);
            });
        }
    }

    /// Selects all rows that are held; those being selected, all that match.
    fn more(self) {
        let held = self.list.held();
        let (before, total) =
            (self.selection.with_untracked(Selection::len), untrack(|| self.list.total().get()));
        self.selection.update(|one| one.add(held));
        let now = self.selection.with_untracked(Selection::len);
        if now == before && Some(now as u64) != total {
            self.take_all();
        }
    }

    /// Selects all that match.
    pub fn take_all(self) {
        self.reach.set(None);
        self.selection.update(Selection::take_all);
    }

    /// Takes in the rows of a range that were fetched.
    pub fn reached(self, keys: Vec<Key>) {
        self.selection.try_update(|one| one.extend(keys));
    }

    /// Takes out rows that leave the list.
    pub fn forget(self, keys: &[Key]) {
        self.selection.try_update(|one| one.forget(keys));
    }

    /// Selects nothing.
    pub fn clear(self) {
        self.awaited.try_set_value(None);
        self.reach.try_set(None);
        if self.selection.try_with_untracked(|one| *one != Selection::default()) == Some(true) {
            self.selection.set(Selection::default());
        }
    }

    /// Returns the selection.
    pub fn selection(self) -> Signal<Selection> {
        self.selection.into()
    }

    /// Returns how many submissions are selected. Tracked.
    pub fn count(self) -> u64 {
        self.selection.with(|one| {
            let all = || self.list.total().get().unwrap_or_default();
            if one.is_all() { all() } else { one.len() as u64 }
        })
    }

    /// Returns what is selected, in words. Tracked.
    pub fn text(self) -> String {
        let texts = i18n::list();
        let all = self.selection.with(Selection::is_all);
        (if all { texts.all_selected } else { texts.selected })(self.count())
    }
}

/// The bar of the selection, and what says the same to who cannot see it.
#[component]
pub fn Selected(
    /// What the page shares.
    desk: Desk,
) -> impl IntoView {
    let bar = RwSignal::new(None::<ViewFn>);
    let picks = desk.picks;
    let any = Memo::new(move |_| {
        picks.selection.with(|one| !one.is_empty()) || picks.reach.with(Option::is_some)
    });
    react(move || {
        if any.get() && bar.with_untracked(Option::is_none) {
            spawn_local(async move {
                // Where it does not come, the keys go on working, and the next pick tries again.
                if let Ok(view) = lazy::selection(desk).await {
                    bar.try_set(Some(view));
                }
            });
        }
    });
    // Another list, another selection.
    react(move || {
        desk.source.track();
        untrack(|| picks.clear());
    });
    let said = Memo::new(move |before: Option<&String>| {
        let none = before.is_none_or(String::is_empty);
        match any.get() {
            true => picks.text(),
            false if none => String::new(),
            false => i18n::list().nothing_selected.to_owned(),
        }
    });
    view! {
        <p class="visually-hidden" role="status">
            {said}
        </p>
        {move || bar.get().filter(|_| any.get()).map(|bar| bar.run())}
    }
}
