//! The HTTP API: the routes of the specification, the owner's routes, and the intake of
//! submissions.
//!
//! A request goes from the table in `routes` through `auth` and `rate_limit` to the [`store`];
//! answers return the same way. This crate does not depend on a database driver or on the gateway.

pub mod fields;

mod audit;
mod auth;
mod cursor;
mod deletions;
mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod html;
mod in_flight;
mod ingest;
mod locale;
mod message;
mod openapi;
mod plan_limits;
mod rate_limit;
mod routes;

pub use ingest::{Country, client, ingest};
pub use openapi::document;
pub use plan_limits::{BURST_REQUESTS_MAX, PlanLimits, WINDOW_REQUESTS_MAX};
pub use routes::{account, is_public, public};

use auth::Touches;
use contract::Timestamp;
use cursor::Cursors;
use in_flight::InFlight;
use rate_limit::RateLimiter;
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
    desk: ingest::Desk,
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
            desk: ingest::Desk::default(),
            in_flight: InFlight::default(),
        })))
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// The clock of requests.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// The present by both clocks: limits are counted by the one that nobody sets.
    fn moment(&self) -> Moment {
        Moment { now: self.0.clock.now(), steady: self.0.clock.steady() }
    }

    fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    fn rate_limiter(&self) -> &RateLimiter {
        &self.0.rate_limiter
    }

    /// Has limits counted together with other instances, once, before any request.
    pub fn share_limits(&self, limits: SharedLimits) {
        let is_first = self.0.together.set(limits).is_ok();
        debug_assert!(is_first, "the limits were shared already");
    }

    fn shared_limits(&self) -> Option<&SharedLimits> {
        self.0.together.get()
    }

    /// Sets other daily limits of analysis than the plans' own, once, before any request. Owners
    /// see them.
    pub fn set_insight_limits(&self, limits: Limits) {
        let is_first = self.0.insight_limits.set(limits).is_ok();
        debug_assert!(is_first, "the limits were in use already");
    }

    fn insight_limits(&self) -> &Limits {
        self.0.insight_limits.get_or_init(Limits::default)
    }

    fn desk(&self) -> &ingest::Desk {
        &self.0.desk
    }

    fn in_flight(&self) -> &InFlight {
        &self.0.in_flight
    }

    fn touches(&self) -> &Touches {
        &self.0.touches
    }
}
