//! Lists of what a search finds.
//!
//! What matches is what [`contract::Filter::matches`] says. A term that few rows have is found by
//! the index over trigrams, and all of it is counted and sorted. Where that turns out to be many,
//! the page is found by walking from the newest on, which soon meets enough of them, and the count
//! looks at every row. The first asks by `LIKE`, which the index knows, the others by `strpos`,
//! which it does not: so neither statement can be planned as the other.

use super::list::Request;
use crate::submission_range::{Params, Stretch};
use crate::text_encoding::kept;
use crate::transaction::Conn;
use contract::filter::Search;
use store::{ListPage, Result};

/// Most rows that are counted and sorted as they are found.
pub(super) const FEW_ROWS_MAX: usize = 10_000;
/// So many letters or digits in a row make what the index can look for.
const TRIGRAM_CHARS: usize = 3;

/// A term as statements look for it.
pub(crate) struct Term(String);

impl Term {
    /// Returns a search as it stands in the text that is searched.
    pub(crate) fn of(search: &Search) -> Self {
        Self(kept(&search.folded()).into_owned())
    }

    /// Returns the condition on `s` to have it, which no index is used for.
    pub(crate) fn walked(&self, params: &mut Params) -> String {
        format!("strpos(s.searched, {}) > 0", params.text(&self.0))
    }

    /// As [`Term::walked`], for which the index over trigrams may be used.
    pub(crate) fn looked_up(&self, params: &mut Params) -> String {
        let mut pattern = String::with_capacity(self.0.len() + 2);
        pattern.push('%');
        for c in self.0.chars() {
            if matches!(c, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern.push('%');
        format!("s.searched LIKE {}", params.text(&pattern))
    }

    /// Whether the index can tell some rows from others.
    pub(crate) fn has_trigram(&self) -> bool {
        let runs = self.0.split(|c: char| !c.is_alphanumeric());
        runs.into_iter().any(|run| run.chars().count() >= TRIGRAM_CHARS)
    }
}

/// Lists a page of what is found, and counts all of it.
pub(super) async fn list(
    conn: &Conn,
    request: &Request<'_>,
    search: &Search,
) -> Result<Option<ListPage>> {
    let term = Term::of(search);
    if term.has_trigram() {
        let page = among_few(conn, request, &term).await?;
        if page.as_ref().is_none_or(|page| page.total <= FEW_ROWS_MAX as u64) {
            return Ok(page);
        }
    }
    among_many(conn, request, &term).await
}

/// Finds all, but no more than one more than may be few.
async fn among_few(conn: &Conn, request: &Request<'_>, term: &Term) -> Result<Option<ListPage>> {
    let mut params = Params::default();
    let rows = request.stretch().rows(None, &mut params);
    let has = term.looked_up(&mut params);
    let max = params.rows(FEW_ROWS_MAX + 1);
    let found = format!(
        "WITH found AS MATERIALIZED (\
           SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} AND {has} LIMIT {max})"
    );
    let form = params.text(request.form.as_str());
    let behind = request.behind.map_or_else(String::new, |behind| {
        let at = params.number(behind.submitted_at.micros());
        let id = params.text(behind.id.as_str());
        format!("WHERE (submitted_at, id) < ({at}, {id})")
    });
    let max = params.rows(request.rows_max);
    let page = format!(
        "SELECT s.submitted_at, s.id, s.json FROM (\
           SELECT submitted_at, id FROM found {behind} \
           ORDER BY submitted_at DESC, id DESC LIMIT {max}) AS n \
         JOIN submissions AS s \
         ON s.form_id = {form} AND s.submitted_at = n.submitted_at AND s.id = n.id"
    );
    let sql = request.around(&found, "(SELECT count(*) FROM found)", &page, &mut params);
    request.run(conn, &sql, &params).await
}

/// Looks at every row to count, and from the newest on for the page, no further than to the last
/// that the count knows of.
async fn among_many(conn: &Conn, request: &Request<'_>, term: &Term) -> Result<Option<ListPage>> {
    let (mut params, stretch) = (Params::default(), request.stretch());
    let (rows, has) = (stretch.rows(None, &mut params), term.walked(&mut params));
    let is_behind = Stretch::behind(request.behind, &mut params);
    let counted = format!(
        "WITH counted AS MATERIALIZED (\
           SELECT count(*) AS total, count(*) FILTER (WHERE TRUE{is_behind}) AS behind \
           FROM submissions AS s WHERE {rows} AND {has})"
    );
    let max = params.rows(request.rows_max);
    let page = format!(
        "SELECT n.* FROM (\
           SELECT s.submitted_at, s.id, s.json FROM submissions AS s \
           WHERE {rows}{is_behind} AND {has} ORDER BY s.submitted_at DESC, s.id DESC LIMIT {max}\
         ) AS n LIMIT (SELECT behind FROM counted)"
    );
    let sql = request.around(&counted, "(SELECT total FROM counted)", &page, &mut params);
    request.run(conn, &sql, &params).await
}
