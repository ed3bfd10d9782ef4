//! What is done once nothing more has come for a while: one timer waits for that, however often
//! something comes, since to set and clear one for each costs more than most of what comes.

use std::time::Duration;

use js_sys::Date;
use leptos::prelude::*;

/// When something is due, in milliseconds since 1970, and what.
type Asked = (f64, Box<dyn FnOnce()>);

/// Does what it was last asked for, once a while has gone by without another; cheap to copy.
#[derive(Clone, Copy)]
pub struct Debounce {
    wait: Duration,
    asked: StoredValue<Option<Asked>, LocalStorage>,
}

impl Debounce {
    /// Returns one that waits for so long, owned by the present reactive owner; with that goes what
    /// it was asked for.
    pub fn new(wait: Duration) -> Self {
        Self { wait, asked: StoredValue::new_local(None) }
    }

    /// Does something after the wait, unless something is asked for until then.
    pub fn ask(self, act: impl FnOnce() + 'static) {
        let due_ms = Date::now() + self.wait.as_secs_f64() * 1000.0;
        let before = self.asked.try_update_value(|asked| asked.replace((due_ms, Box::new(act))));
        if before.is_some_and(|before| before.is_none()) {
            self.look_after(self.wait);
        }
    }

    fn look_after(self, wait: Duration) {
        let look = move || {
            let left_ms = self.asked.try_with_value(|asked| Some(asked.as_ref()?.0 - Date::now()));
            let Some(left_ms) = left_ms.flatten() else { return };
            // A clock that was put back holds nothing up.
            let left = Duration::try_from_secs_f64(left_ms / 1000.0).unwrap_or_default();
            if (Duration::from_millis(1)..=self.wait).contains(&left) {
                self.look_after(left);
            } else if let Some(Some((_, act))) = self.asked.try_update_value(Option::take) {
                act();
            }
        };
        set_timeout(look, wait);
    }
}
