//! Behaviour of an instance while the store answers, refuses, is silent or recovers.

use super::*;
use crate::window::WindowState;
use async_trait::async_trait;
use meter::{Grant, LeaseRequest, Settlement};
use tokio::time::Instant;

const LIMITS: WindowLimits = WindowLimits { window: 60, burst: 9 };
const SHARING: SharingOptions =
    SharingOptions { instances_min: 1, call_timeout: Duration::from_secs(1) };

/// A fake store with scripted answers.
#[derive(Default)]
struct FakeBackend {
    is_silent: AtomicBool,
    refuses: AtomicBool,
    instances: AtomicU32,
    is_full: AtomicBool,
    calls: AtomicU32,
    sweeps: AtomicU32,
}

impl FakeBackend {
    async fn answer<T>(&self, answer: T) -> Result<T> {
        if self.is_silent.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        Ok(answer)
    }

    fn call_count(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }

    fn set_silent(&self, is_silent: bool) {
        self.is_silent.store(is_silent, Ordering::Relaxed);
    }
}

#[async_trait]
impl LimitBackend for Arc<FakeBackend> {
    fn kind(&self) -> &'static str {
        "a test"
    }

    async fn admit(&self, _: &CounterName, _: WindowRequest) -> Result<WindowState> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let is_let_in = !self.refuses.load(Ordering::Relaxed);
        let ready_us = 900_000_000;
        self.answer(WindowState {
            is_admitted: is_let_in,
            count: 60,
            full_s: 1,
            ready_us,
            now_us: 0,
        })
        .await
    }

    async fn lease(
        &self,
        name: &CounterName,
        request: LeaseRequest,
        _: Option<&Settlement>,
    ) -> Result<Grant> {
        let request = WindowRequest { limits: request.limits, is_counted: true, at_us: None };
        let reading = self.admit(name, request).await?;
        Ok(Grant { reading, units: reading.is_admitted.into(), ..Grant::default() })
    }

    async fn settle(&self, _: &Settlement, _: Option<i64>) -> Result<()> {
        self.answer(()).await
    }

    async fn count_attempt(&self, _: &SignInAttempt<'_>) -> Result<i64> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.answer(7_000_000).await
    }

    async fn reset_attempts(&self, _: &CounterName) -> Result<()> {
        self.answer(()).await
    }

    async fn heartbeat(&self, _: &[u8], _: i64) -> Result<u32> {
        self.answer(self.instances.load(Ordering::Relaxed)).await
    }

    async fn sweep(&self) -> Result<Vec<LimitKind>> {
        self.sweeps.fetch_add(1, Ordering::Relaxed);
        let is_full = self.is_full.load(Ordering::Relaxed);
        self.answer(if is_full { vec![LimitKind::Anonymous] } else { Vec::new() }).await
    }
}

async fn start_limits(instances: u32, sharing: SharingOptions) -> (SharedLimits, Arc<FakeBackend>) {
    let backend =
        Arc::new(FakeBackend { instances: AtomicU32::new(instances), ..FakeBackend::default() });
    (SharedLimits::start(Box::new(Arc::clone(&backend)), sharing).await.unwrap(), backend)
}

fn name() -> CounterName {
    CounterName::of(LimitKind::Caller, &[])
}

fn at_s(seconds: i64) -> Timestamp {
    Timestamp::from_micros((1_800_000_000 + seconds) * 1_000_000).unwrap()
}

fn refusal(limits: WindowLimits) -> Refusal {
    let reading = WindowState { is_admitted: false, count: 1, full_s: 1, ready_us: 9, now_us: 0 };
    reading.into_result(limits).unwrap_err()
}

/// Sends a request; returns the limits if this instance counted locally.
async fn local_limits_used(it: &SharedLimits, now_s: i64) -> Option<WindowLimits> {
    let mut used = None;
    let count_locally = |limits| {
        used = Some(limits);
        Err(refusal(limits))
    };
    let _ = admit(Some(it), name, LIMITS, at_s(now_s), count_locally).await;
    used
}

