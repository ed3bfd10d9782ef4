//! Loads missing rows: one request at a time, at the pace of the rate limit.

use std::time::Duration;

use contract::{Plan, RateLimit};
use export_worker::plan::RequestPace;
use gloo_timers::future::TimeoutFuture;
use js_sys::Date;
use leptos::{prelude::*, task::spawn_local};

use super::SubmissionList;
use crate::{
    api::{AbortOnDrop, ApiError},
    domain::list_model::{ListModel, ListPhase, PageQuery, PageStart},
    ui::{debounce::Debounce, set_if_changed},
};

/// How long scrolling must pause before rows far from all loaded rows are requested. Dragging the
/// scroll bar passes many positions that the user does not stop at.
const SCROLL_PAUSE_MS: f64 = 120.0;
/// Delay before the view shows that a page is loading.
const SLOW_DELAY: Duration = Duration::from_millis(150);
/// Delay before a retry after a connection error.
const RETRY_DELAY_MS: u32 = 5_000;

/// Times of the last request and of the last scroll, and the rate limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestClock {
    pub(super) sent_ms: f64,
    pub(super) scrolled_ms: f64,
    pub(super) rate: Option<RateLimit>,
    /// Whether a timer for the next request is set.
    pub(super) has_timer: bool,
}

/// The running request and its timers.
#[derive(Clone, Copy)]
pub(super) struct Loader {
    pub(super) abort: StoredValue<Option<AbortOnDrop>, LocalStorage>,
    pub(super) clock: StoredValue<RequestClock>,
    pub(super) slow_timer: Debounce,
}

impl Loader {
    pub(super) fn new() -> Self {
        Self {
            abort: StoredValue::new_local(None),
            clock: StoredValue::new(RequestClock::default()),
            slow_timer: Debounce::new(SLOW_DELAY),
        }
    }
}

impl SubmissionList {
    /// Sets the range of visible rows, and loads those that are missing.
    pub fn set_visible_rows(self, view: (usize, usize)) {
        self.model.try_update_value(|model| model.set_view(view.0..view.1));
        self.loader.clock.try_update_value(|clock| clock.scrolled_ms = Date::now());
        self.load_missing();
    }

    /// Loads missing rows, unless a request is running: immediately, or as soon as the rate limit
    /// and a pause in scrolling allow.
    pub fn load_missing(self) {
        let wait_ms = self.model.try_with_value(|model| {
            let query = model.missing_page().filter(|_| model.phase() == ListPhase::Idle)?;
            self.loader.clock.try_with_value(|clock| self.wait_ms(clock, &query))?
        });
        match wait_ms.flatten() {
            None => {}
            Some(0) => self.send_request(),
            Some(wait_ms) => {
                self.loader.clock.try_update_value(|clock| clock.has_timer = true);
                spawn_local(async move {
                    TimeoutFuture::new(wait_ms).await;
                    self.loader.clock.try_update_value(|clock| clock.has_timer = false);
                    self.load_missing();
                });
            }
        }
    }

    /// Returns the delay before a request in milliseconds, or `None` if a timer for it is set.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and a wait is short"
    )]
    fn wait_ms(self, clock: &RequestClock, query: &PageQuery) -> Option<u32> {
        // The first page is never delayed, not even by the timer of a page of the previous filter:
        // the user is waiting for the result.
        if query.start == PageStart::First {
            return Some(0);
        }
        if clock.has_timer {
            return None;
        }
        let now_ms = Date::now();
        let plan =
            untrack(|| self.session.session()).map_or(Plan::Free, |session| session.account.plan);
        // If the system clock was set back, do not delay.
        let since_ms = if now_ms < clock.sent_ms { f64::MAX } else { now_ms - clock.sent_ms };
        let pace_ms = RequestPace::new(plan).wait_ms(clock.rate, since_ms as u64);
        let rest_ms = match query.start {
            PageStart::Before(_) if now_ms >= clock.scrolled_ms => {
                clock.scrolled_ms + SCROLL_PAUSE_MS - now_ms
            }
            _ => 0.0,
        };
        Some(u32::try_from(pace_ms).unwrap_or(u32::MAX).max(rest_ms as u32))
    }

    fn send_request(self) {
        let Some(source) = self.source.try_get_value().flatten() else { return };
        let Some(request) = self.model.try_update_value(ListModel::next_request).flatten() else {
            return;
        };
        let abort = AbortOnDrop::default();
        let signal = abort.signal();
        self.loader.abort.try_update_value(|current| *current = Some(abort));
        self.loader.clock.try_update_value(|clock| clock.sent_ms = Date::now());
        self.publish_signals();
        self.show_if_slow();
        spawn_local(async move {
            let first = request.query.start == PageStart::First;
            let query = source.query_for(request.query);
            let answer = self.fetch_page(&source, &query, signal.as_ref()).await;
            let is_current = self.model.try_update_value(|model| match answer {
                Ok(answer) => {
                    self.loader.clock.try_update_value(|clock| clock.rate = answer.rate);
                    model.apply_page(request.ticket, answer.body).then_some(Ok(()))
                }
                Err(error) if error.status() == Some(400) => {
                    model.mark_refused(request.ticket).then_some(Err(error))
                }
                Err(error) => model.mark_failed(request.ticket).then_some(Err(error)),
            });
            // `None` if the page was left, `Some(None)` if the response is outdated.
            let Some(Some(outcome)) = is_current else { return };
            if let Some(Some(abort)) = self.loader.abort.try_update_value(Option::take) {
                abort.disarm();
            }
            if let Err(error) = &outcome {
                self.session.handle_error(error);
                if is_temporary(error) {
                    self.retry_later();
                }
            }
            // After an error, rows, position and counts stay as they are.
            if first && outcome.is_ok() {
                self.handle_first_page();
            }
            // After a rejected cursor the model may try another query. Show the error only if it
            // gave up.
            let failed = self.model.try_with_value(ListModel::phase) == Some(ListPhase::Failed);
            self.signals.error.try_set(outcome.err().filter(|_| failed));
            self.update_counts();
        });
    }

    /// Shows that the page is loading, if it still is after a delay.
    fn show_if_slow(self) {
        self.loader.slow_timer.schedule(move || {
            let phase = self.model.try_with_value(ListModel::phase);
            set_if_changed(self.signals.is_slow, phase == Some(ListPhase::Loading));
        });
    }

    /// Retries after a delay, unless the user has retried before.
    fn retry_later(self) {
        spawn_local(async move {
            TimeoutFuture::new(RETRY_DELAY_MS).await;
            // The error stays visible until there is a response.
            if self.signals.error.try_get_untracked().flatten().as_ref().is_some_and(is_temporary) {
                self.model.try_update_value(ListModel::retry);
                self.load_missing();
            }
        });
    }
}

/// Returns whether the same request may succeed later without an action on this page: the network
/// comes back, or the user signs in in another tab.
fn is_temporary(error: &ApiError) -> bool {
    matches!(error, ApiError::Network | ApiError::SessionEnded)
}
