//! Pages of sorted lists, and sorted exports.
//!
//! The database sorts by times and numbers. All other orders, and filters with criteria for
//! answers, are compared here.

use super::answer_scan::for_each_match;
use super::list::{PageRequest, fetch_page};
use crate::errors::database_error;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::search_term::Term;
use crate::submission_range::SubmissionRange;
use crate::transaction::Conn;
use crate::{PostgresStore, export, forms};
use async_trait::async_trait;
use contract::sort::SORTED_MATCHES_MAX;
use contract::{FormId, Sort, SortBy, SortKey, SortPlace, SortValue};
use store::columns::{parse, parse_instant, parse_position};
use store::sorted::{SortedPage, SortedRequest, SortedRows, SortedStore};
use store::{Chunk, Position, Result, StoreError};
use tokio_postgres::Row;

/// Time of the last change of submission `s`, or its own time if it was never changed.
const UPDATED_AT: &str = "coalesce((s.triage::JSON ->> 'updated_at')::BIGINT, s.submitted_at)";

#[async_trait]
impl SortedStore for PostgresStore {
    async fn list_sorted(&self, request: SortedRequest) -> Result<Option<SortedPage>> {
        let mut conn = self.get_cancelable_long(&request.form).await?;
        let page = match list_page(&conn, &request).await {
            Err(error @ StoreError::TooManyToSort) => return Err(error),
            Ok(page) => page,
            Err(error) => {
                conn = self.fall_back_to_primary(conn, error, &request.form).await?;
                list_page(&conn, &request).await?
            }
        };
        conn.release();
        Ok(page)
    }

    async fn find_sorted_positions(&self, request: SortedRequest) -> Result<Option<Vec<Position>>> {
        let mut conn = self.get_cancelable_long(&request.form).await?;
        let positions = match find_positions(&conn, &request).await {
            Err(error @ StoreError::TooManyToSort) => return Err(error),
            Ok(positions) => positions,
            Err(error) => {
                conn = self.fall_back_to_primary(conn, error, &request.form).await?;
                find_positions(&conn, &request).await?
            }
        };
        conn.release();
        Ok(positions)
    }

    async fn export_positions(
        &self,
        form: &FormId,
        positions: &[Position],
        mut chunk: Chunk,
    ) -> Result<Chunk> {
        let mut conn = self.get_cancelable_long(form).await?;
        if let Err(error) = export::fill_chunk_at(&conn, form, positions, &mut chunk).await {
            conn = self.fall_back_to_primary(conn, error, form).await?;
            export::fill_chunk_at(&conn, form, positions, &mut chunk).await?;
        }
        conn.release();
        Ok(chunk)
    }
}

/// Returns the SQL expression over submission `s` that the database can sort by; `None` if the
/// server compares the submissions.
fn sort_expression(request: &SortedRequest) -> Option<&'static str> {
    let expression = match request.sort.by() {
        SortBy::SubmittedAt => "s.submitted_at",
        SortBy::CompletionTime => "s.seconds",
        SortBy::SentimentScore => "s.score",
        SortBy::UpdatedAt => UPDATED_AT,
        SortBy::Field(_) => return None,
    };
    request.filter.fields.is_empty().then_some(expression)
}

/// Lists a page and counts all matches; `None` if the owner has no such form.
async fn list_page(conn: &Conn, request: &SortedRequest) -> Result<Option<SortedPage>> {
    if let Some(value) = sort_expression(request) {
        return list_by_value(conn, request, value).await;
    }
    let rows = scan_matches(conn, request, SortedRows::of_page(request)).await?;
    Ok(rows.map(SortedRows::into_page))
}

/// Finds the positions of all matches; `None` if the owner has no such form.
async fn find_positions(conn: &Conn, request: &SortedRequest) -> Result<Option<Vec<Position>>> {
    let Some(value) = sort_expression(request) else {
        let rows = scan_matches(conn, request, SortedRows::of_positions(request)).await?;
        return Ok(rows.map(SortedRows::into_positions));
    };
    if forms::find_owner(conn, &request.form).await?.as_ref() != Some(&request.owner) {
        return Ok(None);
    }
    let SortedRequest { form, filter, sort, .. } = request;
    let mut params = QueryParams::default();
    let mut rows = SubmissionRange::new(form, filter).rows_condition(None, &mut params);
    if let Some(search) = &filter.search {
        let has = Term::from_search(search).scan_condition(&mut params);
        rows = format!("{rows} AND {has}");
    }
    let positions_max = usize::try_from(SORTED_MATCHES_MAX).unwrap_or(usize::MAX);
    let max = params.push_rows(positions_max.saturating_add(1));
    let order = order_by(sort, "s", value);
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} {order} LIMIT {max}"
    );
    let rows = conn.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
    if rows.len() > positions_max {
        return Err(StoreError::TooManyToSort);
    }
    let position = |row: &Row| parse_position(read_column(row, 0)?, read_column(row, 1)?);
    rows.iter().map(position).collect::<Result<_>>().map(Some)
}

