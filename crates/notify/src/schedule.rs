//! Times of retries, and the state of a webhook after a failed attempt.

use contract::Timestamp;
use contract::webhook::DisabledReason;
use std::time::Duration;
use store::outbox::AttemptOutcome;

/// Delays before the retries. After the last one the delivery has failed.
const DELAYS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];
/// A delay is extended by at most this part of it.
const JITTER_DIVISOR: u32 = 10;
/// Longest delay that a receiver can ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_hours(24);
/// Time after which a failing webhook is disabled, if a delivery also fails in its last attempt.
const FAILING_MAX: Duration = Duration::from_hours(5 * 24);
/// Status of a receiver that wants no more requests.
const GONE: u16 = 410;

/// Extends a delay by a random part of a tenth of it, so that what failed together is not retried
/// together. `jitter` is random, from 0 to `u16::MAX`.
pub(crate) fn with_jitter(delay: Duration, jitter: u16) -> Duration {
    delay + delay / JITTER_DIVISOR * u32::from(jitter) / u32::from(u16::MAX)
}

/// A failed attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailedAttempt {
    /// Retries before this attempt.
    pub(crate) retries: u32,
    /// Status of the response.
    pub(crate) status: Option<u16>,
    /// Delay that the receiver asks for.
    pub(crate) retry_after: Option<Duration>,
    /// End of the attempt.
    pub(crate) ended_at: Timestamp,
}

impl FailedAttempt {
    /// Returns the outcome of the attempt. `jitter` is random, from 0 to `u16::MAX`.
    pub(crate) fn outcome(self, jitter: u16) -> AttemptOutcome {
        let index = usize::try_from(self.retries).unwrap_or(usize::MAX);
        match DELAYS.get(index) {
            Some(delay) if self.status != Some(GONE) => {
                let asked_for = self.retry_after.unwrap_or_default().min(RETRY_AFTER_MAX);
                let delay = with_jitter(*delay, jitter).max(asked_for);
                AttemptOutcome::Retry(self.ended_at.saturating_add(delay))
            }
            _ => AttemptOutcome::Failed,
        }
    }

    /// Returns the reason to disable a webhook that has been failing since `failing_since`.
    ///
    /// The last attempt that failed can be long ago. So a delivery must also fail in all its
    /// retries, which take three days.
    pub(crate) fn disabled_reason(
        self,
        outcome: AttemptOutcome,
        failing_since: Option<Timestamp>,
    ) -> Option<DisabledReason> {
        if self.status == Some(GONE) {
            return Some(DisabledReason::Gone);
        }
        let is_failing =
            failing_since.is_some_and(|since| since.saturating_add(FAILING_MAX) <= self.ended_at);
        (is_failing && outcome == AttemptOutcome::Failed).then_some(DisabledReason::Failing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(retries: u32) -> FailedAttempt {
        let ended_at = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        FailedAttempt { retries, status: Some(500), retry_after: None, ended_at }
    }

    fn delay_s(failure: FailedAttempt, jitter: u16) -> Option<i64> {
        match failure.outcome(jitter) {
            AttemptOutcome::Retry(at) => Some(at.seconds() - failure.ended_at.seconds()),
            AttemptOutcome::Failed => None,
            AttemptOutcome::Delivered => unreachable!("the attempt failed"),
        }
    }

    #[test]
    fn delays_follow_schedule() {
        let expected = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
        for (retries, delay) in (0..).zip(expected) {
            assert_eq!(delay_s(failure(retries), 0), Some(delay));
        }
        assert_eq!(delay_s(failure(9), 0), None);
        assert_eq!(delay_s(failure(u32::MAX), 0), None);
    }

    #[test]
    fn jitter_extends_delay_by_tenth() {
        assert_eq!(delay_s(failure(1), u16::MAX), Some(330));
        assert_eq!(delay_s(failure(1), u16::MAX / 2), Some(314));
        assert_eq!(delay_s(failure(8), u16::MAX), Some(95_040));
    }

    #[test]
    fn longer_retry_after_is_honoured() {
        let check = |retries, asked_s, expected| {
            let retry_after = Some(Duration::from_secs(asked_s));
            assert_eq!(delay_s(FailedAttempt { retry_after, ..failure(retries) }, 0), expected);
        };
        check(0, 120, Some(120));
        check(1, 120, Some(300));
        check(0, 1_000_000, Some(86_400));
        check(0, u64::MAX, Some(86_400));
        check(9, 120, None);
    }

    #[test]
    fn gone_receiver_is_disabled() {
        let gone_response = FailedAttempt { status: Some(410), ..failure(0) };
        assert_eq!(gone_response.outcome(0), AttemptOutcome::Failed);
        let reason = gone_response.disabled_reason(AttemptOutcome::Failed, None);
        assert_eq!(reason, Some(DisabledReason::Gone));
    }

    #[test]
    fn webhook_fails_for_five_days() {
        let check = |retries, since: Option<&str>, expected| {
            let failing_since = since.map(|since| Timestamp::parse(since).unwrap());
            let failure = failure(retries);
            let reason = failure.disabled_reason(failure.outcome(0), failing_since);
            assert_eq!(reason, expected, "{retries} {since:?}");
        };
        check(9, Some("2026-02-24T12:00:00Z"), Some(DisabledReason::Failing));
        check(9, Some("2026-02-24T12:00:01Z"), None);
        check(9, None, None);
        check(0, Some("2026-02-01T12:00:00Z"), None);
        check(8, Some("2026-02-01T12:00:00Z"), None);
    }
}
