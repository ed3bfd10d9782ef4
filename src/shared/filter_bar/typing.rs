//! What is being typed into the search box, until it is part of the filter.

use std::time::Duration;

use contract::Filter;
use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};

use crate::{model::filter::Part, ui::react};

/// How long typing must pause before the list follows: where requests are plenty no longer than
/// keys that fall together, else until a word is likely to be whole.
const PAUSES: (Duration, Duration) = (Duration::from_millis(30), Duration::from_millis(250));

/// What is being typed into the search box.
#[derive(Clone, Copy)]
pub(super) struct Typing {
    pub(super) text: RwSignal<String>,
    filter: Signal<Filter>,
    quick: Signal<bool>,
    on_change: Callback<Filter>,
    timer: StoredValue<Option<TimeoutHandle>>,
}

impl Typing {
    pub(super) fn new(
        filter: Signal<Filter>,
        quick: Signal<bool>,
        on_change: Callback<Filter>,
    ) -> Self {
        let text = RwSignal::new(String::new());
        let typing = Self { text, filter, quick, on_change, timer: StoredValue::new(None) };
        let search = Memo::new(move |_| filter.with(|one| Part::Search.text(one).to_owned()));
        // The URL may change by itself: a chip is taken away, Back is pressed. What is being typed
        // stays, spaces and all, as long as it means what the URL says.
        react(move || {
            let search = search.get();
            if text.with_untracked(|text| text.trim() != search) && !typing.is_waiting() {
                text.set(search);
            }
        });
        on_cleanup(move || typing.stop());
        typing
    }

    fn is_waiting(self) -> bool {
        self.timer.try_with_value(Option::is_some).unwrap_or(false)
    }

    fn stop(self) {
        if let Some(Some(timer)) = self.timer.try_update_value(Option::take) {
            timer.clear();
        }
    }

    pub(super) fn typed(self, text: String) {
        self.stop();
        let empty = text.is_empty();
        self.text.set(text);
        if empty {
            // Clearing is one act: there is nothing to wait for.
            self.apply();
        } else {
            let pause = if self.quick.get_untracked() { PAUSES.0 } else { PAUSES.1 };
            let timer = set_timeout_with_handle(move || self.apply(), pause).ok();
            self.timer.set_value(timer);
        }
    }

    fn apply(self) {
        self.timer.try_update_value(Option::take);
        let (Some(mut filter), Some(text)) =
            (self.filter.try_get_untracked(), self.text.try_get_untracked())
        else {
            return;
        };
        let before = filter.clone();
        Part::Search.set_text(&mut filter, &text);
        if filter != before {
            self.on_change.run(filter);
        }
    }
}
