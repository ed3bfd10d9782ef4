//! Chooses the export strategy with the fewest requests, and calculates their number and their
//! duration within the rate limit (Specification, section 8).
//!
//! Pure: it neither waits nor reads a clock.

mod pace;

pub use pace::{RequestPace, refused_wait_s};

use crate::task::{ExportTask, Format, TableTimeZone};
use contract::page::LIMIT_MAX;
use contract::{Filter, ListQuery, Plan, RateLimit};

/// Export strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportStrategy {
    /// One JSON export of the server, converted to the file format here.
    Stream,
    /// One export of the server, saved unchanged.
    ServerFile,
    /// Pages of the list.
    Paginate,
    /// One request per submission.
    FetchEach,
}

/// Cost of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportCost {
    /// Number of requests.
    pub requests: u64,
    /// Minimum duration within the rate limit, in milliseconds.
    pub min_duration_ms: u64,
}

/// Returns the strategy of an export. `listed` is the number of submissions that match its filter,
/// if known.
///
/// Our own server exports everything in one request. A foreign server supports only dates as a
/// filter (Specification, section 4.4), and the shape of its JSON is not specified. Its export is
/// therefore used only if its file is the result.
pub fn choose_strategy(task: &ExportTask, listed: Option<u64>) -> ExportStrategy {
    if let Some(ids) = &task.selected_ids {
        // Single submissions come without their triage.
        if !task.triage.is_empty() {
            return ExportStrategy::Stream;
        }
        let (all, requests) = if task.managed {
            (ExportStrategy::Stream, Some(1))
        } else {
            (ExportStrategy::Paginate, listed.map(list_requests))
        };
        let is_fewer = requests.is_some_and(|requests| requests < ids.len() as u64);
        return if is_fewer { all } else { ExportStrategy::FetchEach };
    }
    if task.managed {
        return ExportStrategy::Stream;
    }
    let is_unchanged = match task.format {
        Format::Json => true,
        Format::Csv => !task.safe && task.zone == TableTimeZone::Utc,
        Format::Ndjson | Format::Xlsx => false,
    };
    let is_all = task.left_out.is_empty();
    let dates_only = ListQuery::parse(&task.query).is_ok_and(|query| {
        let Filter { date_from, date_to, .. } = query.filter;
        query.filter == Filter { date_from, date_to, ..Filter::default() }
    });
    if is_unchanged && dates_only && is_all {
        ExportStrategy::ServerFile
    } else {
        ExportStrategy::Paginate
    }
}

/// Returns the number of requests for a list of `rows` submissions.
fn list_requests(rows: u64) -> u64 {
    rows.div_ceil(u64::from(LIMIT_MAX)).max(1)
}

/// Returns the cost of an export, given the size of the list, the last rate limit and the current
/// Unix time in seconds. `None` if the size of the list is needed but unknown.
pub fn export_cost(
    task: &ExportTask,
    listed: Option<u64>,
    rate: Option<RateLimit>,
    now_s: u64,
) -> Option<ExportCost> {
    let requests = match choose_strategy(task, listed) {
        ExportStrategy::Stream | ExportStrategy::ServerFile => 1,
        ExportStrategy::Paginate => list_requests(listed?),
        ExportStrategy::FetchEach => task.selected_ids.as_ref().map_or(0, Vec::len) as u64,
    };
    let limit = rate.map_or(task.plan.window_requests(), |rate_limit| rate_limit.limit);
    let full = RateLimit { limit, remaining: limit, reset_s: 0 };
    // A rate limit does not apply any more once its window has ended.
    let rate_limit = rate.filter(|rate_limit| now_s < rate_limit.reset_s).unwrap_or(full);
    Some(ExportCost {
        requests,
        min_duration_ms: min_duration_ms(task.plan, requests, Some(rate_limit)),
    })
}

