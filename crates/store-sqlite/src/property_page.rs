//! Pages for filters with labels or numbers.
//!
//! The form's `SummaryIndex` counts the matches and finds the newest ones, and each is read by its
//! instant. Without the index, all rows of the filter's range are read.

use super::instants::for_each_row_at;
use super::memory_index::{IndexRead, MemoryIndex};
use super::properties::{self, text_column};
use super::readers::CancelFlag;
use super::request::ListRequest;
use super::submission_range::{row_key, visible_range};
use super::submissions::read_index;
use crate::index::{MatchPage, MatchRequest, PropertyFilter, time_range};
use rusqlite::Connection;
use std::ops::ControlFlow;
use store::columns::{database_error, stored_submission};
use store::{ListPage, Result, StoredSubmission};

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
            let rows = read_matches(conn, state.seq, request, &matches)?;
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
    let rows = read_matches(conn, state.seq, request, &matches)?;
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
    form: i64,
    request: &ListRequest,
    matches: &MatchPage,
) -> Result<Vec<StoredSubmission>> {
    let after = request.after.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let mut page = request.page_rows();
    for_each_row_at(conn, form, matches.instants(), |at, row| {
        let id = text_column(row, 0)?;
        if matches.contains(at, id) && after.is_none_or(|after| (at, id) < after) {
            page.push(stored_submission(at, id.to_owned(), text_column(row, 1)?.to_owned())?);
        }
        Ok(if page.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
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
