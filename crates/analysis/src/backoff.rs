//! Results of the steps of the worker, and the pauses after them: between steps, and after failures
//! of the analyst or the database.

use std::time::Duration;
use store::Result;

/// Interval between steps without work.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Bounds of the pause after a step, which is as long as the step took. So the worker uses about
/// half of a processor and half of the database writer.
const PAUSE_MIN: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// First and longest pause after consecutive failures; each is twice the previous one.
const BACKOFF_MIN: Duration = Duration::from_secs(2);
const BACKOFF_MAX: Duration = Duration::from_mins(5);

/// Result of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepResult {
    /// This number of insights was written; there may be more work.
    Worked(u64),
    /// No submission is pending, or all are over the daily limit or in analysis elsewhere.
    Idle,
    /// The analyst is unavailable. Pause for this time.
    Wait(Duration),
}

/// Counts consecutive failures.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    /// Failures of the analyst since the last batch without one.
    failures: u32,
    /// Consecutive steps that the database failed.
    database_errors: u32,
    /// Time without work since the last other step.
    idle: Duration,
}

impl Backoff {
    /// Counts a failure of the analyst, and returns the pause after it.
    pub(crate) fn record_failure(&mut self) -> Duration {
        self.failures += 1;
        backoff_pause(self.failures)
    }

    /// Records a batch without a failure of the analyst.
    pub(crate) fn record_success(&mut self) {
        self.failures = 0;
    }

    /// Returns the pause after a step that took `elapsed`.
    pub(crate) fn pause_after(&mut self, step: &Result<StepResult>, elapsed: Duration) -> Duration {
        let Ok(result) = step else {
            self.database_errors += 1;
            return backoff_pause(self.database_errors);
        };
        self.database_errors = 0;
        if *result != StepResult::Idle {
            self.idle = Duration::ZERO;
        }
        match *result {
            StepResult::Worked(_) => elapsed.clamp(PAUSE_MIN, PAUSE_MAX),
            StepResult::Wait(pause) => pause,
            StepResult::Idle => {
                self.idle += POLL_INTERVAL;
                // Not earlier: between two failures, another worker may lease all submissions.
                if self.idle >= BACKOFF_MAX {
                    self.failures = 0;
                }
                POLL_INTERVAL
            }
        }
    }
}

/// Returns the pause after this number of consecutive failures.
fn backoff_pause(failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    (BACKOFF_MIN * 2_u32.saturating_pow(doublings)).min(BACKOFF_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::StoreError;

    /// Records failures of the analyst, and returns their pauses in seconds.
    fn fail(backoff: &mut Backoff, times: usize) -> Vec<u64> {
        (0..times).map(|_| backoff.record_failure().as_secs()).collect()
    }

    #[test]
    fn pauses_double_up_to_maximum() {
        let mut backoff = Backoff::default();
        assert_eq!(fail(&mut backoff, 9), [2, 4, 8, 16, 32, 64, 128, 256, 300]);
        assert_eq!(fail(&mut backoff, 100).last(), Some(&300));
        backoff.record_success();
        assert_eq!(fail(&mut backoff, 1), [2]);
    }

    #[test]
    fn long_idle_time_resets_failures() {
        let mut backoff = Backoff::default();
        let idle = |backoff: &mut Backoff, seconds: u64| {
            for _ in 0..seconds {
                let pause = backoff.pause_after(&Ok(StepResult::Idle), Duration::ZERO);
                assert_eq!(pause, POLL_INTERVAL);
            }
        };
        fail(&mut backoff, 3);
        idle(&mut backoff, 299);
        assert_eq!(fail(&mut backoff, 1), [16], "another worker had the submissions");
        backoff.pause_after(&Ok(StepResult::Wait(BACKOFF_MIN)), Duration::ZERO);
        idle(&mut backoff, 299);
        assert_eq!(fail(&mut backoff, 1), [32], "the idle time was interrupted");
        idle(&mut backoff, 1);
        assert_eq!(fail(&mut backoff, 1), [2]);
    }

    #[test]
    fn database_errors_end_with_any_other_step() {
        let mut backoff = Backoff::default();
        let mut pause = |step: Result<StepResult>| {
            backoff.pause_after(&step, Duration::from_millis(30)).as_millis()
        };
        let error = || Err(StoreError::Busy(1));
        assert_eq!((pause(error()), pause(error())), (2000, 4000));
        assert_eq!(pause(Ok(StepResult::Idle)), 1000);
        assert_eq!((pause(error()), pause(error())), (2000, 4000));
        assert_eq!(pause(Ok(StepResult::Worked(1))), 30);
        assert_eq!(pause(error()), 2000);
    }
}
