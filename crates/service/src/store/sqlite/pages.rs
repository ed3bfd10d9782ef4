//! Pages and single submissions as they go over the wire, read at once where that is quick.
//!
//! The JSON is copied from SQLite's page into the answer, once, without being looked at. What may
//! take longer than some microseconds is none of this module's, and is left to the readers.

use super::super::found::PAGE_BYTES_MAX;
use super::super::row::{database, position};
use super::super::{ListPage, OwnedText, Owner, PageText, Position, Result};
use super::held::{Held, Seen};
use super::quick::Known;
use super::sparse::sparse_page;
use super::stretch::{Stretch, row_sql};
use super::submissions::{Request, count_all, total};
use crate::ids;
use contract::{Filter, FormId, SubmissionId};
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

/// So many rows are counted in the file in some microseconds.
const QUICK_ROWS_MAX: i64 = 2000;
/// Room for a submission of usual length, in bytes.
const USUAL_BYTES: usize = 1024;

/// A page that is asked for.
pub(super) struct Wanted<'a> {
    pub(super) owner: &'a Owner,
    pub(super) form: &'a FormId,
    pub(super) filter: &'a Filter,
    pub(super) behind: Option<&'a Position>,
    pub(super) limit: usize,
    /// What the text begins with.
    pub(super) head: &'a str,
}

/// Reads a page where that is quick; the outer `None` where it may not be, the inner one where the
/// form is not the owner's.
#[expect(clippy::option_option, reason = "whether it was quick, and whether it was there")]
pub(super) fn at_once(
    conn: &Connection,
    known: &mut Known,
    held: &Held,
    wanted: &Wanted<'_>,
) -> Result<Option<Option<PageText>>> {
    if known.is_import_under_way(conn)? {
        return Ok(None);
    }
    let Wanted { owner, form, filter, behind, limit, head } = *wanted;
    let Some(known) = known.form(conn, form)?.filter(|known| *known.owner == *owner) else {
        return Ok(Some(None));
    };
    let state = known.state;
    let total = match total(held, state, filter) {
        Seen::Found(total) => total,
        Seen::Missing if state.rows <= QUICK_ROWS_MAX => count_all(conn, state.seq, filter)?,
        Seen::Missing | Seen::Ahead => return Ok(None),
    };
    if !filter.is_empty() {
        let request = Request::page(form, filter, behind, limit);
        if let Some(rows) = sparse_page(conn, held, state, &request, total)? {
            return Ok(Some(Some(PageText::of(ListPage { rows, total }, limit, head))));
        }
    }
    let stretch = Stretch::new(state.seq, filter, behind, false);
    text(conn, &stretch, total, wanted).map(|page| Some(Some(page)))
}

fn text(
    conn: &Connection,
    stretch: &Stretch<'_>,
    total: u64,
    wanted: &Wanted<'_>,
) -> Result<PageText> {
    let Wanted { limit, head, .. } = *wanted;
    let mut page = conn.prepare_cached(&stretch.page_bytes_sql()).map_err(database)?;
    let with_next = i64::try_from(limit + 1).unwrap_or(i64::MAX);
    let mut params = stretch.params();
    params.push(&with_next);
    let mut rows = page.query(params_from_iter(params)).map_err(database)?;
    let mut json = Vec::with_capacity(head.len() + USUAL_BYTES * limit.saturating_add(1));
    json.extend_from_slice(head.as_bytes());
    let (mut found, mut bytes) = (0, 0);
    // The place of the last row, in one buffer for all of them.
    let (mut last_at, mut last_id) = (0, String::new());
    while let Some(row) = rows.next().map_err(database)? {
        let text = row.get_ref(2).map_err(database)?.as_bytes().map_err(database)?;
        bytes += text.len();
        if found == limit || (found > 0 && bytes > PAGE_BYTES_MAX) {
            return Ok(PageText { json, last: Some(position(last_at, last_id)?), total });
        }
        if found > 0 {
            json.push(b',');
        }
        json.extend_from_slice(text);
        found += 1;
        last_at = row.get(0).map_err(database)?;
        last_id.clear();
        last_id.push_str(row.get_ref(1).map_err(database)?.as_str().map_err(database)?);
    }
    Ok(PageText { json, last: None, total })
}

