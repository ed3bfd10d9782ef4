//! Debouncing with one timer. A call during the wait does not restart the timer: to clear and set
//! one costs more than most of the debounced actions.

use std::time::Duration;

use js_sys::Date;
use leptos::prelude::*;

/// Due time in milliseconds since 1970, and the action.
type PendingAction = (f64, Box<dyn FnOnce()>);

/// Runs the last requested action once no other was requested for a while. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Debounce {
    wait: Duration,
    pending: StoredValue<Option<PendingAction>, LocalStorage>,
}

impl Debounce {
    /// Returns a debouncer that waits for `wait`. It belongs to the current reactive owner: when
    /// that is disposed of, the pending action is dropped.
    pub fn new(wait: Duration) -> Self {
        Self { wait, pending: StoredValue::new_local(None) }
    }

    /// Runs `action` after the wait, unless another call replaces it first.
    pub fn schedule(self, action: impl FnOnce() + 'static) {
        let due_ms = Date::now() + self.wait.as_secs_f64() * 1000.0;
        let replaced =
            self.pending.try_update_value(|slot| slot.replace((due_ms, Box::new(action))));
        // If an action was pending, its timer is running. The outer `None` is a disposed owner.
        if replaced.is_some_and(|replaced| replaced.is_none()) {
            self.start_timer(self.wait);
        }
    }

    /// Starts the timer, for the due time of the first call. If later calls have moved the due
    /// time, it waits again for the rest.
    fn start_timer(self, wait: Duration) {
        let on_timer = move || {
            let left_ms = self.pending.try_with_value(|slot| Some(slot.as_ref()?.0 - Date::now()));
            let Some(left_ms) = left_ms.flatten() else { return };
            // If the clock was set back, the rest is longer than the whole wait. The action then
            // runs at once, as it does if less than a millisecond is left.
            let delay = Duration::try_from_secs_f64(left_ms / 1000.0).unwrap_or_default();
            if (Duration::from_millis(1)..=self.wait).contains(&delay) {
                self.start_timer(delay);
            } else if let Some(Some((_, act))) = self.pending.try_update_value(Option::take) {
                act();
            }
        };
        set_timeout(on_timer, wait);
    }
}
