//! The list at work: asks the feed what to fetch, fetches it, and tells the page by a few signals
//! that something came. The rows themselves stay outside the reactive graph.

use std::sync::Arc;

use contract::{Environment, Filter, FormId, ListQuery, Submission, SubmissionId, page::LIMIT_MAX};
use leptos::{prelude::*, task::spawn_local};

use super::shelf::Shelf;
use crate::{
    api::{self, Abort, ApiError},
    model::feed::{Feed, Phase},
    stores::session::SessionStore,
    ui::table::TableHandle,
};

/// What a list is a list of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The environment.
    pub environment: Environment,
    /// The form.
    pub form: FormId,
    /// Which of its submissions.
    pub filter: Filter,
}

/// A handle on the list of a page; cheap to copy.
#[derive(Clone, Copy)]
pub struct List {
    feed: StoredValue<Feed>,
    source: StoredValue<Option<Source>>,
    abort: StoredValue<Option<Abort>, LocalStorage>,
    count: RwSignal<usize>,
    total: RwSignal<Option<u64>>,
    phase: RwSignal<Phase>,
    error: RwSignal<Option<ApiError>>,
    /// Moves on whenever a row may stand elsewhere than before.
    version: RwSignal<u32>,
    /// The table that draws it.
    pub table: TableHandle,
    session: SessionStore,
    shelf: Shelf,
}

impl List {
    /// Returns a list of nothing yet, owned by the present reactive owner.
    pub fn new(session: SessionStore, shelf: Shelf) -> Self {
        let list = Self {
            feed: StoredValue::new(Feed::default()),
            source: StoredValue::new(None),
            abort: StoredValue::new_local(None),
            count: RwSignal::new(0),
            total: RwSignal::new(None),
            phase: RwSignal::new(Phase::Idle),
            error: RwSignal::new(None),
            version: RwSignal::new(0),
            table: TableHandle::new(),
            session,
            shelf,
        };
        on_cleanup(move || {
            list.leave();
            list.abort.try_update_value(Option::take);
        });
        list
    }

    /// Shows another list, or this one as it is.
    pub fn show(self, source: Source) {
        if self.source.with_value(|now| now.as_ref() == Some(&source)) {
            return;
        }
        let same_form = self.source.with_value(|now| {
            now.as_ref()
                .is_some_and(|now| now.form == source.form && now.environment == source.environment)
        });
        let kept = self.shelf.take(&source);
        if same_form {
            self.feed.update_value(Feed::reset);
        } else {
            self.leave();
            self.feed.update_value(Feed::clear);
        }
        self.abort.update_value(|abort| *abort = None);
        self.source.set_value(Some(source));
        self.error.set(None);
        if let Some(kept) = kept {
            self.feed.update_value(|feed| feed.resume(kept.feed));
            self.version.update(|version| *version += 1);
            self.tell();
            self.restore(kept.position);
        } else {
            self.tell();
            self.more();
        }
    }

    /// Keeps the list that is being left, for Back and Forward.
    fn leave(self) {
        let Some(Some(source)) = self.source.try_update_value(Option::take) else { return };
        let feed = self.feed.try_update_value(std::mem::take);
        let position = self.table.position().try_get_untracked();
        if let (Some(feed), Some(position)) = (feed, position) {
            self.shelf.keep(source, feed, position);
        }
    }

    /// Scrolls once the table has drawn as many rows as there are.
    fn restore(self, position: f64) {
        spawn_local(async move {
            leptos::task::tick().await;
            self.table.restore(position);
        });
    }

    /// Fetches the next page, unless one is on its way or all have come.
    pub fn more(self) {
        let Some(source) = self.source.try_get_value().flatten() else { return };
        let Some(request) = self.feed.try_update_value(Feed::request).flatten() else { return };
        let abort = Abort::default();
        let signal = abort.signal();
        self.abort.try_update_value(|kept| *kept = Some(abort));
        self.tell();
        spawn_local(async move {
            let Source { environment, form, filter } = source;
            let query = ListQuery { filter, limit: LIMIT_MAX, cursor: request.cursor };
            let first = query.cursor.is_none();
            let answer = api::list(environment, &form, &query, signal.as_ref()).await;
            let wanted = self.feed.try_update_value(|feed| match answer {
                Ok(answer) => feed.arrive(request.epoch, answer.body).then_some(Ok(())),
                Err(error) => feed.fail(request.epoch).then_some(Err(error)),
            });
            // Nobody asks any more, or the page is gone.
            let Some(Some(outcome)) = wanted else { return };
            if let Err(error) = &outcome {
                self.session.notice(error);
            }
            self.error.try_set(outcome.err());
            if first {
                self.begin(&form, query.filter.is_empty());
            }
            self.tell();
        });
    }

