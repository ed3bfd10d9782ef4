//! What is held in memory of large forms, beside the file, so that counts and searches are quick.
//!
//! Nothing held is believed by itself. Each form has a version in the file, which grows in the same
//! statement as its count, whoever writes; what is held has the version that it equals. A reader
//! compares the two within its own snapshot: equal, it may use what is held; behind, it brings it
//! forward by the writer's changes; otherwise it reads the file, and what is held is read anew.

mod load;
pub(crate) mod maintainer;
pub(crate) mod slot;

use crate::index::{Change, Changes, Facts, Feed, Matches, Query, Tally, Texts};
use contract::Filter;
use contract::summary::Charted;
use maintainer::{Keeper, Order};
use slot::Part;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Result;

pub(super) use load::utm;
pub(crate) use slot::Seen;

/// So many changes may wait before the keeper brings what is held forward by itself.
const WAITING_MAX: usize = 1024;
/// So many bytes may the facts of all forms take together; a form without room is summed up in the
/// file.
const FACT_BYTES_MAX: usize = 256 << 20;

/// What may be held in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// Forms with fewer submissions are read from the file each time, which is quick enough.
    pub rows_min: u64,
    /// So many bytes may the searched texts of all forms take together. A form that has no room is
    /// searched in the file.
    pub text_bytes_max: usize,
}

impl Default for Holding {
    fn default() -> Self {
        Self { rows_min: 2000, text_bytes_max: 1 << 30 }
    }
}

/// What is held in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holds {
    /// Of so many forms, the counts.
    pub tallies: usize,
    /// Of so many forms, the searched texts.
    pub texts: usize,
    /// So many bytes these texts take.
    pub text_bytes: usize,
    /// Of so many forms, what summaries look at.
    pub facts: usize,
}

/// All that is held.
pub(super) struct Held {
    shared: Arc<Shared>,
    keeper: Keeper,
    /// What the jobs of the writer's transaction did so far.
    notes: Mutex<Vec<Note>>,
}

/// What readers, the writer and the keeper share.
pub(super) struct Shared {
    path: PathBuf,
    holding: Holding,
    forms: Mutex<HashMap<i64, Arc<HeldForm>>>,
    /// Grows with every search, to tell which texts were used last.
    uses: AtomicU64,
}

/// What is held of one form.
struct HeldForm {
    seq: i64,
    feed: Mutex<Feed>,
    tally: Part<Tally>,
    texts: Part<Texts>,
    facts: Part<Facts>,
    last_use: AtomicU64,
    /// With so many submissions, its texts had no room.
    too_large: AtomicI64,
    /// With so many submissions, its facts had no room.
    too_many: AtomicI64,
}

/// A form as a snapshot has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FormState {
    /// The number by which its rows are found.
    pub(super) seq: i64,
    /// How many submissions it has.
    pub(super) rows: i64,
    /// How often its submissions have changed.
    pub(super) version: i64,
}

/// What a job of the writer did to a form.
struct Note {
    form: i64,
    changes: Changes,
}

impl Held {
    /// Returns a place that holds nothing yet of the store in this file.
    pub(super) fn new(path: PathBuf, holding: Holding) -> Result<Arc<Self>> {
        let (forms, uses) = (Mutex::default(), AtomicU64::default());
        let shared = Arc::new(Shared { path, holding, forms, uses });
        let keeper = Keeper::start(Arc::clone(&shared))?;
        Ok(Arc::new(Self { shared, keeper, notes: Mutex::default() }))
    }

    /// Returns what is held at this moment.
    pub(super) fn holds(&self) -> Holds {
        let mut holds = Holds::default();
        let forms: Vec<_> = lock(&self.shared.forms).values().map(Arc::clone).collect();
        for form in forms {
            holds.tallies += usize::from(form.tally.peek(|_| ()).is_some());
            holds.facts += usize::from(form.facts.peek(|_| ()).is_some());
            if let Some(bytes) = form.texts.peek(Texts::bytes) {
                holds.texts += 1;
                holds.text_bytes += bytes;
            }
        }
        holds
    }

    /// Counts what matches a filter without a search; [`Seen::Missing`] where the file must tell.
    pub(super) fn count(&self, state: FormState, filter: &Filter) -> Seen<u64> {
        self.tally(state, |tally| tally.count(filter))
    }

    /// Returns the instants of a page of what matches a filter without a search.
    pub(super) fn newest(
        &self,
        state: FormState,
        filter: &Filter,
        behind: Option<i64>,
        max: usize,
    ) -> Seen<Vec<i64>> {
        self.tally(state, |tally| tally.newest(filter, behind, max))
    }

