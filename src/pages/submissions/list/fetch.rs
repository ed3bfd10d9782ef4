//! Loads missing rows: one request at a time, at the pace of the rate limit.

use contract::{Plan, RateLimit};
use export_worker::plan::Pace;
use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use super::{List, now_ms, slow};
use crate::{
    api::{self, Abort, ApiError},
    domain::list_model::{ListModel, Phase, Place, Want},
    ui::debounce::Debounce,
};

/// How long scrolling must pause before rows far from all loaded rows are requested. Dragging the
/// scroll bar passes many positions that the user does not stop at.
const REST_MS: f64 = 120.0;
/// Delay before a retry after a connection error.
const LOST_WAIT_MS: u32 = 5_000;

/// Times of the last request and of the last scroll, and the rate limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clock {
    pub(super) sent_ms: f64,
    pub(super) moved_ms: f64,
    pub(super) rate: Option<RateLimit>,
    /// Whether a timer for the next request is set.
    pub(super) waits: bool,
}

/// The running request and its timers.
#[derive(Clone, Copy)]
pub(super) struct Loader {
    pub(super) abort: StoredValue<Option<Abort>, LocalStorage>,
    pub(super) clock: StoredValue<Clock>,
    pub(super) slow_timer: Debounce,
}

impl Loader {
    pub(super) fn new() -> Self {
        Self {
            abort: StoredValue::new_local(None),
            clock: StoredValue::new(Clock::default()),
            slow_timer: Debounce::new(slow::QUICK),
        }
    }
}

impl List {
    /// Sets the range of visible rows, and loads those that are missing.
    pub fn look(self, view: (usize, usize)) {
        self.model.try_update_value(|model| model.look(view.0..view.1));
        self.loader.clock.try_update_value(|clock| clock.moved_ms = now_ms());
        self.more();
    }

    /// Loads missing rows, unless a request is running: immediately, or as soon as the rate limit
    /// and a pause in scrolling allow.
    pub fn more(self) {
        let wait_ms = self.model.try_with_value(|model| {
            let want = model.want().filter(|_| model.phase() == Phase::Idle)?;
            self.loader
                .clock
                .try_with_value(|clock| (!clock.waits).then(|| self.wait_ms(clock, &want)))?
        });
        match wait_ms.flatten() {
            None => {}
            Some(0) => self.ask(),
            Some(wait_ms) => {
                self.loader.clock.try_update_value(|clock| clock.waits = true);
                spawn_local(async move {
                    TimeoutFuture::new(wait_ms).await;
                    self.loader.clock.try_update_value(|clock| clock.waits = false);
                    self.more();
                });
            }
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and a wait is short"
    )]
    fn wait_ms(self, clock: &Clock, want: &Want) -> u32 {
        // The first page is never delayed: the user is waiting for the result of a filter.
        if want.place == Place::First {
            return 0;
        }
        let now_ms = now_ms();
        let plan = untrack(|| self.session.session()).map_or(Plan::Free, |one| one.account.plan);
        // If the system clock was set back, do not delay.
        let since_ms = if now_ms < clock.sent_ms { f64::MAX } else { now_ms - clock.sent_ms };
        let pace_ms = Pace::new(plan).wait_ms(clock.rate, since_ms as u64);
        let rest_ms = match want.place {
            Place::Before(_) if now_ms >= clock.moved_ms => clock.moved_ms + REST_MS - now_ms,
            _ => 0.0,
        };
        u32::try_from(pace_ms).unwrap_or(u32::MAX).max(rest_ms as u32)
    }

    fn ask(self) {
        let Some(source) = self.source.try_get_value().flatten() else { return };
        let Some(request) = self.model.try_update_value(ListModel::request).flatten() else {
            return;
        };
        let abort = Abort::default();
        let signal = abort.signal();
        self.loader.abort.try_update_value(|kept| *kept = Some(abort));
        self.loader.clock.try_update_value(|clock| clock.sent_ms = now_ms());
        self.publish();
        self.look_if_slow();
        spawn_local(async move {
            let first = request.want.place == Place::First;
            let query = source.query(request.want);
            let answer = api::list(source.environment, &source.form, &query, signal.as_ref()).await;
            let wanted = self.model.try_update_value(|model| match answer {
                Ok(answer) => {
                    self.loader.clock.try_update_value(|clock| clock.rate = answer.rate);
                    model.arrive(request.ticket, answer.body).then_some(Ok(()))
                }
                Err(error) if error.status() == Some(400) => {
                    model.refuse(request.ticket).then_some(Err(error))
                }
                Err(error) => model.fail(request.ticket).then_some(Err(error)),
            });
            // `None` if the page was left, `Some(None)` if the response is outdated.
            let Some(Some(outcome)) = wanted else { return };
            if let Some(Some(abort)) = self.loader.abort.try_update_value(Option::take) {
                abort.spare();
            }
            if let Err(error) = &outcome {
                self.session.notice(error);
                if may_come_back(error) {
                    self.again_later();
                }
            }
            // After an error, rows, position and counts stay as they are.
            if first && outcome.is_ok() {
                self.begin();
            }
            // After a rejected cursor the model may try another query. Show the error only if it
            // gave up.
            let failed = self.model.try_with_value(ListModel::phase) == Some(Phase::Failed);
            self.signals.error.try_set(outcome.err().filter(|_| failed));
            self.recount();
        });
    }
}

impl List {
    /// Retries after a delay, unless the user has retried before.
    fn again_later(self) {
        spawn_local(async move {
            TimeoutFuture::new(LOST_WAIT_MS).await;
            // The error stays visible until there is a response.
            if self.signals.error.try_get_untracked().flatten().as_ref().is_some_and(may_come_back)
            {
                self.model.try_update_value(ListModel::retry);
                self.more();
            }
        });
    }
}

/// Returns whether the same request may succeed later without an action on this page: the network
/// comes back, or the user signs in in another tab.
fn may_come_back(error: &ApiError) -> bool {
    matches!(error, ApiError::Network | ApiError::SessionEnded)
}