#[tokio::test(start_paused = true)]
async fn silent_store_is_awaited_once_and_recovers() {
    let (it, backend) = start_limits(3, SHARING).await;
    assert_eq!(local_limits_used(&it, 0).await, None);
    backend.set_silent(true);
    let share = WindowLimits { window: 20, burst: 3 };
    let began = Instant::now();
    assert_eq!(local_limits_used(&it, 0).await, Some(share));
    assert_eq!(began.elapsed(), Duration::from_secs(1));
    assert!(it.is_unavailable());
    let began = Instant::now();
    assert_eq!(local_limits_used(&it, 0).await, Some(share));
    let mut by = None;
    let count_locally = |limits| {
        by = Some(limits);
        refusal(limits).rate_limit
    };
    rate_limit_state(Some(&it), name, LIMITS, count_locally).await;
    assert_eq!(by, Some(share));
    let rules = contract::LoginAttemptLimits {
        address_attempts: 1,
        address_window: Duration::from_secs(1),
        free_attempts: 1,
        wait_max: Duration::from_secs(1),
        forget_after: Duration::from_secs(1),
    };
    let attempts =
        async || it.count_sign_in_attempt(&rules, IpAddr::from([192, 0, 2, 1]), Some("a")).await;
    assert_eq!(attempts().await, None);
    assert_eq!(began.elapsed(), Duration::ZERO, "later requests do not wait");
    assert_eq!((backend.call_count(), it.fallback_total()), (2, 4), "later requests make no call");
    backend.set_silent(false);
    sleep(RECOVERY_CHECK_INTERVAL + SHARING.call_timeout).await;
    assert!(!it.is_unavailable());
    assert_eq!(local_limits_used(&it, 0).await, None);
    assert_eq!(attempts().await, Some(Duration::from_secs(7)));
    assert_eq!((backend.call_count(), it.fallback_total()), (4, 4));
}

#[tokio::test(start_paused = true)]
async fn share_divides_by_instances_and_is_positive() {
    for (instances, instances_min, share) in
        [(0, 0, 60), (1, 1, 60), (3, 1, 20), (3, 5, 12), (7, 5, 8)]
    {
        let (it, _) = start_limits(instances, SharingOptions { instances_min, ..SHARING }).await;
        assert_eq!(it.local_share(60), share, "{instances} {instances_min}");
        assert_eq!(it.local_share(0), 1, "{instances} {instances_min}");
    }
}

#[tokio::test(start_paused = true)]
async fn share_does_not_grow_on_recovery() {
    let (it, backend) = start_limits(3, SHARING).await;
    backend.set_silent(true);
    local_limits_used(&it, 0).await;
    backend.instances.store(1, Ordering::Relaxed);
    backend.set_silent(false);
    sleep(RECOVERY_CHECK_INTERVAL + SHARING.call_timeout).await;
    assert_eq!((it.is_unavailable(), it.instances()), (false, 3), "other instances may be late");
    sleep(HEARTBEAT_INTERVAL).await;
    assert_eq!(it.instances(), 1);
}

#[tokio::test(start_paused = true)]
async fn refusal_is_cached_for_a_second() {
    let (it, backend) = start_limits(1, SHARING).await;
    backend.refuses.store(true, Ordering::Relaxed);
    let count_locally = |_| panic!("the instance counted locally");
    for _ in 0..5 {
        let refused = admit(Some(&it), name, LIMITS, at_s(0), count_locally).await;
        assert_eq!(refused.unwrap_err().retry_after_s, 900);
    }
    assert_eq!(backend.call_count(), 1);
    assert!(admit(Some(&it), name, LIMITS, at_s(1), count_locally).await.is_err());
    assert_eq!(backend.call_count(), 2);
}

#[tokio::test(start_paused = true)]
async fn periodic_sweep_reports_full_kinds() {
    let (it, backend) = start_limits(1, SHARING).await;
    let minute = HEARTBEAT_INTERVAL * HEARTBEATS_PER_SWEEP;
    backend.is_full.store(true, Ordering::Relaxed);
    sleep(minute / 60 * 59).await;
    assert_eq!((backend.sweeps.load(Ordering::Relaxed), it.full_kinds()), (0, 0));
    sleep(Duration::from_secs(2)).await;
    assert_eq!((backend.sweeps.load(Ordering::Relaxed), it.full_kinds()), (1, 1));
    backend.is_full.store(false, Ordering::Relaxed);
    sleep(minute).await;
    assert_eq!((backend.sweeps.load(Ordering::Relaxed), it.full_kinds()), (2, 0));
    backend.set_silent(true);
    sleep(minute * 3).await;
    assert!(it.is_unavailable());
    assert_eq!(backend.sweeps.load(Ordering::Relaxed), 2, "a silent store is not swept");
}
