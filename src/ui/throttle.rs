//! Throttling: an action runs at once, and then at most once in an interval.

use std::time::Duration;

use leptos::prelude::*;

/// Limits how often an action runs. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Throttle {
    /// Whether the interval since the last run lasts, and whether another run is due at its end.
    state: StoredValue<(bool, bool)>,
}

impl Default for Throttle {
    fn default() -> Self {
        Self::new()
    }
}

impl Throttle {
    /// Returns a throttle that belongs to the current reactive owner: when that is disposed of, no
    /// action runs any more.
    pub fn new() -> Self {
        Self { state: StoredValue::new((false, false)) }
    }

    /// Runs `action` now, or at the end of the interval if that lasts. Further calls until then
    /// have no effect.
    pub fn run(self, interval: Duration, action: impl Fn() + 'static) {
        let is_waiting = self.state.try_update_value(|(waits, is_due)| {
            *is_due = *waits;
            std::mem::replace(waits, true)
        });
        if is_waiting != Some(false) {
            return;
        }
        action();
        let on_timer = move || {
            let is_due = self.state.try_update_value(std::mem::take);
            if let Some((_, true)) = is_due {
                self.run(interval, action);
            }
        };
        set_timeout(on_timer, interval);
    }
}