    /// A first page has come: its rows are others, and the list begins at its top.
    fn begin(self, form: &FormId, unfiltered: bool) {
        self.version.try_update(|version| *version += 1);
        self.table.restore(0.0);
        let total = self.feed.try_with_value(Feed::total).flatten();
        if let (true, Some(total)) = (unfiltered, total) {
            self.session.count(form, total);
        }
    }

    /// Tries again after a failure.
    pub fn retry(self) {
        self.error.try_set(None);
        self.feed.try_update_value(Feed::retry);
        self.more();
    }

    /// Takes a submission out that turned out to be deleted elsewhere, if the list holds it.
    pub fn gone(self, id: &SubmissionId) {
        if untrack(|| self.position(id)).is_some() {
            self.remove(id);
        }
    }

    /// Takes a deleted submission out of the list. Its kept twins are forgotten.
    pub fn remove(self, id: &SubmissionId) {
        self.shelf.clear();
        self.feed.try_update_value(|feed| feed.remove(id));
        self.version.try_update(|version| *version += 1);
        self.tell();
        let stand = self.source.try_get_value().flatten();
        if let (Some(source), Some(total)) = (stand, self.total.try_get_untracked().flatten())
            && source.filter.is_empty()
        {
            self.session.count(&source.form, total);
        }
        // The page may have become too short to be scrolled, and would never ask for more.
        self.more_if_short();
    }

    fn more_if_short(self) {
        if self.count.try_get_untracked().is_some_and(|count| count < usize::from(LIMIT_MAX)) {
            self.more();
        }
    }

    /// Tells the page what has changed, and only that.
    fn tell(self) {
        let Some((count, total, phase)) =
            self.feed.try_with_value(|feed| (feed.len(), feed.total(), feed.phase()))
        else {
            return;
        };
        self.phase.try_maybe_update(|now| (set(now, phase), ()));
        self.total.try_maybe_update(|now| (set(now, total), ()));
        self.count.try_maybe_update(|now| (set(now, count), ()));
    }

    /// Returns how many rows can be drawn.
    pub fn count(self) -> Signal<usize> {
        self.count.into()
    }

    /// Returns how many submissions match in all, once known.
    pub fn total(self) -> Signal<Option<u64>> {
        self.total.into()
    }

    /// Returns whether a page is on its way.
    pub fn phase(self) -> Signal<Phase> {
        self.phase.into()
    }

    /// Returns why the last page did not come.
    pub fn error(self) -> Signal<Option<ApiError>> {
        self.error.into()
    }

    /// Returns whether every matching submission has come.
    pub fn has_ended(self) -> bool {
        self.phase.track();
        self.feed.try_with_value(Feed::has_ended).unwrap_or(true)
    }

    /// Returns whether the rows are still those of the filter before.
    pub fn is_stale(self) -> bool {
        self.feed.try_with_value(Feed::is_stale).unwrap_or(false)
    }

    /// Returns a row. Tracks when rows move.
    pub fn row(self, index: usize) -> Option<Arc<Submission>> {
        self.version.track();
        self.feed.try_with_value(|feed| feed.row(index).cloned()).flatten()
    }

    /// Returns where a submission stands among the rows that have come. Tracked.
    pub fn position(self, id: &SubmissionId) -> Option<usize> {
        self.version.track();
        self.count.track();
        self.feed.try_with_value(|feed| feed.position(id)).flatten()
    }

    /// Calls `read` with the rows that have come. Tracks when the first ones come.
    pub fn with_rows<T>(
        self,
        read: impl FnOnce(&mut dyn Iterator<Item = &Submission>) -> T,
    ) -> Option<T> {
        self.version.track();
        self.feed.try_with_value(|feed| read(&mut feed.rows()))
    }

    /// Returns what tells a row from those that stood there before. Tracked.
    pub fn key(self, index: usize) -> (u32, Option<SubmissionId>) {
        self.version.track();
        self.feed
            .try_with_value(|feed| (feed.epoch(), feed.row(index).map(|row| row.id.clone())))
            .unwrap_or_default()
    }
}

fn set<T: PartialEq>(now: &mut T, then: T) -> bool {
    let changed = *now != then;
    *now = then;
    changed
}