/// Finds one submission, and whose it is; the outer `None` where that may not be quick.
#[expect(clippy::option_option, reason = "whether it was quick, and whether it was there")]
pub(super) fn find_at_once(
    conn: &Connection,
    known: &mut Known,
    id: &SubmissionId,
    [head, tail]: [&str; 2],
) -> Result<Option<Option<OwnedText>>> {
    if known.is_import_under_way(conn)? {
        return Ok(None);
    }
    let frame = |text: &[u8]| [head.as_bytes(), text, tail.as_bytes()].concat();
    let found = match find_by_place(conn, known, id, frame)? {
        Some(found) => Some(found),
        None => find_by_id(conn, id, frame)?,
    };
    let Some((form, json)) = found else { return Ok(Some(None)) };
    known.note_form(form);
    // Rows that are left of a deleted form have no owner.
    Ok(Some(known.owner(conn, form)?.map(|owner| OwnedText { owner, json })))
}

/// Finds a submission where its id says when it came, in the form that the last ones were of: one
/// tree is gone down, not two. `None` says nothing: an id may have been brought along.
fn find_by_place<T>(
    conn: &Connection,
    known: &Known,
    id: &SubmissionId,
    frame: impl FnOnce(&[u8]) -> T,
) -> Result<Option<(i64, T)>> {
    let Some((form, at)) = known.likely_form().zip(ids::made_at(id)) else { return Ok(None) };
    // As in `Stretch::page_bytes_sql`.
    let sql = row_sql!("CAST(json AS BLOB)");
    let framed = |row: &Row<'_>| Ok((form, frame(row.get_ref(0)?.as_bytes()?)));
    conn.prepare_cached(sql)
        .and_then(|mut found| found.query_row((form, at.micros(), id.as_str()), framed).optional())
        .map_err(database)
}

/// Finds a submission by nothing but its id.
fn find_by_id<T>(
    conn: &Connection,
    id: &SubmissionId,
    frame: impl FnOnce(&[u8]) -> T,
) -> Result<Option<(i64, T)>> {
    let sql = "SELECT form, CAST(json AS BLOB) FROM submissions WHERE id = ?";
    let framed = |row: &Row<'_>| Ok((row.get(0)?, frame(row.get_ref(1)?.as_bytes()?)));
    conn.prepare_cached(sql)
        .and_then(|mut found| found.query_row([id.as_str()], framed).optional())
        .map_err(database)
}

#[cfg(test)]
mod tests {
    use super::super::connect;
    use super::*;
    use contract::Timestamp;

    #[test]
    fn what_was_made_here_is_found_by_its_place_where_the_last_ones_were() {
        let folder = tempfile::tempdir().unwrap();
        let conn = connect::first(&folder.path().join("sheaf.db")).unwrap();
        conn.execute_batch(
            "CREATE TABLE submissions (form INTEGER, submitted_at INTEGER, id TEXT, json TEXT)",
        )
        .unwrap();
        let at = Timestamp::parse("2026-03-01T12:00:00.123457Z").unwrap();
        let (id, mut known) = (ids::mint_submission_id(at), Known::default());
        let put = |form: i64, id: &SubmissionId, micros: i64| {
            let row = (form, micros, id.as_str());
            conn.execute("INSERT INTO submissions VALUES (?, ?, ?, '{}')", row).unwrap();
        };
        put(7, &id, at.micros());
        let look = |known: &Known, id: &SubmissionId| {
            find_by_place(&conn, known, id, <[u8]>::to_vec).unwrap()
        };
        known.note_form(7);
        assert_eq!(look(&known, &id), None, "one alone says little");
        known.note_form(7);
        assert_eq!(look(&known, &id), Some((7, b"{}".to_vec())));
        let (late, brought) = (ids::mint_submission_id(at), "sub_brought".parse().unwrap());
        put(7, &late, at.micros() + 1);
        put(7, &brought, at.micros());
        assert_eq!([look(&known, &late), look(&known, &brought)], [None, None]);
        known.note_form(8);
        assert_eq!(look(&known, &id), None, "who reads here and there");
    }
}
