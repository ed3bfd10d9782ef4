//! The signals of the list.

use contract::{Plan, Timestamp};
use leptos::prelude::*;

use super::SubmissionList;
use crate::{
    api::ApiError,
    domain::{
        filter::search_interval_ms,
        list_model::{ListModel, ListPhase},
    },
};

/// The signals of a list.
#[derive(Clone, Copy, Default)]
pub(super) struct ListSignals {
    pub(super) count: RwSignal<usize>,
    pub(super) total: RwSignal<Option<u64>>,
    pub(super) phase: RwSignal<ListPhase>,
    /// Whether a page has been loading for so long that the view shows it.
    pub(super) is_slow: RwSignal<bool>,
    pub(super) error: RwSignal<Option<ApiError>>,
    /// Changes whenever rows are loaded, unloaded, or move.
    pub(super) version: RwSignal<u32>,
    /// Changes whenever a first page is loaded.
    pub(super) generation: RwSignal<u32>,
    /// Number of submissions received since the list was loaded.
    pub(super) new_count: RwSignal<u64>,
}

impl SubmissionList {
    /// Returns the number of rows, loaded or not.
    pub fn count(self) -> Signal<usize> {
        self.signals.count.into()
    }

    /// Returns the number of submissions received since the list was loaded.
    pub fn new_count(self) -> Signal<u64> {
        self.signals.new_count.into()
    }

    /// Returns the total number of matching submissions, once known.
    pub fn total(self) -> Signal<Option<u64>> {
        self.signals.total.into()
    }

    /// Returns whether a page has been loading for so long that the view shows it. Most pages load
    /// sooner: an indicator for each would flicker during scrolling, and each change makes the
    /// browser recalculate the style of the table.
    pub fn is_slow(self) -> Signal<bool> {
        self.signals.is_slow.into()
    }

    /// Returns the phase of the model: idle, loading or failed.
    pub fn phase(self) -> Signal<ListPhase> {
        self.signals.phase.into()
    }

    /// Returns the error of the last page.
    pub fn error(self) -> Signal<Option<ApiError>> {
        self.signals.error.into()
    }

    /// Returns whether the first page is loaded. Tracked.
    pub fn is_loaded(self) -> bool {
        self.signals.phase.track();
        self.model.try_with_value(ListModel::has_begun).unwrap_or(true)
    }

    /// Returns the instants of the newest row and, once known, of the oldest. Tracked.
    pub fn first_and_last(self) -> Option<(Timestamp, Option<Timestamp>)> {
        self.signals.version.track();
        self.model
            .try_with_value(|model| Some((model.first_instant()?, model.last_instant())))
            .flatten()
            .filter(|_| !self.is_stale())
    }

    /// Returns whether the rate limit is high enough for requests that the user did not ask for.
    /// Tracked.
    pub fn has_spare_requests(self) -> bool {
        self.rate_limit().is_none_or(|rate| rate.limit >= Plan::Pro.window_requests())
    }

    /// Returns the interval between key presses that search requests may follow, in milliseconds.
    /// Tracked.
    pub fn keys_apart_ms(self) -> Option<u32> {
        search_interval_ms(self.rate_limit())
    }
}
