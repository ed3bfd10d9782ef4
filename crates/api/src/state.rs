//! State shared by all routes.

use crate::cursor::CursorCodec;
use crate::intake::IntakeState;
use crate::live::LiveStreams;
use crate::mail::{ConfirmationLimiter, MailService};
use crate::middleware::auth::KeyUseRecorder;
use crate::middleware::in_flight::InFlight;
use crate::middleware::rate_limit::RateLimiter;
use crate::plan_limits::PlanLimits;
use contract::Timestamp;
use notify::AddressPolicy;
use std::sync::{Arc, OnceLock};
use store::Store;
use store::clock::{Clock, Moment};
use store::daily_limits::DailyLimits;
use store::shared_limits::SharedLimits;

/// State of the API. Clones share the state.
#[derive(Clone)]
pub struct Service(Arc<ServiceState>);

struct ServiceState {
    store: Arc<dyn Store>,
    /// The only source of the current time.
    clock: Arc<dyn Clock>,
    /// Creates and verifies cursors with the store's secret.
    cursors: CursorCodec,
    /// Request counts per key, address and user.
    rate_limiter: RateLimiter,
    /// Limits shared with other instances; unset if this process counts alone.
    shared_limits: OnceLock<SharedLimits>,
    /// Last recorded use of each key.
    key_uses: KeyUseRecorder,
    /// Daily analysis limits per plan.
    insight_limits: OnceLock<DailyLimits>,
    /// Receivers that webhooks may have.
    webhook_policy: OnceLock<AddressPolicy>,
    /// E-mail; unset if the server cannot send any.
    mail: OnceLock<MailService>,
    /// Confirmation e-mails of the last hour per account.
    confirmation_limiter: ConfirmationLimiter,
    /// Cached form settings and intake limits.
    intake_state: IntakeState,
    /// Large responses in progress.
    in_flight: InFlight,
    /// Streams of live updates.
    live: LiveStreams,
}

impl Service {
    /// Creates the service over a store, with the limits of the specification.
    ///
    /// # Errors
    /// Fails if the store cannot provide the cursor secret.
    pub async fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> store::Result<Self> {
        Self::with_limits(store, clock, PlanLimits::default()).await
    }

    /// Creates the service over a store, with custom limits.
    ///
    /// # Errors
    /// Same as [`Service::new`].
    pub async fn with_limits(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        limits: PlanLimits,
    ) -> store::Result<Self> {
        let cursors = CursorCodec::new(store.cursor_secret().await?);
        Ok(Self(Arc::new(ServiceState {
            store,
            clock,
            cursors,
            rate_limiter: RateLimiter::new(limits),
            shared_limits: OnceLock::new(),
            key_uses: KeyUseRecorder::default(),
            insight_limits: OnceLock::new(),
            webhook_policy: OnceLock::new(),
            mail: OnceLock::new(),
            confirmation_limiter: ConfirmationLimiter::default(),
            intake_state: IntakeState::default(),
            in_flight: InFlight::default(),
            live: LiveStreams::default(),
        })))
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Returns the clock for requests.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// Returns the current time by both clocks. Limits use the steady clock, which cannot be set.
    pub(crate) fn moment(&self) -> Moment {
        Moment { now: self.0.clock.now(), steady: self.0.clock.steady() }
    }

    pub(crate) fn cursors(&self) -> &CursorCodec {
        &self.0.cursors
    }

    pub(crate) fn rate_limiter(&self) -> &RateLimiter {
        &self.0.rate_limiter
    }

    /// Shares the rate limits with other instances. Call it once, before the first request.
    pub fn share_limits(&self, limits: SharedLimits) {
        let is_first = self.0.shared_limits.set(limits).is_ok();
        debug_assert!(is_first, "`share_limits` was called twice");
    }

    pub(crate) fn shared_limits(&self) -> Option<&SharedLimits> {
        self.0.shared_limits.get()
    }

    /// Replaces the plans' daily analysis limits, which owners can see. Call it once, before the
    /// first request.
    pub fn set_insight_limits(&self, limits: DailyLimits) {
        let is_first = self.0.insight_limits.set(limits).is_ok();
        debug_assert!(is_first, "`set_insight_limits` was called twice or too late");
    }

    pub(crate) fn insight_limits(&self) -> &DailyLimits {
        self.0.insight_limits.get_or_init(DailyLimits::default)
    }

    /// Replaces the policy for the URLs of webhooks, which admits only `https` and public addresses
    /// by default. Call it once, before the first request.
    pub fn set_webhook_policy(&self, policy: AddressPolicy) {
        let is_first = self.0.webhook_policy.set(policy).is_ok();
        debug_assert!(is_first, "`set_webhook_policy` was called twice or too late");
    }

    pub(crate) fn webhook_policy(&self) -> &AddressPolicy {
        self.0.webhook_policy.get_or_init(AddressPolicy::default)
    }

    /// Enables e-mail. Call it once, before the first request.
    pub fn set_mail(&self, mail: MailService) {
        let is_first = self.0.mail.set(mail).is_ok();
        debug_assert!(is_first, "`set_mail` was called twice");
    }

    /// Returns the e-mail service; `None` if the server cannot send e-mail.
    pub(crate) fn mail(&self) -> Option<&MailService> {
        self.0.mail.get()
    }

    pub(crate) fn confirmation_limiter(&self) -> &ConfirmationLimiter {
        &self.0.confirmation_limiter
    }

    pub(crate) fn intake_state(&self) -> &IntakeState {
        &self.0.intake_state
    }

    pub(crate) fn in_flight(&self) -> &InFlight {
        &self.0.in_flight
    }

    pub(crate) fn live(&self) -> &LiveStreams {
        &self.0.live
    }

    /// Ends the streams of live updates, so that a graceful shutdown does not wait for them.
    pub fn close_streams(&self) {
        self.0.live.close();
    }

    pub(crate) fn key_uses(&self) -> &KeyUseRecorder {
        &self.0.key_uses
    }
}
