//! Reads submissions: pages, exact counts, searches, and single ones by id.
//!
//! A search matches as [`contract::Filter::matches`] does: the folded needle occurs in the folded
//! values.

use super::accounts::DELETED_ACCOUNT;
use super::memory_index::{FormState, IndexRead, MemoryIndex};
use super::properties::{self, ROWS_BETWEEN_CHECKS, RowCheck};
use super::readers::{CancelFlag, cancelled_error};
use super::request::ListRequest;
use super::selective_page::read_selective_page;
use super::submission_range::{ListKey, read_page, row_key, row_sql, visible_range};
use super::{hidden, query};
use crate::index::{PropertyFilter, TextMatches, TextQuery};
use contract::filter::Search;
use contract::{Filter, SubmissionId};
use memchr::memmem::Finder;
use rusqlite::{Connection, Row, params_from_iter};
use store::columns::{damaged_row, database_error, parse, parse_count, stored_submission};
use store::pages::PageBuilder;
use store::{ListPage, OwnedSubmission, Result, StoredSubmission};

/// Maximum number of snapshots to try until one is not older than the index. Under many writes the
/// first may be older, but hardly ever several in a row.
pub(super) const SNAPSHOTS_MAX: usize = 4;

/// Lists a page of a filter without a search, labels and numbers, and counts all matches. Returns
/// `None` if there is no such form.
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
    read_counted_page(conn, index, state, request, total).map(Some)
}

/// Reads a page of a filter without a search, labels and numbers that has `total` matches.
fn read_counted_page(
    conn: &Connection,
    index: &MemoryIndex,
    state: FormState,
    request: &ListRequest,
    total: u64,
) -> Result<ListPage> {
    let rows = if let Some(rows) = read_selective_page(conn, index, state, request, total)? {
        rows
    } else {
        let range = visible_range(conn, state.seq, &request.filter, request.after.as_ref())?;
        let mut rows = request.page_rows();
        read_page(conn, &range, &mut rows)?;
        rows.into_rows()
    };
    Ok(ListPage { rows, total })
}

/// As [`list`], but returns `None` if that may take more than some microseconds: if the number of
/// matches is not known in memory.
pub(super) fn list_now(
    conn: &Connection,
    index: &MemoryIndex,
    request: &ListRequest,
) -> Result<Option<ListPage>> {
    let Some(state) = request.form_state(conn)? else { return Ok(None) };
    let total = if request.filter.is_empty() {
        u64::try_from(state.rows).ok()
    } else {
        index.count_now(state, &request.filter)
    };
    total.map(|total| read_counted_page(conn, index, state, request, total)).transpose()
}

/// Lists a page of search results, and counts all matches. Returns `None` if there is no such form.
pub(super) fn search(
    conn: &Connection,
    index: &MemoryIndex,
    request: &ListRequest,
    query: &TextQuery,
    cancel_flag: &CancelFlag,
) -> Result<Option<ListPage>> {
    let search = |state| search_in_memory(index, state, request, query, cancel_flag);
    match read_index(conn, request, search)? {
        None => Ok(None),
        Some((state, None)) => search_file(conn, state.seq, request, cancel_flag).map(Some),
        Some((state, Some(found))) => {
            let Some(found) = found else { return Err(cancelled_error()) };
            let rows = read_by_keys(conn, state.seq, found.keys, request.page_rows())?;
            Ok(Some(ListPage { rows, total: found.total }))
        }
    }
}

/// Searches in memory. The value is `None` if the search was cancelled.
fn search_in_memory(
    index: &MemoryIndex,
    state: FormState,
    request: &ListRequest,
    query: &TextQuery,
    cancel_flag: &CancelFlag,
) -> IndexRead<Option<TextMatches>> {
    let after = request.after.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let is_abandoned = || cancel_flag.check().is_err();
    if !request.filter.has_properties() {
        return index.search(state, query, after, request.rows_max, &is_abandoned);
    }
    let Some(filter) = PropertyFilter::of(&request.filter) else { return IndexRead::Missing };
    let found = match index.search(state, query, None, usize::MAX, &is_abandoned) {
        IndexRead::Found(Some(found)) => found.keys,
        IndexRead::Missing => {
            // Start loading anyway, so that both indexes are ready for the next request.
            index.load_facts(state);
            index.load_answers(state, &filter);
            return IndexRead::Missing;
        }
        cancelled_or_newer => return cancelled_or_newer,
    };
    let page = |mut keys: Vec<ListKey>| {
        let total = keys.len() as u64;
        keys.retain(|(at, id)| after.is_none_or(|after| (*at, id.as_str()) < after));
        keys.truncate(request.rows_max);
        TextMatches { keys, total }
    };
    index.retain_matches(state, &filter, found, &is_abandoned).map(|keys| keys.map(page))
}

