//! Deletes or marks as spam what is meant: the open submission, the selection, or the row that has
//! the focus. It asks first where that cannot be undone.

use std::sync::Arc;

use contract::Submission;
use leptos::{prelude::*, task::spawn_local};

use super::{Desk, in_table};
use crate::{
    api::Target,
    domain::{answers, deletion::takes_text, feed::Key, selection::Selection},
    i18n,
    pages::submissions::lazy,
    state::confirm::Question,
    ui::{act::come, later::fetch_ahead},
};

impl Desk {
    /// Returns whether deleted submissions of this form can be restored. Tracked.
    pub fn keeps_trash(self) -> bool {
        self.session.capabilities().trash
            && self.form.with(|form| form.as_ref().is_some_and(|form| form.trash_days > 0))
    }

    /// Returns whether submissions can be marked as spam. Tracked.
    pub fn marks_spam(self) -> bool {
        self.session.capabilities().spam && self.session.may_change()
    }

    /// Has the submission moved whose card is open, else what is selected, else the row that has
    /// the focus. Returns whether there is anything.
    pub fn wishes_to_move(self, target: Target) -> bool {
        let may = untrack(|| match target {
            Target::Trash => self.session.may_change(),
            Target::Spam => self.marks_spam(),
        });
        let any = may && (self.selects_any() || self.shown_or_focused().is_some());
        if any {
            let toasts = self.toasts;
            come(lazy::move_meant(self, target), move |missing| toasts.failed(missing.told()));
        }
        any
    }

    /// Whether no card is open, and rows are selected.
    fn selects_any(self) -> bool {
        self.opened.with_untracked(Option::is_none)
            && self.picks.selection().with_untracked(|one| !one.is_empty())
    }

    /// Returns the submission whose card is open, else the row that has the focus.
    fn shown_or_focused(self) -> Option<Arc<Submission>> {
        if self.opened.with_untracked(Option::is_some) {
            return self.shown.get_untracked();
        }
        let active = || self.list.row(self.list.table.active().get_untracked());
        in_table().then(|| untrack(active)).flatten()
    }

    /// Moves what is meant.
    pub fn move_meant(self, target: Target) {
        if self.selects_any() {
            self.move_selected(target);
        } else if let Some(row) = self.shown_or_focused() {
            let title = self.fields.with_untracked(|fields| answers::title(&row, fields));
            let title = (i18n::deletion().one)(&answers::isolated(title));
            self.move_or_ask(target, title, vec![(row.metadata.submitted_at, row.id.clone())]);
        }
    }

    /// Moves what is selected row by row, and asks first where that is all that match.
    pub fn move_selected(self, target: Target) {
        if self.picks.selection().with_untracked(Selection::is_all) {
            self.asking_all.set(Some(target));
            return;
        }
        let keys = self.picks.selection().with_untracked(|one| one.keys().to_vec());
        let title = (i18n::deletion().many)(keys.len() as u64);
        self.move_or_ask(target, title, keys);
    }

    fn move_or_ask(self, target: Target, title: String, keys: Vec<Key>) {
        if target == Target::Spam || untrack(|| self.keeps_trash()) {
            spawn_local(async move {
                if let Err(problem) = self.move_rows(target, keys).await {
                    self.toasts.failed(problem);
                }
            });
            return;
        }
        let texts = i18n::deletion();
        let in_bulk = untrack(|| self.session.capabilities().bulk_moves);
        let takes = || untrack(|| self.takes_text(keys.len() as u64, false));
        let takes = (!in_bulk).then(takes).flatten();
        let texts_of = [Some(texts.permanent_text.to_owned()), takes];
        let text = texts_of.into_iter().flatten().collect::<Vec<_>>().join(" ");
        fetch_ahead(lazy::selection(self));
        let act = move || {
            let keys = keys.clone();
            async move {
                if in_bulk {
                    self.move_rows(target, keys).await
                } else {
                    self.delete_one_by_one(&keys)
                }
            }
        };
        self.confirm.ask(Question::new(title, text, texts.verb, act));
    }

    /// Deletes by one request each, and leads a card that shows one of them on to the next.
    fn delete_one_by_one(self, keys: &[Key]) -> Result<(), String> {
        let Some((environment, form, _)) = self.here() else { return Ok(()) };
        let opened = self.opened.get_untracked();
        self.deleter.delete(environment, &form, keys.to_vec())?;
        self.picks.forget(keys);
        if keys.iter().any(|key| Some(&key.1) == opened.as_ref()) {
            let index = opened.and_then(|id| untrack(|| self.list.position(&id)));
            let count = self.list.count().get_untracked();
            let next = index.and_then(|index| {
                if index + 1 < count { Some(index + 1) } else { index.checked_sub(1) }
            });
            match next {
                Some(next) => self.open(next),
                None => self.close(),
            }
        }
        Ok(())
    }

    /// Returns how long the rate limit makes a deletion of so many, one request each, where that
    /// is worth a word. `all` says that they are yet to be listed. Tracked.
    pub fn takes_text(self, count: u64, all: bool) -> Option<String> {
        let plan = self.session.session().map_or(contract::Plan::Free, |one| one.account.plan);
        takes_text(plan, self.list.rate(), count, all)
    }
}
