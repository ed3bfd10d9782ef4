//! Lists the matches of a search.
//!
//! [`contract::Filter::matches`] defines the matches. A rare term is found by the trigram index,
//! and all its matches are counted and sorted. If there turn out to be many matches, a scan from
//! the newest row finds the page, since it soon meets enough of them, and the count scans every
//! row. Index searches use `LIKE`, which the index supports. Scans use `strpos`, which it does not.
//! So the planner cannot plan one kind of statement as the other.

use super::list::PageRequest;
use crate::query_params::QueryParams;
use crate::search_term::Term;
use crate::submission_range::SubmissionRange;
use crate::transaction::Conn;
use contract::filter::Search;
use store::{ListPage, Result};

/// Maximum matches that an index search counts and sorts.
pub(super) const FEW_ROWS_MAX: usize = 10_000;

/// Lists a page of matches and counts all matches.
pub(super) async fn list_matches(
    conn: &Conn,
    request: &PageRequest<'_>,
    search: &Search,
) -> Result<Option<ListPage>> {
    let term = Term::from_search(search);
    if term.has_trigram() {
        let page = list_by_index(conn, request, &term).await?;
        if page.as_ref().is_none_or(|page| page.total <= FEW_ROWS_MAX as u64) {
            return Ok(page);
        }
    }
    list_by_scan(conn, request, &term).await
}

/// Finds the matches by the trigram index, at most one more than [`FEW_ROWS_MAX`].
async fn list_by_index(
    conn: &Conn,
    request: &PageRequest<'_>,
    term: &Term,
) -> Result<Option<ListPage>> {
    let mut params = QueryParams::default();
    let rows = request.range().rows_condition(None, &mut params);
    let has = term.index_condition(&mut params);
    let max = params.push_rows(FEW_ROWS_MAX + 1);
    let found = format!(
        "WITH found AS MATERIALIZED (\
           SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} AND {has} LIMIT {max})"
    );
    let form = params.push_text(request.form.as_str());
    let after = request.after.map_or_else(String::new, |after| {
        let at = params.push_number(after.submitted_at.micros());
        let id = params.push_text(after.id.as_str());
        format!("WHERE (submitted_at, id) < ({at}, {id})")
    });
    let max = params.push_rows(request.rows_max);
    let page = format!(
        "SELECT s.submitted_at, s.id, s.json FROM (\
           SELECT submitted_at, id FROM found {after} \
           ORDER BY submitted_at DESC, id DESC LIMIT {max}) AS n \
         JOIN submissions AS s \
         ON s.form_id = {form} AND s.submitted_at = n.submitted_at AND s.id = n.id"
    );
    let sql = request.page_statement(&found, "(SELECT count(*) FROM found)", &page, &mut params);
    request.run(&***conn, &sql, &params).await
}

/// Counts the matches by a scan of every row, and finds the page by a scan from the newest row. The
/// count limits the page, so that its scan ends at the last match.
async fn list_by_scan(
    conn: &Conn,
    request: &PageRequest<'_>,
    term: &Term,
) -> Result<Option<ListPage>> {
    let mut params = QueryParams::default();
    let range = request.range();
    let rows = range.rows_condition(None, &mut params);
    let has = term.scan_condition(&mut params);
    let is_behind = SubmissionRange::after_condition(request.after, &mut params);
    let counted_sql = format!(
        "WITH counted AS MATERIALIZED (\
           SELECT count(*) AS total, count(*) FILTER (WHERE TRUE{is_behind}) AS behind \
           FROM submissions AS s WHERE {rows} AND {has})"
    );
    let max = params.push_rows(request.rows_max);
    let page = format!(
        "SELECT n.* FROM (\
           SELECT s.submitted_at, s.id, s.json FROM submissions AS s \
           WHERE {rows}{is_behind} AND {has} ORDER BY s.submitted_at DESC, s.id DESC LIMIT {max}\
         ) AS n LIMIT (SELECT behind FROM counted)"
    );
    let sql =
        request.page_statement(&counted_sql, "(SELECT total FROM counted)", &page, &mut params);
    request.run(&***conn, &sql, &params).await
}
