//! When it is said that a page is on its way: not before that takes a while.

use std::time::Duration;

use leptos::prelude::*;

use super::{List, set};
use crate::domain::list_model::{ListModel, Phase};

/// For how long nobody is told.
pub(super) const QUICK: Duration = Duration::from_millis(150);

impl List {
    /// Says that the page that was just asked for is slow, once it is.
    pub(super) fn look_if_slow(self) {
        self.loader.slow_timer.ask(move || {
            self.say_slow(self.model.try_with_value(ListModel::phase) == Some(Phase::Loading));
        });
    }

    /// Says whether a page is slow.
    pub(super) fn say_slow(self, is_slow: bool) {
        self.signals.is_slow.try_maybe_update(|now| (set(now, is_slow), ()));
    }
}
