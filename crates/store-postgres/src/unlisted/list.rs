//! Lists spam and trash in pages.

use crate::days::DAY_US;
use crate::errors::database_error;
use crate::query;
use crate::query::read_column;
use crate::query_params::QueryParams;
use crate::search_term::Term;
use crate::submission_range::SubmissionRange;
use contract::filter::Search;
use contract::{FormId, Timestamp};
use deadpool_postgres::Transaction;
use store::columns::{parse, parse_count, parse_instant, parse_position};
use store::pages::PAGE_BYTES_MAX;
use store::unlisted::{SpamPage, SpamRow, TrashPage, TrashQuery, TrashRow, UnlistedState};
use store::{Position, Result};
use tokio_postgres::Row;

/// The requested rows of a form.
struct UnlistedQuery<'a> {
    form: &'a FormId,
    state: UnlistedState,
    /// Only rows that were moved later than this instant.
    moved_after: i64,
    search: Option<&'a Search>,
    after: Option<&'a Position>,
    rows_max: usize,
}

/// Lists a page of spam that was moved after an instant.
pub(super) async fn list_spam(
    tx: &Transaction<'_>,
    form: &FormId,
    moved_after: Timestamp,
    after: Option<&Position>,
    rows_max: usize,
) -> Result<SpamPage> {
    let state = UnlistedState::Spam;
    let search = None;
    let query =
        UnlistedQuery { form, state, moved_after: moved_after.micros(), search, after, rows_max };
    let read = |row: &Row| {
        let position = parse_position(read_column(row, 0)?, read_column(row, 1)?)?;
        Ok(SpamRow { position, json: read_column(row, 2)?, reason: parse(read_column(row, 3)?)? })
    };
    let rows = read_page(tx, &query).await?.iter().map(read).collect::<Result<_>>()?;
    Ok(SpamPage { rows, total: count_rows(tx, &query).await? })
}

/// Lists a page of trash.
pub(super) async fn list_trash(tx: &Transaction<'_>, query: &TrashQuery) -> Result<TrashPage> {
    let sql = "SELECT trash_days FROM forms WHERE form_id = $1";
    let Some(form) = query::fetch_row(tx, sql, &[&query.form.as_str()]).await? else {
        return Ok(TrashPage::default());
    };
    let days: i64 = read_column(&form, 0)?;
    let page_query = UnlistedQuery {
        form: &query.form,
        state: UnlistedState::Trash,
        moved_after: query.now.micros() - days * DAY_US,
        search: query.search.as_ref(),
        after: query.after.as_ref(),
        rows_max: query.rows_max,
    };
    let read = |row: &Row| {
        let position = parse_position(read_column(row, 0)?, read_column(row, 1)?)?;
        let moved_at = parse_instant(read_column(row, 4)?)?;
        let batch = parse(read_column(row, 5)?)?;
        Ok(TrashRow { position, moved_at, batch, json: read_column(row, 2)? })
    };
    let rows = read_page(tx, &page_query).await?.iter().map(read).collect::<Result<_>>()?;
    Ok(TrashPage { rows, total: count_rows(tx, &page_query).await? })
}

impl UnlistedQuery<'_> {
    /// Returns the condition on `s` to be a requested row, on any page.
    fn condition(&self, params: &mut QueryParams) -> String {
        let form = params.push_text(self.form.as_str());
        let state = params.push_text(self.state.as_str());
        let moved_after = params.push_number(self.moved_after);
        let rows =
            format!("s.form_id = {form} AND s.state = {state} AND s.moved_at > {moved_after}");
        match self.search {
            Some(search) => {
                format!("{rows} AND {}", Term::from_search(search).scan_condition(params))
            }
            None => rows,
        }
    }
}

async fn count_rows(tx: &Transaction<'_>, query: &UnlistedQuery<'_>) -> Result<u64> {
    let mut params = QueryParams::default();
    let rows = query.condition(&mut params);
    let sql = format!("SELECT count(*) FROM unlisted AS s WHERE {rows}");
    let row = tx.query_typed_one(&sql, &params.as_typed()).await.map_err(database_error)?;
    parse_count(read_column(&row, 0)?)
}

/// Reads at most `rows_max` rows, up to the first that makes the page exceed 2 MiB, but at least
/// two. A row beyond the page shows that there are more.
async fn read_page(tx: &Transaction<'_>, wanted: &UnlistedQuery<'_>) -> Result<Vec<Row>> {
    let mut params = QueryParams::default();
    let rows = wanted.condition(&mut params);
    let is_behind = SubmissionRange::after_condition(wanted.after, &mut params);
    let rows_max = params.push_rows(wanted.rows_max);
    let bytes_max = params.push_rows(PAGE_BYTES_MAX);
    let order = "ORDER BY l.submitted_at DESC, l.id DESC";
    let sql = format!(
        "SELECT l.submitted_at, l.id, l.json, l.reason, l.moved_at, l.batch FROM (\
           SELECT l.*, row_number() OVER ({order}) AS place, \
             sum(octet_length(l.json)) OVER ({order}) - octet_length(l.json) AS before \
           FROM (\
             SELECT s.submitted_at, s.id, s.json, s.reason, s.moved_at, s.batch \
             FROM unlisted AS s WHERE {rows}{is_behind} \
             ORDER BY s.submitted_at DESC, s.id DESC LIMIT {rows_max}) AS l) AS l \
         WHERE l.place <= 2 OR l.before <= {bytes_max} {order}"
    );
    tx.query_typed(&sql, &params.as_typed()).await.map_err(database_error)
}
