//! Summaries, from memory if the form's `Facts` are loaded, otherwise from the rows in the file.
//!
//! Both count the matches of [`contract::Filter::matches`] with [`contract::summary::Counts`].
//! Nothing is written.

use super::memory_index::{FormState, Held, Seen};
use super::readers::{Abandoned, abandoned};
use super::{forms, submission_range, submissions};
use crate::index::{Asked, Query, Utm};
use contract::summary::{Charted, Counts, Summary};
use contract::{Filter, Submission, Timestamp};
use rusqlite::{Connection, params_from_iter};
use store::columns::{damaged, database};
use store::{Result, SummaryRequest};

/// Number of rows between two checks for cancellation.
const ROWS_BETWEEN_CHECKS: usize = 1024;
/// SQLite's value for no limit.
const ALL: i64 = -1;

/// Summarises the matching submissions. Returns `None` if there is no such form.
pub(super) fn summarize(
    conn: &Connection,
    held: &Held,
    request: &SummaryRequest,
    waits: &Abandoned,
) -> Result<Option<Summary>> {
    for _ in 0..submissions::SNAPSHOTS_MAX {
        let Some(state) = forms::state(conn, &request.form)? else { return Ok(None) };
        let charted = Charted::of(&forms::fields(conn, state.seq)?);
        match from_memory(held, state, &charted, request, waits) {
            Seen::Found(counts) => {
                let counts = counts.ok_or_else(abandoned)?;
                return Ok(Some(request.within(&counts)));
            }
            Seen::Missing => break,
            Seen::Ahead => conn.execute_batch("COMMIT; BEGIN").map_err(database)?,
        }
    }
    let Some(state) = forms::state(conn, &request.form)? else { return Ok(None) };
    let charted = Charted::of(&forms::fields(conn, state.seq)?);
    let counts = from_file(conn, state.seq, charted, request, waits)?;
    Ok(Some(request.within(&counts)))
}

/// Counts in memory. The value is `None` if the read was cancelled.
fn from_memory(
    held: &Held,
    state: FormState,
    charted: &Charted,
    request: &SummaryRequest,
    waits: &Abandoned,
) -> Seen<Option<Counts>> {
    let is_abandoned = || waits.check().is_err();
    let (filter, utm) = (&request.filter, Utm::asked(&request.filter));
    if utm.0.iter().flatten().any(|value| value.is_empty()) {
        // `Facts` treat an empty value as missing. The HTTP API cannot send such a filter.
        return Seen::Missing;
    }
    let found = match Query::of(filter)
        .map(|query| held.search(state, &query, None, usize::MAX, &is_abandoned))
    {
        None => None,
        Some(Seen::Found(Some(found))) => Some(found.places),
        Some(Seen::Found(None)) => return Seen::Found(None),
        Some(Seen::Ahead) => return Seen::Ahead,
        Some(Seen::Missing) => {
            // Start loading anyway, so that texts and `Facts` are both ready for the next request.
            held.want_facts(state);
            return Seen::Missing;
        }
    };
    let asked = Asked {
        span: (
            filter.date_from.map_or(i64::MIN, Timestamp::micros),
            filter.date_to.map_or(i64::MAX, Timestamp::micros),
        ),
        utm,
        found,
        day_of: &|at| request.day_of(at),
        is_abandoned: &is_abandoned,
    };
    held.facts(state, charted, |facts| facts.count(&asked))
}

/// Counts by reading every row of the filter's range.
fn from_file(
    conn: &Connection,
    form: i64,
    charted: Charted,
    request: &SummaryRequest,
    waits: &Abandoned,
) -> Result<Counts> {
    let Filter { search, .. } = &request.filter;
    let stretch = submission_range::stretch(conn, form, &request.filter, None)?;
    let mut page = conn.prepare_cached(&stretch.page_sql()).map_err(database)?;
    let mut params = stretch.params();
    params.push(&ALL);
    let mut rows = page.query(params_from_iter(params)).map_err(database)?;
    let (mut counts, mut seen) = (Counts::new(charted), 0_usize);
    while let Some(row) = rows.next().map_err(database)? {
        seen += 1;
        if seen.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            waits.check()?;
        }
        let json = row.get_ref(2).map_err(database)?.as_str().map_err(database)?;
        let submission: Submission =
            serde_json::from_str(json).map_err(|error| damaged(error.to_string()))?;
        if search.as_ref().is_none_or(|search| search.matches(&submission.answers)) {
            counts.add(&submission, request.day_of(submission.metadata.submitted_at));
        }
    }
    Ok(counts)
}
