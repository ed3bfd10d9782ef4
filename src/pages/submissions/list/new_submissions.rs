//! Checks for new submissions while the list is visible, and counts them. Rows are inserted only on
//! request, so that the list does not move. A hidden page sends no requests.

use std::time::Duration;

use contract::{Filter, plan::WINDOW_S};
use js_sys::Date;
use leptos::{ev, leptos_dom::helpers::TimeoutHandle, prelude::*, task::spawn_local};

use super::SubmissionList;
use crate::{
    api::ApiError,
    components::calendar::millis_of,
    domain::list_model::{ListModel, PageQuery, PageStart, next_instant},
    ui::set_if_changed,
};

/// Minimum interval of the checks, in seconds.
const CHECK_INTERVAL_MIN_S: u64 = 30;
/// The checks use at most one of this many requests of the rate-limit window.
const CHECK_SHARE: u64 = 10;
/// Requests after events of other users use at most one of this many requests of the window.
const EVENT_SHARE: u64 = 4;
/// Minimum interval of these requests, in seconds.
const EVENT_INTERVAL_MIN_S: u64 = 2;
/// Maximum interval, after rejected requests, in seconds.
const CHECK_INTERVAL_MAX_S: u64 = WINDOW_S;

impl SubmissionList {
    /// Checks for new submissions until the current owner is disposed of.
    pub(super) fn watch_new_submissions(self) {
        let timer = StoredValue::new(None::<TimeoutHandle>);
        // Cancels the scheduled check. Returns `false` while a check runs: no other is scheduled.
        let cancel_check = move || {
            let scheduled = timer.try_update_value(Option::take).flatten();
            scheduled.map(|timer| timer.clear()).is_some()
        };
        self.schedule_check(timer, self.interval_s());
        // Check immediately when the user returns after more than 30 seconds.
        let listener = window_event_listener(ev::visibilitychange, move |_| {
            let since_s = (Date::now()
                - self.loader.clock.try_with_value(|clock| clock.sent_ms).unwrap_or(0.0))
                / 1000.0;
            if !document().hidden() && since_s > 30.0 && cancel_check() {
                self.schedule_check(timer, 0);
            }
        });
        on_cleanup(move || {
            listener.remove();
            cancel_check();
        });
    }

    /// Returns the interval of the checks: they use at most a tenth of the rate-limit window.
    fn interval_s(self) -> u64 {
        self.share_interval_s(CHECK_SHARE).clamp(CHECK_INTERVAL_MIN_S, CHECK_INTERVAL_MAX_S)
    }

    /// Returns the minimum interval of requests that events of other users cause.
    pub fn event_interval(self) -> Duration {
        let interval_s = self.share_interval_s(EVENT_SHARE);
        Duration::from_secs(interval_s.clamp(EVENT_INTERVAL_MIN_S, CHECK_INTERVAL_MAX_S))
    }

    /// Returns the interval of requests that use one of `share` requests of the rate-limit window,
    /// in seconds.
    fn share_interval_s(self, share: u64) -> u64 {
        // Before the first response, assume a limit that gives the minimum interval.
        let limit = self
            .loader
            .clock
            .try_with_value(|clock| clock.rate)
            .flatten()
            .map_or(500, |rate| rate.limit);
        WINDOW_S * share / u64::from(limit.max(1))
    }

    /// Checks for new submissions now, besides the regular checks. Calls `on_outdated` if other
    /// rows have come or gone.
    pub fn check_now(self, on_outdated: impl FnOnce() + 'static) {
        spawn_local(async move {
            if self.count_new().await.1 {
                on_outdated();
            }
        });
    }

    fn schedule_check(self, timer: StoredValue<Option<TimeoutHandle>>, wait_s: u64) {
        let check = move || {
            timer.try_set_value(None);
            spawn_local(async move {
                let (wait_s, _) = self.count_new().await;
                if timer.try_with_value(|_| ()).is_some() {
                    self.schedule_check(timer, wait_s);
                }
            });
        };
        let set = set_timeout_with_handle(check, Duration::from_secs(wait_s)).ok();
        timer.try_set_value(set);
    }

    /// Checks once. Returns the delay before the next check, in seconds, and whether rows other
    /// than new ones have come or gone.
    async fn count_new(self) -> (u64, bool) {
        let every_s = self.interval_s();
        let source = self.source.try_get_value().flatten();
        let ready = self.model.try_with_value(ListModel::has_begun).unwrap_or(false);
        let Some(source) = source.filter(|list| ready && can_match_new(&list.filter)) else {
            return (every_s, false);
        };
        if document().hidden() {
            return (every_s, false);
        }
        let mut query = source.query_for(PageQuery { start: PageStart::First, limit: 1 });
        // Rows that were read since the list was loaded still count here, but not in the server's
        // total. So only newer submissions are counted.
        let newest = self.model.try_with_value(ListModel::first_instant).flatten();
        let after = newest.filter(|_| source.filter.read.is_some()).map(next_instant);
        query.filter.date_from = query.filter.date_from.max(after);
        match self.fetch_page(&source, &query, None).await {
            Ok(answer) => {
                self.loader.clock.try_update_value(|clock| {
                    (clock.rate, clock.sent_ms) = (answer.rate, Date::now());
                });
                let is_same = self.source.try_with_value(|now| now.as_ref() == Some(&source));
                let newest = answer.body.data.first();
                let total = answer.body.pagination.total;
                let found = self.model.try_with_value(|model| {
                    let total = total + after.map_or(0, |_| model.len() as u64);
                    (model.count_new(newest, total), model.is_outdated(newest, total))
                });
                let (news, is_outdated) = found.unwrap_or_default();
                if is_same == Some(true) {
                    self.set_new_count(news);
                }
                (every_s, is_outdated && is_same == Some(true))
            }
            Err(ApiError::Status { status: 429, retry_after_s, .. }) => {
                let wait_s = (every_s * 4).max(retry_after_s.unwrap_or_default());
                (wait_s.min(CHECK_INTERVAL_MAX_S), false)
            }
            Err(error) => {
                self.session.handle_error(&error);
                (every_s * 2, false)
            }
        }
    }

    /// Shows the new submissions and focuses the first row.
    pub fn show_new(self) {
        self.scroll.focus_first.try_set_value(true);
        self.reload();
    }

    /// Loads the first page again. The focus stays where it is.
    pub fn reload(self) {
        let order = self.source.try_get_value().flatten().map(|source| source.order());
        self.signals.new_count.try_set(0);
        self.model.try_update_value(|model| model.refresh(order.unwrap_or_default()));
        self.load_missing();
    }

    fn set_new_count(self, news: u64) {
        if news > 0 && self.signals.count.try_get_untracked() == Some(0) {
            // An empty list can be reloaded at once: no row moves. The user did not ask for it, so
            // the focus stays where it is.
            self.reload();
        } else {
            set_if_changed(self.signals.new_count, news);
        }
    }
}

/// Returns whether a new submission can match: not if the date range of the filter is past.
fn can_match_new(filter: &Filter) -> bool {
    filter.date_to.is_none_or(|end| millis_of(end) > Date::now())
}