    /// Searches the texts of a form; the value is `None` once nobody waits any more.
    pub(super) fn search(
        &self,
        state: FormState,
        query: &Query,
        behind: Option<(i64, &str)>,
        rows_max: usize,
        is_abandoned: &(dyn Fn() -> bool + Sync),
    ) -> Seen<Option<Matches>> {
        if self.is_small(state) {
            return Seen::Missing;
        }
        let form = self.shared.form(state.seq);
        form.last_use.store(self.shared.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let search = |texts: &Texts| texts.search(query, behind, rows_max, is_abandoned);
        let seen = form.texts.at(&form.feed, state.version, search);
        let too_large = form.too_large.load(Ordering::Relaxed);
        if matches!(seen, Seen::Missing) && state.rows < too_large && form.texts.want(&form.feed) {
            self.keeper.send(Order::LoadTexts(state.seq));
        }
        seen
    }

    /// Adds up what is held of a form with these counted fields.
    pub(super) fn facts<R>(
        &self,
        state: FormState,
        charted: &Charted,
        read: impl FnOnce(&Facts) -> R,
    ) -> Seen<R> {
        if self.is_small(state) {
            return Seen::Missing;
        }
        let form = self.shared.form(state.seq);
        let read = |facts: &Facts| (facts.charted() == charted).then(|| read(facts));
        match form.facts.at(&form.feed, state.version, read) {
            Seen::Found(Some(found)) => return Seen::Found(found),
            Seen::Ahead => return Seen::Ahead,
            // The form has other fields by now.
            Seen::Found(None) => form.facts.let_go(&form.feed),
            Seen::Missing => {}
        }
        self.want_facts(state);
        Seen::Missing
    }

    /// Has the facts of a form loaded, where they are not.
    pub(super) fn want_facts(&self, state: FormState) {
        if self.is_small(state) {
            return;
        }
        let form = self.shared.form(state.seq);
        let has_room = state.rows < form.too_many.load(Ordering::Relaxed);
        if has_room && form.facts.want(&form.feed) {
            self.keeper.send(Order::LoadFacts(state.seq));
        }
    }

    fn tally<R>(&self, state: FormState, read: impl FnOnce(&Tally) -> Option<R>) -> Seen<R> {
        if self.is_small(state) {
            return Seen::Missing;
        }
        let form = self.shared.form(state.seq);
        match form.tally.at(&form.feed, state.version, read) {
            Seen::Found(found) => found.map_or(Seen::Missing, Seen::Found),
            Seen::Ahead => Seen::Ahead,
            Seen::Missing => {
                if form.tally.want(&form.feed) {
                    self.keeper.send(Order::LoadTally(state.seq));
                }
                Seen::Missing
            }
        }
    }

    fn is_small(&self, state: FormState) -> bool {
        u64::try_from(state.rows).unwrap_or(0) < self.shared.holding.rows_min
    }

    /// Drops the in-memory index of a deleted form.
    pub(super) fn drop_form(&self, seq: i64) {
        lock(&self.shared.forms).remove(&seq);
    }

    /// Notes, within a job of the writer, what it does to a form.
    pub(super) fn note(&self, form: i64, version: i64, changes: Vec<Change>) {
        lock(&self.notes).push(Note { form, changes: Changes { version, changes } });
    }

    /// Returns how much was noted so far: to come back to, where a job is undone.
    pub(super) fn noted(&self) -> usize {
        lock(&self.notes).len()
    }

    /// Forgets what was noted after this.
    pub(super) fn forget(&self, noted: usize) {
        lock(&self.notes).truncate(noted);
    }

    /// Takes what was noted, just before the transaction is committed.
    pub(super) fn stage(&self) -> Staged<'_> {
        let mut forms: Vec<Arc<HeldForm>> = Vec::new();
        for Note { form, changes } in std::mem::take(&mut *lock(&self.notes)) {
            let held = lock(&self.shared.forms).get(&form).cloned();
            let Some(held) = held else { continue };
            lock(&held.feed).stage(changes);
            if !forms.iter().any(|known| Arc::ptr_eq(known, &held)) {
                forms.push(held);
            }
        }
        Staged { held: self, forms }
    }
}

/// Changes that are about to be committed.
pub(super) struct Staged<'h> {
    held: &'h Held,
    forms: Vec<Arc<HeldForm>>,
}

impl Staged<'_> {
    /// Says whether they are on disk, or undone.
    pub(super) fn end(self, is_committed: bool) {
        for form in self.forms {
            let mut feed = lock(&form.feed);
            if !is_committed {
                feed.roll_back();
                continue;
            }
            feed.commit();
            if feed.stand().1 > WAITING_MAX {
                self.held.keeper.send(Order::CatchUp(form.seq));
            }
        }
    }
}

impl Shared {
    fn form(&self, seq: i64) -> Arc<HeldForm> {
        let mut forms = lock(&self.forms);
        let new = || {
            Arc::new(HeldForm {
                seq,
                feed: Mutex::default(),
                tally: Part::new(0),
                texts: Part::new(1),
                facts: Part::new(2),
                last_use: AtomicU64::default(),
                too_large: AtomicI64::new(i64::MAX),
                too_many: AtomicI64::new(i64::MAX),
            })
        };
        Arc::clone(forms.entry(seq).or_insert_with(new))
    }

    /// Returns how many bytes the facts of other forms take.
    fn facts_of_others(&self, seq: i64) -> usize {
        let forms: Vec<_> = lock(&self.forms).values().map(Arc::clone).collect();
        let others = forms.iter().filter(|form| form.seq != seq);
        others.map(|form| form.facts.peek(Facts::bytes).unwrap_or(0)).sum()
    }

    /// Returns how many bytes the texts of other forms take, and the one of them that was used
    /// longest ago.
    fn others(&self, seq: i64) -> (usize, Option<Arc<HeldForm>>) {
        let forms: Vec<_> = lock(&self.forms).values().map(Arc::clone).collect();
        let mut others = (0, None::<Arc<HeldForm>>);
        for form in forms.into_iter().filter(|form| form.seq != seq) {
            let bytes = form.texts.peek(Texts::bytes).unwrap_or(0);
            if bytes > 0 {
                others.0 += bytes;
                let used = |form: &HeldForm| form.last_use.load(Ordering::Relaxed);
                if others.1.as_ref().is_none_or(|oldest| used(&form) < used(oldest)) {
                    others.1 = Some(form);
                }
            }
        }
        others
    }
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
