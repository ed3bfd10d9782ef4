//! Tests of the window with fixed figures, and against a naive log.

use super::*;
use proptest::prelude::*;

const FREE: WindowLimits = WindowLimits { window: 100, burst: 2 };

fn at_us(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000 + micros).unwrap()
}

fn at_s(seconds: i64) -> Timestamp {
    at_us(seconds * SECOND_US)
}

#[test]
fn admit_counts_down_and_reports_reset() {
    let mut window = Window::default();
    assert_eq!(
        window.rate_limit(FREE, at_s(0)),
        RateLimit { limit: 100, remaining: 100, reset_s: 1_800_000_000 }
    );
    let rate_limit = window.admit(FREE, at_s(0)).unwrap();
    assert_eq!(rate_limit, RateLimit { limit: 100, remaining: 99, reset_s: 1_800_000_901 });
    assert_eq!(window.admit(FREE, at_s(5)).unwrap().reset_s, 1_800_000_906);
    assert_eq!(window.rate_limit(FREE, at_s(901)).remaining, 99);
    assert_eq!(window.rate_limit(FREE, at_s(906)).remaining, 100);
}

#[test]
fn request_taken_back_is_not_counted() {
    let mut window = Window::default();
    window.undo_admit();
    window.admit(FREE, at_s(0)).unwrap();
    window.admit(FREE, at_s(0)).unwrap();
    window.undo_admit();
    assert_eq!(window.rate_limit(FREE, at_s(0)).remaining, 99);
    window.admit(FREE, at_s(0)).expect("the burst admits another request");
    window.undo_admit();
    window.undo_admit();
    assert!(window.is_idle(at_s(0)));
}

#[test]
fn full_burst_waits_for_oldest_request() {
    let mut window = Window::default();
    window.admit(FREE, at_us(0)).unwrap();
    window.admit(FREE, at_us(400_000)).unwrap();
    let refusal = window.admit(FREE, at_us(999_999)).unwrap_err();
    assert_eq!((refusal.retry_after_s, refusal.retry_at), (1, at_s(1)));
    assert_eq!(refusal.rate_limit.remaining, 98);
    window.admit(FREE, at_us(1_000_000)).unwrap();
    assert!(window.admit(FREE, at_us(1_399_999)).is_err());
    window.admit(FREE, at_us(1_400_000)).unwrap();
}

#[test]
fn full_window_waits_for_oldest_second() {
    let mut window = Window::default();
    for second in 0..100 {
        window.admit(FREE, at_s(second)).unwrap();
    }
    let refusal = window.admit(FREE, at_s(100)).unwrap_err();
    assert_eq!((refusal.retry_after_s, refusal.retry_at), (801, at_s(901)));
    assert_eq!(refusal.rate_limit, RateLimit { limit: 100, remaining: 0, reset_s: 1_800_001_000 });
    assert_eq!(window.admit(FREE, at_us(900_999_999)).unwrap_err().retry_after_s, 1);
    window.admit(FREE, at_s(901)).unwrap();
    assert!(window.admit(FREE, at_s(901)).is_err());
}

#[test]
fn clock_set_back_admits_no_extra_requests() {
    let mut window = Window::default();
    for second in 0..100 {
        window.admit(FREE, at_s(1000 + second)).unwrap();
    }
    assert!(window.admit(FREE, at_s(0)).is_err());
    assert!(window.admit(FREE, at_s(-5000)).is_err());
}

#[test]
fn smaller_plan_counts_earlier_requests() {
    let mut window = Window::default();
    let pro = WindowLimits { window: 500, burst: 10 };
    for second in 0..150 {
        window.admit(pro, at_s(second)).unwrap();
    }
    let refusal = window.admit(FREE, at_s(150)).unwrap_err();
    assert_eq!((refusal.rate_limit.remaining, refusal.retry_at), (0, at_s(50 + 901)));
    window.admit(FREE, refusal.retry_at).unwrap();
}

