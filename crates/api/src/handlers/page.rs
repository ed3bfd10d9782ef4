//! JSON pages of the spam and trash lists.

use crate::error::{Error, Result};
use axum::response::{IntoResponse, Response};
use contract::Pagination;
use http::{HeaderValue, header};
use store::Position;
use store::pages::count_fitting;

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
    mut rows: Vec<SerializedRow<'_>>,
    total: u64,
    limit: u16,
    next_cursor: impl Fn(&Position) -> String,
) -> Result<Response> {
    let fitting = rows.iter().take(usize::from(limit)).map(|row| row.json.len());
    let count = count_fitting(fitting);
    let has_more = rows.len() > count;
    rows.truncate(count);
    let last = rows.last().filter(|_| has_more);
    let next_cursor = last.map(|row| next_cursor(row.position));
    let pagination = Pagination { total, limit, has_more, next_cursor };
    let pagination = serde_json::to_string(&pagination).map_err(Error::internal)?;
    let rows: Vec<String> = rows.into_iter().map(|row| row.json).collect();
    let body = format!("{{\"data\":[{}],\"pagination\":{pagination}}}", rows.join(","));
    let media_type = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, media_type)], body).into_response())
}
