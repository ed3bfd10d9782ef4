//! Deleting from the page: what is meant, the question, and where the card and the focus go then.

use std::sync::Arc;

use contract::{Environment, FormId, Submission};
use leptos::prelude::*;

use super::{Desk, in_table};
use crate::{
    model::{answers, feed::Key, tray::Scope},
    pages::submissions::parts,
    shared::calendar::millis_of,
    stores::confirm::Question,
    texts,
    ui::{act::come, later::fetch_ahead, time::full_text},
};

impl Desk {
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
        let title = (texts.one)(&answers::isolated(title));
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
}
