//! Answers in memory, for lists that are filtered by field.
//!
//! The database cannot compare answers as the contract does, so each process caches the answers to
//! filtered fields, by form and UTC day. A read first finds the versions of the days in its own
//! snapshot, and reads again the days that have changed. So the cache is never ahead of the
//! snapshot or behind it, whatever other processes write.
//!
//! Every transaction that lists or removes submissions also changes the counts of their days. So
//! the version of a day has a hash of the row versions (`xmin`) of its counts. Answers never
//! change.

mod day_answers;
mod load;
mod read;
mod select;

pub(super) use day_answers::{DayAnswers, RowKey};
pub(super) use read::{list_days, read_days};
pub(super) use select::{KeyPage, select};

use contract::FormId;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::answers::ColumnKey;

/// Maximum bytes of the cached answers of all forms.
const BYTES_MAX: usize = 256 << 20;
/// Maximum rows that a list reads into the cache. More are read in the background, and the list
/// compares the submissions one by one.
const ROWS_AT_ONCE_MAX: u64 = 20_000;

/// Version of a day's submissions. Two reads with equal versions see the same submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DayVersion {
    /// Days since 1970, UTC.
    pub(super) day: i64,
    /// Number of submissions.
    pub(super) rows: u64,
    /// Start time of the database server, and a hash of the row versions of the day's counts.
    pub(super) hash: String,
}

/// The cached days of a form, by day.
pub(super) type CachedDays = BTreeMap<i64, Arc<DayAnswers>>;

/// The cached answers of all forms.
pub(super) struct AnswerCache {
    forms: Mutex<Forms>,
    hasher: RandomState,
    bytes_max: usize,
    rows_at_once_max: u64,
}

#[derive(Default)]
struct Forms {
    forms: HashMap<FormId, CachedForm>,
    /// Number of reads so far.
    reads: u64,
}

#[derive(Default)]
struct CachedForm {
    days: Arc<CachedDays>,
    bytes: usize,
    /// The read that used it last.
    last_read: u64,
    /// Whether a task reads the days.
    is_loading: bool,
    /// With this number of submissions, the form exceeded the memory limit.
    rows_limit: Option<u64>,
}

impl Default for AnswerCache {
    fn default() -> Self {
        Self::with_limits(BYTES_MAX, ROWS_AT_ONCE_MAX)
    }
}

impl AnswerCache {
    /// Returns an empty cache with other limits.
    pub(super) fn with_limits(bytes_max: usize, rows_at_once_max: u64) -> Self {
        Self { forms: Mutex::default(), hasher: RandomState::new(), bytes_max, rows_at_once_max }
    }

    /// Whether a list may read days with this number of submissions into the cache.
    pub(super) fn allows_at_once(&self, rows: u64) -> bool {
        rows <= self.rows_at_once_max
    }

    /// Returns the key of a row.
    pub(super) fn key_of(&self, at: i64, id: &str) -> RowKey {
        (at, self.hasher.hash_one(id))
    }

    /// Returns the cached days of a form.
    pub(super) fn find_days(&self, form: &FormId) -> Arc<CachedDays> {
        let mut forms = self.lock();
        forms.reads += 1;
        let reads = forms.reads;
        let Some(cached) = forms.forms.get_mut(form) else { return Arc::default() };
        cached.last_read = reads;
        Arc::clone(&cached.days)
    }

    /// Begins to read a form's days in the background. Returns `false` if a task already reads
    /// them, or if the form is known to exceed the memory limit.
    pub(super) fn begin_loading(&self, form: &FormId, rows: u64) -> bool {
        let mut forms = self.lock();
        let cached = forms.forms.entry(form.clone()).or_default();
        let begins = !cached.is_loading && cached.rows_limit.is_none_or(|limit| rows < limit);
        cached.is_loading |= begins;
        begins
    }

    /// Ends the reading that [`AnswerCache::begin_loading`] began.
    pub(super) fn end_loading(&self, form: &FormId) {
        if let Some(cached) = self.lock().forms.get_mut(form) {
            cached.is_loading = false;
        }
    }

    /// Replaces days of a form, which has this number of submissions. The least recently read forms
    /// make room. Returns `false` if the form alone exceeds the limit; then it is removed.
    pub(super) fn add_days(
        &self,
        form: &FormId,
        rows: u64,
        added: impl IntoIterator<Item = Arc<DayAnswers>>,
    ) -> bool {
        let mut forms = self.lock();
        let cached = forms.forms.entry(form.clone()).or_default();
        let days = Arc::make_mut(&mut cached.days);
        for day in added {
            cached.bytes += day.bytes();
            let replaced = days.insert(day.version().day, day);
            cached.bytes -= replaced.map_or(0, |day| day.bytes());
        }
        if cached.bytes > self.bytes_max {
            cached.days = Arc::default();
            cached.bytes = 0;
            cached.rows_limit = Some(rows);
            return false;
        }
        forms.make_room(form, self.bytes_max);
        true
    }

    fn lock(&self) -> MutexGuard<'_, Forms> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forms {
    /// Removes the least recently read other forms until all fit.
    fn make_room(&mut self, kept: &FormId, bytes_max: usize) {
        while self.forms.values().map(|cached| cached.bytes).sum::<usize>() > bytes_max {
            let others = self.forms.iter_mut().filter(|(form, it)| *form != kept && it.bytes > 0);
            let Some((_, oldest)) = others.min_by_key(|(_, cached)| cached.last_read) else {
                return;
            };
            oldest.days = Arc::default();
            oldest.bytes = 0;
        }
    }
}

/// Returns whether the cached days have a version of a day with these columns.
pub(super) fn is_current(days: &CachedDays, version: &DayVersion, columns: &[ColumnKey]) -> bool {
    days.get(&version.day).is_some_and(|day| day.version() == version && day.has_columns(columns))
}

#[cfg(test)]
#[path = "answer_cache_tests.rs"]
mod tests;
