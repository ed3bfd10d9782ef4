//! The list at work: asks the feed what to fetch, fetches it at the pace that the rate limit
//! allows, and tells the page by a few signals that something came. The rows themselves stay
//! outside the reactive graph.

mod change;
mod fetch;
mod held;
mod news;
mod slow;

use std::sync::Arc;

use contract::{
    Environment, Filter, FormId, ListQuery, Plan, RateLimit, Submission, SubmissionId, Timestamp,
};
use leptos::{prelude::*, task::spawn_local};

use super::shelf::Shelf;
use crate::{
    api::{Abort, ApiError},
    domain::{
        feed::{Feed, Phase, Place, Want},
        filter::keys_apart_ms,
    },
    state::{changes::Changes, session::SessionStore},
    ui::{debounce::Debounce, focus_is_lost, table::TableHandle},
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

impl Source {
    /// What to ask for a want.
    fn query(&self, Want { place, limit }: Want) -> ListQuery {
        let mut filter = self.filter.clone();
        filter.date_to = place.before().or(filter.date_to);
        let cursor = match place {
            Place::After { cursor, .. } => Some(cursor),
            Place::First | Place::Before(_) => None,
        };
        ListQuery { filter, limit, cursor }
    }
}

/// What is known of when to ask.
#[derive(Debug, Clone, Copy, Default)]
struct Clock {
    sent_ms: f64,
    moved_ms: f64,
    rate: Option<RateLimit>,
    /// Whether a wake-up is set.
    waits: bool,
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
    /// Whether a page has been on its way for long enough to say so.
    is_slow: RwSignal<bool>,
    slow: Debounce,
    error: RwSignal<Option<ApiError>>,
    /// Moves on whenever rows come, go, or stand elsewhere than before.
    version: RwSignal<u32>,
    /// Moves on whenever a first page has come.
    begun: RwSignal<u32>,
    /// How many submissions came since the list began.
    news: RwSignal<u64>,
    clock: StoredValue<Clock>,
    /// The instant that the view shall be led to.
    goal: StoredValue<Option<Timestamp>>,
    /// Whether the first row takes the focus when it comes.
    focus_first: StoredValue<bool>,
    /// The table that draws it.
    pub table: TableHandle,
    session: SessionStore,
    shelf: Shelf,
    changes: Changes,
    /// Where the list is scrolled to once its first page has come anew.
    resume_at: StoredValue<Option<f64>>,
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
            is_slow: RwSignal::new(false),
            slow: Debounce::new(slow::QUICK),
            error: RwSignal::new(None),
            version: RwSignal::new(0),
            begun: RwSignal::new(0),
            news: RwSignal::new(0),
            clock: StoredValue::new(Clock::default()),
            goal: StoredValue::new(None),
            focus_first: StoredValue::new(false),
            table: TableHandle::new(),
            session,
            shelf,
            changes: expect_context(),
            resume_at: StoredValue::new(None),
        };
        list.watch_news();
        list.follow_changes();
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
        let (kept, oldest) = (self.shelf.take(&source), source.filter.date_from);
        self.resume_at.set_value(None);
        if same_form {
            self.feed.update_value(|feed| feed.reset(oldest));
        } else {
            self.leave();
            self.feed.update_value(|feed| feed.clear(oldest));
        }
        self.abort.update_value(|abort| *abort = None);
        self.source.set_value(Some(source));
        self.error.set(None);
        self.news.set(0);
        if let Some(kept) = kept {
            self.feed.update_value(|feed| feed.resume(kept.feed));
            self.begun.update(|begun| *begun += 1);
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

    /// Leads to the first row that is older than an instant, as soon as it is known which that is.
    pub fn jump(self, before: Timestamp) {
        // Known already: nothing is asked.
        if self.feed.try_with_value(|feed| feed.index_before(before)).flatten().is_none() {
            self.feed.try_update_value(|feed| feed.jump(before));
        }
        self.goal.try_set_value(Some(before));
        self.tell();
        self.more();
    }

    /// Finds out how old the oldest row is, without going there.
    pub fn find_end(self) {
        self.feed.try_update_value(Feed::find_end);
        self.more();
    }

    /// A first page has come: its rows are others, and the list begins at its top, or where it was
    /// when it was begun anew.
    fn begin(self) {
        self.begun.try_update(|begun| *begun += 1);
        if let Some(Some(position)) = self.resume_at.try_update_value(Option::take) {
            self.restore(position);
            return;
        }
        if self.focus_first.try_update_value(std::mem::take) == Some(true) && focus_is_lost() {
            // What was pressed is gone, and nothing else has the focus meanwhile.
            self.table.focus(0);
        } else {
            self.table.restore(0.0);
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
        let row = untrack(|| self.position(id).and_then(|index| self.row(index)));
        if let Some(row) = row {
            self.remove(id, row.metadata.submitted_at);
        }
    }

    /// Takes a deleted submission out of the list. Its kept twins are forgotten.
    pub fn remove(self, id: &SubmissionId, at: Timestamp) {
        self.shelf.clear();
        self.feed.try_update_value(|feed| feed.remove(id, at));
        self.recount();
    }

    /// Rows or their count changed: tells the page, and the side bar where the list is the whole
    /// form.
    fn recount(self) {
        self.tell();
        let stand = self.source.try_get_value().flatten().filter(|_| !self.is_stale());
        if let (Some(source), Some(total)) = (stand, self.total.try_get_untracked().flatten())
            && source.filter.is_empty()
        {
            self.session.count(&source.form, total);
        }
        self.more();
    }

    /// Tells the page what has changed, and only that.
    fn tell(self) {
        let Some((count, total, phase)) =
            self.feed.try_with_value(|feed| (feed.len(), feed.total(), feed.phase()))
        else {
            return;
        };
        self.phase.try_maybe_update(|now| (set(now, phase), ()));
        if phase != Phase::Loading {
            self.say_slow(false);
        }
        self.total.try_maybe_update(|now| (set(now, total), ()));
        self.count.try_maybe_update(|now| (set(now, count), ()));
        self.version.try_update(|version| *version += 1);
        let reached =
            self.goal.try_get_value().flatten().and_then(|goal| {
                self.feed.try_with_value(|feed| feed.index_before(goal)).flatten()
            });
        if let Some(index) = reached {
            self.goal.try_set_value(None);
            #[expect(clippy::cast_precision_loss, reason = "row counts lie far below 2^52")]
            self.table.restore(index as f64);
        }
    }

    /// Returns how many rows there are, held or not.
    pub fn count(self) -> Signal<usize> {
        self.count.into()
    }

    /// Returns how many submissions came since the list began.
    pub fn news(self) -> Signal<u64> {
        self.news.into()
    }

    /// Returns how many submissions match in all, once known.
    pub fn total(self) -> Signal<Option<u64>> {
        self.total.into()
    }

    /// Returns whether a page is awaited for so long that it is to be said. Most come sooner: while
    /// rows scroll by, a sign for each would flicker, and have the browser style the table anew.
    pub fn is_slow(self) -> Signal<bool> {
        self.is_slow.into()
    }

    /// Returns whether a page is on its way.
    pub fn phase(self) -> Signal<Phase> {
        self.phase.into()
    }

    /// Returns why the last page did not come.
    pub fn error(self) -> Signal<Option<ApiError>> {
        self.error.into()
    }

    /// Returns whether the first page has come. Tracked.
    pub fn has_begun(self) -> bool {
        self.phase.track();
        self.feed.try_with_value(Feed::has_begun).unwrap_or(true)
    }

    /// Returns the instants of the newest row and, once known, of the oldest. Tracked.
    pub fn ends(self) -> Option<(Timestamp, Option<Timestamp>)> {
        self.version.track();
        self.feed
            .try_with_value(|feed| Some((feed.first_instant()?, feed.last_instant())))
            .flatten()
            .filter(|_| !self.is_stale())
    }

    /// Returns whether requests are plenty enough to spend some on what nobody asked for. Tracked.
    pub fn is_rich(self) -> bool {
        self.rate().is_none_or(|rate| rate.limit >= Plan::Pro.window_requests())
    }

    /// Returns how far apart the keys are that a search may follow, in milliseconds. Tracked.
    pub fn keys_apart_ms(self) -> Option<u32> {
        keys_apart_ms(self.rate())
    }

    /// Returns whether the rows are still those of the filter before.
    pub fn is_stale(self) -> bool {
        self.feed.try_with_value(Feed::is_stale).unwrap_or(false)
    }

    /// Tracks when rows come and go.
    pub fn track(self) {
        self.version.track();
    }

    /// Returns a row, where it is held. Tracks when rows come and go.
    pub fn row(self, index: usize) -> Option<Arc<Submission>> {
        self.version.track();
        self.feed.try_with_value(|feed| feed.row(index).cloned()).flatten()
    }

    /// Returns where a submission stands, where it is held. Tracked.
    pub fn position(self, id: &SubmissionId) -> Option<usize> {
        self.version.track();
        self.feed.try_with_value(|feed| feed.position(id)).flatten()
    }

    /// Calls `read` with the rows that are held. Tracks when the first ones come.
    pub fn with_rows<T>(
        self,
        read: impl FnOnce(&mut dyn Iterator<Item = &Submission>) -> T,
    ) -> Option<T> {
        self.begun.track();
        self.feed.try_with_value(|feed| read(&mut feed.rows()))
    }
}

fn set<T: PartialEq>(now: &mut T, then: T) -> bool {
    let changed = *now != then;
    *now = then;
    changed
}

fn now_ms() -> f64 {
    js_sys::Date::now()
}