/// Reads an index of a form. If the index is newer than the snapshot, starts a new snapshot and
/// tries again, so the caller must not have read anything before. Returns `None` if there is no
/// such form.
pub(super) fn read_index<T>(
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
    cancel_flag: &CancelFlag,
) -> Result<ListPage> {
    let filter = &request.filter;
    let Some(search) = &filter.search else { return Err(damaged_row("no search is set")) };
    let after = request.after.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let mut found = Vec::new();
    let mut total = 0;
    search_rows(conn, form, filter, search, cancel_flag, |row| {
        total += 1;
        if found.len() < request.rows_max {
            let place = row_key(row)?;
            if after.is_none_or(|after| (place.0, place.1.as_str()) < after) {
                found.push(place);
            }
        }
        Ok(())
    })?;
    Ok(ListPage { rows: read_by_keys(conn, form, found, request.page_rows())?, total })
}

/// Returns the keys of the newest matches of a filter, and counts all matches.
pub(super) fn find_keys(
    conn: &Connection,
    form: i64,
    filter: &Filter,
    places_max: u64,
) -> Result<(Vec<ListKey>, u64)> {
    let mut places = Vec::new();
    let mut total = 0;
    let add = |row: &Row<'_>| {
        total += 1;
        if total <= places_max {
            places.push(row_key(row)?);
        }
        Ok(())
    };
    let cancel_flag = CancelFlag::never();
    if let Some(search) = &filter.search {
        search_rows(conn, form, filter, search, &cancel_flag, add)?;
        return Ok((places, total));
    }
    let range = visible_range(conn, form, filter, None)?;
    if filter.has_properties() {
        properties::for_each_match(conn, &range, filter, &cancel_flag, add)?;
        return Ok((places, total));
    }
    let mut rows = conn.prepare_cached(&range.keys_sql()).map_err(database_error)?;
    let limit = i64::try_from(places_max).unwrap_or(i64::MAX);
    let mut params = range.params();
    params.push(&limit);
    let mut rows = rows.query(params_from_iter(params)).map_err(database_error)?;
    while let Some(row) = rows.next().map_err(database_error)? {
        places.push(row_key(row)?);
    }
    Ok((places, count_in_file(conn, form, filter)?))
}

/// Finds a submission and its owner.
pub(super) fn find(conn: &Connection, id: &SubmissionId) -> Result<Option<OwnedSubmission>> {
    let sql = format!(
        "SELECT f.account, f.environment, f.id, s.submitted_at, s.id, s.json
             FROM submissions AS s JOIN forms AS f ON f.seq = s.form
             WHERE s.id = ? AND f.account <> '{DELETED_ACCOUNT}'{}",
        hidden::VISIBLE_SQL
    );
    let found: Option<(String, String, String, i64, String, String)> =
        query::find(conn, &sql, [id.as_str()], |row| row.try_into())?;
    let Some((account, environment, form, submitted_at, id, json)) = found else {
        return Ok(None);
    };
    Ok(Some(OwnedSubmission {
        account_id: parse(&account)?,
        environment: parse(&environment)?,
        form_id: parse(&form)?,
        submission: stored_submission(submitted_at, id, json)?,
    }))
}

/// Counts the matches of a filter without a search, in the file.
pub(super) fn count_in_file(conn: &Connection, form: i64, filter: &Filter) -> Result<u64> {
    let range = visible_range(conn, form, filter, None)?;
    let params = params_from_iter(range.params());
    parse_count(query::one(conn, &range.count_sql(), params, |row| row.get(0))?)
}

/// Searches the texts of a filter's range, newest first, and calls `on_row` with every match.
fn search_rows(
    conn: &Connection,
    form: i64,
    filter: &Filter,
    search: &Search,
    cancel_flag: &CancelFlag,
    mut on_row: impl FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let folded = search.folded();
    let finder = Finder::new(&folded);
    let range = visible_range(conn, form, filter, None)?;
    let mut check = RowCheck::new(conn, form, filter)?;
    let mut texts = conn.prepare_cached(&range.text_sql()).map_err(database_error)?;
    let mut rows = texts.query(params_from_iter(range.params())).map_err(database_error)?;
    let mut rows_read = 0_usize;
    while let Some(row) = rows.next().map_err(database_error)? {
        rows_read += 1;
        if rows_read.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            cancel_flag.check()?;
        }
        let text = row.get_ref(2).map_err(database_error)?;
        let text = text.as_blob().map_err(database_error)?;
        if finder.find(text).is_some() && check.matches(row)? {
            on_row(row)?;
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
    let mut statement = conn.prepare_cached(row_sql!("json")).map_err(database_error)?;
    for (submitted_at, id) in found {
        if rows.is_full() {
            break;
        }
        let json = statement
            .query_row((form, submitted_at, &id), |row| row.get(0))
            .map_err(database_error)?;
        rows.push(stored_submission(submitted_at, id, json)?);
    }
    Ok(rows.into_rows())
}
