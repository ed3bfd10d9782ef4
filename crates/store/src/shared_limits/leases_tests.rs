//! Tests of leases: requests under one name share calls, and no granted unit is lost.

use super::*;
use crate::shared_limits::meter::{
    Grant, LimitBackend, LimitKind, Settlement, SignInAttempt, WindowRequest,
};
use crate::shared_limits::{RECOVERY_CHECK_INTERVAL, SharedLimits, SharingOptions, admit};
use async_trait::async_trait;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

const LIMITS: WindowLimits = WindowLimits { window: 100_000, burst: 500 };
const ROUND_TRIP: Duration = Duration::from_millis(2);

/// A fake store that grants all requested units and counts calls.
#[derive(Default)]
struct FakeBackend {
    counted: AtomicU32,
    leases: AtomicU32,
    returns: AtomicU32,
    is_silent: AtomicBool,
}

#[async_trait]
impl LimitBackend for Arc<FakeBackend> {
    fn kind(&self) -> &'static str {
        "a test"
    }

    async fn admit(&self, _: &CounterName, _: WindowRequest) -> Result<WindowState> {
        unreachable!("requests are leased");
    }

    async fn lease(
        &self,
        _: &CounterName,
        request: LeaseRequest,
        before: Option<&Settlement>,
    ) -> Result<Grant> {
        self.leases.fetch_add(1, Ordering::Relaxed);
        if self.is_silent.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        sleep(ROUND_TRIP).await;
        self.counted.fetch_sub(before.map_or(0, |it| it.unspent), Ordering::Relaxed);
        let count = self.counted.fetch_add(request.wanted, Ordering::Relaxed) + request.wanted;
        let reading = WindowState { is_admitted: true, count, ..WindowState::default() };
        Ok(Grant { reading, units: request.wanted, ..Grant::default() })
    }

    async fn settle(&self, lease: &Settlement, _: Option<i64>) -> Result<()> {
        self.returns.fetch_add(1, Ordering::Relaxed);
        self.counted.fetch_sub(lease.unspent, Ordering::Relaxed);
        Ok(())
    }

    async fn count_attempt(&self, _: &SignInAttempt<'_>) -> Result<i64> {
        Ok(0)
    }

    async fn reset_attempts(&self, _: &CounterName) -> Result<()> {
        Ok(())
    }

    async fn heartbeat(&self, _: &[u8], _: i64) -> Result<u32> {
        Ok(1)
    }

    async fn sweep(&self) -> Result<Vec<LimitKind>> {
        Ok(Vec::new())
    }
}

impl FakeBackend {
    fn calls(&self) -> u32 {
        self.leases.load(Ordering::Relaxed) + self.returns.load(Ordering::Relaxed)
    }

    fn counted(&self) -> u32 {
        self.counted.load(Ordering::Relaxed)
    }
}

async fn start_limits() -> (SharedLimits, Arc<FakeBackend>) {
    let bank = Arc::new(FakeBackend::default());
    let limits = SharedLimits::start(Box::new(Arc::clone(&bank)), SharingOptions::default());
    (limits.await.unwrap(), bank)
}

/// Sends a request; returns the remaining requests if the store admitted it.
async fn remaining_requests(it: &SharedLimits) -> Option<u32> {
    let name = || CounterName::of(LimitKind::Caller, &[]);
    let mut is_here = false;
    let count_locally = |limits| {
        is_here = true;
        WindowState::default().into_result(limits)
    };
    let now = Timestamp::from_micros(1_800_000_000_000_000).unwrap();
    let answer = admit(Some(it), name, LIMITS, now, count_locally).await;
    answer.ok().filter(|_| !is_here).map(|rate_limit| rate_limit.remaining)
}

/// Waits until all leases are dropped.
async fn wait_for_expiry(it: &SharedLimits) {
    sleep(LEASE_DURATION * 4).await;
    assert_eq!(it.0.leases.count(), 0, "some leases remain");
}

#[tokio::test(start_paused = true)]
async fn rare_requests_are_counted_one_by_one() {
    let (it, bank) = start_limits().await;
    for n in 1..=20 {
        assert_eq!(remaining_requests(&it).await, Some(LIMITS.window - n));
        sleep(LEASE_DURATION).await;
    }
    assert_eq!((bank.calls(), bank.counted()), (20, 20));
    wait_for_expiry(&it).await;
}

#[tokio::test(start_paused = true)]
async fn frequent_requests_need_few_calls() {
    let (it, bank) = start_limits().await;
    for n in 1..=2000 {
        assert_eq!(
            remaining_requests(&it).await,
            Some(LIMITS.window - n),
            "one instance counts exactly"
        );
        sleep(Duration::from_millis(1)).await;
    }
    assert!(bank.calls() <= 200, "{} calls", bank.calls());
    wait_for_expiry(&it).await;
    assert_eq!(bank.counted(), 2000, "unspent units are returned");
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_share_calls() {
    let (it, bank) = start_limits().await;
    let mut tasks = JoinSet::new();
    for _ in 0..32 {
        let it = it.clone();
        tasks.spawn(async move {
            for _ in 0..30 {
                assert!(remaining_requests(&it).await.is_some());
                sleep(Duration::from_millis(1)).await;
            }
        });
    }
    tasks.join_all().await;
    assert!(bank.calls() <= 960 / 10, "{} calls for 960 requests", bank.calls());
    wait_for_expiry(&it).await;
    assert_eq!(bank.counted(), 960);
}

#[tokio::test(start_paused = true)]
async fn cancelled_requests_lose_at_most_one_unit() {
    let (it, bank) = start_limits().await;
    for _ in 0..50 {
        remaining_requests(&it).await;
    }
    let counted = bank.counted();
    // The clients disconnect during the call that all of them share.
    let mut tasks = JoinSet::new();
    for _ in 0..100 {
        let it = it.clone();
        tasks.spawn(async move { timeout(ROUND_TRIP / 2, remaining_requests(&it)).await.is_ok() });
    }
    let answered = tasks.join_all().await.into_iter().filter(|is_in_time| *is_in_time).count();
    assert!(answered < 100);
    wait_for_expiry(&it).await;
    assert!(counted >= 50 && bank.counted() <= 50 + u32::try_from(answered).unwrap() + 1);
}

#[tokio::test(start_paused = true)]
async fn requests_await_silent_store_concurrently() {
    let (it, bank) = start_limits().await;
    bank.is_silent.store(true, Ordering::Relaxed);
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..50 {
        let it = it.clone();
        tasks.spawn(async move { remaining_requests(&it).await });
    }
    assert!(tasks.join_all().await.iter().all(Option::is_none));
    assert_eq!(began.elapsed(), SharingOptions::default().call_timeout);
    assert_eq!(bank.calls(), 1);
    bank.is_silent.store(false, Ordering::Relaxed);
    sleep(RECOVERY_CHECK_INTERVAL * 2).await;
    assert!(remaining_requests(&it).await.is_some(), "the store is called again");
}
