//! Pages of sorted lists, and sorted exports.
//!
//! The form's `SummaryIndex` finds the rows, and each is read by its instant. With a search, and
//! without the index, all matches are read.

use super::SqliteStore;
use super::export;
use super::instants::for_each_row_at;
use super::memory_index::{FormState, IndexRead, MemoryIndex};
use super::properties::{self, ROWS_BETWEEN_CHECKS, optional_text_column, text_column};
use super::readers::CancelFlag;
use super::request::ListRequest;
use super::submission_range::{row_key, row_sql, visible_range};
use super::submissions::{find_keys, read_index};
use crate::index::{self, PropertyFilter, SortedMatches, time_range};
use async_trait::async_trait;
use contract::FormId;
use rusqlite::Connection;
use std::ops::ControlFlow;
use std::sync::Arc;
use store::columns::database_error;
use store::sorted::{SortedPage, SortedRequest, SortedRows, SortedStore};
use store::{Chunk, Position, Result};

#[async_trait]
impl SortedStore for SqliteStore {
    async fn list_sorted(&self, request: SortedRequest) -> Result<Option<SortedPage>> {
        let index = Arc::clone(&self.memory_index);
        let list = move |conn: &Connection, cancel_flag: &CancelFlag| {
            let rows = find_rows(conn, &index, SortedRows::of_page(&request), cancel_flag)?;
            Ok(rows.map(SortedRows::into_page))
        };
        self.readers.scan(list).await
    }

    async fn find_sorted_positions(&self, request: SortedRequest) -> Result<Option<Vec<Position>>> {
        let index = Arc::clone(&self.memory_index);
        let find = move |conn: &Connection, cancel_flag: &CancelFlag| {
            let rows = find_rows(conn, &index, SortedRows::of_positions(&request), cancel_flag)?;
            Ok(rows.map(SortedRows::into_positions))
        };
        self.readers.scan(find).await
    }

    async fn export_positions(
        &self,
        form: &FormId,
        positions: &[Position],
        chunk: Chunk,
    ) -> Result<Chunk> {
        let (form, positions) = (form.clone(), positions.to_vec());
        let fill = move |conn: &Connection, _: &CancelFlag| {
            export::fill_chunk_at(conn, &form, &positions, chunk)
        };
        self.readers.scan(fill).await
    }
}

/// Finds the rows of a page or an export; `None` if the owner has no such form.
fn find_rows<'a>(
    conn: &Connection,
    index: &MemoryIndex,
    mut rows: SortedRows<'a>,
    cancel_flag: &CancelFlag,
) -> Result<Option<SortedRows<'a>>> {
    let SortedRequest { owner, form, filter, sort, limit, .. } = rows.request();
    let form = ListRequest::new(owner, form, filter, None, *limit);
    let property_filter = PropertyFilter::of(filter).filter(|_| filter.search.is_none());
    let find = |state| match &property_filter {
        None => IndexRead::Missing,
        Some(property_filter) => {
            let request = index::SortedRequest {
                filter: property_filter,
                span: time_range(filter),
                sort,
                after: rows.after(),
                rows_max: rows.rows_max(),
            };
            index.find_sorted(state, &request)
        }
    };
    let Some((state, matches)) = read_index(conn, &form, find)? else { return Ok(None) };
    match matches {
        Some(matches) => read_matches(conn, state.seq, &matches, &mut rows, cancel_flag)?,
        None if filter.search.is_some() => search(conn, state, &mut rows, cancel_flag)?,
        None => scan_file(conn, state, &mut rows, cancel_flag)?,
    }
    Ok(Some(rows))
}

/// Reads the rows of a page by the instants of the matches.
fn read_matches(
    conn: &Connection,
    form: i64,
    matches: &SortedMatches,
    rows: &mut SortedRows<'_>,
    cancel_flag: &CancelFlag,
) -> Result<()> {
    rows.set_total(matches.total)?;
    let mut read = 0_usize;
    for_each_row_at(conn, form, matches.instants(), |at, row| {
        read += 1;
        if read.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            cancel_flag.check()?;
        }
        let id = text_column(row, 0)?;
        if matches.contains(at, id) {
            rows.add(at, id, text_column(row, 1)?, optional_text_column(row, 2)?)?;
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Reads all matches of a filter with a search.
fn search(
    conn: &Connection,
    state: FormState,
    rows: &mut SortedRows<'_>,
    cancel_flag: &CancelFlag,
) -> Result<()> {
    let (keys, _) = find_keys(conn, state.seq, &rows.request().filter, u64::MAX)?;
    let mut statement = conn.prepare_cached(row_sql!("json, triage")).map_err(database_error)?;
    for (number, (at, id)) in keys.iter().enumerate() {
        if number.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            cancel_flag.check()?;
        }
        let (json, triage): (String, Option<String>) = statement
            .query_row((state.seq, at, id), |row| row.try_into())
            .map_err(database_error)?;
        rows.add(*at, id, &json, triage.as_deref())?;
    }
    Ok(())
}

/// Reads all rows of the filter's range.
fn scan_file(
    conn: &Connection,
    state: FormState,
    rows: &mut SortedRows<'_>,
    cancel_flag: &CancelFlag,
) -> Result<()> {
    let filter = &rows.request().filter;
    let range = visible_range(conn, state.seq, filter, None)?;
    properties::for_each_match(conn, &range, filter, cancel_flag, |row| {
        let (at, id) = row_key(row)?;
        rows.add(at, &id, text_column(row, 2)?, optional_text_column(row, 3)?)
    })
}
