//! In-memory indexes of large forms, for fast counts and searches.
//!
//! Each form has a version in the file. It increases in the same statement as the form's count, in
//! every process that writes. Each index has the version of its contents. A reader compares both
//! within its snapshot. If they are equal, it uses the index. If the index is older, the reader
//! first applies the changes of this process's writer. Otherwise it reads the file, and the index
//! is loaded again.

mod answer_columns;
mod load;
pub(crate) mod maintainer;
pub(crate) mod slot;
mod staged_changes;

use crate::index::{
    ChangeLog, CountIndex, MatchPage, MatchRequest, PropertyFilter, SortedMatches, SortedRequest,
    SummaryIndex, TextIndex, TextMatches, TextQuery,
};
use crate::live::LiveRecorder;
use answer_columns::MissingColumns;
use contract::Filter;
use contract::summary::CountedFields;
use maintainer::{Maintainer, MaintainerTask};
use slot::IndexSlot;
use staged_changes::FormChanges;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Result;

pub(super) use load::read_utm;
pub(crate) use slot::IndexRead;

/// With more pending changes than this, the maintainer updates the indexes of a form.
const PENDING_CHANGES_MAX: usize = 1024;
/// Maximum bytes of the `SummaryIndex` of all forms. Summaries of further forms read the file.
const FACT_BYTES_MAX: usize = 256 << 20;

/// Limits of the in-memory indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexLimits {
    /// Minimum number of submissions for an index. Smaller forms are read from the file, which is
    /// fast enough.
    pub rows_min: u64,
    /// Maximum bytes of the searched texts of all forms. Searches of further forms read the file.
    pub text_bytes_max: usize,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self { rows_min: 2000, text_bytes_max: 1 << 30 }
    }
}

/// Statistics of the in-memory indexes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexStats {
    /// Number of forms with counts in memory.
    pub tallies: usize,
    /// Number of forms with searched texts in memory.
    pub texts: usize,
    /// Bytes of these texts.
    pub text_bytes: usize,
    /// Number of forms with summary data in memory.
    pub facts: usize,
    /// Number of fields with answers in memory.
    pub answers: usize,
}

/// All in-memory indexes of a store.
pub(super) struct MemoryIndex {
    shared: Arc<SharedIndexes>,
    maintainer: Maintainer,
    /// Changes made by the jobs of the current write transaction.
    pending_changes: Mutex<Vec<FormChanges>>,
    /// The same changes for the subscribers of live updates.
    live: LiveRecorder,
}

/// State shared by readers, the writer and the maintainer.
pub(super) struct SharedIndexes {
    path: PathBuf,
    limits: IndexLimits,
    forms: Mutex<HashMap<i64, Arc<FormIndexes>>>,
    /// Use counter, to find the least recently used texts and columns of answers.
    uses: AtomicU64,
}

/// The indexes of one form.
struct FormIndexes {
    seq: i64,
    change_log: Mutex<ChangeLog>,
    tally: IndexSlot<CountIndex>,
    texts: IndexSlot<TextIndex>,
    facts: IndexSlot<SummaryIndex>,
    last_use: AtomicU64,
    /// The texts exceed the memory limit at this number of submissions.
    text_rows_limit: AtomicI64,
    /// The `SummaryIndex` exceed the memory limit at this number of submissions.
    facts_rows_limit: AtomicI64,
    missing_columns: Mutex<MissingColumns>,
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

impl MemoryIndex {
    /// Creates the indexes of a store, all empty, and starts the maintainer.
    pub(super) fn new(path: PathBuf, holding: IndexLimits) -> Result<Arc<Self>> {
        let forms = Mutex::default();
        let uses = AtomicU64::default();
        let shared = Arc::new(SharedIndexes { path, limits: holding, forms, uses });
        let maintainer = Maintainer::start(Arc::clone(&shared))?;
        let live = LiveRecorder::default();
        Ok(Arc::new(Self { shared, maintainer, pending_changes: Mutex::default(), live }))
    }

    /// Returns the recorder of live updates.
    pub(super) fn live(&self) -> &LiveRecorder {
        &self.live
    }

    /// Returns the current statistics.
    pub(super) fn stats(&self) -> IndexStats {
        let mut stats = IndexStats::default();
        let forms: Vec<_> = lock(&self.shared.forms).values().map(Arc::clone).collect();
        for form in forms {
            stats.tallies += usize::from(form.tally.peek(|_| ()).is_some());
            if let Some(columns) = form.facts.peek(SummaryIndex::columns_ready) {
                stats.facts += 1;
                stats.answers += columns;
            }
            if let Some(bytes) = form.texts.peek(TextIndex::bytes) {
                stats.texts += 1;
                stats.text_bytes += bytes;
            }
        }
        stats
    }

