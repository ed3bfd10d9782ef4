//! What the parts of the page share: the place in the URL, the list, and the acts that lead from
//! one to the other. It draws nothing.

mod delete;
mod known;
mod moves;

use std::sync::Arc;

use contract::{Environment, Field, Filter, Form, FormId, Submission, SubmissionId};
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use super::{
    columns::{self, Offer},
    deletion::Deleter,
    list::{List, Source},
    select::Picks,
    shelf::Shelf,
    table,
};
use crate::{
    api::Target,
    domain::{
        answers::{self, isolated},
        filter,
        selection::Selection,
    },
    routes,
    state::{
        changes::Changes, confirm::Confirm, exports::Exports, session::SessionStore,
        toasts::Toasts, view::ViewStore,
    },
    ui::{focus, react},
};

type Navigate = Arc<dyn Fn(&str, NavigateOptions) + Send + Sync>;

/// A row that was chosen before it had come: in which list, and over which card.
#[derive(Clone, PartialEq)]
struct Awaited {
    index: usize,
    epoch: u32,
    card: Option<SubmissionId>,
}

/// The shared state of the page; cheap to copy.
#[derive(Clone, Copy)]
pub struct Desk {
    /// What the list is a list of; `None` where the URL names no form.
    pub source: Memo<Option<Source>>,
    /// The filter.
    pub filter: Signal<Filter>,
    /// What of the URL could not be read as a filter.
    pub problems: Signal<Vec<String>>,
    /// The submission whose card is open.
    pub opened: Memo<Option<SubmissionId>>,
    /// Where it stands on the list, if there.
    pub selected: Signal<Option<usize>>,
    /// The form, once known.
    pub form: Signal<Option<Form>>,
    /// Its fields; of a server that tells none, those that the answers tell of.
    pub fields: Signal<Vec<Field>>,
    /// The columns that its list can have.
    pub offers: Memo<Vec<Offer>>,
    /// What was chosen of them.
    pub view: ViewStore,
    /// The list.
    pub list: List,
    /// What of it is selected.
    pub picks: Picks,
    /// Where all that match are to be moved while the question about that is open.
    pub asking_all: RwSignal<Option<Target>>,
    /// Whether the export is open.
    pub exporting: RwSignal<bool>,
    /// The submission that the card shows, once it is there.
    pub shown: RwSignal<Option<Arc<Submission>>>,
    /// Who is signed in.
    pub session: SessionStore,
    confirm: Confirm,
    toasts: Toasts,
    changes: Changes,
    deleter: Deleter,
    /// Whether a request that moves submissions is under way.
    is_moving: StoredValue<bool>,
    /// Which card shall be gone on from, and whether forward, once its place on the list is known.
    pub wish: RwSignal<Option<(SubmissionId, bool)>>,
    navigate: StoredValue<Navigate, LocalStorage>,
    /// The filter of the list that the card was opened from: closing it is going back there.
    came_from: StoredValue<Option<Filter>>,
    /// The row to be opened as soon as it has come.
    awaited: StoredValue<Option<Awaited>>,
}

impl Desk {
    /// Returns the desk of the page at the present URL, owned by the present reactive owner.
    pub fn of_page() -> Self {
        let (session, url) = (expect_context::<SessionStore>(), use_url());
        let navigate = use_navigate();
        let navigate: Navigate = Arc::new(move |path, options| navigate(path, options));
        let list = List::new(session, expect_context::<Shelf>());
        let read = Memo::new(move |_| url.with(|url| filter::read(url.search())));
        let filter = Signal::derive(move || read.with(|read| read.filter.clone()));
        let place = Memo::new(move |_| url.with(|url| routes::place(url.path())));
        let source = Memo::new(move |_| {
            let place = place.get();
            let (environment, form) = (place.environment?, place.form?);
            Some(Source { environment, form, filter: filter.get() })
        });
        let opened = Memo::new(move |_| place.with(|place| place.submission.clone()));
        let form = Memo::new(move |_| place.with(|place| session.form(place.form.as_ref()?)));
        let form_id = Signal::derive(move || place.with(|place| place.form.clone()));
        let fields = known::fields(form_id, form, list, session);
        // What a form has told once stays: a search that finds none of it must not move the
        // columns.
        let origin = Memo::new(move |before: Option<&(String, (bool, bool))>| {
            let form = place.with(|place| place.form.as_ref().map(ToString::to_string));
            let form = form.unwrap_or_default();
            let same = before.filter(|(before, _)| *before == form);
            let (then, now) = (same.map(|one| one.1).unwrap_or_default(), table::origin(list));
            (form, (then.0 || now.0, then.1 || now.1))
        });
        let offers = Memo::new(move |_| {
            let form = form.get();
            fields.with(|fields| columns::offers(form.as_ref(), fields, origin.get().1))
        });
        Self {
            source,
            filter,
            problems: Signal::derive(move || read.with(|read| read.problems.clone())),
            opened,
            selected: known::place(opened, list),
            form: form.into(),
            fields: fields.into(),
            offers,
            view: ViewStore::load(),
            list,
            picks: Picks::new(list),
            asking_all: RwSignal::new(None),
            exporting: expect_context::<Exports>().open(),
            shown: RwSignal::new(None),
            session,
            confirm: expect_context(),
            toasts: expect_context(),
            changes: expect_context(),
            deleter: Deleter::in_context(),
            is_moving: StoredValue::new(false),
            navigate: StoredValue::new_local(navigate),
            wish: RwSignal::new(None),
            came_from: StoredValue::new(None),
            awaited: StoredValue::new(None),
        }
    }

