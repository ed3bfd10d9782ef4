//! What arrives while one reads: looked for gently, counted, and never put under the eyes of
//! whoever reads. Nothing is asked while nobody looks at the page.

use std::time::Duration;

use contract::{Filter, plan::WINDOW_S};
use leptos::{ev, leptos_dom::helpers::TimeoutHandle, prelude::*, task::spawn_local};

use super::{List, now_ms};
use crate::{
    api::{self, ApiError},
    components::calendar::millis_of,
    domain::list_model::{ListModel, Place, Want},
};

/// How often new submissions are looked for, at most.
const EVERY_S: u64 = 30;
/// The share of the window, one in so many requests, that looking for them may take.
const SHARE: u64 = 10;
/// How long is waited at most, after refusals.
const EVERY_MAX_S: u64 = WINDOW_S;

impl List {
    /// Looks for new submissions for as long as the present owner lives.
    pub(super) fn watch_new_submissions(self) {
        let timer = StoredValue::new(None::<TimeoutHandle>);
        let stop = move || {
            if let Some(Some(timer)) = timer.try_update_value(Option::take) {
                timer.clear();
            }
        };
        self.look_later(timer, self.interval_s());
        // Who comes back after a while is told at once.
        let listener = window_event_listener(ev::visibilitychange, move |_| {
            let since_s = (now_ms()
                - self.loader.clock.try_with_value(|one| one.sent_ms).unwrap_or(0.0))
                / 1000.0;
            if !document().hidden() && since_s > 30.0 {
                stop();
                self.look_later(timer, 0);
            }
        });
        on_cleanup(move || {
            listener.remove();
            stop();
        });
    }

    /// The time from one look to the next: a tenth of what the key's window has, at most.
    fn interval_s(self) -> u64 {
        let limit = self
            .loader
            .clock
            .try_with_value(|clock| clock.rate)
            .flatten()
            .map_or(500, |rate| rate.limit);
        (WINDOW_S * SHARE / u64::from(limit.max(1))).clamp(EVERY_S, EVERY_MAX_S)
    }

    fn look_later(self, timer: StoredValue<Option<TimeoutHandle>>, wait_s: u64) {
        let act = move || {
            spawn_local(async move {
                let wait_s = self.count_new().await;
                if timer.try_with_value(|_| ()).is_some() {
                    self.look_later(timer, wait_s);
                }
            });
        };
        let set = set_timeout_with_handle(act, Duration::from_secs(wait_s)).ok();
        timer.try_set_value(set);
    }

    /// Looks once, and returns how long to wait before the next time.
    async fn count_new(self) -> u64 {
        let every_s = self.interval_s();
        let source = self.source.try_get_value().flatten();
        let ready = self.model.try_with_value(ListModel::has_begun).unwrap_or(false);
        let Some(source) = source.filter(|one| ready && is_open(&one.filter)) else {
            return every_s;
        };
        if document().hidden() {
            return every_s;
        }
        let query = source.query(Want { place: Place::First, limit: 1 });
        match api::list(source.environment, &source.form, &query, None).await {
            Ok(answer) => {
                self.loader.clock.try_update_value(|clock| {
                    (clock.rate, clock.sent_ms) = (answer.rate, now_ms());
                });
                let same = self.source.try_with_value(|now| now.as_ref() == Some(&source));
                let (newest, total) = (answer.body.data.first(), answer.body.pagination.total);
                let news = self.model.try_with_value(|model| model.news(newest, total));
                if same == Some(true) {
                    self.set_new_count(news.unwrap_or_default());
                }
                every_s
            }
            Err(ApiError::Status { status: 429, retry_after_s, .. }) => {
                (every_s * 4).max(retry_after_s.unwrap_or_default()).min(EVERY_MAX_S)
            }
            Err(error) => {
                self.session.notice(&error);
                every_s * 2
            }
        }
    }

    /// Shows what came since the list began, as was asked for.
    pub fn refresh(self) {
        self.scroll.focus_first.try_set_value(true);
        self.renew();
    }

    /// Begins anew; the focus stays where it is.
    pub fn renew(self) {
        let oldest = self.source.try_get_value().flatten().and_then(|one| one.filter.date_from);
        self.signals.new_count.try_set(0);
        self.model.try_update_value(|model| model.refresh(oldest));
        self.more();
    }

    fn set_new_count(self, news: u64) {
        if news > 0 && self.signals.count.try_get_untracked() == Some(0) {
            // Nobody reads an empty list. Nobody asked either: the focus stays where it is.
            self.renew();
        } else {
            self.signals.new_count.try_maybe_update(|now| (super::set(now, news), ()));
        }
    }
}

/// Whether something new can match: not where the filter ends in the past.
fn is_open(filter: &Filter) -> bool {
    filter.date_to.is_none_or(|end| millis_of(end) > now_ms())
}
