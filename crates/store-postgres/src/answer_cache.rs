//! Answers in memory, for lists that are filtered by field.
//!
//! The database cannot compare answers as the contract does, so each process caches the answers to
//! filtered fields, by form and UTC day. A list first finds the versions of the days in its own
//! snapshot, and reads again the days that have changed. So it uses only answers of its own
//! snapshot, whatever other processes write.
//!
//! Every transaction that adds or removes submissions also changes the counts of their days, except
//! when it deletes a form. So the version of a day is a hash of the row versions (`xmin`) of its
//! counts. Answers never change.

mod day_answers;
mod load;
mod read;
mod select;

pub(super) use day_answers::{DayAnswers, RowKey};
pub(super) use read::{list_days, read_days};
pub(super) use select::{KeyPage, MatchKeys, select};

use contract::FormId;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::answers::ColumnKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum rows that a list reads into the cache. More are read in the background, and the list
/// compares the submissions one by one.
const NEW_ROWS_MAX: usize = 20_000;

/// The days that a transaction sees.
#[derive(Debug, Clone)]
pub(super) struct FormDays {
    pub(super) key: CacheKey,
    /// Number of the form's submissions.
    pub(super) rows: u64,
    /// The days that have submissions, in ascending order.
    pub(super) versions: Vec<DayVersion>,
}

/// Identifies the cached days of a form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    pub(super) form: FormId,
    /// Start time of the database server. A standby that was promoted without the last commits
    /// reuses their transaction ids, so versions are compared only within one server.
    pub(super) server: String,
}

/// Version of a day's submissions. Two reads with equal versions see the same submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DayVersion {
    /// Days since 1970, UTC.
    pub(super) day: i64,
    /// Number of submissions.
    pub(super) rows: u64,
    /// Hash of the row versions of the day's counts.
    pub(super) hash: String,
}

/// State of a day in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayState {
    /// The answers are those of the transaction.
    Current,
    /// Submissions were added or removed.
    Changed,
    /// The day or a column is not cached.
    Unread,
}

/// The cached days of a form, by day.
pub(super) type CachedDays = BTreeMap<i64, Arc<DayAnswers>>;

/// The cached answers of all forms.
pub(super) struct AnswerCache {
    forms: Mutex<Forms>,
    hasher: RandomState,
    /// Permit to read in the background. One task at a time, because it uses a connection for long
    /// reads.
    loads: Arc<Semaphore>,
    bytes_max: usize,
    new_rows_max: usize,
}

#[derive(Default)]
struct Forms {
    forms: HashMap<CacheKey, CachedForm>,
    /// Number of reads so far.
    reads: u64,
}

#[derive(Default)]
struct CachedForm {
    days: Arc<CachedDays>,
    bytes: usize,
    /// The read that used it last.
    last_read: u64,
    /// Columns that exceed the memory limit, and the number of submissions that they had.
    limit: Option<(Arc<[ColumnKey]>, u64)>,
}

impl AnswerCache {
    /// Returns an empty cache of at most `bytes_max` for all forms.
    pub(super) fn new(bytes_max: usize) -> Self {
        Self::with_limits(bytes_max, NEW_ROWS_MAX)
    }

    /// Returns an empty cache with another number of rows that a list reads.
    fn with_limits(bytes_max: usize, new_rows_max: usize) -> Self {
        Self {
            forms: Mutex::default(),
            hasher: RandomState::new(),
            loads: Arc::new(Semaphore::new(1)),
            bytes_max,
            new_rows_max,
        }
    }

    /// Returns the key of a row.
    pub(super) fn key_of(&self, at: i64, id: &str) -> RowKey {
        (at, self.hasher.hash_one(id))
    }

    /// Returns how many answers a list may read, in rows.
    pub(super) fn new_rows_max(&self) -> usize {
        self.new_rows_max
    }

