//! Lists spam and trash, page by page.

use crate::forms;
use crate::readers::CancelFlag;
use contract::filter::Search;
use contract::{FormId, Timestamp};
use memchr::memmem::Finder;
use rusqlite::{Connection, OptionalExtension, Row};
use store::Position;
use store::Result;
use store::columns::{database_error, parse, parse_count, parse_instant, parse_position};
use store::pages::PAGE_BYTES_MAX;
use store::unlisted::{SpamPage, SpamRow, TrashPage, TrashQuery, TrashRow};

const DAY_US: i64 = 86_400_000_000;

/// Collects the rows of a page. It is full at `rows_max` rows, or at two or more rows with more
/// than 2 MiB in total. One row more than fits on a page shows that a next page exists.
struct PageBuffer<T> {
    rows: Vec<T>,
    rows_max: usize,
    bytes: usize,
}

impl<T> PageBuffer<T> {
    fn new(rows_max: usize) -> Self {
        Self { rows: Vec::new(), rows_max, bytes: 0 }
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= self.rows_max || self.bytes > PAGE_BYTES_MAX && self.rows.len() > 1
    }

    fn push(&mut self, row: T, bytes: usize) {
        self.bytes += bytes;
        self.rows.push(row);
    }
}

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
    let mut page = PageBuffer::new(rows_max);
    while !page.is_full()
        && let Some(row) = rows.next().map_err(database_error)?
    {
        let (at, id, json, reason): (_, _, String, String) =
            row.try_into().map_err(database_error)?;
        let bytes = json.len();
        page.push(
            SpamRow { position: parse_position(at, id)?, reason: parse(&reason)?, json },
            bytes,
        );
    }
    Ok(SpamPage { rows: page.rows, total })
}

/// Lists a page of trash.
pub(super) fn list_trash(
    conn: &Connection,
    query: &TrashQuery,
    cancel_flag: &CancelFlag,
) -> Result<TrashPage> {
    let form: Option<(i64, u8)> = conn
        .prepare_cached("SELECT seq, trash_days FROM forms WHERE id = ?")
        .and_then(|mut found| {
            found.query_row([query.form.as_str()], |row| row.try_into()).optional()
        })
        .map_err(database_error)?;
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
    let mut page = PageBuffer::new(query.rows_max);
    while !page.is_full()
        && let Some(row) = rows.next().map_err(database_error)?
    {
        let row = trash_row(row)?;
        let bytes = row.json.len();
        page.push(row, bytes);
    }
    Ok(TrashPage { rows: page.rows, total })
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
    let mut page = PageBuffer::new(query.rows_max);
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
            page.push(row, bytes);
        }
    }
    Ok(TrashPage { rows: page.rows, total })
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
    let total: rusqlite::Result<i64> = conn
        .prepare_cached(
            "SELECT COUNT(*) FROM unlisted INDEXED BY unlisted_by_age
             WHERE form = ? AND state = ? AND moved_at > ?",
        )
        .and_then(|mut all| all.query_row((form, state, moved_after), |row| row.get(0)));
    parse_count(total.map_err(database_error)?)
}

/// Returns the key after which a page starts; without a cursor, a key after all rows.
fn start_key(after: Option<&Position>) -> (i64, &str) {
    after.map_or((i64::MAX, ""), |position| (position.submitted_at.micros(), position.id.as_str()))
}
