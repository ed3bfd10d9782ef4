//! Tests that windows in PostgreSQL and in memory give the same answers at the same instants, and
//! of further guarantees.

use super::*;
use crate::PostgresStore;
use crate::test_database::prepared_database;
use contract::{LoginAttemptLimits, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::sync::atomic::{AtomicU64, Ordering};
use store::window::{Window, WindowLimits};

const SECOND_US: i64 = 1_000_000;
/// How long an instance counts after its last report.
const ALIVE_US: i64 = 20 * SECOND_US;
const BEGAN_US: i64 = 1_800_000_000 * SECOND_US;

async fn open_meter() -> PostgresMeter {
    let setup = Setup::with_defaults(&prepared_database());
    PostgresStore::open(&setup).await.unwrap();
    PostgresMeter::new(&setup).unwrap()
}

/// Returns a name that is unique in the tests.
fn unique_name() -> CounterName {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    CounterName::of(LimitKind::Caller, &[&count.to_be_bytes()])
}

/// Generates steps: the time that passes, which of two plans is used, and whether the request
/// counts.
fn step_strategy() -> impl Strategy<Value = Vec<(i64, bool, bool)>> {
    let step = prop_oneof![
        4 => 0..300_000i64,
        3 => 300_000..2_000_000i64,
        2 => 2_000_000..120_000_000i64,
        1 => 800_000_000..1_000_000_000i64,
    ];
    let steps = (step, any::<bool>(), proptest::bool::weighted(0.9));
    proptest::collection::vec(steps, 1..80)
}

#[test]
fn database_window_matches_memory_window() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let meter = runtime.block_on(open_meter());
    let plans = (1u32..40, 1u32..6, 1u32..40, 1u32..6);
    let cases = if test_servers::is_full_run() { 48 } else { 16 };
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    let compare = |((window, burst, other_window, other_burst), steps)| {
        let plan = WindowLimits { window, burst };
        let other = WindowLimits { window: other_window, burst: other_burst };
        let name = unique_name();
        let mut subject = Window::default();
        let mut at_us = BEGAN_US;
        for (step, is_other, is_counted) in steps {
            at_us += step;
            let limits = if is_other { other } else { plan };
            let ask = WindowRequest { limits, is_counted, at_us: Some(at_us) };
            let now = Timestamp::from_micros(at_us).unwrap();
            let expect = if is_counted {
                subject.admit(limits, now)
            } else {
                Ok(subject.rate_limit(limits, now))
            };
            let reading = runtime.block_on(meter.admit(&name, ask)).unwrap();
            let answer = if is_counted {
                reading.into_result(limits)
            } else {
                Ok(reading.rate_limit(limits))
            };
            prop_assert_eq!(answer, expect);
        }
        Ok(())
    };
    TestRunner::new(config).run(&(plans, step_strategy()), compare).unwrap();
}

#[tokio::test]
async fn clock_set_back_admits_no_extra_request() {
    let limits = WindowLimits { window: 3, burst: 3 };
    let meter = open_meter().await;
    let name = unique_name();
    let ask = async |at_s: i64, is_counted| {
        let at_us = Some(BEGAN_US + at_s * SECOND_US);
        meter.admit(&name, WindowRequest { limits, is_counted, at_us }).await.unwrap()
    };
    let second = |reading: &WindowState| (reading.now_us - BEGAN_US) / SECOND_US;
    for second in 0..3 {
        assert!(ask(5000 + second, true).await.is_admitted);
    }
    let a_little = ask(5001, true).await;
    assert_eq!((a_little.is_admitted, second(&a_little)), (false, 5002));
    // Requests that were counted while the clock was ahead count from now on, and no longer.
    let before = ask(10, false).await;
    assert_eq!((before.count, second(&before)), (3, 10));
    let counted_reading = ask(10, true).await;
    assert_eq!(
        (counted_reading.is_admitted, counted_reading.count, second(&counted_reading)),
        (false, 3, 10)
    );
    assert_eq!(counted_reading.ready_us, BEGAN_US + 911 * SECOND_US);
    assert!(!ask(910, true).await.is_admitted);
    let after = ask(911, true).await;
    assert_eq!((after.is_admitted, after.count), (true, 1));
}

#[tokio::test]
async fn clock_ahead_does_not_lock_accounts_long() {
    let rules = rules();
    let meter = open_meter().await;
    let account = unique_name();
    let try_at = async |at_s: i64| {
        let at_us = Some(BEGAN_US + at_s * SECOND_US);
        let attempt = SignInAttempt {
            rules: &rules,
            address: &unique_name(),
            account: Some(&account),
            at_us,
        };
        meter.count_attempt(&attempt).await.unwrap() / SECOND_US
    };
    for _ in 0..5 {
        assert_eq!(try_at(90_000).await, 0);
    }
    assert_eq!(try_at(0).await, 2);
    assert_eq!(try_at(2).await, 0);
    assert_eq!(try_at(2).await, 4);
}

