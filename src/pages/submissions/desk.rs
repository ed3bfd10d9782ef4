//! What the parts of the page share: the place in the URL, the list, and the acts that lead from
//! one to the other. It draws nothing.

use std::sync::Arc;

use contract::{Environment, Field, Filter, Form, FormId, Submission, SubmissionId};
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use super::{
    columns::{self, Offer},
    list::{List, Source},
    parts,
    select::Picks,
    shelf::Shelf,
    table,
};
use crate::{
    model::{answers, feed::Key, filter, selection::Selection, tray::Scope},
    paths,
    shared::calendar::millis_of,
    stores::{
        confirm::{Confirm, Question},
        session::SessionStore,
        toasts::Toasts,
        tray::Tray,
        view::ViewStore,
    },
    texts,
    ui::{act::come, later::fetch_ahead, react, time::full_text},
};

type Navigate = Arc<dyn Fn(&str, NavigateOptions) + Send + Sync>;

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
    /// Whether the export is open.
    pub exporting: RwSignal<bool>,
    /// The submission that the card shows, once it is there.
    pub shown: RwSignal<Option<Arc<Submission>>>,
    /// Who is signed in.
    pub session: SessionStore,
    confirm: Confirm,
    toasts: Toasts,
    tray: Tray,
    navigate: StoredValue<Navigate, LocalStorage>,
    /// Whether the card was opened from its list, so that closing it is going back.
    came_from_list: StoredValue<bool>,
    /// The row to be opened as soon as it has come.
    awaited: StoredValue<Option<usize>>,
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
        let place = Memo::new(move |_| url.with(|url| paths::place(url.path())));
        let source = Memo::new(move |_| {
            let place = place.get();
            let (environment, form) = (place.environment?, place.form?);
            Some(Source { environment, form, filter: filter.get() })
        });
        let opened = Memo::new(move |_| place.with(|place| place.submission.clone()));
        let form = Memo::new(move |_| place.with(|place| session.form(place.form.as_ref()?)));
        let fields = Memo::new(move |_| {
            let told = form.with(|form| form.as_ref().map(|form| form.fields.clone()));
            match told {
                Some(fields) if !fields.is_empty() || session.is_managed() => fields,
                _ => list.with_rows(|rows| answers::fields_of(rows)).unwrap_or_default(),
            }
        });
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
        // Where it was scrolled out of what is held, its last place counts.
        let place = Memo::new(move |before: Option<&Option<(SubmissionId, usize)>>| {
            let id = opened.get()?;
            let kept = before.cloned().flatten().filter(|(kept, _)| *kept == id);
            list.position(&id).map(|index| (id, index)).or(kept)
        });
        let selected = Signal::derive(move || place.get().map(|(_, index)| index));
        Self {
            source,
            filter,
            problems: Signal::derive(move || read.with(|read| read.problems.clone())),
            opened,
            selected,
            form: form.into(),
            fields: fields.into(),
            offers,
            view: ViewStore::load(),
            list,
            picks: Picks::new(list),
            exporting: RwSignal::new(false),
            shown: RwSignal::new(None),
            session,
            confirm: expect_context(),
            toasts: expect_context(),
            tray: expect_context(),
            navigate: StoredValue::new_local(navigate),
            came_from_list: StoredValue::new(false),
            awaited: StoredValue::new(None),
        }
    }

    /// Opens the row that was chosen before it had come, for as long as the present owner lives.
    pub fn await_row(self) {
        react(move || {
            self.list.track();
            let awaited = self.awaited.get_value();
            if let Some(index) = awaited.filter(|index| untrack(|| self.list.row(*index)).is_some())
            {
                untrack(|| self.open(index));
            }
        });
    }

    /// Returns the name of the form, or its id where no name is known. Tracked.
    pub fn form_name(self) -> String {
        let name = self.form.with(|form| form.as_ref().map(|form| form.name.clone()));
        name.unwrap_or_else(|| {
            self.source.with(|one| one.as_ref().map(|one| one.form.to_string()).unwrap_or_default())
        })
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
            return self.form_name();
        }
        let title = self.shown.with(|shown| {
            shown.as_ref().map(|shown| self.fields.with(|fields| answers::title(shown, fields)))
        });
        title.unwrap_or_else(|| self.form_name())
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
            Some(id) => paths::card(environment, &form, &id, filter),
            None => paths::list(environment, &form, filter),
        };
        self.go(&path, true);
    }

    /// Opens the card of a row. From one card to another, the place in history stays one.
    pub fn open(self, index: usize) {
        let row = untrack(|| self.list.row(index));
        self.awaited.set_value(row.is_none().then_some(index));
        let (Some(row), Some((environment, form, filter))) = (row, self.here()) else { return };
        let over_card = self.opened.with_untracked(Option::is_some);
        if !over_card {
            self.came_from_list.set_value(true);
        }
        self.go(&paths::card(environment, &form, &row.id, &filter), over_card);
    }

    /// Closes the card: back to where it was opened from, or else to its list.
    pub fn close(self) {
        let Some((environment, form, filter)) = self.here() else { return };
        let back = self.came_from_list.try_update_value(std::mem::take).unwrap_or(false);
        if back && window().history().is_ok_and(|history| history.back().is_ok()) {
            return;
        }
        self.go(&paths::list(environment, &form, &filter), true);
    }

    /// Goes one row on, or back: with a card open to the next card, else along the rows. Returns
    /// whether there was anywhere to go.
    pub fn step(self, forward: bool) -> bool {
        let count = self.list.count().get_untracked();
        let open = self.opened.with_untracked(Option::is_some);
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

    /// Has it asked whether to delete the submission whose card is open, else what is selected,
    /// else the row that has the focus. Returns whether there is anything.
    pub fn wishes_to_delete(self) -> bool {
        if !untrack(|| self.session.may_change()) {
            return false;
        }
        let any = self.selects_some() || self.shown_or_focused().is_some();
        if any {
            let toasts = self.toasts;
            come(parts::ask_to_delete(self), move |missing| toasts.failed(missing.told()));
        }
        any
    }

    /// Whether no card is open, and rows are selected one by one.
    fn selects_some(self) -> bool {
        self.opened.with_untracked(Option::is_none)
            && self.picks.selection().with_untracked(|one| !one.keys().is_empty())
    }

    /// Returns the submission whose card is open, else the row that has the focus.
    fn shown_or_focused(self) -> Option<Arc<Submission>> {
        if self.opened.with_untracked(Option::is_some) {
            return self.shown.get_untracked();
        }
        let active = || self.list.row(self.list.table.active().get_untracked());
        in_table().then(|| untrack(active)).flatten()
    }

    /// Asks whether to delete that.
    pub fn ask_to_delete(self) {
        if self.selects_some() {
            self.ask_to_delete_selected();
            return;
        }
        let Some(row) = self.shown_or_focused() else { return };
        let title = self.fields.with_untracked(|fields| answers::title(&row, fields));
        let when = full_text(millis_of(row.metadata.submitted_at));
        let texts = texts::deletion();
        let text = (texts.one_text)(&when);
        let key = (row.metadata.submitted_at, row.id.clone());
        let title = (texts.one)(&title);
        self.ask(title, text, texts.delete_one.to_owned(), vec![key]);
    }

    /// Asks whether to delete what is selected row by row.
    pub fn ask_to_delete_selected(self) {
        let keys = self.picks.selection().with_untracked(|one| one.keys().to_vec());
        let (texts, count) = (texts::deletion(), keys.len() as u64);
        let verb = (texts.delete_many)(count);
        let takes = untrack(|| self.takes_text(count, false));
        let parts = [Some(texts.many_text.to_owned()), takes];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        self.ask((texts.many)(count), text, verb, keys);
    }

    fn ask(self, title: String, text: String, verb: String, keys: Vec<Key>) {
        let Some((environment, form, _)) = self.here() else { return };
        // Where the deleted rows go comes while the question is read.
        fetch_ahead(parts::selection(self));
        let act = move || {
            // The rows must be hidden by the time that the card is led on to the next.
            let ready = parts::take_in(self.list, None);
            let deleted = parts::delete(self, environment, form.clone(), keys.clone());
            async {
                let done = async {
                    ready.await?;
                    deleted.await
                };
                done.await.map_err(|missing| (texts::ui().not_deleted)(missing.text()))
            }
        };
        self.confirm.ask(Question::new(title, text, verb, act));
    }

    /// Puts submissions into the tray, and leads a card that shows one of them on to the next.
    pub fn delete(self, environment: Environment, form: FormId, keys: Vec<Key>) {
        let opened = self.opened.try_get_untracked().flatten();
        let open = keys.iter().find(|key| Some(&key.1) == opened.as_ref());
        // What the focus goes to: the row that comes to stand where the first of them stood.
        let first = open.or(keys.first()).map(|key| key.1.clone());
        let index = first.and_then(|id| untrack(|| self.list.position(&id)));
        self.picks.forget(&keys);
        let is_open = open.is_some();
        self.tray.delete((environment, form), keys, None);
        let Some(count) = self.list.count().try_get_untracked() else { return };
        let next = index.and_then(|index| count.checked_sub(1).map(|last| index.min(last)));
        match next {
            Some(next) if is_open => self.open(next),
            Some(next) => self.list.table.focus(next),
            None if is_open => self.close(),
            None => {}
        }
    }

    /// Puts all that match into the tray: so many, and none that arrives later.
    pub fn delete_all(self, count: u64) {
        let (Some((environment, form, filter)), Some(before)) =
            (self.here(), self.list.newest_bound())
        else {
            return;
        };
        if self.opened.with_untracked(Option::is_some) {
            self.close();
        }
        self.picks.clear();
        let scope = Scope { filter, before };
        self.tray.delete((environment, form), Vec::new(), Some((scope, count)));
    }

    /// Returns which rows of this form wait to be deleted.
    pub fn waiting(self) -> Vec<Key> {
        let here = self.here();
        here.map_or_else(Vec::new, |(environment, form, _)| self.tray.hidden(environment, &form))
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

/// Whether the focus is in the table.
fn in_table() -> bool {
    let active = document().active_element();
    active.is_some_and(|active| active.closest(".grid").ok().flatten().is_some())
}
