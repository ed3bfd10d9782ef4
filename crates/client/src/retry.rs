//! Retry policy: decides whether to retry a request, and how long to wait before. It neither waits
//! nor sends.

use crate::{Error, Options};
use std::time::Duration;

/// Possible effect of the attempts before the last one. It decides, for example, whether a 404 for
/// a deletion means that an earlier attempt has succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PossibleEffect {
    /// No effect: all attempts were refused or did not reach the server.
    NotDone,
    /// Possible effect: a response was lost, or was a server error.
    MayBeDone,
}

/// Failure of one attempt.
#[derive(Debug)]
pub(crate) struct AttemptFailure {
    pub(crate) error: Error,
    /// Whether the request may have reached the server. `false` if it certainly has not.
    pub(crate) may_be_sent: bool,
}

impl AttemptFailure {
    /// Returns whether the request may have taken effect despite the failure.
    pub(crate) fn may_have_effect(&self) -> bool {
        self.may_be_sent && self.error.status().is_none_or(|status| status >= 500)
    }

    /// Returns whether a retry may succeed (specification, sections 7 and 8.3).
    fn is_transient(&self) -> bool {
        match &self.error {
            Error::Refused(refusal) => matches!(refusal.status, 408 | 429 | 500 | 502..=504),
            Error::Unreachable(_) | Error::TimedOut(_) => true,
            Error::SetUp(_) | Error::InvalidResponse(_) | Error::Truncated { .. } => false,
        }
    }
}

/// Returns the wait before attempt number `next` (the first retry is 2), or `None` if there is no
/// retry.
///
/// The wait is the one that the server asks for, or else doubles with each attempt. `remaining` is
/// the time until the deadline; if the wait is not shorter, there is no retry. `spread`, from 0 to
/// 1, is the jitter, so that clients that failed together do not retry together.
pub(crate) fn retry_delay(
    options: &Options,
    failure: &AttemptFailure,
    next: u32,
    remaining: Duration,
    spread: f64,
) -> Option<Duration> {
    if next > options.attempts_max || !failure.is_transient() {
        return None;
    }
    let wait = failure.error.retry_after().unwrap_or_else(|| {
        let doubled = options.wait_min.saturating_mul(1 << next.saturating_sub(2).min(16));
        // Between half of the wait and all of it.
        doubled.min(options.wait_max).mul_f64(0.5 + spread.clamp(0.0, 1.0) / 2.0)
    });
    (wait < remaining).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Refusal;

    const LONG: Duration = Duration::from_hours(1);

    fn error_response(status: u16, retry_after_s: Option<u64>) -> AttemptFailure {
        let retry_after = retry_after_s.map(Duration::from_secs);
        let error = Error::Refused(Refusal { status, body: None, retry_after });
        AttemptFailure { error, may_be_sent: true }
    }

    fn lost_connection(may_be_sent: bool) -> AttemptFailure {
        AttemptFailure { error: Error::Unreachable("gone".into()), may_be_sent }
    }

    #[test]
    fn retry_after_is_honoured() {
        let options = Options::default();
        let check = |failure: AttemptFailure, left_s: u64, expect: Option<u64>| {
            let wait = retry_delay(&options, &failure, 2, Duration::from_secs(left_s), 0.5);
            assert_eq!(wait, expect.map(Duration::from_secs), "{failure:?}");
        };
        check(error_response(429, Some(7)), 60, Some(7));
        check(error_response(503, Some(30)), 60, Some(30));
        check(error_response(429, Some(0)), 60, Some(0));
        check(error_response(429, Some(61)), 60, None);
    }

    #[test]
    fn wait_doubles_with_jitter_up_to_maximum() {
        let options = Options { attempts_max: 99, ..Options::default() };
        let at = |next, spread| {
            retry_delay(&options, &error_response(500, None), next, LONG, spread).unwrap()
        };
        assert_eq!(at(2, 1.0), Duration::from_millis(250));
        assert_eq!(at(2, 0.0), Duration::from_millis(125));
        assert_eq!(at(3, 1.0), Duration::from_millis(500));
        assert_eq!(at(5, 1.0), Duration::from_secs(2));
        assert_eq!(at(99, 1.0), options.wait_max);
    }

    #[test]
    fn only_transient_failures_are_retried() {
        let options = Options::default();
        let is_retried = |failure: &AttemptFailure, next| {
            retry_delay(&options, failure, next, LONG, 0.0).is_some()
        };
        for status in [429, 500, 502, 503, 504] {
            assert!(is_retried(&error_response(status, None), 5), "{status}");
            assert!(!is_retried(&error_response(status, None), 6), "{status}");
        }
        for status in [301, 400, 401, 403, 404, 405, 501] {
            assert!(!is_retried(&error_response(status, Some(1)), 2), "{status}");
        }
        assert!(is_retried(&lost_connection(true), 2));
        assert!(!is_retried(
            &AttemptFailure { error: Error::invalid_response("x"), may_be_sent: true },
            2
        ));
    }

    #[test]
    fn refused_request_has_no_effect() {
        assert!(
            !error_response(429, None).may_have_effect()
                && !error_response(404, None).may_have_effect()
        );
        assert!(
            error_response(500, None).may_have_effect() && lost_connection(true).may_have_effect()
        );
        assert!(!lost_connection(false).may_have_effect());
    }
}
