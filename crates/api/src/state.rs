//! What all routes share.

use crate::cursor::Cursors;
use crate::intake::IntakeState;
use crate::middleware::auth::Touches;
use crate::middleware::in_flight::InFlight;
use crate::middleware::rate_limit::RateLimiter;
use crate::plan_limits::PlanLimits;
use contract::Timestamp;
use std::sync::{Arc, OnceLock};
use store::Store;
use store::clock::{Clock, Moment};
use store::insight::Limits;
use store::shared_limits::SharedLimits;

/// The service: what its routes share. A clone is the same service.
#[derive(Clone)]
pub struct Service(Arc<Shared>);

struct Shared {
    /// Where everything is kept.
    store: Arc<dyn Store>,
    /// The only source of the present.
    clock: Arc<dyn Clock>,
    /// Makes and reads cursors with the store's secret.
    cursors: Cursors,
    /// What each key has spent.
    rate_limiter: RateLimiter,
    /// Where all instances count together; none where each counts for itself.
    together: OnceLock<SharedLimits>,
    /// When the use of each key was last written down.
    touches: Touches,
    /// How much is analysed in a day.
    insight_limits: OnceLock<Limits>,
    /// What the forms take in, and how much came.
    intake_state: IntakeState,
    /// Large answers that are being sent.
    in_flight: InFlight,
}

impl Service {
    /// Returns the service over a store, with the limits of the specification.
    ///
    /// # Errors
    /// Where the store does not give the secret of the cursors.
    pub async fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> store::Result<Self> {
        Self::with_limits(store, clock, PlanLimits::default()).await
    }

    /// Returns the service over a store, with limits of one's own.
    ///
    /// # Errors
    /// As [`Service::new`].
    pub async fn with_limits(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        limits: PlanLimits,
    ) -> store::Result<Self> {
        let cursors = Cursors::new(store.cursor_secret().await?);
        Ok(Self(Arc::new(Shared {
            store,
            clock,
            cursors,
            rate_limiter: RateLimiter::new(limits),
            together: OnceLock::new(),
            touches: Touches::default(),
            insight_limits: OnceLock::new(),
            intake_state: IntakeState::default(),
            in_flight: InFlight::default(),
        })))
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// The clock of requests.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// The present by both clocks: limits are counted by the one that nobody sets.
    pub(crate) fn moment(&self) -> Moment {
        Moment { now: self.0.clock.now(), steady: self.0.clock.steady() }
    }

    pub(crate) fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    pub(crate) fn rate_limiter(&self) -> &RateLimiter {
        &self.0.rate_limiter
    }

    /// Has limits counted together with other instances, once, before any request.
    pub fn share_limits(&self, limits: SharedLimits) {
        let is_first = self.0.together.set(limits).is_ok();
        debug_assert!(is_first, "the limits were shared already");
    }

    pub(crate) fn shared_limits(&self) -> Option<&SharedLimits> {
        self.0.together.get()
    }

    /// Sets other daily limits of analysis than the plans' own, once, before any request. Owners
    /// see them.
    pub fn set_insight_limits(&self, limits: Limits) {
        let is_first = self.0.insight_limits.set(limits).is_ok();
        debug_assert!(is_first, "the limits were in use already");
    }

    pub(crate) fn insight_limits(&self) -> &Limits {
        self.0.insight_limits.get_or_init(Limits::default)
    }

    pub(crate) fn intake_state(&self) -> &IntakeState {
        &self.0.intake_state
    }

    pub(crate) fn in_flight(&self) -> &InFlight {
        &self.0.in_flight
    }

    pub(crate) fn touches(&self) -> &Touches {
        &self.0.touches
    }
}
