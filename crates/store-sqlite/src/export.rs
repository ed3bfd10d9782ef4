//! Reads submissions for an export, chunk by chunk. Each chunk has a transaction of its own.
//!
//! A chunk starts after the last row that the previous one examined. So a long export neither holds
//! an old snapshot nor reads a row twice. A search matches as [`contract::Filter::matches`] does,
//! as in lists.

use super::forms;
use super::properties::{PropertyCheck, ROWS_BETWEEN_CHECKS, optional_text_column, text_column};
use super::readers::CancelFlag;
use super::submission_range::{SubmissionRange, notes_sql};
use crate::hidden;
use contract::filter::Search;
use contract::triage::TriageColumn;
use contract::{Filter, FormId};
use memchr::memmem::Finder;
use rusqlite::{Connection, Row, params_from_iter};
use store::columns::{database_error, parse_position};
use store::triage::parse_triage;
use store::{Chunk, Position, Result};

/// Texts to search before reading the matching rows.
const SEARCH_BATCH_ROWS: usize = 1024;
/// Maximum number of texts to search for one chunk, even if few match.
const SEARCH_ROWS_MAX: usize = 16 * SEARCH_BATCH_ROWS;
/// Maximum number of rows to check against labels and numbers for one chunk, even if few match.
const EXAMINED_ROWS_MAX: usize = SEARCH_ROWS_MAX;
/// Ratio of JSON length to text length. It limits a search to about as many texts as fill the
/// chunk, so that few are searched twice.
const JSON_PER_TEXT: usize = 3;
/// If at least one of this many rows matches, reading all rows is faster than seeking to each
/// match.
const DENSE_RATIO: usize = 6;
/// SQLite's value for no limit.
const NO_LIMIT: i64 = -1;

/// Fills a chunk with matching submissions of a form after a position.
pub(super) fn fill_chunk(
    conn: &Connection,
    form: &FormId,
    filter: &Filter,
    after: Option<Position>,
    mut chunk: Chunk,
    cancel_flag: &CancelFlag,
) -> Result<Chunk> {
    chunk.clear();
    if let Some(seq) = forms::find_seq(conn, form)? {
        let some_are_hidden = hidden::has_unfinished_import(conn, seq)?;
        let check = PropertyCheck::new(filter);
        let counts_notes = chunk.triage_columns().contains(TriageColumn::NotesCount);
        let form = FormExport { conn, seq, filter, check, some_are_hidden, counts_notes };
        match &filter.search {
            None => form.read_rows(after.as_ref(), &mut chunk, cancel_flag)?,
            Some(search) => form.search_rows(search, after, &mut chunk, cancel_flag)?,
        }
    }
    Ok(chunk)
}

/// Fills a chunk with the submissions of a form at positions, in their order.
pub(super) fn fill_chunk_at(
    conn: &Connection,
    form: &FormId,
    positions: &[Position],
    mut chunk: Chunk,
) -> Result<Chunk> {
    chunk.clear();
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(chunk) };
    let counts_notes = chunk.triage_columns().contains(TriageColumn::NotesCount);
    // The positions were found in another snapshot. An import may have begun since.
    let sql = row_by_key_sql(counts_notes, hidden::has_unfinished_import(conn, seq)?);
    let mut statement = conn.prepare_cached(&sql).map_err(database_error)?;
    for Position { submitted_at, id } in positions {
        let key = (seq, submitted_at.micros(), id.as_str());
        let mut rows = statement.query(key).map_err(database_error)?;
        if let Some(row) = rows.next().map_err(database_error)?
            && !push_row(row, &mut chunk)?
        {
            break;
        }
    }
    Ok(chunk)
}

/// Returns the statement that reads a row by its key.
fn row_by_key_sql(counts_notes: bool, some_are_hidden: bool) -> String {
    let notes = if counts_notes { concat!(", ", notes_sql!("s")) } else { "" };
    let visible = if some_are_hidden { hidden::VISIBLE_SQL } else { "" };
    format!(
        "SELECT submitted_at, id, json, triage{notes} FROM submissions AS s NOT INDEXED \
         WHERE form = ? AND submitted_at = ? AND id = ?{visible}"
    )
}

/// The form and the filter of an export.
struct FormExport<'a> {
    conn: &'a Connection,
    seq: i64,
    filter: &'a Filter,
    check: PropertyCheck<'a>,
    some_are_hidden: bool,
    counts_notes: bool,
}

/// Result of searching some texts.
struct SearchBatch {
    /// Number of texts searched.
    rows: usize,
    /// Keys of the matches.
    matches: Vec<(i64, String)>,
    /// Position of the last text searched, if there may be more.
    last: Option<Position>,
}

