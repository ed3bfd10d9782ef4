//! Pages of lists.

use crate::error::{Error, Result};
use axum::response::{IntoResponse, Response};
use contract::{Page, Pagination};
use http::{HeaderValue, header};
use store::Position;
use store::pages::count_fitting;

/// Returns the position after which a page begins; `None` for the first page. `decode` decodes its
/// cursor.
pub(crate) fn parse_cursor<T>(
    cursor: Option<&str>,
    decode: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>> {
    cursor.map(|cursor| decode(cursor).ok_or_else(Error::cursor)).transpose()
}

/// Cuts rows to a page of `count`. There must be more rows if the list continues. `next_cursor`
/// encodes the position after a row.
pub(crate) fn cut_page<T>(
    mut rows: Vec<T>,
    count: usize,
    (total, limit): (u64, u16),
    next_cursor: impl FnOnce(&T) -> String,
) -> Page<T> {
    let has_more = rows.len() > count;
    rows.truncate(count);
    let next_cursor = rows.last().filter(|_| has_more).map(next_cursor);
    Page { data: rows, pagination: Pagination { total, limit, has_more, next_cursor } }
}

/// Serialized row of a list.
pub(crate) struct SerializedRow<'a> {
    /// Position of the row.
    pub(crate) position: &'a Position,
    /// JSON of the row.
    pub(crate) json: String,
}

/// Writes a page of at most `limit` rows and 2 MiB. `rows` must contain one more row if the list
/// continues. `next_cursor` encodes the position after a row.
pub(crate) fn page_response(
    rows: Vec<SerializedRow<'_>>,
    total: u64,
    limit: u16,
    next_cursor: impl Fn(&Position) -> String,
) -> Result<Response> {
    let fitting = rows.iter().take(usize::from(limit)).map(|row| row.json.len());
    let count = count_fitting(fitting);
    let page = cut_page(rows, count, (total, limit), |row| next_cursor(row.position));
    let pagination = serde_json::to_string(&page.pagination).map_err(Error::internal)?;
    let rows: Vec<String> = page.data.into_iter().map(|row| row.json).collect();
    let body = format!("{{\"data\":[{}],\"pagination\":{pagination}}}", rows.join(","));
    let media_type = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, media_type)], body).into_response())
}
