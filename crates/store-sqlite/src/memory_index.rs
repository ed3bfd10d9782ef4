//! In-memory indexes of large forms, for fast counts and searches.
//!
//! Each form has a version in the file. It increases in the same statement as the form's count, in
//! every process that writes. Each index has the version of its contents. A reader compares both
//! within its snapshot. If they are equal, it uses the index. If the index is older, the reader
//! first applies the changes of this process's writer. Otherwise it reads the file, and the index
//! is loaded again.

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

/// With more pending changes than this, the maintainer updates the indexes of a form.
const WAITING_MAX: usize = 1024;
/// Maximum bytes of the `Facts` of all forms. Summaries of further forms read the file.
const FACT_BYTES_MAX: usize = 256 << 20;

/// Limits of the in-memory indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// Minimum number of submissions for an index. Smaller forms are read from the file, which is
    /// fast enough.
    pub rows_min: u64,
    /// Maximum bytes of the searched texts of all forms. Searches of further forms read the file.
    pub text_bytes_max: usize,
}

impl Default for Holding {
    fn default() -> Self {
        Self { rows_min: 2000, text_bytes_max: 1 << 30 }
    }
}

/// Statistics of the in-memory indexes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holds {
    /// Number of forms with counts in memory.
    pub tallies: usize,
    /// Number of forms with searched texts in memory.
    pub texts: usize,
    /// Bytes of these texts.
    pub text_bytes: usize,
    /// Number of forms with summary data in memory.
    pub facts: usize,
}

/// All in-memory indexes of a store.
pub(super) struct Held {
    shared: Arc<Shared>,
    keeper: Keeper,
    /// Changes made by the jobs of the current write transaction.
    notes: Mutex<Vec<Note>>,
}

/// State shared by readers, the writer and the maintainer.
pub(super) struct Shared {
    path: PathBuf,
    holding: Holding,
    forms: Mutex<HashMap<i64, Arc<HeldForm>>>,
    /// Search counter, used to find the least recently used texts.
    uses: AtomicU64,
}

/// The indexes of one form.
struct HeldForm {
    seq: i64,
    feed: Mutex<Feed>,
    tally: Part<Tally>,
    texts: Part<Texts>,
    facts: Part<Facts>,
    last_use: AtomicU64,
    /// The texts exceed the memory limit at this number of submissions.
    too_large: AtomicI64,
    /// The `Facts` exceed the memory limit at this number of submissions.
    too_many: AtomicI64,
}

/// State of a form in a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FormState {
    /// Internal number of the form.
    pub(super) seq: i64,
    /// Number of submissions.
    pub(super) rows: i64,
    /// Number of changes of its submissions so far.
    pub(super) version: i64,
}

/// Changes that one writer job made to a form.
struct Note {
    form: i64,
    changes: Changes,
}

impl Held {
    /// Creates the indexes of a store, all empty, and starts the maintainer.
    pub(super) fn new(path: PathBuf, holding: Holding) -> Result<Arc<Self>> {
        let (forms, uses) = (Mutex::default(), AtomicU64::default());
        let shared = Arc::new(Shared { path, holding, forms, uses });
        let keeper = Keeper::start(Arc::clone(&shared))?;
        Ok(Arc::new(Self { shared, keeper, notes: Mutex::default() }))
    }

    /// Returns the current statistics.
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

    /// Counts the matches of a filter without a search. Returns [`Seen::Missing`] if the file must
    /// be read.
    pub(super) fn count(&self, state: FormState, filter: &Filter) -> Seen<u64> {
        self.tally(state, |tally| tally.count(filter))
    }

    /// Returns the instants of a page of matches of a filter without a search.
    pub(super) fn newest(
        &self,
        state: FormState,
        filter: &Filter,
        behind: Option<i64>,
        max: usize,
    ) -> Seen<Vec<i64>> {
        self.tally(state, |tally| tally.newest(filter, behind, max))
    }

    /// Searches the texts of a form. The value is `None` if the search was cancelled.
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

    /// Reads the `Facts` of a form that count these fields.
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
            // Loaded for the form's earlier fields.
            Seen::Found(None) => form.facts.let_go(&form.feed),
            Seen::Missing => {}
        }
        self.want_facts(state);
        Seen::Missing
    }

    /// Loads the `Facts` of a form in the background, if they are not loaded.
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

    /// Drops the in-memory indexes of a deleted form.
    pub(super) fn drop_form(&self, seq: i64) {
        lock(&self.shared.forms).remove(&seq);
    }

    /// Records the changes that a writer job makes to a form.
    pub(super) fn note(&self, form: i64, version: i64, changes: Vec<Change>) {
        lock(&self.notes).push(Note { form, changes: Changes { version, changes } });
    }

    /// Returns the number of recorded changes: a mark for [`Held::forget`].
    pub(super) fn noted(&self) -> usize {
        lock(&self.notes).len()
    }

    /// Discards the changes recorded after a mark, when a job is rolled back.
    pub(super) fn forget(&self, noted: usize) {
        lock(&self.notes).truncate(noted);
    }

    /// Moves the recorded changes to the change logs, just before the commit.
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

/// Changes of a transaction that is about to be committed.
pub(super) struct Staged<'h> {
    held: &'h Held,
    forms: Vec<Arc<HeldForm>>,
}

impl Staged<'_> {
    /// Marks the changes as committed, or removes them after a rollback.
    pub(super) fn end(self, is_committed: bool) {
        for form in self.forms {
            let mut feed = lock(&form.feed);
            if !is_committed {
                feed.roll_back();
                continue;
            }
            feed.commit();
            // Sending while the log is locked cannot deadlock: a rejected `CatchUp` takes no lock.
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

    /// Returns the bytes of the `Facts` of all other forms.
    fn facts_of_others(&self, seq: i64) -> usize {
        let forms: Vec<_> = lock(&self.forms).values().map(Arc::clone).collect();
        let others = forms.iter().filter(|form| form.seq != seq);
        others.map(|form| form.facts.peek(Facts::bytes).unwrap_or(0)).sum()
    }

    /// Returns the bytes of the texts of all other forms, and the least recently used of these
    /// forms.
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
