//! Reads submissions: pages, exact counts, searches, and single ones by id.
//!
//! A search matches as [`contract::Filter::matches`] does: the folded needle occurs in the folded
//! values.

use super::accounts::DELETED_ACCOUNT;
use super::hidden;
use super::memory_index::{FormState, IndexRead, MemoryIndex};
use super::readers::{CancelFlag, cancelled_error};
use super::request::ListRequest;
use super::selective_page::read_selective_page;
use super::submission_range::{SubmissionRange, read_page, row_sql, visible_range};
use crate::index::TextQuery;
use contract::filter::Search;
use contract::{Filter, SubmissionId};
use memchr::memmem::Finder;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use std::ops::ControlFlow;
use store::columns::{damaged_row, database_error, parse, parse_count, stored_submission};
use store::pages::PageBuilder;
use store::{ListPage, OwnedSubmission, Result, StoredSubmission};

/// Number of rows between two checks for cancellation.
const ROWS_BETWEEN_CHECKS: usize = 1024;

/// Maximum number of snapshots to try until one is not older than the index. Under many writes the
/// first may be older, but hardly ever several in a row.
pub(super) const SNAPSHOTS_MAX: usize = 4;

/// Lists a page of a filter without a search, and counts all matches. Returns `None` if there is no
/// such form.
pub(super) fn list(
    conn: &Connection,
    index: &MemoryIndex,
    request: &ListRequest,
) -> Result<Option<ListPage>> {
    let known = read_index(conn, request, |state| count_in_memory(index, state, &request.filter))?;
    let Some((state, total)) = known else { return Ok(None) };
    let total = match total {
        Some(total) => total,
        None => count_in_file(conn, state.seq, &request.filter)?,
    };
    let rows = if let Some(rows) = read_selective_page(conn, index, state, request, total)? {
        rows
    } else {
        let range = visible_range(conn, state.seq, &request.filter, request.behind.as_ref())?;
        let mut rows = request.page_rows();
        read_page(conn, &range, &mut rows)?;
        rows.into_rows()
    };
    Ok(Some(ListPage { rows, total }))
}

/// Lists a page of search results, and counts all matches. Returns `None` if there is no such form.
pub(super) fn search(
    conn: &Connection,
    index: &MemoryIndex,
    request: &ListRequest,
    query: &TextQuery,
    waits: &CancelFlag,
) -> Result<Option<ListPage>> {
    let behind = request.behind.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let is_abandoned = || waits.check().is_err();
    let look = |state| index.search(state, query, behind, request.rows_max, &is_abandoned);
    match read_index(conn, request, look)? {
        None => Ok(None),
        Some((state, None)) => search_file(conn, state.seq, request, waits).map(Some),
        Some((state, Some(found))) => {
            let Some(found) = found else { return Err(cancelled_error()) };
            let rows = read_by_keys(conn, state.seq, found.keys, request.page_rows())?;
            Ok(Some(ListPage { rows, total: found.total }))
        }
    }
}

/// Reads an index of a form. If the index is newer than the snapshot, starts a new snapshot and
/// tries again, so the caller must not have read anything before. Returns `None` if there is no
/// such form.
fn read_index<T>(
    conn: &Connection,
    request: &ListRequest,
    ask: impl Fn(FormState) -> IndexRead<T>,
) -> Result<Option<(FormState, Option<T>)>> {
    for _ in 0..SNAPSHOTS_MAX {
        let Some(state) = request.form_state(conn)? else { return Ok(None) };
        match ask(state) {
            IndexRead::Found(found) => return Ok(Some((state, Some(found)))),
            IndexRead::Missing => return Ok(Some((state, None))),
            IndexRead::Newer => conn.execute_batch("COMMIT; BEGIN").map_err(database_error)?,
        }
    }
    Ok(request.form_state(conn)?.map(|state| (state, None)))
}

/// Counts in memory. Without a filter, the total is the stored count of the form.
fn count_in_memory(index: &MemoryIndex, state: FormState, filter: &Filter) -> IndexRead<u64> {
    if filter.is_empty() {
        return u64::try_from(state.rows).map_or(IndexRead::Missing, IndexRead::Found);
    }
    index.count(state, filter)
}

