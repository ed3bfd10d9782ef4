//! Reading submissions for an export: portion by portion, each in a transaction of its own.
//!
//! A portion goes on behind the last place that the one before looked at, so that a long export
//! neither holds on to an old state of the data nor reads anything twice. What a search finds is
//! what [`contract::Filter::matches`] says, as in lists.

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

/// So many texts are looked through before what was found in them is read.
const LOOK_ROWS: usize = 1024;
/// Texts that are looked through for one portion, however few are found in them.
const LOOKED_ROWS_MAX: usize = 16 * LOOK_ROWS;
/// A submission's JSON is some three times as long as its searched text; so many texts are looked
/// through as will fill the portion, and hardly one twice.
const JSON_PER_TEXT: usize = 3;
/// Where at least one row of so many is found, reading them all is quicker than finding each.
const DENSE: usize = 6;
/// No limit, to SQLite.
const ALL: i64 = -1;

/// Fills a portion with the submissions that match and lie behind a place.
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

/// A form whose submissions are read, and which of them.
struct Form<'a> {
    conn: &'a Connection,
    seq: i64,
    filter: &'a Filter,
    some_are_hidden: bool,
}

/// What looking through some texts gave.
struct Looked {
    /// The rows looked at.
    rows: usize,
    /// Places of those that were found.
    found: Vec<(i64, String)>,
    /// The last place looked at, where more may lie behind it.
    last: Option<Position>,
}

impl Form<'_> {
    fn behind<'a>(&'a self, behind: Option<&'a Position>) -> Stretch<'a> {
        Stretch::new(self.seq, self.filter, behind, self.some_are_hidden)
    }

    /// Reads what lies behind a place.
    fn read(&self, behind: Option<&Position>, portion: &mut Portion) -> Result<()> {
        self.each(behind, |row| take(row, portion))
    }

    /// Hands over the rows behind a place, newest first, until one is the last that is wanted.
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

    /// Looks for a text behind a place, and reads what is found.
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

    /// Looks through the next texts behind a place, until what was found has so many bytes.
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

    /// Reads what was found, one by one, and returns whether there is room for more.
    fn read_each(&self, found: &[(i64, String)], portion: &mut Portion) -> Result<bool> {
        let sql = row_sql!("submitted_at, id, json");
        let mut one = self.conn.prepare_cached(sql).map_err(database)?;
        for (submitted_at, id) in found {
            let mut rows = one.query((self.seq, submitted_at, id)).map_err(database)?;
            let row = rows.next().map_err(database)?;
            let row = row.ok_or_else(|| database(format!("`{id}` has a text and no row")))?;
            if !take(row, portion)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// As [`Form::read_each`], of rows that lie close behind a place and to each other.
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
            return Err(database(format!("`{}` has a text and no row", next.1)));
        }
        Ok(has_room)
    }
}

/// Adds a row to a portion and returns whether there is room for more; where there is none, the
/// next portion begins behind it.
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
