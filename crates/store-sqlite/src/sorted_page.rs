//! Pages of sorted lists.
//!
//! The form's `SummaryIndex` finds the rows, and each is read by its instant. With a search, and
//! without the index, all matches are read.

use super::SqliteStore;
use super::instants::for_each_row_at;
use super::memory_index::{FormState, IndexRead, MemoryIndex};
use super::properties::{self, ROWS_BETWEEN_CHECKS, optional_text_column, text_column};
use super::readers::CancelFlag;
use super::request::ListRequest;
use super::submission_range::{row_key, row_sql, visible_range};
use super::submissions::{find_keys, read_index};
use crate::index::{self, PropertyFilter, SortedMatches, time_range};
use async_trait::async_trait;
use rusqlite::Connection;
use std::ops::ControlFlow;
use std::sync::Arc;
use store::columns::database_error;
use store::sorted::{SORTED_MATCHES_MAX, SortedPage, SortedRequest, SortedRows, SortedStore};
use store::{Page, Result, StoreError};

#[async_trait]
impl SortedStore for SqliteStore {
    async fn list_sorted(&self, request: SortedRequest) -> Result<Option<SortedPage>> {
        let index = Arc::clone(&self.memory_index);
        let list = move |conn: &Connection, cancel_flag: &CancelFlag| {
            list(conn, &index, &request, cancel_flag)
        };
        self.readers.scan(list).await
    }
}

fn list(
    conn: &Connection,
    index: &MemoryIndex,
    request: &SortedRequest,
    cancel_flag: &CancelFlag,
) -> Result<Option<SortedPage>> {
    let SortedRequest { owner, form, filter, sort, after, limit } = request;
    let form = ListRequest::new(owner, form, filter, None, *limit);
    let property_filter = PropertyFilter::of(filter).filter(|_| filter.search.is_none());
    let find = |state| match &property_filter {
        None => IndexRead::Missing,
        Some(property_filter) => {
            let request = index::SortedRequest {
                filter: property_filter,
                span: time_range(filter),
                sort,
                after: after.as_ref(),
                rows_max: limit.saturating_add(1),
            };
            index.find_sorted(state, &request)
        }
    };
    let Some((state, matches)) = read_index(conn, &form, find)? else { return Ok(None) };
    let page = match matches {
        Some(matches) if sort.is_by_field() && matches.total > SORTED_MATCHES_MAX => {
            return Err(StoreError::TooManyToSort);
        }
        Some(matches) => read_matches(conn, state.seq, request, &matches)?,
        None if filter.search.is_some() => search(conn, state, request, cancel_flag)?,
        None => scan_file(conn, state, request, cancel_flag)?,
    };
    Ok(Some(page))
}

/// Reads the rows of a page by the instants of the matches.
fn read_matches(
    conn: &Connection,
    form: i64,
    request: &SortedRequest,
    matches: &SortedMatches,
) -> Result<SortedPage> {
    let mut page = SortedRows::new(request);
    for_each_row_at(conn, form, matches.instants(), |at, row| {
        let id = text_column(row, 0)?;
        if matches.contains(at, id) {
            page.add(at, id, text_column(row, 1)?, optional_text_column(row, 2)?)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let SortedPage { page, last } = page.into_page();
    Ok(SortedPage { page: Page { total: matches.total, ..page }, last })
}

/// Reads all matches of a filter with a search.
fn search(
    conn: &Connection,
    state: FormState,
    request: &SortedRequest,
    cancel_flag: &CancelFlag,
) -> Result<SortedPage> {
    let mut page = SortedRows::new(request);
    let (keys, _) = find_keys(conn, state.seq, &request.filter, u64::MAX)?;
    let mut statement = conn.prepare_cached(row_sql!("json, triage")).map_err(database_error)?;
    for (number, (at, id)) in keys.iter().enumerate() {
        if number.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            cancel_flag.check()?;
        }
        let (json, triage): (String, Option<String>) = statement
            .query_row((state.seq, at, id), |row| row.try_into())
            .map_err(database_error)?;
        page.add(*at, id, &json, triage.as_deref())?;
    }
    Ok(page.into_page())
}

/// Reads all rows of the filter's range.
fn scan_file(
    conn: &Connection,
    state: FormState,
    request: &SortedRequest,
    cancel_flag: &CancelFlag,
) -> Result<SortedPage> {
    let range = visible_range(conn, state.seq, &request.filter, None)?;
    let mut page = SortedRows::new(request);
    properties::for_each_match(conn, &range, &request.filter, cancel_flag, |row| {
        let (at, id) = row_key(row)?;
        page.add(at, &id, text_column(row, 2)?, optional_text_column(row, 3)?)
    })?;
    Ok(page.into_page())
}
