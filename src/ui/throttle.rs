//! Throttling: an action runs at once, and then at most once in an interval.

use std::time::Duration;

use leptos::prelude::*;

/// Limits how often an action runs. No action runs any more when the owner of the throttle is
/// disposed of. Cheap to copy.
#[derive(Clone, Copy, Default)]
pub struct Throttle {
    /// Whether the interval since the last run lasts, and whether another run is due at its end.
    state: StoredValue<(bool, bool)>,
}

impl Throttle {
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
