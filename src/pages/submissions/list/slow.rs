//! When it is said that a page is on its way: not before that takes a while.

use std::time::Duration;

use leptos::prelude::*;

use super::{List, now_ms, set};
use crate::model::feed::{Feed, Phase};

/// For how long nobody is told.
const QUICK: Duration = Duration::from_millis(150);

impl List {
    /// Says that a page is slow once it is, and no longer once it has come.
    pub(super) fn tell_slow(self, phase: Phase) {
        if phase != Phase::Loading {
            self.say_slow(false);
            return;
        }
        let looks = self.clock.try_update_value(|clock| std::mem::replace(&mut clock.looks, true));
        if looks == Some(false) {
            self.look_if_slow(QUICK);
        }
    }

    /// One timer looks, however many pages come: at the one that is on its way by then.
    fn look_if_slow(self, wait: Duration) {
        let look = move || {
            let Some(sent_ms) = self.clock.try_with_value(|clock| clock.sent_ms) else { return };
            let is_loading = self.feed.try_with_value(Feed::phase) == Some(Phase::Loading);
            let left_s = QUICK.as_secs_f64() - (now_ms() - sent_ms) / 1000.0;
            let left = Duration::try_from_secs_f64(left_s).unwrap_or_default();
            // A clock that was put back holds nothing up.
            if is_loading && (Duration::from_millis(1)..=QUICK).contains(&left) {
                self.look_if_slow(left);
                return;
            }
            self.clock.try_update_value(|clock| clock.looks = false);
            self.say_slow(is_loading);
        };
        set_timeout(look, wait);
    }

    fn say_slow(self, is_slow: bool) {
        self.is_slow.try_maybe_update(|now| (set(now, is_slow), ()));
    }
}
