//! Summaries, from memory if the form's `SummaryIndex` is loaded, otherwise from the rows in the
//! file. A summary with `field` always reads the file.
//!
//! Both count the matches of [`contract::Filter::matches`] with [`contract::summary::Counts`].
//! Summaries write no data.

use super::memory_index::{FormState, IndexRead, MemoryIndex};
use super::properties::{ROWS_BETWEEN_CHECKS, optional_text_column, text_column};
use super::readers::{CancelFlag, cancelled_error};
use super::{forms, submission_range, submissions};
use crate::index::{CountRequest, PropertyFilter, TextQuery, time_range};
use contract::Submission;
use contract::summary::{CountedFields, Counts, Summary};
use rusqlite::{Connection, params_from_iter};
use store::columns::{damaged_row, database_error};
use store::triage::StoredTriage;
use store::{Result, SummaryRequest};

/// SQLite's value for no limit.
const NO_LIMIT: i64 = -1;

/// Summarises the matching submissions. Returns `None` if there is no such form.
pub(super) fn summarize(
    conn: &Connection,
    index: &MemoryIndex,
    request: &SummaryRequest,
    cancel_flag: &CancelFlag,
) -> Result<Option<Summary>> {
    for _ in 0..submissions::SNAPSHOTS_MAX {
        let Some(state) = forms::find_state(conn, &request.form)? else { return Ok(None) };
        let charted = CountedFields::for_fields(&forms::list_fields(conn, state.seq)?);
        match count_in_memory(index, state, &charted, request, cancel_flag) {
            IndexRead::Found(counts) => {
                let counts = counts.ok_or_else(cancelled_error)?;
                return Ok(Some(request.summarize_counts(&counts)));
            }
            IndexRead::Missing => break,
            IndexRead::Newer => conn.execute_batch("COMMIT; BEGIN").map_err(database_error)?,
        }
    }
    let Some(state) = forms::find_state(conn, &request.form)? else { return Ok(None) };
    let charted = request.counted_fields(&forms::list_fields(conn, state.seq)?);
    let counts = count_in_file(conn, state.seq, charted, request, cancel_flag)?;
    Ok(Some(request.summarize_counts(&counts)))
}

/// Counts in memory. The value is `None` if the read was cancelled.
fn count_in_memory(
    index: &MemoryIndex,
    state: FormState,
    charted: &CountedFields,
    request: &SummaryRequest,
    cancel_flag: &CancelFlag,
) -> IndexRead<Option<Counts>> {
    if request.field.is_some() {
        // The index has only the fields of a summary without `field`.
        return IndexRead::Missing;
    }
    let is_abandoned = || cancel_flag.check().is_err();
    let Some(filter) = PropertyFilter::of(&request.filter) else { return IndexRead::Missing };
    let found = match TextQuery::of(&request.filter)
        .map(|query| index.search(state, &query, None, usize::MAX, &is_abandoned))
    {
        None => None,
        Some(IndexRead::Found(Some(found))) => Some(found.keys),
        Some(IndexRead::Found(None)) => return IndexRead::Found(None),
        Some(IndexRead::Newer) => return IndexRead::Newer,
        Some(IndexRead::Missing) => {
            // Start loading anyway, so that texts and `SummaryIndex` are both ready for the next
            // request.
            index.load_facts(state);
            index.load_answers(state, &filter);
            return IndexRead::Missing;
        }
    };
    let count_request = CountRequest {
        span: time_range(&request.filter),
        filter: &filter,
        found,
        day_of: &|at| request.day_of(at),
        is_abandoned: &is_abandoned,
    };
    index.read_facts(state, charted, &filter, |facts| facts.count(&count_request))
}

/// Counts by reading every row of the filter's range.
fn count_in_file(
    conn: &Connection,
    form: i64,
    charted: CountedFields,
    request: &SummaryRequest,
    cancel_flag: &CancelFlag,
) -> Result<Counts> {
    let filter = &request.filter;
    let range = submission_range::visible_range(conn, form, filter, None)?;
    let mut page = conn.prepare_cached(&range.page_sql()).map_err(database_error)?;
    let mut params = range.params();
    params.push(&NO_LIMIT);
    let mut rows = page.query(params_from_iter(params)).map_err(database_error)?;
    let mut counts = Counts::new(charted);
    let mut rows_read = 0_usize;
    while let Some(row) = rows.next().map_err(database_error)? {
        rows_read += 1;
        if rows_read.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            cancel_flag.check()?;
        }
        let submission: Submission = serde_json::from_str(text_column(row, 2)?)
            .map_err(|error| damaged_row(error.to_string()))?;
        let stored = StoredTriage::parse(optional_text_column(row, 3)?)?;
        let triage = &stored.triage;
        let has_text = || {
            let search = filter.search.as_ref();
            search.is_none_or(|search| search.matches(&submission.answers))
        };
        if filter.matches_properties(&submission, triage) && has_text() {
            let submitted_at = submission.metadata.submitted_at;
            counts.add(&submission, triage, request.day_of(submitted_at));
            if let Some(seconds) = stored.seconds_to_done(submitted_at) {
                counts.add_done_time(seconds);
            }
        }
    }
    Ok(counts)
}
