//! Measures lists that are filtered by dates, UTM values, labels, and their conjunctions. Random
//! filters show the speed without caches, repeated ones with them.

use crate::Result;
use crate::ab_runner::compare_in_turns;
use crate::bench::Bench;
use crate::list::comparison_row;
use crate::list_filter::{FilterKind, ListFilter};
use crate::load::{random_requests, repeat_request};
use crate::process::Program;
use crate::random::Random;
use crate::results::FigureRow;
use crate::samples::parse_pagination;
use std::time::{Duration, Instant};

/// Goal: at least this ratio to the rate of the baseline server, which answers with the bytes of
/// one page.
const RATIO: f64 = 0.25;
/// Number of different requests of each kind.
const REQUESTS: usize = 5000;
/// Number of responses of each kind with a total that is compared with a count by SQLite.
const CHECKED_TOTALS: usize = 10;
const CONNECTIONS: usize = 8;
/// Time of a list that is answered from memory.
const FAST: Duration = Duration::from_millis(100);
/// Maximum number of requests until the columns are loaded. Each reads the whole file.
const LOAD_REQUESTS_MAX: usize = 100;

/// Returns the paths of `REQUESTS` randomly filtered lists, the same in every run.
pub(crate) fn random_list_paths(bench: &Bench, kind: FilterKind) -> Vec<String> {
    let mut rng = Random::new(11);
    let mut list =
        || bench.data.list_path(&ListFilter::random(kind, &bench.samples, &mut rng).query());
    (0..REQUESTS).map(|_| list()).collect()
}

/// Measures filtered lists. Fails if a total is wrong.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let sheaf = bench.start_server(&bench.data).await?;
    let hello =
        bench.start_baseline_server(&sheaf, &[("list20", &bench.data.list_path(""))]).await?;
    let mut rows = Vec::new();
    let mut rng = Random::new(11);
    let kinds = [
        (FilterKind::Dates, "date range"),
        (FilterKind::OneUtm, "UTM value"),
        (FilterKind::Any, "dates and UTM values"),
        (FilterKind::OneLabel, "label"),
        (FilterKind::TwoLabels, "two labels"),
    ];
    for (kind, name) in kinds {
        let filters: Vec<_> =
            (0..REQUESTS).map(|_| ListFilter::random(kind, &bench.samples, &mut rng)).collect();
        wait_until_fast(bench, &sheaf, &filters[0].query()).await?;
        for filter in &filters[..CHECKED_TOTALS] {
            let body = bench.fetch(&sheaf, &bench.data.list_path(&filter.query())).await?;
            let (total, _) = parse_pagination(&body)?;
            let counted = bench.sqlite.count_matches(&bench.data.large, filter)?;
            if total != counted {
                let query = filter.query();
                return Err(format!("{query}: total {total}, but SQLite counts {counted}").into());
            }
        }
        let requests: Vec<_> =
            filters.iter().map(|filter| bench.list_request(&filter.query())).collect();
        let again = repeat_request(requests[0].clone());
        for (requests, how) in [(random_requests(requests), "random"), (again, "repeated")] {
            let sides = ((&sheaf, &requests), (&hello, "list20"));
            let out = compare_in_turns(bench.turns, CONNECTIONS, sides.0, sides.1).await?;
            let name = format!("list by {name}, {how}, {CONNECTIONS} connections");
            rows.push(comparison_row(name, &out).goal(format!("≥ {RATIO}"), out.ratio >= RATIO));
        }
    }
    sheaf.stop().await?;
    Ok(rows)
}

/// Repeats a list until it takes less than [`FAST`]: the server reads the file until it has loaded
/// the labels or the answers of the form.
pub(crate) async fn wait_until_fast(bench: &Bench, sheaf: &Program, query: &str) -> Result<()> {
    let path = bench.data.list_path(query);
    for _ in 0..LOAD_REQUESTS_MAX {
        let start = Instant::now();
        bench.fetch(sheaf, &path).await?;
        if start.elapsed() < FAST {
            return Ok(());
        }
    }
    Err(format!("{query} is not fast after {LOAD_REQUESTS_MAX} requests").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Samples;
    use contract::filter::LabelProperty;

    #[test]
    fn query_has_drawn_filter() {
        let utm = [None, Some("a b".to_owned()), None];
        let labels = vec![(LabelProperty::Device, "mobile".to_owned())];
        let filter = ListFilter { dates: Some((0, 1_000_000)), utm, labels };
        let query = "date_from=1970-01-01T00:00:00Z&date_to=1970-01-01T00:00:01Z\
                     &utm_medium=a%20b&device=mobile";
        assert_eq!(filter.query(), query);
    }

    #[test]
    fn every_conjunction_is_drawn() {
        let one = || vec!["x".to_owned()];
        let samples = Samples {
            ids: Vec::new(),
            instants: vec![1, 2],
            utm: [one(), one(), one()],
            labels: LabelProperty::ALL.map(|property| (property, one())).to_vec(),
            texts: Vec::new(),
        };
        let mut rng = Random::new(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let filter = ListFilter::random(FilterKind::Any, &samples, &mut rng);
            seen.insert((filter.dates.is_some(), filter.utm.clone()));
            assert!(filter.dates.is_none_or(|(from, to)| from <= to));
        }
        // Every subset of dates and three UTM values except for the empty one.
        assert_eq!(seen.len(), 15);
        for _ in 0..50 {
            let filter = ListFilter::random(FilterKind::TwoLabels, &samples, &mut rng);
            assert_ne!(filter.labels[0].0, filter.labels[1].0);
        }
    }
}
