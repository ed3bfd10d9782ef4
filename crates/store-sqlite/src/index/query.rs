//! The query of a search: folded text, time range and UTM values.

use super::{IndexedRow, UtmValues};
use contract::{Filter, Timestamp};

/// A filter with a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextQuery {
    /// The folded text; never empty.
    pub(super) needle: Vec<u8>,
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) utm: UtmValues,
}

/// Returns the dates of a filter in microseconds since the epoch, UTC: first inclusive, second
/// exclusive.
pub(crate) fn time_range(filter: &Filter) -> (i64, i64) {
    let from = filter.date_from.map_or(i64::MIN, Timestamp::micros);
    (from, filter.date_to.map_or(i64::MAX, Timestamp::micros))
}

impl TextQuery {
    /// Returns the query of a filter, or `None` if it has no search.
    pub(crate) fn of(filter: &Filter) -> Option<Self> {
        let needle = filter.search.as_ref()?.folded().into_bytes();
        let (from, to) = time_range(filter);
        Some(Self { needle, from, to, utm: UtmValues::of_filter(filter) })
    }

    /// Whether a row matches.
    pub(super) fn matches(&self, row: &IndexedRow) -> bool {
        (self.from..self.to).contains(&row.at)
            && row.utm.matches(&self.utm)
            && memchr::memmem::find(&row.text, &self.needle).is_some()
    }
}
