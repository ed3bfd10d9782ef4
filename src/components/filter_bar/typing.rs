//! Text in the search box before it becomes part of the filter.

use std::time::Duration;

use contract::Filter;
use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};

use crate::{domain::filter::FilterPart, ui::run_effect};

/// Pause after which the search runs if it does not follow every key. A word is likely to be
/// complete then.
const TYPING_PAUSE: Duration = Duration::from_millis(250);

/// State of the search box.
#[derive(Clone, Copy)]
pub(super) struct SearchInput {
    pub(super) text: RwSignal<String>,
    filter: Signal<Filter>,
    keys_apart_ms: Signal<Option<u32>>,
    /// Time of the last search.
    last_search_ms: StoredValue<f64>,
    on_change: Callback<Filter>,
    timer: StoredValue<Option<TimeoutHandle>>,
}

impl SearchInput {
    pub(super) fn new(
        filter: Signal<Filter>,
        keys_apart_ms: Signal<Option<u32>>,
        on_change: Callback<Filter>,
    ) -> Self {
        let text = RwSignal::new(String::new());
        let typing = Self {
            text,
            filter,
            keys_apart_ms,
            last_search_ms: StoredValue::new(0.0),
            on_change,
            timer: StoredValue::new(None),
        };
        let search =
            Memo::new(move |_| filter.with(|current| FilterPart::Search.text(current).to_owned()));
        // The URL may also change elsewhere: a removed chip, the Back button. The typed text,
        // including spaces, stays as long as it means the same search.
        run_effect(move || {
            let search = search.get();
            if text.with_untracked(|text| text.trim() != search) && !typing.is_waiting() {
                text.set(search);
            }
        });
        on_cleanup(move || typing.clear_timer());
        typing
    }

    fn is_waiting(self) -> bool {
        self.timer.try_with_value(Option::is_some).unwrap_or(false)
    }

    fn clear_timer(self) {
        if let Some(Some(timer)) = self.timer.try_update_value(Option::take) {
            timer.clear();
        }
    }

    pub(super) fn on_input(self, text: String) {
        self.clear_timer();
        let empty = text.is_empty();
        self.text.set(text);
        let wait = if empty { Duration::ZERO } else { self.remaining_wait() };
        if wait.is_zero() {
            // Clearing applies immediately, and so does a key after a pause.
            self.apply_search();
        } else {
            let timer = set_timeout_with_handle(move || self.apply_search(), wait).ok();
            self.timer.set_value(timer);
        }
    }

    /// Returns the time to wait for further keys.
    fn remaining_wait(self) -> Duration {
        let Some(apart_ms) = self.keys_apart_ms.get_untracked() else { return TYPING_PAUSE };
        let since_ms = js_sys::Date::now() - self.last_search_ms.get_value();
        // If the clock was set back, the wait is at most the interval.
        let wait_ms = (f64::from(apart_ms) - since_ms).clamp(0.0, f64::from(apart_ms));
        Duration::from_secs_f64(wait_ms / 1000.0)
    }

    fn apply_search(self) {
        self.timer.try_update_value(Option::take);
        self.last_search_ms.try_set_value(js_sys::Date::now());
        let (Some(mut filter), Some(text)) =
            (self.filter.try_get_untracked(), self.text.try_get_untracked())
        else {
            return;
        };
        let before = filter.clone();
        FilterPart::Search.set_text(&mut filter, &text);
        if filter != before {
            self.on_change.run(filter);
        }
    }
}
