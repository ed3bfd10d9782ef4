//! Queries about the loaded rows, for the table and the selection.

use std::{ops::Range, sync::Arc};

use contract::{RateLimit, Submission, SubmissionId, Timestamp};

use super::SubmissionList;
use crate::domain::{
    list_model::{ListModel, SubmissionKey, row_key},
    selection::Selection,
};
use leptos::prelude::*;

/// Identity of a table row, including whether it is loaded, and the version of its marks. Compares
/// pointers instead of ids, which saves copying the id of every row that scrolls by.
pub struct RowKey(u32, Option<Arc<Submission>>, u32);

impl PartialEq for RowKey {
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (&self.1, &other.1) {
            (Some(left), Some(right)) => Arc::ptr_eq(left, right),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same && self.0 == other.0 && self.2 == other.2
    }
}

impl SubmissionList {
    /// Returns the identities of the rows in a range, with the versions of their marks. Tracked.
    pub fn row_keys(
        self,
        range: Range<usize>,
        marks_version: impl Fn(&Submission) -> u32,
    ) -> Vec<RowKey> {
        self.signals.version.track();
        let key = |model: &ListModel, index| {
            let row = model.row(index);
            let version = row.map_or(0, |row| marks_version(row));
            RowKey(model.generation(), row.cloned(), version)
        };
        self.model
            .try_with_value(|model| range.map(|index| key(model, index)).collect())
            .unwrap_or_default()
    }

    /// Returns how often a first page has been loaded. Tracked.
    pub fn generation(self) -> u32 {
        self.signals.generation.get()
    }

    /// Returns the epoch of the model, which changes with the filter and with every reload.
    pub fn model_epoch(self) -> u32 {
        self.model.try_with_value(ListModel::generation).unwrap_or_default()
    }

    /// Returns the index of the first row older than an instant, if it has been requested.
    pub fn index_before(self, at: Timestamp) -> Option<usize> {
        self.model.try_with_value(|model| model.index_before(at)).flatten()
    }

    /// Returns the keys of the loaded rows, newest first.
    pub fn loaded_keys(self) -> Vec<SubmissionKey> {
        self.model.try_with_value(|model| model.rows().map(row_key).collect()).unwrap_or_default()
    }

    /// Returns whether a row was removed since the list was loaded.
    pub fn is_removed(self, id: &SubmissionId) -> bool {
        self.model.try_with_value(|model| model.is_removed(id)) == Some(true)
    }

    /// Returns UTM source, medium and campaign of each loaded row.
    pub fn utm_values(self) -> Vec<[Option<String>; 3]> {
        let values = |row: &Submission| {
            let of = &row.metadata;
            [&of.utm_source, &of.utm_medium, &of.utm_campaign].map(Clone::clone)
        };
        self.model.try_with_value(|model| model.rows().map(values).collect()).unwrap_or_default()
    }

    /// Returns whether every loaded row is selected. Tracked.
    pub fn is_fully_selected(self, selection: &Selection) -> bool {
        self.signals.version.track();
        self.loaded_keys().iter().all(|key| selection.contains(key))
    }

    /// Returns the keys of the rows between two, if all of them are loaded.
    pub fn keys_between(
        self,
        first: &SubmissionKey,
        other: &SubmissionKey,
    ) -> Option<Vec<SubmissionKey>> {
        self.model.try_with_value(|model| model.keys_between(first, other)).flatten()
    }

    /// Returns the rate limit in the last response. Tracked.
    pub fn rate_limit(self) -> Option<RateLimit> {
        self.signals.version.track();
        self.loader.clock.try_with_value(|clock| clock.rate).flatten()
    }

    /// Returns the instant right after the newest row at the time the list was loaded.
    pub fn newest_bound(self) -> Option<Timestamp> {
        self.model.try_with_value(ListModel::upper_bound).flatten()
    }
}
