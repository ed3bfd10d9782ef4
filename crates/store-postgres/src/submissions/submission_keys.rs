//! Finds the keys of the submissions that a list would show, without their content.

use super::answer_scan;
use super::search::FEW_ROWS_MAX;
use crate::errors::database_error;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::search_term::Term;
use crate::submission_range::SubmissionRange;
use contract::trash::MOVE_MAX;
use contract::{Filter, FormId, SubmissionId};
use deadpool_postgres::Transaction;
use store::Result;
use store::columns::parse_count;
use tokio_postgres::Row;

// The few matches of an index search must fit into one move.
const _: () = assert!(FEW_ROWS_MAX as u64 <= MOVE_MAX);

/// Instants and ids of submissions of a form, as columns.
#[derive(Default)]
pub(crate) struct SubmissionKeys {
    pub(crate) submitted_at: Vec<i64>,
    pub(crate) ids: Vec<String>,
}

impl SubmissionKeys {
    /// Reads two columns of rows, starting at `first`.
    pub(crate) fn from_rows(rows: &[Row], first: usize) -> Result<Self> {
        let submitted_at = rows.iter().map(|row| read_column(row, first)).collect::<Result<_>>()?;
        let ids = rows.iter().map(|row| read_column(row, first + 1)).collect::<Result<_>>()?;
        Ok(Self { submitted_at, ids })
    }

    /// Returns the number of submissions.
    pub(crate) fn len(&self) -> u64 {
        self.ids.len() as u64
    }
}

/// Finds the listed submissions of a form that have these ids.
pub(crate) async fn find_by_ids(
    tx: &Transaction<'_>,
    form: &FormId,
    ids: &[SubmissionId],
) -> Result<SubmissionKeys> {
    let mut params = QueryParams::default();
    let form = params.push_text(form.as_str());
    let ids = params.push_texts(ids.iter().map(SubmissionId::as_str));
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s \
         WHERE s.form_id = {form} AND s.id = ANY({ids})"
    );
    SubmissionKeys::from_rows(
        &tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?,
        0,
    )
}

/// Counts the submissions of a form that match a filter, as a list does. If the count is
/// `expected`, also finds the newest of them, at most [`MOVE_MAX`].
pub(crate) async fn find_matching(
    tx: &Transaction<'_>,
    form: &FormId,
    filter: &Filter,
    expected: u64,
) -> Result<(SubmissionKeys, u64)> {
    if !filter.fields.is_empty() {
        let (submitted_at, ids, total) = answer_scan::find_keys(&**tx, form, filter).await?;
        return Ok((SubmissionKeys { submitted_at, ids }, total));
    }
    let range = SubmissionRange::new(form, filter);
    let Some(search) = &filter.search else {
        return find_newest(tx, form, &range, expected).await;
    };
    let term = Term::from_search(search);
    if term.has_trigram()
        && let Some(places) = find_by_index(tx, &range, &term).await?
    {
        let total = places.len();
        return Ok((places, total));
    }
    find_by_scan(tx, &range, &term, expected).await
}

/// Finds and counts the submissions of a range.
async fn find_newest(
    tx: &Transaction<'_>,
    form: &FormId,
    range: &SubmissionRange<'_>,
    expected: u64,
) -> Result<(SubmissionKeys, u64)> {
    let mut params = QueryParams::default();
    let total = range.count_expression(&mut params);
    let rows = range.rows_condition(None, &mut params);
    let form = params.push_text(form.as_str());
    let max = push_limit(MOVE_MAX, &mut params);
    let expected = push_limit(expected, &mut params);
    let sql = format!(
        "SELECT t.total, n.submitted_at, n.id \
         FROM (SELECT {total} AS total FROM forms AS f WHERE f.form_id = {form}) AS t \
         LEFT JOIN LATERAL (\
           SELECT s.submitted_at, s.id FROM submissions AS s \
           WHERE {rows} AND t.total = {expected} \
           ORDER BY s.submitted_at DESC, s.id DESC LIMIT {max}\
         ) AS n ON TRUE"
    );
    query_keys_and_total(tx, &sql, &params).await
}

/// Finds all matches of a search by the trigram index; `None` if there are many.
async fn find_by_index(
    tx: &Transaction<'_>,
    range: &SubmissionRange<'_>,
    term: &Term,
) -> Result<Option<SubmissionKeys>> {
    let mut params = QueryParams::default();
    let rows = range.rows_condition(None, &mut params);
    let has = term.index_condition(&mut params);
    let max = params.push_rows(FEW_ROWS_MAX + 1);
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} AND {has} LIMIT {max}"
    );
    let found = tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
    if found.len() > FEW_ROWS_MAX {
        return Ok(None);
    }
    SubmissionKeys::from_rows(&found, 0).map(Some)
}

/// Finds and counts the matches of a search by a scan of every row.
async fn find_by_scan(
    tx: &Transaction<'_>,
    range: &SubmissionRange<'_>,
    term: &Term,
    expected: u64,
) -> Result<(SubmissionKeys, u64)> {
    let mut params = QueryParams::default();
    let rows = range.rows_condition(None, &mut params);
    let has = term.scan_condition(&mut params);
    let max = push_limit(MOVE_MAX, &mut params);
    let expected = push_limit(expected, &mut params);
    let sql = format!(
        "WITH found AS MATERIALIZED (\
           SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} AND {has}), \
         total AS MATERIALIZED (SELECT count(*) AS total FROM found) \
         SELECT t.total, n.submitted_at, n.id FROM total AS t LEFT JOIN (\
           SELECT submitted_at, id FROM found ORDER BY submitted_at DESC, id DESC \
           LIMIT CASE WHEN (SELECT total FROM total) = {expected} THEN {max} ELSE 0 END\
         ) AS n ON TRUE"
    );
    query_keys_and_total(tx, &sql, &params).await
}

/// Reads rows of the total, instant and id. One statement reads all, so that count and keys are of
/// one snapshot. Its outer join gives a row for the count even without keys.
async fn query_keys_and_total(
    tx: &Transaction<'_>,
    sql: &str,
    params: &QueryParams,
) -> Result<(SubmissionKeys, u64)> {
    let mut found = tx.query_typed(sql, &params.as_typed()).await.map_err(database_error)?;
    let first = found.first().ok_or_else(|| database_error("the count returned no row"))?;
    let total = parse_count(read_column(first, 0)?)?;
    if read_column::<Option<i64>>(first, 1)?.is_none() {
        found.clear();
    }
    Ok((SubmissionKeys::from_rows(&found, 1)?, total))
}

fn push_limit(rows: u64, params: &mut QueryParams) -> String {
    params.push_number(i64::try_from(rows).unwrap_or(i64::MAX))
}
