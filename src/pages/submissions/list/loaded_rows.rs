//! What the list tells of the rows that it holds: to the table, and to whoever selects among them.

use std::{ops::Range, sync::Arc};

use contract::{RateLimit, Submission, Timestamp};

use super::List;
use crate::domain::{
    list_model::{Key, ListModel},
    selection::Selection,
};
use leptos::prelude::*;

/// What tells a row from another, or from itself before it came. Telling by what is held saves a
/// copy of each id with every row that scrolls by.
pub struct RowKey(u32, Option<Arc<Submission>>);

impl PartialEq for RowKey {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.1, &other.1) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same && self.0 == other.0
    }
}

impl List {
    /// Returns what tells each row of a range from those that stood there before. Tracked.
    pub fn keys(self, range: Range<usize>) -> Vec<RowKey> {
        self.signals.version.track();
        let key = |model: &ListModel, index| RowKey(model.epoch(), model.row(index).cloned());
        self.model
            .try_with_value(|model| range.map(|index| key(model, index)).collect())
            .unwrap_or_default()
    }

    /// Returns how often rows of another list have come. Tracked.
    pub fn begun(self) -> u32 {
        self.signals.generation.get()
    }

    /// Returns what tells the list from itself under another filter, or begun anew.
    pub fn epoch(self) -> u32 {
        self.model.try_with_value(ListModel::epoch).unwrap_or_default()
    }

    /// Returns the index of the first row that is older than an instant, where it was asked for.
    pub fn index_before(self, at: Timestamp) -> Option<usize> {
        self.model.try_with_value(|model| model.index_before(at)).flatten()
    }

    /// Returns the keys of the rows that are held, newest first.
    pub fn held(self) -> Vec<Key> {
        let key = |row: &Submission| (row.metadata.submitted_at, row.id.clone());
        self.model.try_with_value(|model| model.rows().map(key).collect()).unwrap_or_default()
    }

    /// Returns UTM source, medium and campaign of each row that is held.
    pub fn utm_values(self) -> Vec<[Option<String>; 3]> {
        let values = |row: &Submission| {
            let of = &row.metadata;
            [&of.utm_source, &of.utm_medium, &of.utm_campaign].map(Clone::clone)
        };
        self.model.try_with_value(|model| model.rows().map(values).collect()).unwrap_or_default()
    }

    /// Returns whether every row that is held is selected. Tracked.
    pub fn holds_all_of(self, selection: &Selection) -> bool {
        self.signals.version.track();
        self.held().iter().all(|key| selection.contains(key))
    }

    /// Returns the keys of the rows between two, where all of them are held.
    pub fn between(self, one: &Key, other: &Key) -> Option<Vec<Key>> {
        self.model.try_with_value(|model| model.between(one, other)).flatten()
    }

    /// Returns where the key stands, as the last answer told. Tracked.
    pub fn rate(self) -> Option<RateLimit> {
        self.signals.version.track();
        self.loader.clock.try_with_value(|clock| clock.rate).flatten()
    }

    /// Returns the instant right after the newest row, as it was when the list began.
    pub fn newest_bound(self) -> Option<Timestamp> {
        self.model.try_with_value(ListModel::bound).flatten()
    }
}