    /// Counts the matches of a filter without a search. Returns [`IndexRead::Missing`] if the file
    /// must be read.
    pub(super) fn count(&self, state: FormState, filter: &Filter) -> IndexRead<u64> {
        self.read_tally(state, |tally| tally.count(filter))
    }

    /// As [`MemoryIndex::count`], but returns `None` rather than wait or update the index.
    pub(super) fn count_now(&self, state: FormState, filter: &Filter) -> Option<u64> {
        let form = self.indexes_of(state)?;
        form.tally.read_now(state.version, |tally| tally.count(filter)).flatten()
    }

    /// As [`MemoryIndex::find_matches`], but returns `None` rather than wait, update the index, or
    /// compare many rows with the filter.
    pub(super) fn find_matches_now(
        &self,
        state: FormState,
        request: MatchRequest<'_>,
    ) -> Option<MatchPage> {
        let form = self.indexes_of(state)?;
        form.facts.read_now(state.version, |facts| facts.find_matches_now(request)).flatten()
    }

    /// Returns the instants of a page of matches of a filter without a search.
    pub(super) fn newest_instants(
        &self,
        state: FormState,
        filter: &Filter,
        after: Option<i64>,
        max: usize,
    ) -> IndexRead<Vec<i64>> {
        self.read_tally(state, |tally| tally.newest(filter, after, max))
    }

    /// Searches the texts of a form. The value is `None` if the search was cancelled.
    pub(super) fn search(
        &self,
        state: FormState,
        query: &TextQuery,
        after: Option<(i64, &str)>,
        rows_max: usize,
        is_abandoned: &(dyn Fn() -> bool + Sync),
    ) -> IndexRead<Option<TextMatches>> {
        let Some(form) = self.indexes_of(state) else { return IndexRead::Missing };
        form.last_use.store(self.shared.next_use(), Ordering::Relaxed);
        let search = |texts: &TextIndex| texts.search(query, after, rows_max, is_abandoned);
        let result = form.texts.read_at(&form.change_log, state.version, search);
        let too_large = form.text_rows_limit.load(Ordering::Relaxed);
        if matches!(result, IndexRead::Missing)
            && state.rows < too_large
            && form.texts.begin_loading(&form.change_log)
        {
            self.maintainer.send(MaintainerTask::LoadTexts(state.seq));
        }
        result
    }

    /// Reads the `SummaryIndex` of a form that count these fields, with the answers that a filter
    /// compares.
    pub(super) fn read_facts<R>(
        &self,
        state: FormState,
        charted: &CountedFields,
        filter: &PropertyFilter,
        read: impl FnOnce(&SummaryIndex) -> R,
    ) -> IndexRead<R> {
        let read = |facts: &SummaryIndex| Some((facts.charted() == charted).then(|| read(facts)));
        match self.read_facts_with_answers(state, filter, None, read) {
            IndexRead::Found(Some(found)) => return IndexRead::Found(found),
            IndexRead::Newer => return IndexRead::Newer,
            IndexRead::Found(None) => {
                // Loaded for the form's earlier fields.
                let form = self.shared.form_indexes(state.seq);
                form.facts.clear(&form.change_log);
                self.load_facts(state);
            }
            IndexRead::Missing => {}
        }
        IndexRead::Missing
    }

    /// Returns the newest matches of a filter by label or number, and counts all matches.
    pub(super) fn find_matches(
        &self,
        state: FormState,
        request: MatchRequest<'_>,
    ) -> IndexRead<MatchPage> {
        self.read_facts_with_answers(state, request.filter, None, |facts| {
            Some(facts.find_matches(request))
        })
    }

    /// Returns the matches of a page of a sorted list, and counts all matches.
    pub(super) fn find_sorted(
        &self,
        state: FormState,
        request: &SortedRequest<'_>,
    ) -> IndexRead<SortedMatches> {
        self.read_facts_with_answers(state, request.filter, Some(request.sort), |facts| {
            facts.find_sorted(request)
        })
    }

    /// Removes the keys of rows that do not match a filter by label or number. The value is `None`
    /// if cancelled.
    pub(super) fn retain_matches(
        &self,
        state: FormState,
        filter: &PropertyFilter,
        found: Vec<(i64, String)>,
        is_abandoned: &dyn Fn() -> bool,
    ) -> IndexRead<Option<Vec<(i64, String)>>> {
        self.read_facts_with_answers(state, filter, None, |facts| {
            Some(facts.retain_matches(filter, found, is_abandoned))
        })
    }

