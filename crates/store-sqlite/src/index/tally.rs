//! Counts of a form's submissions by time range and UTM values.
//!
//! UTM values occur in few combinations, so each combination has a sorted list of its own instants.
//! A count is a binary search in the list of each matching combination, for a form of any size.

use super::query::time_range;
use super::times::SortedInstants;
use super::{ApplyChange, Change, UtmValues};
use contract::Filter;
use std::collections::HashMap;

/// Maximum number of combinations. With more, the database counts.
const UTM_MAX: usize = 4096;

/// The tally of one form. It does not support searches.
#[derive(Debug, Default)]
pub(crate) struct CountIndex {
    instants: SortedInstants,
    /// The instants by combination, without the empty combination. `None` if there are too many.
    by_utm: Option<HashMap<UtmValues, SortedInstants>>,
}

impl CountIndex {
    /// Returns the tally of rows with these instants, in any order, without UTM values.
    pub(crate) fn new(instants: Vec<i64>) -> Self {
        Self { instants: SortedInstants::new(instants), by_utm: Some(HashMap::new()) }
    }

    /// Adds the UTM values of a row; its instant is already in the tally.
    pub(crate) fn add_utm(&mut self, utm: &UtmValues, at: i64) {
        let Some(by_utm) = &mut self.by_utm else { return };
        if let Some(times) = by_utm.get_mut(utm) {
            times.insert(at);
        } else if by_utm.len() < UTM_MAX {
            by_utm.entry(utm.clone()).or_default().insert(at);
        } else {
            self.by_utm = None;
        }
    }

    /// Counts the rows that match the dates and UTM values of a filter; `None` if unknown.
    pub(crate) fn count(&self, filter: &Filter) -> Option<u64> {
        let (from, to) = time_range(filter);
        let matching = self.matching_times(&UtmValues::of_filter(filter))?;
        Some(matching.iter().map(|times| times.count(from, to)).sum())
    }

    /// Returns the instants of up to `max` newest rows that match the dates and UTM values of a
    /// filter and are not after `after`, newest first; `None` if unknown.
    pub(crate) fn newest(
        &self,
        filter: &Filter,
        after: Option<i64>,
        max: usize,
    ) -> Option<Vec<i64>> {
        let (from, to) = time_range(filter);
        let to = after.map_or(to, |at| to.min(at.saturating_add(1)));
        let fitting = self.matching_times(&UtmValues::of_filter(filter))?;
        let newest = fitting.iter().flat_map(|times| times.newest(from, to, max));
        let mut newest: Vec<i64> = newest.collect();
        newest.sort_unstable_by(|a, b| b.cmp(a));
        newest.truncate(max);
        Some(newest)
    }

    fn matching_times(&self, filter: &UtmValues) -> Option<Vec<&SortedInstants>> {
        if filter.is_empty() {
            return Some(vec![&self.instants]);
        }
        let by_utm = self.by_utm.as_ref()?;
        Some(by_utm.iter().filter(|(utm, _)| utm.matches(filter)).map(|(_, times)| times).collect())
    }
}

impl ApplyChange for CountIndex {
    fn apply(&mut self, change: &Change) {
        let (Change::Insert(row) | Change::Delete(row)) = change else { return };
        let is_insert = matches!(change, Change::Insert(_));
        if is_insert {
            self.instants.insert(row.at);
        } else if !self.instants.remove(row.at) {
            return;
        }
        if row.utm.is_empty() {
            return;
        }
        if is_insert {
            self.add_utm(&row.utm, row.at);
        } else if let Some(times) = self.by_utm.as_mut().and_then(|times| times.get_mut(&row.utm)) {
            times.remove(row.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::IndexedRow;
    use contract::Timestamp;
    use proptest::prelude::*;

    fn utm(bits: u8) -> UtmValues {
        let value = |bit: u8| (bits & bit != 0).then_some("x");
        UtmValues::new(value(1), value(2), value(4))
    }

    fn row(at: i64, bits: u8) -> IndexedRow {
        IndexedRow { at, utm: utm(bits), ..IndexedRow::default() }
    }

    fn filter(bits: u8, from: i64, to: i64) -> Filter {
        let value = |bit: u8| (bits & bit != 0).then(|| "x".to_owned());
        Filter {
            date_from: Timestamp::from_micros(from),
            date_to: Timestamp::from_micros(to),
            utm_source: value(1),
            utm_medium: value(2),
            utm_campaign: value(4),
            ..Filter::default()
        }
    }

    proptest! {
        #[test]
        fn tally_counts_like_plain_list(
            start in proptest::collection::vec((0_i64..50, 0_u8..8), 0..200),
            changes in proptest::collection::vec((any::<bool>(), 0_i64..50, 0_u8..8), 0..200),
            asked in proptest::collection::vec((0_u8..8, 0_i64..50, 0_i64..51), 8),
        ) {
            let mut rows = start.clone();
            let mut tally = CountIndex::new(start.iter().map(|(at, _)| *at).collect());
            for (at, bits) in start.iter().filter(|(_, bits)| *bits != 0) {
                tally.add_utm(&utm(*bits), *at);
            }
            for (is_insert, at, bits) in changes {
                let found = rows.iter().position(|row| *row == (at, bits));
                if is_insert {
                    rows.push((at, bits));
                    tally.apply(&Change::Insert(row(at, bits)));
                } else if let Some(found) = found {
                    rows.swap_remove(found);
                    tally.apply(&Change::Delete(row(at, bits)));
                }
            }
            for (bits, from, to) in asked {
                let filter = filter(bits, from, to);
                let is_match =
                    |(at, has): &&(i64, u8)| (from..to).contains(at) && has & bits == bits;
                let mut found: Vec<i64> = rows.iter().filter(is_match).map(|(at, _)| *at).collect();
                prop_assert_eq!(tally.count(&filter), Some(found.len() as u64));
                found.sort_unstable_by(|a, b| b.cmp(a));
                found.retain(|at| *at <= 30);
                found.truncate(5);
                prop_assert_eq!(tally.newest(&filter, Some(30), 5), Some(found));
            }
        }
    }

    #[test]
    fn too_many_combinations_return_none() {
        let mut tally = CountIndex::new(vec![1, 2, 3]);
        for at in 0..UTM_MAX {
            assert!(tally.count(&filter(1, 0, 9)).is_some());
            tally.add_utm(&UtmValues::new(Some(&at.to_string()), None, None), 1);
        }
        tally.add_utm(&UtmValues::new(Some("one more"), None, None), 1);
        assert_eq!(tally.count(&filter(1, 0, 9)), None);
        assert_eq!(tally.count(&filter(0, 0, 9)), Some(3));
    }
}
