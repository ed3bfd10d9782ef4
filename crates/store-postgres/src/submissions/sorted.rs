//! Pages of sorted lists.
//!
//! Times and numbers are columns, so the database sorts by them. All other orders, and filters with
//! criteria for answers, are compared here.

use super::answer_scan::for_each_match;
use super::list::PageRequest;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::search_term::Term;
use crate::transaction::Conn;
use crate::{PostgresStore, forms};
use async_trait::async_trait;
use contract::{SortBy, SortKey, SortPlace, SortValue};
use store::sorted::{SortedRequest, SortedRows, SortedStore};
use store::{ListPage, Page, Result, StoreError};

#[async_trait]
impl SortedStore for PostgresStore {
    async fn list_sorted(&self, request: SortedRequest) -> Result<Option<Page>> {
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
        Ok(page.map(|page| Page::from_list(page, request.limit)))
    }
}

/// Lists a page and counts all matches; `None` if the owner has no such form.
async fn list_page(conn: &Conn, request: &SortedRequest) -> Result<Option<ListPage>> {
    let column = match request.sort.by() {
        SortBy::SubmittedAt => "submitted_at",
        SortBy::CompletionTime => "seconds",
        SortBy::SentimentScore => "score",
        SortBy::Field(_) => return list_by_scan(conn, request).await,
    };
    if request.filter.fields.is_empty() {
        list_by_column(conn, request, column).await
    } else {
        list_by_scan(conn, request).await
    }
}

/// Reads all matches and keeps the first ones.
async fn list_by_scan(conn: &Conn, request: &SortedRequest) -> Result<Option<ListPage>> {
    if forms::find_owner(conn, &request.form).await?.as_ref() != Some(&request.owner) {
        return Ok(None);
    }
    let mut page = SortedRows::new(request);
    for_each_match(&***conn, &request.form, &request.filter, |row| {
        page.add(read_column(row, 0)?, read_column(row, 1)?, read_column(row, 2)?)
    })
    .await?;
    Ok(Some(page.into_page()))
}

async fn list_by_column(
    conn: &Conn,
    request: &SortedRequest,
    column: &str,
) -> Result<Option<ListPage>> {
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
    let after = after.as_ref().map(|after| after_condition(column, after, &mut params));
    let after = after.unwrap_or_default();
    let max = params.push_rows(page_request.rows_max);
    let direction = if sort.is_descending() { "DESC" } else { "ASC" };
    let order = |table: &str, value: &str| {
        format!(
            "ORDER BY {table}.{value} {direction} NULLS LAST, {table}.submitted_at DESC, \
             {table}.id DESC"
        )
    };
    let page = format!(
        "SELECT s.submitted_at, s.id, s.json, s.{column} AS sorted_by FROM submissions AS s \
         WHERE {rows}{after} {} LIMIT {max}",
        order("s", column)
    );
    let order = order("l", "sorted_by");
    let sql = page_request.ordered_statement("", &total, &page, &order, &mut params);
    page_request.run(conn, &sql, &params).await
}

/// Returns the condition that submission `s` is after a place.
fn after_condition(column: &str, after: &SortKey, params: &mut QueryParams) -> String {
    let at = params.push_number(after.submitted_at().micros());
    let id = params.push_text(after.id().as_str());
    let is_older = format!("(s.submitted_at, s.id) < ({at}, {id})");
    let value = match after.place().value() {
        None => return format!(" AND s.{column} IS NULL AND {is_older}"),
        Some(SortValue::Instant(at)) => params.push_number(at.micros()),
        Some(SortValue::Number(number)) => params.push_float(*number),
        // No column has such a value.
        Some(SortValue::Decimal(_) | SortValue::Text(_)) => return " AND FALSE".to_owned(),
    };
    let operator = if matches!(after.place(), SortPlace::Descending(_)) { "<" } else { ">" };
    format!(
        " AND (s.{column} {operator} {value} OR s.{column} IS NULL \
         OR (s.{column} = {value} AND {is_older}))"
    )
}