    /// Reads the `SummaryIndex` of a form, whichever fields it counts.
    fn read_loaded_facts<R>(
        &self,
        state: FormState,
        read: impl FnOnce(&SummaryIndex) -> R,
    ) -> IndexRead<R> {
        let Some(form) = self.indexes_of(state) else { return IndexRead::Missing };
        let result = form.facts.read_at(&form.change_log, state.version, read);
        if matches!(result, IndexRead::Missing) {
            self.load_facts(state);
        }
        result
    }

    /// Loads the `SummaryIndex` of a form in the background, if they are not loaded.
    pub(super) fn load_facts(&self, state: FormState) {
        if self.is_small(state) {
            return;
        }
        let form = self.shared.form_indexes(state.seq);
        let has_room = state.rows < form.facts_rows_limit.load(Ordering::Relaxed);
        if has_room && form.facts.begin_loading(&form.change_log) {
            self.maintainer.send(MaintainerTask::LoadFacts(state.seq));
        }
    }

    fn read_tally<R>(
        &self,
        state: FormState,
        read: impl FnOnce(&CountIndex) -> Option<R>,
    ) -> IndexRead<R> {
        let Some(form) = self.indexes_of(state) else { return IndexRead::Missing };
        match form.tally.read_at(&form.change_log, state.version, read) {
            IndexRead::Found(found) => found.map_or(IndexRead::Missing, IndexRead::Found),
            IndexRead::Newer => IndexRead::Newer,
            IndexRead::Missing => {
                if form.tally.begin_loading(&form.change_log) {
                    self.maintainer.send(MaintainerTask::LoadTally(state.seq));
                }
                IndexRead::Missing
            }
        }
    }

    /// Returns the indexes of a form; `None` for a small one.
    fn indexes_of(&self, state: FormState) -> Option<Arc<FormIndexes>> {
        (!self.is_small(state)).then(|| self.shared.form_indexes(state.seq))
    }

    fn is_small(&self, state: FormState) -> bool {
        u64::try_from(state.rows).unwrap_or(0) < self.shared.limits.rows_min
    }

    /// Drops the in-memory indexes of a deleted form.
    pub(super) fn drop_form(&self, seq: i64) {
        lock(&self.shared.forms).remove(&seq);
    }
}

impl SharedIndexes {
    fn form_indexes(&self, seq: i64) -> Arc<FormIndexes> {
        let mut forms = lock(&self.forms);
        let new = || {
            Arc::new(FormIndexes {
                seq,
                change_log: Mutex::default(),
                tally: IndexSlot::new(0),
                texts: IndexSlot::new(1),
                facts: IndexSlot::new(2),
                last_use: AtomicU64::default(),
                text_rows_limit: AtomicI64::new(i64::MAX),
                facts_rows_limit: AtomicI64::new(i64::MAX),
                missing_columns: Mutex::default(),
            })
        };
        Arc::clone(forms.entry(seq).or_insert_with(new))
    }

    /// Returns the bytes of the `SummaryIndex` of all other forms.
    fn facts_bytes_of_other_forms(&self, seq: i64) -> usize {
        let forms: Vec<_> = lock(&self.forms).values().map(Arc::clone).collect();
        let other_forms = forms.iter().filter(|form| form.seq != seq);
        other_forms.map(|form| form.facts.peek(SummaryIndex::bytes).unwrap_or(0)).sum()
    }

    /// Returns the bytes of the texts of all other forms, and the least recently used of these
    /// forms.
    fn texts_of_other_forms(&self, seq: i64) -> (usize, Option<Arc<FormIndexes>>) {
        let forms: Vec<_> = lock(&self.forms).values().map(Arc::clone).collect();
        let mut total_and_oldest = (0, None::<Arc<FormIndexes>>);
        for form in forms.into_iter().filter(|form| form.seq != seq) {
            let bytes = form.texts.peek(TextIndex::bytes).unwrap_or(0);
            if bytes > 0 {
                total_and_oldest.0 += bytes;
                let used = |form: &FormIndexes| form.last_use.load(Ordering::Relaxed);
                if total_and_oldest.1.as_ref().is_none_or(|oldest| used(&form) < used(oldest)) {
                    total_and_oldest.1 = Some(form);
                }
            }
        }
        total_and_oldest
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
