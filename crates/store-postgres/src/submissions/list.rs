//! Reads a page of the list, the exact total and the owner of the form in one statement, and so in
//! one snapshot.

use crate::errors::database_error;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::submission_range::SubmissionRange;
use crate::transaction::Conn;
use contract::{Filter, FormId};
use store::columns::{parse_count, stored_submission};
use store::pages::PAGE_BYTES_MAX;
use store::{ListPage, Owner, Position, Result};
use tokio_postgres::{GenericClient, Row};

/// A request for a page.
pub(crate) struct PageRequest<'a> {
    /// The required owner of the form. Forms of another owner are not read.
    pub(crate) owner: &'a Owner,
    pub(crate) form: &'a FormId,
    pub(crate) filter: &'a Filter,
    pub(crate) after: Option<&'a Position>,
    pub(crate) rows_max: usize,
}

/// Limits a page to the rows up to the first that exceeds `bytes_max`, but at least two: the first
/// may be a page of its own, and the second shows that there are more. PostgreSQL knows the length
/// of a text without reading it.
fn limit_bytes(page: &str, order: &str, bytes_max: &str) -> String {
    format!(
        "SELECT m.* FROM (\
           SELECT l.*, row_number() OVER ({order}) AS place, \
             sum(octet_length(l.json)) OVER ({order}) - octet_length(l.json) AS before \
           FROM ({page}) AS l) AS m \
         WHERE m.place <= 2 OR m.before <= {bytes_max}"
    )
}

/// Lists a page without a search, and counts all matches.
pub(super) async fn list_filtered(
    conn: &Conn,
    request: &PageRequest<'_>,
) -> Result<Option<ListPage>> {
    let mut params = QueryParams::default();
    let range = request.range();
    let total = range.count_expression(&mut params);
    let max = params.push_rows(request.rows_max);
    let page = range.newest_rows(request.after, &max, &mut params);
    let sql = request.page_statement("", &total, &page, &mut params);
    request.run(&***conn, &sql, &params).await
}

impl<'a> PageRequest<'a> {
    /// Returns the range of matching rows, without the search.
    pub(super) fn range(&self) -> SubmissionRange<'a> {
        SubmissionRange::new(self.form, self.filter)
    }

    /// Returns the statement that reads a total and a page of the form. `before` is a `WITH` clause
    /// or empty. If the form does not exist or has another owner, neither is computed.
    pub(super) fn page_statement(
        &self,
        before: &str,
        total: &str,
        page: &str,
        params: &mut QueryParams,
    ) -> String {
        let order = "ORDER BY l.submitted_at DESC, l.id DESC";
        let columns = "p.submitted_at, p.id, p.json";
        self.ordered_statement(before, total, (page, columns), order, params)
    }

    /// As [`PageRequest::page_statement`], but orders the page, which has the name `l` there, and
    /// returns these columns of it as `p`.
    pub(super) fn ordered_statement(
        &self,
        before: &str,
        total: &str,
        (page, columns): (&str, &str),
        order: &str,
        params: &mut QueryParams,
    ) -> String {
        let form = params.push_text(self.form.as_str());
        let account = params.push_text(self.owner.account_id.as_str());
        let environment = params.push_text(self.owner.environment.as_str());
        let page = limit_bytes(page, order, params.push_rows(PAGE_BYTES_MAX).as_str());
        format!(
            "{before} SELECT {total}, {columns} \
             FROM forms AS f LEFT JOIN LATERAL ({page}) AS p ON TRUE \
             WHERE f.form_id = {form} AND f.account = {account} AND f.environment = {environment} \
             ORDER BY p.place"
        )
    }

    /// Runs a statement of [`PageRequest::page_statement`].
    pub(super) async fn run(
        &self,
        conn: &impl GenericClient,
        sql: &str,
        params: &QueryParams,
    ) -> Result<Option<ListPage>> {
        let Some((rows, total)) = fetch_page(conn, sql, params).await? else { return Ok(None) };
        let of = |row: &Row| {
            stored_submission(read_column(row, 1)?, read_column(row, 2)?, read_column(row, 3)?)
        };
        let rows = rows.iter().map(of).collect::<Result<_>>()?;
        Ok(Some(ListPage { rows, total }))
    }
}

/// Returns the rows of a page and the total, which is their first column; `None` if the owner has
/// no such form.
pub(super) async fn fetch_page(
    conn: &impl GenericClient,
    sql: &str,
    params: &QueryParams,
) -> Result<Option<(Vec<Row>, u64)>> {
    let mut rows = conn.query_typed(sql, &params.as_typed()).await.map_err(database_error)?;
    let Some(first) = rows.first() else { return Ok(None) };
    let total = parse_count(read_column(first, 0)?)?;
    // An empty page is one row without a submission.
    if read_column::<Option<i64>>(first, 1)?.is_none() {
        rows.clear();
    }
    Ok(Some((rows, total)))
}
