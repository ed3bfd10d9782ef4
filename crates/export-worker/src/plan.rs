//! Chooses the export strategy with the fewest requests, and calculates their number and their
//! duration within the rate limit (Specification, section 8).
//!
//! Pure: it neither waits nor reads a clock.

mod pace;

pub use pace::{Pace, refused_wait_s};

use crate::task::{Format, Task, Zone};
use contract::page::LIMIT_MAX;
use contract::{ListQuery, Plan, RateLimit};

/// Export strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// One JSON export of the server, converted to the file format here.
    Stream,
    /// One export of the server, saved unchanged.
    Raw,
    /// Pages of the list.
    Walk,
    /// One request per submission.
    Each,
}

/// Cost of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Number of requests.
    pub requests: u64,
    /// Minimum duration within the rate limit, in milliseconds.
    pub least_ms: u64,
}

/// Returns the strategy of an export. `listed` is the number of submissions that match its filter,
/// if known.
///
/// Our own server exports everything in one request. A foreign server supports only dates as a
/// filter (Specification, section 4.4), and the shape of its JSON is not specified. Its export is
/// therefore used only if its file is the result.
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

/// Returns the cost of an export, given the size of the list, the last rate limit and the current
/// Unix time in seconds. `None` if the size of the list is needed but unknown.
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
    // A rate limit does not apply any more once its window has ended.
    let stand = stand.filter(|stand| now_s < stand.reset_s).unwrap_or(full);
    Some(Cost { requests, least_ms: least_ms(task.plan, requests, Some(stand)) })
}

/// Returns the minimum duration of a number of requests in milliseconds. Without a known rate
/// limit, assumes an unused window.
pub fn least_ms(plan: Plan, requests: u64, stand: Option<RateLimit>) -> u64 {
    let limit = plan.window_requests();
    let full = RateLimit { limit, remaining: limit, reset_s: 0 };
    // The first request does not wait.
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
    fn own_server_export_needs_one_request() {
        for format in Format::ALL {
            let query = "search=x&utm_source=y".to_owned();
            let filtered = Task { query, safe: true, ..task(true, format) };
            assert_eq!(way(&filtered, Some(1_000_000)), Way::Stream);
            let cost = cost(&filtered, None, None, 0);
            assert_eq!(cost, Some(Cost { requests: 1, least_ms: 0 }));
        }
    }

    #[test]
    fn foreign_server_file_is_used_if_supported() {
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
    fn selection_uses_the_fewest_requests() {
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
    fn duration_follows_the_rate_limit() {
        let walk = Task { safe: true, ..task(false, Format::Csv) };
        let check = |rows: u64, stand: Option<RateLimit>, requests: u64, least_ms: u64| {
            assert_eq!(cost(&walk, Some(rows), stand, 50), Some(Cost { requests, least_ms }));
        };
        let stand = |limit, remaining, reset_s| Some(RateLimit { limit, remaining, reset_s });
        check(0, None, 1, 0);
        check(100, None, 1, 0);
        check(501, None, 6, 5000);
        // Beyond the window, at its average rate.
        check(20_000, None, 200, 90_000 + 109 * 9000);
        // Used requests count until the window ends.
        check(501, stand(100, 10, 51), 6, 45_000);
        check(501, stand(100, 10, 50), 6, 5000);
        // The key of a foreign server has its own plan.
        check(501, stand(500, 400, 51), 6, 5 * 111);
        assert_eq!(cost(&walk, None, None, 0), None);
    }
}