    /// Returns the cached days of a form; `None` if these columns exceed the memory limit.
    pub(super) fn find_days(
        &self,
        days: &FormDays,
        columns: &[ColumnKey],
    ) -> Option<Arc<CachedDays>> {
        let mut forms = self.lock();
        forms.reads += 1;
        let reads = forms.reads;
        let Some(cached) = forms.forms.get_mut(&days.key) else { return Some(Arc::default()) };
        cached.last_read = reads;
        let exceeds_limit = cached.limit.as_ref().is_some_and(|(known, rows)| {
            days.rows >= *rows && known.iter().all(|column| columns.contains(column))
        });
        (!exceeds_limit).then(|| Arc::clone(&cached.days))
    }

    /// Returns the permit to read in the background; `None` if a task has it.
    pub(super) fn begin_loading(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.loads).try_acquire_owned().ok()
    }

    /// Removes the cached days that have no submissions any more.
    pub(super) fn remove_empty_days(&self, days: &FormDays) {
        let mut forms = self.lock();
        let Some(cached) = forms.forms.get_mut(&days.key) else { return };
        if cached.days.len() <= days.versions.len() {
            return;
        }
        let is_listed = |day: i64| days.versions.binary_search_by_key(&day, |it| it.day).is_ok();
        Arc::make_mut(&mut cached.days).retain(|day, _| is_listed(*day));
        cached.bytes = cached.days.values().map(|day| day.bytes()).sum();
    }

    /// Adds or replaces a day of a form. The least recently read forms make room. If the form alone
    /// exceeds the limit, its days are removed, and the result is `false`.
    pub(super) fn add_day(&self, days: &FormDays, added: Arc<DayAnswers>) -> bool {
        let mut forms = self.lock();
        let cached = forms.forms.entry(days.key.clone()).or_default();
        cached.bytes += added.bytes();
        let columns = Arc::clone(added.column_keys());
        let replaced = Arc::make_mut(&mut cached.days).insert(added.version().day, added);
        cached.bytes -= replaced.map_or(0, |day| day.bytes());
        if cached.bytes > self.bytes_max {
            cached.exceed_limit(columns, days.rows);
            return false;
        }
        forms.make_room(&days.key, self.bytes_max);
        true
    }

    /// Whether rows with these bytes may be collected for a day. If not, removes the days of the
    /// form, as [`AnswerCache::add_day`] does.
    pub(super) fn has_room(
        &self,
        days: &FormDays,
        columns: &Arc<[ColumnKey]>,
        bytes: usize,
    ) -> bool {
        if bytes <= self.bytes_max {
            return true;
        }
        let mut forms = self.lock();
        let cached = forms.forms.entry(days.key.clone()).or_default();
        cached.exceed_limit(Arc::clone(columns), days.rows);
        false
    }

    fn lock(&self) -> MutexGuard<'_, Forms> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedForm {
    /// Removes the days because these columns exceed the memory limit.
    fn exceed_limit(&mut self, columns: Arc<[ColumnKey]>, rows: u64) {
        self.remove_days();
        self.limit = Some((columns, rows));
    }

    fn remove_days(&mut self) {
        self.days = Arc::default();
        self.bytes = 0;
    }
}

impl Forms {
    /// Removes the least recently read other forms until all fit.
    fn make_room(&mut self, kept: &CacheKey, bytes_max: usize) {
        while self.forms.values().map(|cached| cached.bytes).sum::<usize>() > bytes_max {
            let others = self.forms.iter_mut().filter(|(key, it)| *key != kept && it.bytes > 0);
            let oldest = others.min_by_key(|(_, cached)| cached.last_read);
            let Some((_, oldest)) = oldest else { return };
            oldest.remove_days();
        }
    }
}

/// Returns the state of a day, given the columns that a list needs.
pub(super) fn state_of(
    cached: &CachedDays,
    version: &DayVersion,
    columns: &[ColumnKey],
) -> DayState {
    match cached.get(&version.day).filter(|day| day.has_columns(columns)) {
        None => DayState::Unread,
        Some(day) if day.version() == version => DayState::Current,
        Some(_) => DayState::Changed,
    }
}

#[cfg(test)]
#[path = "answer_cache_tests.rs"]
mod tests;
