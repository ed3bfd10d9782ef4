//! Selects the rows of a page from days in memory.

use super::{DayAnswers, RowKey};
use contract::{Filter, Timestamp};
use std::collections::HashSet;
use std::sync::Arc;

/// Collects the keys of a page's rows, and counts all matches.
pub(crate) struct KeyPage {
    total: u64,
    keys: Vec<RowKey>,
    /// Instant of the cursor, in microseconds since the epoch, UTC.
    after: Option<i64>,
    /// Number of keys after which only keys of the same instant are added. Matches at the cursor's
    /// instant do not count, because they may be before the cursor: keys are not in the order of
    /// ids.
    keys_max: usize,
}

/// The keys of a page's rows.
pub(crate) struct MatchKeys {
    /// Number of all matches.
    pub(crate) total: u64,
    /// The instants of the keys, newest first.
    pub(crate) instants: Vec<i64>,
    /// Keys of the newest matches at or before the cursor's instant: at least the rows of the page,
    /// and all matches at each of their instants.
    pub(crate) keys: HashSet<RowKey>,
}

impl KeyPage {
    /// Returns an empty page of at most `rows_max` rows.
    pub(crate) fn new(after: Option<i64>, rows_max: usize) -> Self {
        Self { total: 0, keys: Vec::new(), after, keys_max: rows_max }
    }

    /// Adds a match. Call it with the newest one first.
    pub(crate) fn add(&mut self, key: RowKey) {
        self.total += 1;
        if self.after.is_some_and(|at| key.0 > at) {
            return;
        }
        if self.after == Some(key.0) {
            self.keys_max += 1;
        }
        if self.keys.len() < self.keys_max || self.keys.last().is_some_and(|last| last.0 == key.0) {
            self.keys.push(key);
        }
    }

    /// Returns the keys.
    pub(crate) fn finish(self) -> MatchKeys {
        let mut instants: Vec<i64> = self.keys.iter().map(|key| key.0).collect();
        instants.dedup();
        MatchKeys { total: self.total, instants, keys: self.keys.into_iter().collect() }
    }
}

/// Selects the matches of a filter's dates and criteria for answers. The days are in ascending
/// order.
pub(crate) fn select(days: &[Arc<DayAnswers>], filter: &Filter, mut page: KeyPage) -> MatchKeys {
    let from = filter.date_from.map_or(i64::MIN, Timestamp::micros);
    let to = filter.date_to.map_or(i64::MAX, Timestamp::micros);
    for day in days.iter().rev() {
        let matchers = day.matchers(&filter.fields);
        let keys = day.keys();
        let rows = keys.partition_point(|key| key.0 < from)..keys.partition_point(|key| key.0 < to);
        for row in rows.rev() {
            if day.matches(&matchers, row) {
                page.add(keys[row]);
            }
        }
    }
    page.finish()
}
