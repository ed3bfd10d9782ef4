//! What is searched for: the folded text, in a stretch of time, with UTM values.

use super::{Row, Utm};
use contract::{Filter, Timestamp};

/// A filter that has a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    /// The folded text; never empty.
    pub(super) needle: Vec<u8>,
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) utm: Utm,
}

impl Query {
    /// Returns what a filter searches for; `None` where it does not search.
    pub(crate) fn of(filter: &Filter) -> Option<Self> {
        let needle = filter.search.as_ref()?.folded().into_bytes();
        Some(Self {
            needle,
            from: filter.date_from.map_or(i64::MIN, Timestamp::micros),
            to: filter.date_to.map_or(i64::MAX, Timestamp::micros),
            utm: Utm::asked(filter),
        })
    }

    /// Whether a row is among what is searched for.
    pub(super) fn finds(&self, row: &Row) -> bool {
        (self.from..self.to).contains(&row.at)
            && row.utm.fits(&self.utm)
            && memchr::memmem::find(&row.text, &self.needle).is_some()
    }
}
