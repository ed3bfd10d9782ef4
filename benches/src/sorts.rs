//! Sorted lists, by values in memory and by the answers to a field.

use crate::Result;
use crate::bench::Bench;
use crate::fields::{field_id, find_form, measure_queries};
use crate::filters::wait_until_fast;
use crate::list_filter::ListFilter;
use crate::process::Program;
use crate::results::FigureRow;

/// Goals for the median, in milliseconds: by a value in memory, and by a field of
/// [`SORTED_BY_FIELD`] submissions.
const VALUE_MS: f64 = 25.0;
const FIELD_MS: f64 = 100.0;
/// Maximum number of submissions that a list sorts by a field.
const SORTED_BY_FIELD: u64 = 100_000;
/// Requests of each order.
const TIMES: usize = 20;
/// Orders by a value in memory.
const VALUES: [&str; 4] =
    ["+submitted_at", "-completion_time_seconds", "sentiment_score", "-updated_at"];

/// Returns a name and a query of each order. Those by a field have a range of dates with at most
/// [`SORTED_BY_FIELD`] submissions.
pub(crate) async fn queries(bench: &Bench, sheaf: &Program) -> Result<Vec<(String, String)>> {
    let form = find_form(bench, sheaf).await?;
    let mut queries: Vec<_> = VALUES
        .iter()
        .map(|sort| (format!("sort={sort}"), format!("sort={}", sort.replace('+', "%2B"))))
        .collect();
    let range = newest(bench)?;
    for name in ["How satisfied are you?", "Name"] {
        let sort = format!("sort=-{}", field_id(&form, name)?);
        let query = if range.is_empty() { sort } else { format!("{range}&{sort}") };
        queries.push((format!("sort by field \"{name}\" of at most {SORTED_BY_FIELD}"), query));
    }
    Ok(queries)
}

/// Returns a range of dates with the newest submissions, at most [`SORTED_BY_FIELD`]; empty if
/// there are not more.
fn newest(bench: &Bench) -> Result<String> {
    if bench.data.rows <= SORTED_BY_FIELD {
        return Ok(String::new());
    }
    let mut instants = bench.samples.instants.clone();
    instants.sort_unstable();
    let last = *instants.last().ok_or("no submissions")?;
    // The samples are random, so the first guess may have too many.
    for tenths in (1..=9).rev() {
        let drawn = instants.len() as u64 * SORTED_BY_FIELD * tenths / 10 / bench.data.rows;
        let newest = usize::try_from(drawn)?.clamp(1, instants.len());
        let from = instants[instants.len() - newest];
        let filter = ListFilter { dates: Some((from, last + 1)), ..ListFilter::default() };
        if bench.sqlite.count_matches(&bench.data.large, &filter)? <= SORTED_BY_FIELD {
            return Ok(filter.query());
        }
    }
    Err("no range of dates is small enough to sort by a field".into())
}

/// Measures sorted lists.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let sheaf = bench.start_server(&bench.data).await?;
    let mut rows = Vec::new();
    for (name, query) in queries(bench, &sheaf).await? {
        wait_until_fast(bench, &sheaf, &query).await?;
        let goal_ms = if name.starts_with("sort=") { VALUE_MS } else { FIELD_MS };
        let (p50_ms, p99_ms) = measure_queries(bench, &sheaf, &vec![query; TIMES]).await?;
        let ours = format!("p50 {p50_ms:.2} ms, p99 {p99_ms:.1} ms");
        let row = FigureRow::new(format!("list, {name}"), ours);
        rows.push(row.goal(format!("p50 ≤ {goal_ms} ms"), p50_ms <= goal_ms));
    }
    sheaf.stop().await?;
    Ok(rows)
}
