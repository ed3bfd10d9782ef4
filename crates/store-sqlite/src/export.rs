//! Reads submissions for an export, chunk by chunk. Each chunk has a transaction of its own.
//!
//! A chunk starts after the last row that the previous one examined. So a long export neither holds
//! an old snapshot nor reads a row twice. A search matches as [`contract::Filter::matches`] does,
//! as in lists.

use super::forms;
use super::readers::Abandoned;
use super::request::Request;
use super::submission_range::{Stretch, row_sql};
use crate::hidden;
use contract::Filter;
use contract::filter::Search;
use memchr::memmem::Finder;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params_from_iter};
use store::columns::{database, position};
use store::{Portion, Position, Result};

/// Texts to search before reading the matching rows.
const LOOK_ROWS: usize = 1024;
/// Maximum number of texts to search for one chunk, even if few match.
const LOOKED_ROWS_MAX: usize = 16 * LOOK_ROWS;
/// Ratio of JSON length to text length. It limits a search to about as many texts as fill the
/// chunk, so that few are searched twice.
const JSON_PER_TEXT: usize = 3;
/// If at least one of this many rows matches, reading all rows is faster than seeking to each
/// match.
const DENSE: usize = 6;
/// SQLite's value for no limit.
const ALL: i64 = -1;

/// Fills a chunk with matching submissions after the requested position.
pub(super) fn export(
    conn: &Connection,
    request: &Request,
    mut portion: Portion,
    waits: &Abandoned,
) -> Result<Portion> {
    portion.clear();
    if let Some(seq) = forms::seq(conn, &request.form)? {
        let some_are_hidden = hidden::is_under_way(conn, seq)?;
        let form = Form { conn, seq, filter: &request.filter, some_are_hidden };
        match &request.filter.search {
            None => form.read(request.behind.as_ref(), &mut portion)?,
            Some(search) => form.find(search, request.behind.clone(), &mut portion, waits)?,
        }
    }
    Ok(portion)
}

/// The form and the filter of an export.
struct Form<'a> {
    conn: &'a Connection,
    seq: i64,
    filter: &'a Filter,
    some_are_hidden: bool,
}

/// Result of searching some texts.
struct Looked {
    /// Number of texts searched.
    rows: usize,
    /// Keys of the matches.
    found: Vec<(i64, String)>,
    /// Position of the last text searched, if there may be more.
    last: Option<Position>,
}

