//! Pages for filters with labels or numbers.
//!
//! The form's `SummaryIndex` counts the matches and finds the newest ones, and each is read by its
//! instant. Without the index, all rows of the filter's range are read.

use super::memory_index::{FormState, IndexRead, MemoryIndex};
use super::properties;
use super::readers::CancelFlag;
use super::request::ListRequest;
use super::submission_range::{row_key, visible_range};
use super::submissions::read_index;
use crate::index::{MatchPage, MatchRequest, PropertyFilter, time_range};
use rusqlite::{Connection, params_from_iter};
use store::columns::{database_error, stored_submission};
use store::{ListPage, Result, StoredSubmission};

/// SQLite's value for no limit.
const NO_LIMIT: i64 = -1;

/// Lists a page of a filter without a search, and counts all matches. Returns `None` if there is no
/// such form.
pub(super) fn list(
    conn: &Connection,
    index: &MemoryIndex,
    request: &ListRequest,
    cancel_flag: &CancelFlag,
) -> Result<Option<ListPage>> {
    let filter = PropertyFilter::of(&request.filter);
    let find = |state| match &filter {
        None => IndexRead::Missing,
        Some(filter) => index.find_matches(state, match_request(request, filter)),
    };
    match read_index(conn, request, find)? {
        None => Ok(None),
        Some((state, None)) => scan_file(conn, state.seq, request, cancel_flag).map(Some),
        Some((state, Some(matches))) => {
            let rows = read_matches(conn, state, request, &matches)?;
            Ok(Some(ListPage { rows, total: matches.total }))
        }
    }
}

/// As [`list`], but returns `None` if that may take more than some microseconds: if the matches are
/// not known in memory.
pub(super) fn list_now(
    conn: &Connection,
    index: &MemoryIndex,
    request: &ListRequest,
) -> Result<Option<ListPage>> {
    let Some(state) = request.form_state(conn)? else { return Ok(None) };
    let Some(filter) = PropertyFilter::of(&request.filter) else { return Ok(None) };
    let Some(matches) = index.find_matches_now(state, match_request(request, &filter)) else {
        return Ok(None);
    };
    let rows = read_matches(conn, state, request, &matches)?;
    Ok(Some(ListPage { rows, total: matches.total }))
}

fn match_request<'a>(request: &ListRequest, filter: &'a PropertyFilter) -> MatchRequest<'a> {
    let span = time_range(&request.filter);
    let after = request.after.as_ref().map(|place| place.submitted_at.micros());
    MatchRequest { filter, span, after, rows_max: request.rows_max }
}

/// Reads the rows of a page by the instants of the matches.
fn read_matches(
    conn: &Connection,
    state: FormState,
    request: &ListRequest,
    matches: &MatchPage,
) -> Result<Vec<StoredSubmission>> {
    let range = visible_range(conn, state.seq, &request.filter, request.after.as_ref())?;
    let mut page = request.page_rows();
    for instant in matches.instants() {
        let of_instant = range.at_instant(instant);
        let mut rows = conn.prepare_cached(&of_instant.page_sql()).map_err(database_error)?;
        let mut params = of_instant.params();
        params.push(&NO_LIMIT);
        let mut rows = rows.query(params_from_iter(params)).map_err(database_error)?;
        while let Some(row) = rows.next().map_err(database_error)? {
            if page.is_full() {
                return Ok(page.into_rows());
            }
            let (at, id) = row_key(row)?;
            if matches.contains(at, &id) {
                let json = row.get(2).map_err(database_error)?;
                page.push(stored_submission(at, id, json)?);
            }
        }
    }
    Ok(page.into_rows())
}

/// Reads all rows of the filter's range, for the page and the count in one pass.
fn scan_file(
    conn: &Connection,
    form: i64,
    request: &ListRequest,
    cancel_flag: &CancelFlag,
) -> Result<ListPage> {
    let filter = &request.filter;
    let after = request.after.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let range = visible_range(conn, form, filter, None)?;
    let mut page = request.page_rows();
    let mut total = 0;
    properties::for_each_match(conn, &range, filter, cancel_flag, |row| {
        total += 1;
        if page.is_full() {
            return Ok(());
        }
        let (at, id) = row_key(row)?;
        if after.is_none_or(|after| (at, id.as_str()) < after) {
            let json = row.get(2).map_err(database_error)?;
            page.push(stored_submission(at, id, json)?);
        }
        Ok(())
    })?;
    Ok(ListPage { rows: page.into_rows(), total })
}
