//! Lists spam and trash, page by page.

use crate::readers::CancelFlag;
use crate::{forms, query};
use contract::filter::Search;
use contract::{FormId, Timestamp};
use memchr::memmem::Finder;
use rusqlite::{Connection, Row};
use store::columns::{database_error, parse, parse_count, parse_instant, parse_position};
use store::pages::PageBuilder;
use store::unlisted::{SpamPage, SpamRow, TrashPage, TrashQuery, TrashRow};
use store::{Position, Result};

const DAY_US: i64 = 86_400_000_000;

/// Lists a page of spam that was moved after an instant.
pub(super) fn list_spam(
    conn: &Connection,
    form: &FormId,
    moved_after: Timestamp,
    after: Option<&Position>,
    rows_max: usize,
) -> Result<SpamPage> {
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(SpamPage::default()) };
    let total = count_rows(conn, seq, "spam", moved_after.micros())?;
    let (at, id) = start_key(after);
    let mut rows = conn
        .prepare_cached(
            "SELECT submitted_at, id, json, reason FROM unlisted
             WHERE form = ? AND state = 'spam' AND moved_at > ? AND (submitted_at, id) < (?, ?)
             ORDER BY submitted_at DESC, id DESC",
        )
        .map_err(database_error)?;
    let mut rows = rows.query((seq, moved_after.micros(), at, id)).map_err(database_error)?;
    let mut page = PageBuilder::new(rows_max);
    while !page.is_full()
        && let Some(row) = rows.next().map_err(database_error)?
    {
        let (at, id, json, reason): (_, _, String, String) =
            row.try_into().map_err(database_error)?;
        let bytes = json.len();
        let position = parse_position(at, id)?;
        page.push_row(SpamRow { position, reason: parse(&reason)?, json }, bytes);
    }
    Ok(SpamPage { rows: page.into_rows(), total })
}

/// Lists a page of trash.
pub(super) fn list_trash(
    conn: &Connection,
    query: &TrashQuery,
    cancel_flag: &CancelFlag,
) -> Result<TrashPage> {
    let sql = "SELECT seq, trash_days FROM forms WHERE id = ?";
    let form: Option<(i64, u8)> =
        query::find(conn, sql, [query.form.as_str()], |row| row.try_into())?;
    let Some((seq, days)) = form else { return Ok(TrashPage::default()) };
    let moved_after = query.now.micros() - i64::from(days) * DAY_US;
    if query.search.is_some() {
        return search_trash(conn, seq, moved_after, query, cancel_flag);
    }
    let total = count_rows(conn, seq, "trash", moved_after)?;
    let (at, id) = start_key(query.after.as_ref());
    let mut rows = conn
        .prepare_cached(
            "SELECT submitted_at, id, moved_at, batch, json FROM unlisted
             WHERE form = ? AND state = 'trash' AND moved_at > ? AND (submitted_at, id) < (?, ?)
             ORDER BY submitted_at DESC, id DESC",
        )
        .map_err(database_error)?;
    let mut rows = rows.query((seq, moved_after, at, id)).map_err(database_error)?;
    let mut page = PageBuilder::new(query.rows_max);
    while !page.is_full()
        && let Some(row) = rows.next().map_err(database_error)?
    {
        let row = trash_row(row)?;
        let bytes = row.json.len();
        page.push_row(row, bytes);
    }
    Ok(TrashPage { rows: page.into_rows(), total })
}

/// Searches the texts of a form's trash, and counts all matches.
fn search_trash(
    conn: &Connection,
    form: i64,
    moved_after: i64,
    query: &TrashQuery,
    cancel_flag: &CancelFlag,
) -> Result<TrashPage> {
    let term = query.search.as_ref().map(Search::folded).unwrap_or_default();
    let finder = Finder::new(&term);
    let after = start_key(query.after.as_ref());
    let mut rows = conn
        .prepare_cached(
            "SELECT submitted_at, id, moved_at, batch, json, text FROM unlisted
             WHERE form = ? AND state = 'trash' AND moved_at > ?
             ORDER BY submitted_at DESC, id DESC",
        )
        .map_err(database_error)?;
    let mut rows = rows.query((form, moved_after)).map_err(database_error)?;
    let mut page = PageBuilder::new(query.rows_max);
    let mut total = 0;
    while let Some(row) = rows.next().map_err(database_error)? {
        cancel_flag.check()?;
        let text = row.get_ref(5).map_err(database_error)?;
        if finder.find(text.as_blob().map_err(database_error)?).is_none() {
            continue;
        }
        total += 1;
        let at: i64 = row.get(0).map_err(database_error)?;
        let id = row.get_ref(1).map_err(database_error)?;
        if !page.is_full() && (at, id.as_str().map_err(database_error)?) < after {
            let row = trash_row(row)?;
            let bytes = row.json.len();
            page.push_row(row, bytes);
        }
    }
    Ok(TrashPage { rows: page.into_rows(), total })
}

fn trash_row(row: &Row<'_>) -> Result<TrashRow> {
    let read = || -> rusqlite::Result<(i64, String, i64, String, String)> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    let (at, id, moved_at, batch, json) = read().map_err(database_error)?;
    let position = parse_position(at, id)?;
    let moved_at = parse_instant(moved_at)?;
    Ok(TrashRow { position, moved_at, batch: parse(&batch)?, json })
}

/// Counts the rows of a state that were moved after an instant.
fn count_rows(conn: &Connection, form: i64, state: &str, moved_after: i64) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM unlisted INDEXED BY unlisted_by_age
               WHERE form = ? AND state = ? AND moved_at > ?";
    parse_count(query::one(conn, sql, (form, state, moved_after), |row| row.get(0))?)
}

/// Returns the key after which a page starts; without a cursor, a key after all rows.
fn start_key(after: Option<&Position>) -> (i64, &str) {
    after.map_or((i64::MAX, ""), |position| (position.submitted_at.micros(), position.id.as_str()))
}