/// Returns the minimum duration of a number of requests in milliseconds. Without a known rate
/// limit, assumes an unused window.
pub fn min_duration_ms(plan: Plan, requests: u64, rate_limit: Option<RateLimit>) -> u64 {
    let limit = plan.window_requests();
    let full = RateLimit { limit, remaining: limit, reset_s: 0 };
    // The first request does not wait.
    RequestPace::from_rate_limit(plan, rate_limit).remaining_ms(
        requests.saturating_sub(1),
        rate_limit.or(Some(full)),
        0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Environment;
    use contract::triage::{TriageColumn, TriageColumns, TriageNames};

    fn task(managed: bool, format: Format) -> ExportTask {
        ExportTask {
            account: "acc_1".parse().unwrap(),
            environment: Environment::Live,
            form: "frm_1".parse().unwrap(),
            fields: Vec::new(),
            managed,
            query: String::new(),
            selected_ids: None,
            format,
            safe: false,
            left_out: Vec::new(),
            triage: TriageColumns::default(),
            triage_names: TriageNames::default(),
            zone: TableTimeZone::Utc,
            plan: Plan::Free,
            expected: None,
            name: "a.csv".to_owned(),
        }
    }

    fn selected(managed: bool, count: usize) -> ExportTask {
        let ids = (0..count).map(|n| format!("sub_{n}").parse().unwrap());
        ExportTask { selected_ids: Some(ids.collect()), ..task(managed, Format::Csv) }
    }

    #[test]
    fn own_server_export_needs_one_request() {
        for format in Format::ALL {
            let query = "search=x&utm_source=y".to_owned();
            let filtered = ExportTask { query, safe: true, ..task(true, format) };
            assert_eq!(choose_strategy(&filtered, Some(1_000_000)), ExportStrategy::Stream);
            let cost = export_cost(&filtered, None, None, 0);
            assert_eq!(cost, Some(ExportCost { requests: 1, min_duration_ms: 0 }));
        }
    }

    #[test]
    fn selection_with_triage_is_streamed() {
        let one = selected(true, 1);
        assert_eq!(choose_strategy(&one, None), ExportStrategy::FetchEach);
        let triage = [TriageColumn::Tags].into_iter().collect();
        let with_triage = ExportTask { triage, ..one };
        assert_eq!(choose_strategy(&with_triage, None), ExportStrategy::Stream);
    }

    #[test]
    fn foreign_server_file_is_used_if_supported() {
        let check = |task: ExportTask, expected: ExportStrategy| {
            assert_eq!(choose_strategy(&task, Some(500)), expected);
        };
        check(task(false, Format::Json), ExportStrategy::ServerFile);
        check(task(false, Format::Csv), ExportStrategy::ServerFile);
        let dates = "date_from=2026-01-01".to_owned();
        check(ExportTask { query: dates, ..task(false, Format::Csv) }, ExportStrategy::ServerFile);
        check(task(false, Format::Xlsx), ExportStrategy::Paginate);
        check(task(false, Format::Ndjson), ExportStrategy::Paginate);
        check(ExportTask { safe: true, ..task(false, Format::Csv) }, ExportStrategy::Paginate);
        check(
            ExportTask { zone: TableTimeZone::Viewer, ..task(false, Format::Csv) },
            ExportStrategy::Paginate,
        );
        for query in ["search=x", "utm_source=x", "country=DE", "score_min=0.5"] {
            check(
                ExportTask { query: query.to_owned(), ..task(false, Format::Csv) },
                ExportStrategy::Paginate,
            );
        }
        let left_out = vec!["submission_id".to_owned()];
        check(ExportTask { left_out, ..task(false, Format::Csv) }, ExportStrategy::Paginate);
    }

    #[test]
    fn selection_uses_the_fewest_requests() {
        let check =
            |task: &ExportTask, listed: Option<u64>, expected: ExportStrategy, requests: u64| {
                assert_eq!(choose_strategy(task, listed), expected);
                assert_eq!(
                    export_cost(task, listed, None, 0).map(|cost| cost.requests),
                    Some(requests)
                );
            };
        check(&selected(true, 1), Some(5000), ExportStrategy::FetchEach, 1);
        check(&selected(true, 2), Some(5000), ExportStrategy::Stream, 1);
        check(&selected(false, 7), Some(5000), ExportStrategy::FetchEach, 7);
        check(&selected(false, 70), Some(5000), ExportStrategy::Paginate, 50);
        check(&selected(false, 70), None, ExportStrategy::FetchEach, 70);
    }

    #[test]
    fn duration_follows_the_rate_limit() {
        let walk = ExportTask { safe: true, ..task(false, Format::Csv) };
        let check = |rows: u64, rate_limit: Option<RateLimit>, requests: u64, least_ms: u64| {
            assert_eq!(
                export_cost(&walk, Some(rows), rate_limit, 50),
                Some(ExportCost { requests, min_duration_ms: least_ms })
            );
        };
        let rate_limit = |limit, remaining, reset_s| Some(RateLimit { limit, remaining, reset_s });
        check(0, None, 1, 0);
        check(100, None, 1, 0);
        check(501, None, 6, 5000);
        // Beyond the window, at its average rate.
        check(20_000, None, 200, 90_000 + 109 * 9000);
        // Used requests count until the window ends.
        check(501, rate_limit(100, 10, 51), 6, 45_000);
        check(501, rate_limit(100, 10, 50), 6, 5000);
        // The key of a foreign server has its own plan.
        check(501, rate_limit(500, 400, 51), 6, 5 * 111);
        assert_eq!(export_cost(&walk, None, None, 0), None);
    }
}
