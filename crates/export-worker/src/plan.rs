//! How an export is made in the fewest requests, how many these are, and how long they take within
//! the rate limit (§8).
//!
//! It neither waits nor reads a clock: it says what to do and how long to wait.

mod pace;

pub use pace::{Pace, refused_wait_s};

use crate::task::{Format, Task, Zone};
use contract::page::LIMIT_MAX;
use contract::{ListQuery, Plan, RateLimit};

/// Where the submissions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// One export of the server's, as JSON, which is written anew as the file.
    Stream,
    /// One export of the server's that is the file as it stands.
    Raw,
    /// The pages of the list.
    Walk,
    /// One request for each submission.
    Each,
}

/// What an export takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Requests.
    pub requests: u64,
    /// The least time that the rate limit makes of them, in milliseconds.
    pub least_ms: u64,
}

/// Returns the way of an export whose filter lists so many submissions, where that is known.
///
/// Our own server says everything in one request. A foreign one knows dates only (§4.4), and no
/// shape of its JSON is agreed upon, so it is asked for a whole file only where that is the file.
pub fn way(task: &Task, listed: Option<u64>) -> Way {
    let pages = listed.map(|rows| rows.div_ceil(u64::from(LIMIT_MAX)).max(1));
    if let Some(only) = &task.only {
        let by_one = only.len() as u64;
        let others = if task.managed { Some(1) } else { pages };
        return match others {
            Some(others) if others < by_one && task.managed => Way::Stream,
            Some(others) if others < by_one => Way::Walk,
            _ => Way::Each,
        };
    }
    if task.managed {
        return Way::Stream;
    }
    let as_it_stands = match task.format {
        Format::Json => true,
        Format::Csv => !task.safe && task.zone == Zone::Utc,
        Format::Ndjson | Format::Xlsx => false,
    };
    let is_all = task.left_out.is_empty();
    let dates_only = ListQuery::parse(&task.query).is_ok_and(|query| {
        let contract::Filter { search, utm_source, utm_medium, utm_campaign, .. } = query.filter;
        search.is_none() && utm_source.is_none() && utm_medium.is_none() && utm_campaign.is_none()
    });
    if as_it_stands && dates_only && is_all { Way::Raw } else { Way::Walk }
}

/// Returns what the export takes, by what is known of the list and of the window at the instant
/// `now_s`, a Unix time; `None` where the list would have to be counted first.
pub fn cost(
    task: &Task,
    listed: Option<u64>,
    stand: Option<RateLimit>,
    now_s: u64,
) -> Option<Cost> {
    let requests = match way(task, listed) {
        Way::Stream | Way::Raw => 1,
        Way::Walk => listed?.div_ceil(u64::from(LIMIT_MAX)).max(1),
        Way::Each => task.only.as_ref().map_or(0, Vec::len) as u64,
    };
    let limit = stand.map_or(task.plan.window_requests(), |stand| stand.limit);
    let full = RateLimit { limit, remaining: limit, reset_s: 0 };
    // What was told long ago has passed.
    let stand = stand.filter(|stand| now_s < stand.reset_s).unwrap_or(full);
    Some(Cost { requests, least_ms: least_ms(task.plan, requests, Some(stand)) })
}

/// Returns the least time that the rate limit makes of so many requests, in milliseconds: out of a
/// whole window, where it is not known how it stands.
pub fn least_ms(plan: Plan, requests: u64, stand: Option<RateLimit>) -> u64 {
    let limit = plan.window_requests();
    let full = RateLimit { limit, remaining: limit, reset_s: 0 };
    // The first goes at once.
    Pace::told(plan, stand).left_ms(requests.saturating_sub(1), stand.or(Some(full)), 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Environment;

    fn task(managed: bool, format: Format) -> Task {
        Task {
            account: "acc_1".parse().unwrap(),
            environment: Environment::Live,
            form: "frm_1".parse().unwrap(),
            fields: Vec::new(),
            managed,
            query: String::new(),
            only: None,
            format,
            safe: false,
            left_out: Vec::new(),
            zone: Zone::Utc,
            plan: Plan::Free,
            expected: None,
            name: "a.csv".to_owned(),
        }
    }

    fn selected(managed: bool, count: usize) -> Task {
        let ids = (0..count).map(|n| format!("sub_{n}").parse().unwrap());
        Task { only: Some(ids.collect()), ..task(managed, Format::Csv) }
    }

    #[test]
    fn our_own_server_is_asked_once() {
        for format in Format::ALL {
            let query = "search=x&utm_source=y".to_owned();
            let filtered = Task { query, safe: true, ..task(true, format) };
            assert_eq!(way(&filtered, Some(1_000_000)), Way::Stream);
            let cost = cost(&filtered, None, None, 0);
            assert_eq!(cost, Some(Cost { requests: 1, least_ms: 0 }));
        }
    }

    #[test]
    fn a_foreign_server_writes_what_it_can_say() {
        let check = |task: Task, expected: Way| assert_eq!(way(&task, Some(500)), expected);
        check(task(false, Format::Json), Way::Raw);
        check(task(false, Format::Csv), Way::Raw);
        let dates = "date_from=2026-01-01".to_owned();
        check(Task { query: dates, ..task(false, Format::Csv) }, Way::Raw);
        check(task(false, Format::Xlsx), Way::Walk);
        check(task(false, Format::Ndjson), Way::Walk);
        check(Task { safe: true, ..task(false, Format::Csv) }, Way::Walk);
        check(Task { zone: Zone::Viewer, ..task(false, Format::Csv) }, Way::Walk);
        check(Task { query: "search=x".to_owned(), ..task(false, Format::Csv) }, Way::Walk);
        let left_out = vec!["submission_id".to_owned()];
        check(Task { left_out, ..task(false, Format::Csv) }, Way::Walk);
    }

    #[test]
    fn a_selection_takes_the_fewest_requests_there_are() {
        let check = |task: &Task, listed: Option<u64>, expected: Way, requests: u64| {
            assert_eq!(way(task, listed), expected);
            assert_eq!(cost(task, listed, None, 0).map(|cost| cost.requests), Some(requests));
        };
        check(&selected(true, 1), Some(5000), Way::Each, 1);
        check(&selected(true, 2), Some(5000), Way::Stream, 1);
        check(&selected(false, 7), Some(5000), Way::Each, 7);
        check(&selected(false, 70), Some(5000), Way::Walk, 50);
        check(&selected(false, 70), None, Way::Each, 70);
    }

    #[test]
    fn the_time_is_what_the_plan_makes_of_the_requests() {
        let walk = Task { safe: true, ..task(false, Format::Csv) };
        let check = |rows: u64, stand: Option<RateLimit>, requests: u64, least_ms: u64| {
            assert_eq!(cost(&walk, Some(rows), stand, 50), Some(Cost { requests, least_ms }));
        };
        let stand = |limit, remaining, reset_s| Some(RateLimit { limit, remaining, reset_s });
        check(0, None, 1, 0);
        check(100, None, 1, 0);
        check(501, None, 6, 5000);
        // Past the window, as fast as it moves on.
        check(20_000, None, 200, 90_000 + 109 * 9000);
        // What has been used up counts, until the window has moved on.
        check(501, stand(100, 10, 51), 6, 45_000);
        check(501, stand(100, 10, 50), 6, 5000);
        // The key of a foreign server has a plan of its own.
        check(501, stand(500, 400, 51), 6, 5 * 111);
        assert_eq!(cost(&walk, None, None, 0), None);
    }
}