    /// Opens the row that was chosen before it had come, for as long as the present owner lives.
    /// Whoever went elsewhere meanwhile does not want it any more.
    pub fn await_row(self) {
        react(move || {
            self.list.track();
            let card = self.opened.get();
            let Some(awaited) = self.awaited.get_value() else { return };
            if awaited != self.awaited_now(awaited.index, card) {
                self.awaited.set_value(None);
            } else if untrack(|| self.list.row(awaited.index)).is_some() {
                untrack(|| self.open(awaited.index));
            }
        });
    }

    fn awaited_now(self, index: usize, card: Option<SubmissionId>) -> Awaited {
        Awaited { index, epoch: self.list.epoch(), card }
    }

    /// Returns the name of the form, or its id where no name is known. Tracked.
    pub fn form_name(self) -> String {
        let name = |one: &Source| self.session.form_name(&one.form);
        self.source.with(|one| one.as_ref().map(name)).unwrap_or_default()
    }

    /// Returns what tells this form's page from another's. Tracked.
    pub fn form_place(self) -> String {
        self.source.with(|one| {
            one.as_ref().map(|one| format!("{} {}", one.environment, one.form)).unwrap_or_default()
        })
    }

    /// Returns the title of the page: of the card where one is open, else of the form. Tracked.
    pub fn title(self) -> String {
        if self.opened.with(Option::is_none) {
            return isolated(self.form_name());
        }
        let title = self.shown.with(|shown| {
            shown.as_ref().map(|shown| self.fields.with(|fields| answers::title(shown, fields)))
        });
        isolated(title.unwrap_or_else(|| self.form_name()))
    }

    fn here(self) -> Option<(Environment, FormId, Filter)> {
        let source = self.source.try_get_untracked().flatten()?;
        Some((source.environment, source.form, source.filter))
    }

    fn go(self, path: &str, replace: bool) {
        let options = NavigateOptions { replace, scroll: false, ..NavigateOptions::default() };
        self.navigate.try_with_value(|navigate| navigate(path, options));
    }

    /// Puts another filter into the URL, in place of the one before.
    pub fn filter_by(self, filter: &Filter) {
        let Some((environment, form, _)) = self.here() else { return };
        let path = match self.opened.get_untracked() {
            Some(id) => routes::card(environment, &form, &id, filter),
            None => routes::list(environment, &form, filter),
        };
        self.go(&path, true);
    }

    /// Opens the card of a row. From one card to another, the place in history stays one.
    pub fn open(self, index: usize) {
        let (row, card) = (untrack(|| self.list.row(index)), self.opened.get_untracked());
        let over_card = card.is_some();
        self.awaited.set_value(row.is_none().then(|| self.awaited_now(index, card)));
        let (Some(row), Some((environment, form, filter))) = (row, self.here()) else { return };
        if !over_card {
            self.came_from.set_value(Some(filter.clone()));
        } else if in_table() {
            // Who chose it by its row reads it now: keys are the card's, not the rows'.
            focus_card();
        }
        self.go(&routes::card(environment, &form, &row.id, &filter), over_card);
    }

    /// Closes the card: back to where it was opened from, or else to its list.
    pub fn close(self) {
        let Some((environment, form, filter)) = self.here() else { return };
        self.awaited.set_value(None);
        // A filter that was changed meanwhile is not that of the place before.
        let from = self.came_from.try_update_value(Option::take).flatten();
        if from.as_ref() == Some(&filter)
            && window().history().is_ok_and(|history| history.back().is_ok())
        {
            return;
        }
        self.go(&routes::list(environment, &form, &filter), true);
    }

    /// Goes one row on, or back: with a card open to the next card, else along the rows. Returns
    /// whether there was anywhere to go.
    pub fn step(self, forward: bool) -> bool {
        let count = self.list.count().get_untracked();
        let card = self.opened.get_untracked();
        let open = card.is_some();
        if open && (self.selected.get_untracked().is_none() || self.list.is_stale()) {
            self.wish.set(card.map(|card| (card, forward)));
            return true;
        }
        let from = if open {
            self.selected.get_untracked()
        } else {
            Some(self.list.table.active().get_untracked())
        };
        let to = from.and_then(|from| {
            if forward { Some(from + 1).filter(|to| *to < count) } else { from.checked_sub(1) }
        });
        match to {
            Some(to) if open => {
                self.list.table.show(to);
                self.open(to);
            }
            _ if count == 0 => return false,
            // Not among the rows yet: the first press leads to the row that Tab would.
            _ if !open && !in_table() => {
                let active = from.unwrap_or_default().min(count - 1);
                self.list.table.focus(active);
            }
            Some(to) => self.list.table.focus(to),
            None => return false,
        }
        true
    }

    /// Selects nothing, and gives the focus back to the rows.
    pub fn leave_selection(self) {
        self.picks.clear();
        self.list.table.focus(self.list.table.active().get_untracked());
    }

    /// Returns the ids of what is selected row by row, newest first.
    pub fn selected_ids(self) -> Signal<Vec<SubmissionId>> {
        Signal::derive(move || self.picks.selection().with(Selection::ids))
    }
}

/// Moves the focus to the heading of the card.
fn focus_card() {
    if let Ok(Some(heading)) = document().query_selector(".drawer-title") {
        focus(&heading);
    }
}

/// Whether the focus is in the table.
fn in_table() -> bool {
    let active = document().active_element();
    active.is_some_and(|active| active.closest(".grid").ok().flatten().is_some())
}
