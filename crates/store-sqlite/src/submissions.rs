//! Reads submissions: pages, exact counts, searches, and single ones by id.
//!
//! A search matches as [`contract::Filter::matches`] does: the folded needle occurs in the folded
//! values.

use super::accounts::DELETED;
use super::hidden;
use super::memory_index::{FormState, Held, Seen};
use super::readers::{Abandoned, abandoned};
use super::request::Request;
use super::selective_page::sparse_page;
use super::submission_range::{Stretch, page, row_sql, stretch};
use crate::index::Query;
use contract::filter::Search;
use contract::{Filter, SubmissionId};
use memchr::memmem::Finder;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use std::ops::ControlFlow;
use store::columns::{count, damaged, database, parse, stored};
use store::pages::PageRows;
use store::{ListPage, OwnedSubmission, Result, StoredSubmission};

/// Number of rows between two checks for cancellation.
const ROWS_BETWEEN_CHECKS: usize = 1024;

/// Maximum number of snapshots to try until one is not older than the index. Under many writes the
/// first may be older, but hardly ever several in a row.
pub(super) const SNAPSHOTS_MAX: usize = 4;

/// Lists a page of a filter without a search, and counts all matches. Returns `None` if there is no
/// such form.
pub(super) fn list(conn: &Connection, held: &Held, request: &Request) -> Result<Option<ListPage>> {
    let known = in_memory(conn, request, |state| total(held, state, &request.filter))?;
    let Some((state, total)) = known else { return Ok(None) };
    let total = match total {
        Some(total) => total,
        None => count_all(conn, state.seq, &request.filter)?,
    };
    let rows = if let Some(rows) = sparse_page(conn, held, state, request, total)? {
        rows
    } else {
        let stretch = stretch(conn, state.seq, &request.filter, request.behind.as_ref())?;
        let mut rows = request.page_rows();
        page(conn, &stretch, &mut rows)?;
        rows.into_rows()
    };
    Ok(Some(ListPage { rows, total }))
}

/// Lists a page of search results, and counts all matches. Returns `None` if there is no such form.
pub(super) fn search(
    conn: &Connection,
    held: &Held,
    request: &Request,
    query: &Query,
    waits: &Abandoned,
) -> Result<Option<ListPage>> {
    let behind = request.behind.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let is_abandoned = || waits.check().is_err();
    let look = |state| held.search(state, query, behind, request.rows_max, &is_abandoned);
    match in_memory(conn, request, look)? {
        None => Ok(None),
        Some((state, None)) => search_file(conn, state.seq, request, waits).map(Some),
        Some((state, Some(found))) => {
            let Some(found) = found else { return Err(abandoned()) };
            let rows = read_all(conn, state.seq, found.places, request.page_rows())?;
            Ok(Some(ListPage { rows, total: found.total }))
        }
    }
}

/// Reads an index of a form. If the index is newer than the snapshot, starts a new snapshot and
/// tries again, so the caller must not have read anything before. Returns `None` if there is no
/// such form.
fn in_memory<T>(
    conn: &Connection,
    request: &Request,
    ask: impl Fn(FormState) -> Seen<T>,
) -> Result<Option<(FormState, Option<T>)>> {
    for _ in 0..SNAPSHOTS_MAX {
        let Some(state) = request.form_state(conn)? else { return Ok(None) };
        match ask(state) {
            Seen::Found(found) => return Ok(Some((state, Some(found)))),
            Seen::Missing => return Ok(Some((state, None))),
            Seen::Ahead => conn.execute_batch("COMMIT; BEGIN").map_err(database)?,
        }
    }
    Ok(request.form_state(conn)?.map(|state| (state, None)))
}

/// Counts in memory. Without a filter, the total is the stored count of the form.
fn total(held: &Held, state: FormState, filter: &Filter) -> Seen<u64> {
    if filter.is_empty() {
        return u64::try_from(state.rows).map_or(Seen::Missing, Seen::Found);
    }
    held.count(state, filter)
}

