//! How long deletions take within the rate limit, in words. It reads no clock.

use contract::{Plan, RateLimit, page::LIMIT_MAX};
use exporter::plan::{Pace, least_ms};

use super::Job;
use crate::{model::time::span, texts};

/// What takes less is not worth a word.
const TOLD_S: u64 = 10;
/// From so long between two on, it is the plan that makes it slow.
const SLOW_MS: u64 = 1_000;

/// Returns how many requests all of these decisions that go on still need.
pub fn requests<'a>(jobs: impl Iterator<Item = &'a Job>) -> u64 {
    let of = |job: &Job| job.waiting.len() as u64 + found_by(job.left);
    jobs.filter(|job| job.is_under_way()).map(of).sum()
}

/// Those that are yet to be found come page by page.
fn found_by(count: u64) -> u64 {
    count + count.div_ceil(u64::from(LIMIT_MAX))
}

/// Returns how long so many requests still take, and at which pace where the plan makes it slow;
/// `None` where they are soon done. Each answer takes `took_ms`.
pub fn left_text(
    plan: Plan,
    rate: Option<RateLimit>,
    requests: u64,
    took_ms: u64,
) -> Option<String> {
    let (pace, texts) = (Pace::told(plan, rate), texts::tray());
    let left_s = about_s(pace.left_ms(requests, rate, took_ms));
    let left = (left_s >= TOLD_S).then(|| span(left_s))?;
    Some(match pace.wait_ms(rate, 0) {
        every_ms if every_ms >= SLOW_MS => (texts.left_at)(&left, (every_ms + 500) / 1000),
        _ => (texts.left)(&left),
    })
}

/// Returns how long the rate limit makes a deletion of so many, told beforehand; `None` where that
/// is soon done. `all` says that they are yet to be found.
pub fn takes_text(plan: Plan, rate: Option<RateLimit>, count: u64, all: bool) -> Option<String> {
    let requests = if all { found_by(count) } else { count };
    let least_s = about_s(least_ms(plan, requests, rate));
    (least_s >= TOLD_S).then(|| (texts::deletion().takes)(&span(least_s)))
}

/// A time that is not known to the second, in steps that suit its length.
fn about_s(ms: u64) -> u64 {
    let seconds = ms.div_ceil(1000);
    let step = match seconds {
        0..60 => 5,
        60..3_600 => 60,
        _ => 300,
    };
    seconds.div_ceil(step).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{all, job};
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "as it comes with an answer")]
    fn stand(limit: u32, remaining: u32) -> Option<RateLimit> {
        Some(RateLimit { limit, remaining, reset_s: 0 })
    }

    #[test]
    fn what_is_left_is_told_with_the_pace_of_the_plan() {
        let check = |plan, rate, requests, took_ms, text: Option<&str>| {
            assert_eq!(left_text(plan, rate, requests, took_ms).as_deref(), text);
        };
        let (free, pro, all) = (Plan::Free, Plan::Pro, Plan::Enterprise);
        let slow = "About 2 h left, 1 every 9 s: the rate limit of the plan";
        check(free, stand(100, 3), 800, 50, Some(slow));
        let quick = "About 35 s left, 1 a second: the rate limit of the plan";
        check(free, stand(100, 99), 32, 50, Some(quick));
        check(free, None, 5, 50, None);
        check(pro, stand(500, 400), 300, 40, Some("About 35 s left"));
        // A foreign server's key may have another plan than its owner has here.
        check(all, stand(100, 3), 800, 50, Some(slow));
        check(all, stand(50_000, 49_000), 1_000, 30, Some("About 30 s left"));
        check(all, stand(50_000, 49_000), 100, 30, None);
    }

    #[test]
    fn what_a_deletion_takes_is_told_beforehand() {
        let text = |plan, rate, count, all| takes_text(plan, rate, count, all).unwrap_or_default();
        assert_eq!(
            text(Plan::Free, None, 1_000, true),
            "The rate limit of the plan spreads this over about 2 h 20 min. It goes on for as \
             long as Sheaf is open in a tab."
        );
        assert!(text(Plan::Free, None, 90, false).contains("about 2 min"));
        assert!(text(Plan::Enterprise, stand(100, 0), 1_000, false).contains("about 2 h 30 min"));
        assert_eq!(text(Plan::Free, None, 5, false), "");
        assert_eq!(text(Plan::Enterprise, None, 1_000, true), "");
    }

    #[test]
    fn what_goes_on_is_counted_with_the_pages_that_find_it() {
        let stopped = Job { stopped: true, ..job(3, [1]) };
        let jobs = [job(1, [3, 2]), all(250), stopped];
        assert_eq!(requests(jobs.iter()), 2 + 250 + 3);
        assert_eq!(requests(jobs.iter().take(1)), 2);
    }
}