impl Form<'_> {
    fn behind<'a>(&'a self, behind: Option<&'a Position>) -> Stretch<'a> {
        Stretch::new(self.seq, self.filter, behind, self.some_are_hidden)
    }

    /// Reads the rows after a position.
    fn read(&self, behind: Option<&Position>, portion: &mut Portion) -> Result<()> {
        self.each(behind, |row| take(row, portion))
    }

    /// Calls `wants_more` with each row after a position, newest first, until it returns `false`.
    fn each(
        &self,
        behind: Option<&Position>,
        mut wants_more: impl FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        let stretch = self.behind(behind);
        let mut page = self.conn.prepare_cached(&stretch.page_sql()).map_err(database)?;
        let mut params = stretch.params();
        params.push(&ALL);
        let mut rows = page.query(params_from_iter(params)).map_err(database)?;
        while let Some(row) = rows.next().map_err(database)? {
            if !wants_more(row)? {
                break;
            }
        }
        Ok(())
    }

    /// Searches for a text after a position, and reads the matches.
    fn find(
        &self,
        search: &Search,
        mut behind: Option<Position>,
        portion: &mut Portion,
        waits: &Abandoned,
    ) -> Result<()> {
        let folded = search.folded();
        let finder = Finder::new(&folded);
        for _ in 0..LOOKED_ROWS_MAX / LOOK_ROWS {
            waits.check()?;
            let bytes_max = portion.left_bytes() / JSON_PER_TEXT;
            let looked = self.look(&finder, behind.as_ref(), bytes_max)?;
            let has_room = if looked.found.len() * DENSE < looked.rows {
                self.read_each(&looked.found, portion)?
            } else {
                self.read_among(behind.as_ref(), &looked.found, portion)?
            };
            if !has_room {
                return Ok(());
            }
            let Some(last) = looked.last else { return Ok(()) };
            behind = Some(last);
        }
        if let Some(behind) = behind {
            portion.set_next(behind);
        }
        Ok(())
    }

    /// Searches the next texts until [`LOOK_ROWS`] are searched or the matches exceed `bytes_max`.
    fn look(
        &self,
        finder: &Finder<'_>,
        behind: Option<&Position>,
        bytes_max: usize,
    ) -> Result<Looked> {
        let stretch = self.behind(behind);
        let mut texts = self.conn.prepare_cached(&stretch.text_sql()).map_err(database)?;
        let mut rows = texts.query(params_from_iter(stretch.params())).map_err(database)?;
        let mut looked = Looked { rows: 0, found: Vec::new(), last: None };
        let mut found_bytes = 0;
        while let Some(row) = rows.next().map_err(database)? {
            looked.rows += 1;
            let text = row.get_ref(2).map_err(database)?.as_blob().map_err(database)?;
            if finder.find(text).is_some() {
                found_bytes += text.len();
                looked.found.push((row.get(0).map_err(database)?, row.get(1).map_err(database)?));
            }
            if looked.rows == LOOK_ROWS || found_bytes > bytes_max {
                looked.last = Some(place(row)?);
                break;
            }
        }
        Ok(looked)
    }

    /// Reads the matches one by one; returns whether the chunk has space left.
    fn read_each(&self, found: &[(i64, String)], portion: &mut Portion) -> Result<bool> {
        let sql = row_sql!("submitted_at, id, json");
        let mut one = self.conn.prepare_cached(sql).map_err(database)?;
        for (submitted_at, id) in found {
            let mut rows = one.query((self.seq, submitted_at, id)).map_err(database)?;
            let row = rows.next().map_err(database)?;
            let row = row.ok_or_else(|| database(format!("`{id}` has a text but no row")))?;
            if !take(row, portion)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// As [`Form::read_each`], by one scan over rows that are close together.
    fn read_among(
        &self,
        behind: Option<&Position>,
        found: &[(i64, String)],
        portion: &mut Portion,
    ) -> Result<bool> {
        let mut wanted = found.iter();
        let Some(mut next) = wanted.next() else { return Ok(true) };
        let (mut has_room, mut is_done) = (true, false);
        self.each(behind, |row| {
            let submitted_at: i64 = row.get(0).map_err(database)?;
            if submitted_at != next.0 || text(row, 1)? != next.1 {
                return Ok(true);
            }
            has_room = take(row, portion)?;
            match wanted.next() {
                Some(one) => next = one,
                None => is_done = true,
            }
            Ok(has_room && !is_done)
        })?;
        if has_room && !is_done {
            return Err(database(format!("`{}` has a text but no row", next.1)));
        }
        Ok(has_room)
    }
}

/// Adds a row to a chunk; returns whether the chunk has space left. If not, the next chunk starts
/// after this row.
fn take(row: &Row<'_>, portion: &mut Portion) -> Result<bool> {
    let has_room = portion.push(json(row, 2)?);
    if !has_room {
        portion.set_next(place(row)?);
    }
    Ok(has_room)
}

fn place(row: &Row<'_>) -> Result<Position> {
    position(row.get(0).map_err(database)?, row.get(1).map_err(database)?)
}

fn json<'a>(row: &'a Row<'_>, column: usize) -> Result<&'a str> {
    text(row, column)
}

fn text<'a>(row: &'a Row<'_>, column: usize) -> Result<&'a str> {
    row.get_ref(column).and_then(|value: ValueRef<'_>| Ok(value.as_str()?)).map_err(database)
}