/// Reads all matches; `None` if the owner has no such form.
async fn scan_matches<'a>(
    conn: &Conn,
    request: &SortedRequest,
    mut rows: SortedRows<'a>,
) -> Result<Option<SortedRows<'a>>> {
    if forms::find_owner(conn, &request.form).await?.as_ref() != Some(&request.owner) {
        return Ok(None);
    }
    for_each_match(&***conn, &request.form, &request.filter, |row| {
        let (json, triage) = (read_column(row, 2)?, read_column(row, 3)?);
        rows.add(read_column(row, 0)?, read_column(row, 1)?, json, triage)
    })
    .await?;
    Ok(Some(rows))
}

/// Returns the `ORDER BY` clause for an expression and the key columns of a table.
fn order_by(sort: &Sort, table: &str, value: &str) -> String {
    let direction = if sort.is_descending() { "DESC" } else { "ASC" };
    format!("ORDER BY {value} {direction} NULLS LAST, {table}.submitted_at DESC, {table}.id DESC")
}

/// Lists a page in the order of an SQL expression over submission `s`.
async fn list_by_value(
    conn: &Conn,
    request: &SortedRequest,
    value: &str,
) -> Result<Option<SortedPage>> {
    let SortedRequest { owner, form, filter, sort, after, limit } = request;
    let page_request =
        PageRequest { owner, form, filter, after: None, rows_max: limit.saturating_add(1) };
    let mut params = QueryParams::default();
    let range = page_request.range();
    let mut rows = range.rows_condition(None, &mut params);
    let total = match &filter.search {
        None => range.count_expression(&mut params),
        Some(search) => {
            let has = Term::from_search(search).scan_condition(&mut params);
            rows = format!("{rows} AND {has}");
            format!("(SELECT count(*) FROM submissions AS s WHERE {rows})")
        }
    };
    let after = after.as_ref().map(|after| after_condition(value, after, &mut params));
    let after = after.unwrap_or_default();
    let max = params.push_rows(page_request.rows_max);
    // An index has the numbers and the keys, so that only the rows of the page are read.
    let form = params.push_text(form.as_str());
    let page = format!(
        "SELECT k.submitted_at, k.id, s.json, k.sorted_by FROM (\
           SELECT s.submitted_at, s.id, {value} AS sorted_by FROM submissions AS s \
           WHERE {rows}{after} {} LIMIT {max}) AS k JOIN submissions AS s \
         ON s.form_id = {form} AND s.submitted_at = k.submitted_at AND s.id = k.id",
        order_by(sort, "s", value)
    );
    let page = (&*page, "p.submitted_at, p.id, p.json, p.sorted_by");
    let order = order_by(sort, "l", "l.sorted_by");
    let sql = page_request.ordered_statement("", &total, page, &order, &mut params);
    let Some((rows, total)) = fetch_page(&***conn, &sql, &params).await? else { return Ok(None) };
    let rows = rows.iter().map(|row| read_row(row, sort)).collect::<Result<_>>()?;
    Ok(Some(SortedPage::new(rows, total, *limit)))
}

/// Returns the place and the JSON of a row.
fn read_row(row: &Row, sort: &Sort) -> Result<(SortKey, String)> {
    let value = match sort.by() {
        SortBy::SubmittedAt | SortBy::UpdatedAt => {
            Some(SortValue::Instant(parse_instant(read_column(row, 4)?)?))
        }
        SortBy::CompletionTime | SortBy::SentimentScore | SortBy::Field(_) => {
            SortValue::of_number(read_column(row, 4)?)
        }
    };
    let position = (parse_instant(read_column(row, 1)?)?, parse(read_column(row, 2)?)?);
    Ok((SortKey::new(sort.place(value), position.0, position.1), read_column(row, 3)?))
}

/// Returns the condition that submission `s` is after a place in the order of `value`.
fn after_condition(value: &str, after: &SortKey, params: &mut QueryParams) -> String {
    let at = params.push_number(after.submitted_at().micros());
    let id = params.push_text(after.id().as_str());
    let is_older = format!("(s.submitted_at, s.id) < ({at}, {id})");
    let last = match after.place().value() {
        None => return format!(" AND {value} IS NULL AND {is_older}"),
        Some(SortValue::Instant(at)) => params.push_number(at.micros()),
        Some(SortValue::Number(number)) => params.push_float(*number),
        // No column has such a value.
        Some(SortValue::Decimal(_) | SortValue::Text(_)) => return " AND FALSE".to_owned(),
    };
    let operator = if matches!(after.place(), SortPlace::Descending(_)) { "<" } else { ">" };
    format!(
        " AND ({value} {operator} {last} OR {value} IS NULL \
         OR ({value} = {last} AND {is_older}))"
    )
}