/// Searches the texts of a form in the file, and counts all matches, in one pass.
fn search_file(
    conn: &Connection,
    form: i64,
    request: &Request,
    waits: &Abandoned,
) -> Result<ListPage> {
    let Some(search) = &request.filter.search else { return Err(damaged("no search is set")) };
    let behind = request.behind.as_ref().map(|at| (at.submitted_at.micros(), at.id.as_str()));
    let (mut found, mut total) = (Vec::new(), 0);
    let all = stretch(conn, form, &request.filter, None)?;
    look(conn, &all, search, waits, |row| {
        total += 1;
        if found.len() < request.rows_max {
            let place = row.place()?;
            if behind.is_none_or(|behind| (place.0, place.1.as_str()) < behind) {
                found.push(place);
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(ListPage { rows: read_all(conn, form, found, request.page_rows())?, total })
}

/// Key of a submission: instant and id.
pub(super) type Place = (i64, String);

/// Returns the keys of the newest matches of a filter, and counts all matches.
pub(super) fn places(
    conn: &Connection,
    form: i64,
    filter: &Filter,
    places_max: u64,
) -> Result<(Vec<Place>, u64)> {
    let all = stretch(conn, form, filter, None)?;
    let mut places = Vec::new();
    let Some(search) = &filter.search else {
        let mut rows = conn.prepare_cached(&all.places_sql()).map_err(database)?;
        let limit = i64::try_from(places_max).unwrap_or(i64::MAX);
        let mut params = all.params();
        params.push(&limit);
        let mut rows = rows.query(params_from_iter(params)).map_err(database)?;
        while let Some(row) = rows.next().map_err(database)? {
            places.push(Found(row).place()?);
        }
        return Ok((places, count_all(conn, form, filter)?));
    };
    let mut total = 0;
    look(conn, &all, search, &Abandoned::never(), |row| {
        total += 1;
        if total <= places_max {
            places.push(row.place()?);
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
             WHERE s.id = ? AND f.account <> '{DELETED}'{}",
            hidden::SEEN
        ))
        .and_then(|mut found| found.query_row([id.as_str()], |row| row.try_into()).optional())
        .map_err(database)?;
    let Some((account, environment, submitted_at, id, json)) = found else { return Ok(None) };
    Ok(Some(OwnedSubmission {
        account_id: parse(&account)?,
        environment: parse(&environment)?,
        submission: stored(submitted_at, id, json)?,
    }))
}

/// Counts the matches of a filter without a search, in the file.
fn count_all(conn: &Connection, form: i64, filter: &Filter) -> Result<u64> {
    let all = stretch(conn, form, filter, None)?;
    let rows: rusqlite::Result<i64> = conn
        .prepare_cached(&all.count_sql())
        .and_then(|mut c| c.query_row(params_from_iter(all.params()), |row| row.get(0)));
    count(rows.map_err(database)?)
}

/// A row that matches a search.
struct Found<'a>(&'a Row<'a>);

impl Found<'_> {
    fn place(&self) -> Result<Place> {
        let place = (|| Ok((self.0.get(0)?, self.0.get(1)?)))();
        place.map_err(|e: rusqlite::Error| database(e))
    }
}

/// Searches the texts of a range, newest first, and calls `each` with every match.
fn look(
    conn: &Connection,
    stretch: &Stretch<'_>,
    search: &Search,
    waits: &Abandoned,
    mut each: impl FnMut(&Found<'_>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let folded = search.folded();
    let finder = Finder::new(&folded);
    let mut texts = conn.prepare_cached(&stretch.text_sql()).map_err(database)?;
    let mut rows = texts.query(params_from_iter(stretch.params())).map_err(database)?;
    let mut seen = 0_usize;
    while let Some(row) = rows.next().map_err(database)? {
        seen += 1;
        if seen.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            waits.check()?;
        }
        let text = row.get_ref(2).map_err(database)?;
        let text = text.as_blob().map_err(database)?;
        if finder.find(text).is_some() && each(&Found(row))?.is_break() {
            break;
        }
    }
    Ok(())
}

fn read_all(
    conn: &Connection,
    form: i64,
    found: Vec<(i64, String)>,
    mut rows: PageRows,
) -> Result<Vec<StoredSubmission>> {
    let mut one = conn.prepare_cached(row_sql!("json")).map_err(database)?;
    for (submitted_at, id) in found {
        if rows.is_full() {
            break;
        }
        let json = one.query_row((form, submitted_at, &id), |row| row.get(0)).map_err(database)?;
        rows.push(stored(submitted_at, id, json)?);
    }
    Ok(rows.into_rows())
}