/// Searches the texts of a form in the file, and counts all matches, in one pass.
fn search_file(
    conn: &Connection,
    form: i64,
    request: &ListRequest,
    waits: &CancelFlag,
) -> Result<ListPage> {
    let Some(search) = &request.filter.search else { return Err(damaged_row("no search is set")) };
    let behind = request.behind.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let mut found = Vec::new();
    let mut total = 0;
    let all = visible_range(conn, form, &request.filter, None)?;
    search_range(conn, &all, search, waits, |row| {
        total += 1;
        if found.len() < request.rows_max {
            let place = row.key()?;
            if behind.is_none_or(|behind| (place.0, place.1.as_str()) < behind) {
                found.push(place);
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(ListPage { rows: read_by_keys(conn, form, found, request.page_rows())?, total })
}

/// Key of a submission: instant and id.
pub(super) type ListKey = (i64, String);

/// Returns the keys of the newest matches of a filter, and counts all matches.
pub(super) fn find_keys(
    conn: &Connection,
    form: i64,
    filter: &Filter,
    places_max: u64,
) -> Result<(Vec<ListKey>, u64)> {
    let all = visible_range(conn, form, filter, None)?;
    let mut places = Vec::new();
    let Some(search) = &filter.search else {
        let mut rows = conn.prepare_cached(&all.keys_sql()).map_err(database_error)?;
        let limit = i64::try_from(places_max).unwrap_or(i64::MAX);
        let mut params = all.params();
        params.push(&limit);
        let mut rows = rows.query(params_from_iter(params)).map_err(database_error)?;
        while let Some(row) = rows.next().map_err(database_error)? {
            places.push(MatchedRow(row).key()?);
        }
        return Ok((places, count_in_file(conn, form, filter)?));
    };
    let mut total = 0;
    search_range(conn, &all, search, &CancelFlag::never(), |row| {
        total += 1;
        if total <= places_max {
            places.push(row.key()?);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((places, total))
}

/// Finds a submission and its owner.
pub(super) fn find(conn: &Connection, id: &SubmissionId) -> Result<Option<OwnedSubmission>> {
    let found: Option<(String, String, i64, String, String)> = conn
        .prepare_cached(&format!(
            "SELECT f.account, f.environment, s.submitted_at, s.id, s.json
             FROM submissions AS s JOIN forms AS f ON f.seq = s.form
             WHERE s.id = ? AND f.account <> '{DELETED_ACCOUNT}'{}",
            hidden::VISIBLE_SQL
        ))
        .and_then(|mut found| found.query_row([id.as_str()], |row| row.try_into()).optional())
        .map_err(database_error)?;
    let Some((account, environment, submitted_at, id, json)) = found else { return Ok(None) };
    Ok(Some(OwnedSubmission {
        account_id: parse(&account)?,
        environment: parse(&environment)?,
        submission: stored_submission(submitted_at, id, json)?,
    }))
}

/// Counts the matches of a filter without a search, in the file.
fn count_in_file(conn: &Connection, form: i64, filter: &Filter) -> Result<u64> {
    let all = visible_range(conn, form, filter, None)?;
    let rows: rusqlite::Result<i64> = conn
        .prepare_cached(&all.count_sql())
        .and_then(|mut c| c.query_row(params_from_iter(all.params()), |row| row.get(0)));
    parse_count(rows.map_err(database_error)?)
}

/// A row that matches a search.
struct MatchedRow<'a>(&'a Row<'a>);

impl MatchedRow<'_> {
    fn key(&self) -> Result<ListKey> {
        let place = (|| Ok((self.0.get(0)?, self.0.get(1)?)))();
        place.map_err(|e: rusqlite::Error| database_error(e))
    }
}

/// Searches the texts of a range, newest first, and calls `each` with every match.
fn search_range(
    conn: &Connection,
    range: &SubmissionRange<'_>,
    search: &Search,
    waits: &CancelFlag,
    mut each: impl FnMut(&MatchedRow<'_>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let folded = search.folded();
    let finder = Finder::new(&folded);
    let mut texts = conn.prepare_cached(&range.text_sql()).map_err(database_error)?;
    let mut rows = texts.query(params_from_iter(range.params())).map_err(database_error)?;
    let mut seen = 0_usize;
    while let Some(row) = rows.next().map_err(database_error)? {
        seen += 1;
        if seen.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            waits.check()?;
        }
        let text = row.get_ref(2).map_err(database_error)?;
        let text = text.as_blob().map_err(database_error)?;
        if finder.find(text).is_some() && each(&MatchedRow(row))?.is_break() {
            break;
        }
    }
    Ok(())
}

fn read_by_keys(
    conn: &Connection,
    form: i64,
    found: Vec<(i64, String)>,
    mut rows: PageBuilder,
) -> Result<Vec<StoredSubmission>> {
    let mut one = conn.prepare_cached(row_sql!("json")).map_err(database_error)?;
    for (submitted_at, id) in found {
        if rows.is_full() {
            break;
        }
        let json =
            one.query_row((form, submitted_at, &id), |row| row.get(0)).map_err(database_error)?;
        rows.push(stored_submission(submitted_at, id, json)?);
    }
    Ok(rows.into_rows())
}
