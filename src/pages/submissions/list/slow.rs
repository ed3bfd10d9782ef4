//! The indicator of a slow page, which appears after a delay.

use std::time::Duration;

use leptos::prelude::*;

use super::{SubmissionList, set_if_changed};
use crate::domain::list_model::{ListModel, ListPhase};

/// Delay before the indicator appears.
pub(super) const SLOW_DELAY: Duration = Duration::from_millis(150);

impl SubmissionList {
    /// Shows the indicator if the page is still loading after the delay.
    pub(super) fn show_if_slow(self) {
        self.loader.slow_timer.schedule(move || {
            self.set_slow(self.model.try_with_value(ListModel::phase) == Some(ListPhase::Loading));
        });
    }

    /// Shows or hides the indicator.
    pub(super) fn set_slow(self, is_slow: bool) {
        self.signals.is_slow.try_maybe_update(|now| (set_if_changed(now, is_slow), ()));
    }
}