impl FormExport<'_> {
    fn range_after<'a>(&'a self, after: Option<&'a Position>) -> SubmissionRange<'a> {
        SubmissionRange::new(self.seq, self.filter, after, self.some_are_hidden)
    }

    /// Reads the rows after a position.
    fn read_rows(
        &self,
        after: Option<&Position>,
        chunk: &mut Chunk,
        cancel_flag: &CancelFlag,
    ) -> Result<()> {
        if !self.filter.has_properties() {
            return self.for_each_row(after, |row| push_row(row, chunk));
        }
        let mut examined = 0_usize;
        self.for_each_row(after, |row| {
            examined += 1;
            if examined.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                cancel_flag.check()?;
            }
            let has_room = self.push_match(row, chunk)?;
            let is_last = examined == EXAMINED_ROWS_MAX;
            if has_room && is_last {
                chunk.set_next_position(row_position(row)?);
            }
            Ok(has_room && !is_last)
        })
    }

    /// As [`push_row`], if the row matches the labels and numbers of the filter.
    fn push_match(&self, row: &Row<'_>, chunk: &mut Chunk) -> Result<bool> {
        if self.check.matches_columns(row, 2)? { push_row(row, chunk) } else { Ok(true) }
    }

    /// Calls `wants_more` with each row after a position, newest first, until it returns `false`.
    fn for_each_row(
        &self,
        after: Option<&Position>,
        mut wants_more: impl FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        let range = self.range_after(after);
        let sql = if self.counts_notes { range.page_with_notes_sql() } else { range.page_sql() };
        let mut page = self.conn.prepare_cached(&sql).map_err(database_error)?;
        let mut params = range.params();
        params.push(&NO_LIMIT);
        let mut rows = page.query(params_from_iter(params)).map_err(database_error)?;
        while let Some(row) = rows.next().map_err(database_error)? {
            if !wants_more(row)? {
                break;
            }
        }
        Ok(())
    }

    /// Searches for a text after a position, and reads the matches.
    fn search_rows(
        &self,
        search: &Search,
        mut after: Option<Position>,
        chunk: &mut Chunk,
        cancel_flag: &CancelFlag,
    ) -> Result<()> {
        let folded = search.folded();
        let finder = Finder::new(&folded);
        for _ in 0..SEARCH_ROWS_MAX / SEARCH_BATCH_ROWS {
            cancel_flag.check()?;
            let bytes_max = chunk.remaining_bytes() / JSON_PER_TEXT;
            let batch = self.search_batch(&finder, after.as_ref(), bytes_max)?;
            let has_room = if batch.matches.len() * DENSE_RATIO < batch.rows {
                self.read_matches_by_key(&batch.matches, chunk)?
            } else {
                self.read_matches_by_scan(after.as_ref(), &batch.matches, chunk)?
            };
            if !has_room {
                return Ok(());
            }
            let Some(last) = batch.last else { return Ok(()) };
            after = Some(last);
        }
        if let Some(after) = after {
            chunk.set_next_position(after);
        }
        Ok(())
    }

    /// Searches the next texts until [`SEARCH_BATCH_ROWS`] are searched or the matches exceed
    /// `bytes_max`.
    fn search_batch(
        &self,
        finder: &Finder<'_>,
        after: Option<&Position>,
        bytes_max: usize,
    ) -> Result<SearchBatch> {
        let range = self.range_after(after);
        let mut texts = self.conn.prepare_cached(&range.text_sql()).map_err(database_error)?;
        let mut rows = texts.query(params_from_iter(range.params())).map_err(database_error)?;
        let mut batch = SearchBatch { rows: 0, matches: Vec::new(), last: None };
        let mut found_bytes = 0;
        while let Some(row) = rows.next().map_err(database_error)? {
            batch.rows += 1;
            let text = row.get_ref(2).map_err(database_error)?.as_blob().map_err(database_error)?;
            if finder.find(text).is_some() {
                found_bytes += text.len();
                batch.matches.push((
                    row.get(0).map_err(database_error)?,
                    row.get(1).map_err(database_error)?,
                ));
            }
            if batch.rows == SEARCH_BATCH_ROWS || found_bytes > bytes_max {
                batch.last = Some(row_position(row)?);
                break;
            }
        }
        Ok(batch)
    }

    /// Reads the matches one by one; returns whether the chunk has space left.
    fn read_matches_by_key(&self, found: &[(i64, String)], chunk: &mut Chunk) -> Result<bool> {
        let sql = row_by_key_sql(self.counts_notes, false);
        let mut statement = self.conn.prepare_cached(&sql).map_err(database_error)?;
        for (submitted_at, id) in found {
            let mut rows = statement.query((self.seq, submitted_at, id)).map_err(database_error)?;
            let row = rows.next().map_err(database_error)?;
            let row = row.ok_or_else(|| database_error(format!("`{id}` has a text but no row")))?;
            if !self.push_match(row, chunk)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// As [`FormExport::read_matches_by_key`], by one scan over rows that are close together.
    fn read_matches_by_scan(
        &self,
        after: Option<&Position>,
        found: &[(i64, String)],
        chunk: &mut Chunk,
    ) -> Result<bool> {
        let mut keys = found.iter();
        let Some(mut next) = keys.next() else { return Ok(true) };
        let mut has_room = true;
        let mut is_done = false;
        self.for_each_row(after, |row| {
            let submitted_at: i64 = row.get(0).map_err(database_error)?;
            if submitted_at != next.0 || text_column(row, 1)? != next.1 {
                return Ok(true);
            }
            has_room = self.push_match(row, chunk)?;
            match keys.next() {
                Some(key) => next = key,
                None => is_done = true,
            }
            Ok(has_room && !is_done)
        })?;
        if has_room && !is_done {
            return Err(database_error(format!("`{}` has a text but no row", next.1)));
        }
        Ok(has_room)
    }
}

/// Adds a row to a chunk; returns whether the chunk has space left. If not, the next chunk starts
/// after this row.
fn push_row(row: &Row<'_>, chunk: &mut Chunk) -> Result<bool> {
    let columns = chunk.triage_columns();
    if !columns.is_empty() {
        let has_notes_count = columns.contains(TriageColumn::NotesCount);
        let notes_count = if has_notes_count { row.get(4).map_err(database_error)? } else { 0 };
        chunk.push_triage(parse_triage(optional_text_column(row, 3)?)?, notes_count);
    }
    let has_room = chunk.push(text_column(row, 2)?);
    if !has_room {
        chunk.set_next_position(row_position(row)?);
    }
    Ok(has_room)
}

fn row_position(row: &Row<'_>) -> Result<Position> {
    parse_position(row.get(0).map_err(database_error)?, row.get(1).map_err(database_error)?)
}
