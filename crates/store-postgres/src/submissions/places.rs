//! Finds the keys of the submissions that a list would show, without their content.

use super::search::{FEW_ROWS_MAX, Term};
use crate::errors::database;
use crate::query::column;
use crate::submission_range::{Params, Stretch};
use contract::trash::MOVED_MAX;
use contract::{Filter, FormId, SubmissionId};
use deadpool_postgres::Transaction;
use store::Result;
use store::columns::count;
use tokio_postgres::Row;

// The few matches of an index search must fit into one move.
const _: () = assert!(FEW_ROWS_MAX as u64 <= MOVED_MAX);

/// Instants and ids of submissions of a form, as columns.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) submitted_at: Vec<i64>,
    pub(crate) ids: Vec<String>,
}

impl Places {
    /// Reads two columns of rows, starting at `first`.
    fn read(rows: &[Row], first: usize) -> Result<Self> {
        let submitted_at = rows.iter().map(|row| column(row, first)).collect::<Result<_>>()?;
        let ids = rows.iter().map(|row| column(row, first + 1)).collect::<Result<_>>()?;
        Ok(Self { submitted_at, ids })
    }

    /// Returns the number of submissions.
    pub(crate) fn len(&self) -> u64 {
        self.ids.len() as u64
    }
}

/// Finds the listed submissions of a form that have these ids.
pub(crate) async fn of_ids(
    tx: &Transaction<'_>,
    form: &FormId,
    ids: &[SubmissionId],
) -> Result<Places> {
    let mut params = Params::default();
    let (form, ids) =
        (params.text(form.as_str()), params.texts(ids.iter().map(SubmissionId::as_str)));
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s \
         WHERE s.form_id = {form} AND s.id = ANY({ids})"
    );
    Places::read(&tx.query_typed(&sql, &params.typed()).await.map_err(database)?, 0)
}

/// Counts the submissions of a form that match a filter, as a list does. If the count is
/// `expected`, also finds the newest of them, at most [`MOVED_MAX`].
pub(crate) async fn matching(
    tx: &Transaction<'_>,
    form: &FormId,
    filter: &Filter,
    expected: u64,
) -> Result<(Places, u64)> {
    let stretch = Stretch::new(form, filter);
    let Some(search) = &filter.search else {
        let mut params = Params::default();
        let total = stretch.total(&mut params);
        let form = params.text(form.as_str());
        let sql = format!("SELECT {total} FROM forms AS f WHERE f.form_id = {form}");
        let row = tx.query_typed_one(&sql, &params.typed()).await.map_err(database)?;
        let total = count(column(&row, 0)?)?;
        if total != expected {
            return Ok((Places::default(), total));
        }
        return Ok((newest(tx, &stretch).await?, total));
    };
    let term = Term::of(search);
    if term.has_trigram()
        && let Some(places) = among_few(tx, &stretch, &term).await?
    {
        let total = places.len();
        return Ok((places, total));
    }
    among_many(tx, &stretch, &term, expected).await
}

async fn newest(tx: &Transaction<'_>, stretch: &Stretch<'_>) -> Result<Places> {
    let mut params = Params::default();
    let (rows, max) = (stretch.rows(None, &mut params), limit(MOVED_MAX, &mut params));
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} \
         ORDER BY s.submitted_at DESC, s.id DESC LIMIT {max}"
    );
    Places::read(&tx.query_typed(&sql, &params.typed()).await.map_err(database)?, 0)
}

/// Finds all matches of a search by the trigram index; `None` if there are many.
async fn among_few(
    tx: &Transaction<'_>,
    stretch: &Stretch<'_>,
    term: &Term,
) -> Result<Option<Places>> {
    let mut params = Params::default();
    let (rows, has) = (stretch.rows(None, &mut params), term.looked_up(&mut params));
    let max = params.rows(FEW_ROWS_MAX + 1);
    let sql = format!(
        "SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} AND {has} LIMIT {max}"
    );
    let found = tx.query_typed(&sql, &params.typed()).await.map_err(database)?;
    if found.len() > FEW_ROWS_MAX {
        return Ok(None);
    }
    Places::read(&found, 0).map(Some)
}

/// Finds and counts the matches of a search by a scan of every row.
async fn among_many(
    tx: &Transaction<'_>,
    stretch: &Stretch<'_>,
    term: &Term,
    expected: u64,
) -> Result<(Places, u64)> {
    let mut params = Params::default();
    let (rows, has) = (stretch.rows(None, &mut params), term.walked(&mut params));
    let (max, expected) = (limit(MOVED_MAX, &mut params), limit(expected, &mut params));
    // One statement, so that count and keys are of one snapshot. The outer join gives a row for the
    // count even if no keys are read.
    let sql = format!(
        "WITH found AS MATERIALIZED (\
           SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} AND {has}), \
         total AS MATERIALIZED (SELECT count(*) AS total FROM found) \
         SELECT t.total, n.submitted_at, n.id FROM total AS t LEFT JOIN (\
           SELECT submitted_at, id FROM found ORDER BY submitted_at DESC, id DESC \
           LIMIT CASE WHEN (SELECT total FROM total) = {expected} THEN {max} ELSE 0 END\
         ) AS n ON TRUE"
    );
    let mut found = tx.query_typed(&sql, &params.typed()).await.map_err(database)?;
    let first = found.first().ok_or_else(|| database("the count returned no row"))?;
    let total = count(column(first, 0)?)?;
    if column::<Option<i64>>(first, 1)?.is_none() {
        found.clear();
    }
    Ok((Places::read(&found, 1)?, total))
}

fn limit(rows: u64, params: &mut Params) -> String {
    params.number(i64::try_from(rows).unwrap_or(i64::MAX))
}
