//! What is missing, fetched: one request at a time, at the pace that the rate limit allows.

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

/// How long the view must rest before what lies far from all that is known is looked for: a bar
/// that is dragged passes much that nobody reads.
const REST_MS: f64 = 120.0;
/// How long is waited after a request was lost, before the next.
const LOST_WAIT_MS: u32 = 5_000;

/// When the last request was sent, and when the next one may be.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clock {
    pub(super) sent_ms: f64,
    pub(super) moved_ms: f64,
    pub(super) rate: Option<RateLimit>,
    /// Whether a timer for the next request is set.
    pub(super) waits: bool,
}

/// The request that is running.
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
    /// Takes in which rows are drawn, end exclusive, and fetches what is missing of them.
    pub fn look(self, view: (usize, usize)) {
        self.model.try_update_value(|model| model.look(view.0..view.1));
        self.loader.clock.try_update_value(|clock| clock.moved_ms = now_ms());
        self.more();
    }

    /// Fetches what is missing, unless something is on its way: at once, or as soon as the rate
    /// limit and a view at rest allow.
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
        // What a person chose by a filter is not held up.
        if want.place == Place::First {
            return 0;
        }
        let now_ms = now_ms();
        let plan = untrack(|| self.session.session()).map_or(Plan::Free, |one| one.account.plan);
        // A clock that was put back holds nothing up.
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
            // Nobody asks any more, or the page is gone.
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
            // What did not come leaves rows, place and counts as they are.
            if first && outcome.is_ok() {
                self.begin();
            }
            // Where another way is open, nothing has to be said of this one.
            let failed = self.model.try_with_value(ListModel::phase) == Some(Phase::Failed);
            self.signals.error.try_set(outcome.err().filter(|_| failed));
            self.recount();
        });
    }
}

impl List {
    /// Asks again after a while, unless a person did.
    fn again_later(self) {
        spawn_local(async move {
            TimeoutFuture::new(LOST_WAIT_MS).await;
            // What it says stays until there is an answer.
            if self.signals.error.try_get_untracked().flatten().as_ref().is_some_and(may_come_back)
            {
                self.model.try_update_value(ListModel::retry);
                self.more();
            }
        });
    }
}

/// Whether the same request may succeed later without an act on this page: a network comes back,
/// and a person can sign in in another tab.
fn may_come_back(error: &ApiError) -> bool {
    matches!(error, ApiError::Network | ApiError::SessionEnded)
}
