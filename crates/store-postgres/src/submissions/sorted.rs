//! Pages of sorted lists.
//!
//! The database sorts by times and numbers. All other orders, and filters with criteria for
//! answers, are compared here.

use super::answer_scan::for_each_match;
use super::list::{PageRequest, fetch_page};
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::search_term::Term;
use crate::transaction::Conn;
use crate::{PostgresStore, forms};
use async_trait::async_trait;
use contract::{Sort, SortBy, SortKey, SortPlace, SortValue};
use store::columns::{parse, parse_instant};
use store::sorted::{SortedPage, SortedRequest, SortedRows, SortedStore};
use store::{Result, StoreError};
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
}

/// Lists a page and counts all matches; `None` if the owner has no such form.
async fn list_page(conn: &Conn, request: &SortedRequest) -> Result<Option<SortedPage>> {
    let value = match request.sort.by() {
        SortBy::SubmittedAt => "s.submitted_at",
        SortBy::CompletionTime => "s.seconds",
        SortBy::SentimentScore => "s.score",
        SortBy::UpdatedAt => UPDATED_AT,
        SortBy::Field(_) => return list_by_scan(conn, request).await,
    };
    if request.filter.fields.is_empty() {
        list_by_value(conn, request, value).await
    } else {
        list_by_scan(conn, request).await
    }
}

/// Reads all matches and keeps the first ones.
async fn list_by_scan(conn: &Conn, request: &SortedRequest) -> Result<Option<SortedPage>> {
    if forms::find_owner(conn, &request.form).await?.as_ref() != Some(&request.owner) {
        return Ok(None);
    }
    let mut page = SortedRows::new(request);
    for_each_match(&***conn, &request.form, &request.filter, |row| {
        let (json, triage) = (read_column(row, 2)?, read_column(row, 3)?);
        page.add(read_column(row, 0)?, read_column(row, 1)?, json, triage)
    })
    .await?;
    Ok(Some(page.into_page()))
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
    let direction = if sort.is_descending() { "DESC" } else { "ASC" };
    let order = |table: &str, value: &str| {
        format!(
            "ORDER BY {value} {direction} NULLS LAST, {table}.submitted_at DESC, {table}.id DESC"
        )
    };
    // An index has the numbers and the keys, so that only the rows of the page are read.
    let form = params.push_text(form.as_str());
    let page = format!(
        "SELECT k.submitted_at, k.id, s.json, k.sorted_by FROM (\
           SELECT s.submitted_at, s.id, {value} AS sorted_by FROM submissions AS s \
           WHERE {rows}{after} {} LIMIT {max}) AS k JOIN submissions AS s \
         ON s.form_id = {form} AND s.submitted_at = k.submitted_at AND s.id = k.id",
        order("s", value)
    );
    let page = (&*page, "p.submitted_at, p.id, p.json, p.sorted_by");
    let order = order("l", "l.sorted_by");
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