#[test]
fn memory_of_long_run_is_bounded() {
    let enterprise = WindowLimits { window: 50_000, burst: 500 };
    let mut window = Window::default();
    for tenth in 0..40_000 {
        for _ in 0..5 {
            let _ = window.admit(enterprise, at_us(tenth * 100_000));
        }
        assert!(window.seconds.len() <= 901);
        assert!(window.burst.len() <= 500);
    }
    assert!(window.is_idle(at_s(4000 + 901)));
    assert!(window.seconds.is_empty());
}

/// The reference implementation: a list of the instants of all admitted requests.
#[derive(Default)]
struct NaiveLog(Vec<i64>);

impl NaiveLog {
    fn admits(&self, limits: WindowLimits, now_us: i64) -> bool {
        let second = |us: i64| us.div_euclid(SECOND_US);
        let in_window = self.0.iter().filter(|&&at| second(now_us) - second(at) <= 900).count();
        let in_burst = self.0.iter().filter(|&&at| now_us - at < SECOND_US).count();
        in_window < limits.window as usize && in_burst < limits.burst as usize
    }

    /// Returns the maximum number of requests in any interval of this length, both ends included.
    fn most_within(&self, interval_us: i64) -> usize {
        let from =
            |i: usize| self.0[i..].iter().take_while(move |&&at| at - self.0[i] <= interval_us);
        (0..self.0.len()).map(|i| from(i).count()).max().unwrap_or(0)
    }
}

fn steps() -> impl Strategy<Value = Vec<i64>> {
    let step = prop_oneof![
        4 => 0..300_000i64,
        3 => 300_000..2_000_000i64,
        2 => 2_000_000..120_000_000i64,
        1 => 800_000_000..1_000_000_000i64,
    ];
    proptest::collection::vec(step, 1..300)
}

proptest! {
    #[test]
    fn window_agrees_with_naive_log(
        steps in steps(), window in 1u32..40, burst in 1u32..6
    ) {
        let limits = WindowLimits { window, burst };
        let mut subject = Window::default();
        let mut log = NaiveLog::default();
        let mut now_us = 0;
        for step in steps {
            now_us += step;
            let admitted = subject.admit(limits, at_us(now_us));
            prop_assert_eq!(admitted.is_ok(), log.admits(limits, now_us));
            match admitted {
                Ok(_) => log.0.push(now_us),
                Err(refusal) => {
                    let wait_us = refusal.retry_after_s.cast_signed() * SECOND_US;
                    prop_assert!(refusal.retry_after_s >= 1);
                    prop_assert!(log.admits(limits, now_us + wait_us), "too early");
                    prop_assert!(log.admits(limits, refusal.retry_at.micros() - at_us(0).micros()));
                    let early_us = now_us + wait_us - SECOND_US;
                    prop_assert!(wait_us == SECOND_US || !log.admits(limits, early_us), "too late");
                }
            }
        }
        prop_assert!(log.most_within(900 * SECOND_US) <= window as usize);
        prop_assert!(log.most_within(SECOND_US - 1) <= burst as usize);
    }

    #[test]
    fn reset_is_when_full_quota_is_available(steps in steps()) {
        let limits = WindowLimits { window: 20, burst: 5 };
        let mut subject = Window::default();
        let mut now_us = 0;
        for step in steps {
            now_us += step;
            let _ = subject.admit(limits, at_us(now_us));
        }
        let reset_s = subject.rate_limit(limits, at_us(now_us)).reset_s.cast_signed();
        let before = Timestamp::from_micros(reset_s * SECOND_US - 1).unwrap();
        let reset = Timestamp::from_micros(reset_s * SECOND_US).unwrap();
        prop_assert!(before < at_us(now_us) || subject.rate_limit(limits, before).remaining < 20);
        prop_assert_eq!(subject.rate_limit(limits, reset).remaining, 20);
    }
}
