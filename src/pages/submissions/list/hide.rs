//! What waits to be deleted is not in the list: it goes at once, comes back in its place, and the
//! row at the top edge stays where it is meanwhile. What does that comes with the tray.

use std::collections::HashSet;

use contract::Timestamp;
use leptos::prelude::*;

use super::{List, now_ms};
use crate::{
    model::{
        answers::{fields_of, isolated, title},
        feed::{Feed, Key},
    },
    pages::submissions::parts,
    stores::tray::{Change, News},
    ui::act::come,
};

impl List {
    /// Follows the tray, for as long as the present owner lives.
    pub(super) fn follow_tray(self) {
        // Where the code does not come, the tray itself says so.
        self.tray.listen(move |news| come(parts::take_in(self, Some(news)), |_| {}));
    }

    /// Takes in what happened to rows.
    pub fn take_in(self, news: Option<News>) {
        let Some((environment, form, change)) = news else { return };
        // Lists that are not on view would show what is gone.
        self.shelf.clear();
        let here = self.source.try_with_value(|source| {
            source.as_ref().is_some_and(|one| one.environment == environment && one.form == form)
        });
        if here == Some(true) {
            untrack(|| self.change(change));
        }
    }

    /// Returns the instant that all that wait to be deleted are older than, where all do.
    pub(super) fn bound(self) -> Option<Timestamp> {
        self.bound.try_get_value().flatten()
    }

    fn change(self, change: Change) {
        let whole =
            || self.source.with_value(|one| one.as_ref().is_some_and(|one| one.filter.is_empty()));
        match change {
            Change::Hidden(keys, here) => self.hide(&keys, here || whole()),
            Change::Back(keys) => self.bring_back(&keys),
            Change::Gone(keys) => {
                // What all waits is not in the list that is on view meanwhile.
                let (sure, bound) = (whole(), self.bound());
                let listed = keys.iter().filter(|key| bound.is_none_or(|bound| key.0 >= bound));
                self.feed.update_value(|feed| listed.for_each(|key| feed.deleted(key, sure)));
            }
            Change::Scope(as_before) => self.follow_scope(as_before),
        }
        self.recount();
    }

    /// Returns the row at the top edge, and how far the list is scrolled.
    fn top(self) -> (Option<Key>, f64) {
        let position = self.table.position().get_untracked();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "row counts lie far below 2^52"
        )]
        let row = self.row(position as usize);
        (row.map(|row| (row.metadata.submitted_at, row.id.clone())), position)
    }

    /// Tells the tray what those of these rows that are held are called: it names what fails.
    fn name(self, keys: &[Key]) {
        let ids: HashSet<_> = keys.iter().map(|key| &key.1).collect();
        let Some(source) = self.source.get_value() else { return };
        let form = self.session.form(&source.form);
        self.feed.with_value(|feed| {
            let told = form.map(|form| form.fields).filter(|fields| !fields.is_empty());
            let fields = told.unwrap_or_else(|| fields_of(feed.rows()));
            let rows = feed.rows().filter(|row| ids.contains(&row.id));
            self.tray.name(rows.map(|row| (row.id.clone(), isolated(title(row, &fields)))));
        });
    }

    fn hide(self, keys: &[Key], sure: bool) {
        self.name(keys);
        let (top, position) = self.top();
        self.feed.update_value(|feed| keys.iter().for_each(|key| feed.hide(key, sure)));
        self.move_by(position, -above(keys, top.as_ref()));
    }

    /// Takes what waits out of a list that is yet to come. Whether the server still counts what is
    /// on its way is found out later.
    pub(super) fn hide_again(self, keys: &[Key], sure: bool) {
        let doubtful = self.tray.doubtful();
        self.feed.update_value(|feed| {
            for key in keys {
                feed.hide(key, sure && !doubtful.contains(key));
            }
        });
    }

    fn bring_back(self, keys: &[Key]) {
        let (top, position) = self.top();
        let (then, by) = self.moved.get_value();
        // The last to go comes first, so that each finds the row that stood above it.
        self.feed.update_value(|feed| keys.iter().rev().for_each(|key| feed.restore(key)));
        // Those that were left by an earlier visit are known only now.
        self.name(keys);
        // Untouched since, it is as it was; else what is read stays where it is.
        let undone = (then - position).abs() < 0.01;
        self.move_by(position, if undone { -by } else { above(keys, top.as_ref()) });
    }

    /// Moves the list with its rows.
    fn move_by(self, position: f64, rows: f64) {
        let to = (position + rows).max(0.0);
        self.moved.set_value((to, to - position));
        if rows != 0.0 {
            self.restore(to);
        }
    }

    /// All that match wait, or do so no more.
    fn follow_scope(self, as_before: bool) {
        let Some(source) = self.source.get_value() else { return };
        let bound = self.tray.bound(source.environment, &source.form, &source.filter);
        if bound.is_some() == self.bound().is_some() {
            return;
        }
        self.bound.set_value(bound);
        self.abort.update_value(|abort| *abort = None);
        let aside = self.aside.try_update_value(Option::take).flatten().filter(|_| as_before);
        match (bound, aside) {
            (Some(_), _) => {
                let position = self.table.position().get_untracked();
                let feed = self.feed.try_update_value(Feed::set_aside);
                self.aside.set_value(feed.map(|feed| (feed, position)));
                let others = self.tray.hidden(source.environment, &source.form);
                self.hide_again(&others, false);
                // Its clock goes on: the next list comes at once.
                self.clock.update_value(|clock| clock.moved_ms = now_ms());
            }
            (None, Some((feed, position))) => {
                self.feed.update_value(|now| now.resume(feed));
                self.restore(position);
            }
            (None, None) => {
                let oldest = source.filter.date_from;
                self.feed.update_value(|feed| feed.refresh(oldest));
            }
        }
        self.begun.update(|begun| *begun += 1);
    }
}

/// How many of these rows stand above another.
fn above(keys: &[Key], row: Option<&Key>) -> f64 {
    let Some(row) = row else { return 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "row counts lie far below 2^52")]
    let count = keys.iter().filter(|key| key.0 > row.0).count() as f64;
    count
}