#[tokio::test]
async fn burst_limit_is_exact() {
    let limits = WindowLimits { window: 50_000, burst: 500 };
    let meter = open_meter().await;
    let name = unique_name();
    for n in 0..600_i64 {
        let at_us = Some(BEGAN_US + n);
        let ask = WindowRequest { limits, is_counted: true, at_us };
        let reading = meter.admit(&name, ask).await.unwrap();
        assert_eq!(reading.is_admitted, n < 500, "{n}");
        assert_eq!(i64::from(reading.count), (n + 1).min(500));
    }
}

#[tokio::test]
async fn burst_second_ends_to_the_microsecond() {
    let limits = WindowLimits { window: 9, burst: 1 };
    let meter = open_meter().await;
    let name = unique_name();
    for (passed_us, expect) in [(0, true), (999_999, false), (1_000_000, true)] {
        let at_us = Some(BEGAN_US + passed_us);
        let ask = WindowRequest { limits, is_counted: true, at_us };
        let reading = meter.admit(&name, ask).await.unwrap();
        assert_eq!(reading.is_admitted, expect, "{passed_us}");
    }
}

fn rules() -> LoginAttemptLimits {
    LoginAttemptLimits {
        address_attempts: 20,
        address_window: Duration::from_mins(1),
        free_attempts: 5,
        wait_max: Duration::from_mins(15),
        forget_after: Duration::from_mins(30),
    }
}

#[tokio::test]
async fn each_failed_try_doubles_the_wait() {
    let rules = rules();
    let meter = open_meter().await;
    let account = unique_name();
    let try_at = async |address: &CounterName, at_s: i64| {
        let at_us = Some(BEGAN_US + at_s * SECOND_US);
        let attempt = SignInAttempt { rules: &rules, address, account: Some(&account), at_us };
        meter.count_attempt(&attempt).await.unwrap() / SECOND_US
    };
    for _ in 0..5 {
        assert_eq!(try_at(&unique_name(), 0).await, 0);
    }
    assert_eq!(try_at(&unique_name(), 0).await, 2);
    assert_eq!(try_at(&unique_name(), 1).await, 1);
    assert_eq!(try_at(&unique_name(), 2).await, 0);
    assert_eq!(try_at(&unique_name(), 2).await, 4);
    let mut at_s = 2;
    for n in 0..40 {
        let wait_s = try_at(&unique_name(), at_s).await;
        assert!(wait_s <= 900, "{wait_s}");
        assert!(n < 20 || wait_s == 900 || wait_s == 0, "{wait_s}");
        at_s += wait_s;
    }
    assert_eq!(try_at(&unique_name(), at_s + 1800).await, 0);
    assert_eq!(try_at(&unique_name(), at_s + 1800).await, 0, "the tries were not forgotten");
    meter.reset_attempts(&account).await.unwrap();
    for _ in 0..5 {
        assert_eq!(try_at(&unique_name(), at_s + 1800).await, 0);
    }
    assert_eq!(try_at(&unique_name(), at_s + 1800).await, 2);
}

#[tokio::test]
async fn address_tries_are_limited_per_minute() {
    let rules = rules();
    let meter = open_meter().await;
    let address = unique_name();
    let try_at = async |at_s: i64| {
        let at_us = Some(BEGAN_US + at_s * SECOND_US);
        let attempt = SignInAttempt { rules: &rules, address: &address, account: None, at_us };
        meter.count_attempt(&attempt).await.unwrap() / SECOND_US
    };
    for n in 0..20 {
        assert_eq!(try_at(10 + n / 4).await, 0);
    }
    assert_eq!(try_at(30).await, 40);
    assert_eq!(try_at(69).await, 1);
    assert_eq!(try_at(70).await, 0);
}

#[tokio::test]
async fn silent_instances_are_not_counted() {
    let meter = open_meter().await;
    assert_eq!(meter.heartbeat(b"one", ALIVE_US).await.unwrap(), 1);
    assert_eq!(meter.heartbeat(b"two", ALIVE_US).await.unwrap(), 2);
    assert_eq!(meter.heartbeat(b"one", ALIVE_US).await.unwrap(), 2);
    assert_eq!(meter.heartbeat(b"three", 0).await.unwrap(), 0, "all expire after 0 µs");
}
