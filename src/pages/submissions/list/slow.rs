//! The indicator of a slow page, which appears after a delay.

use std::time::Duration;

use leptos::prelude::*;

use super::{List, set};
use crate::domain::list_model::{ListModel, Phase};

/// Delay before the indicator appears.
pub(super) const QUICK: Duration = Duration::from_millis(150);

impl List {
    /// Shows the indicator if the page is still loading after the delay.
    pub(super) fn look_if_slow(self) {
        self.loader.slow_timer.ask(move || {
            self.say_slow(self.model.try_with_value(ListModel::phase) == Some(Phase::Loading));
        });
    }

    /// Shows or hides the indicator.
    pub(super) fn say_slow(self, is_slow: bool) {
        self.signals.is_slow.try_maybe_update(|now| (set(now, is_slow), ()));
    }
}
