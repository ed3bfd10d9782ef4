//! Loads the in-memory indexes of a form, each from one snapshot.

use crate::forms;
use crate::hidden;
use crate::index::{
    ApplyChange as _, CountIndex, IndexedRow, ReadAnswers, SummaryIndex, TextIndex, UtmValues,
};
use crate::read_state;
use contract::summary::CountedFields;
use rusqlite::{Connection, Rows, Statement};
use std::sync::atomic::{AtomicBool, Ordering};
use store::Result;
use store::answers::{ColumnKey, read_texts};
use store::columns::{damaged_row, database_error};

/// Number of rows between two checks for shutdown and for memory.
const ROWS_BETWEEN_CHECKS: usize = 4096;

/// Result of loading an index.
pub(super) enum LoadResult<T> {
    /// The complete index at a version.
    Complete { version: i64, value: Box<T> },
    /// The index exceeds the memory limit. `rows` is the size of the form.
    TooLarge { rows: i64 },
    /// The store is closing, or the form was deleted.
    Cancelled,
}

/// Loads the tally of a form. Returns `None` if the store is closing or the form was deleted.
pub(super) fn load_tally(
    conn: &Connection,
    form: i64,
    is_ending: &AtomicBool,
) -> Result<Option<(i64, CountIndex)>> {
    let snapshot = conn.unchecked_transaction().map_err(database_error)?;
    let Some(state) = forms::find_state_by_seq(&snapshot, form)? else { return Ok(None) };
    let visible = visible_sql(&snapshot, form)?;
    let mut by_time = prepare(
        &snapshot,
        &format!(
            "SELECT s.submitted_at FROM submissions AS s INDEXED BY submissions_by_time
             WHERE s.form = ?{visible}"
        ),
    )?;
    let mut rows = by_time.query([form]).map_err(database_error)?;
    let mut instants = Vec::with_capacity(usize::try_from(state.rows).unwrap_or(0));
    while let Some(row) = rows.next().map_err(database_error)? {
        instants.push(row.get(0).map_err(database_error)?);
        if instants.len().is_multiple_of(ROWS_BETWEEN_CHECKS) && is_ending.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    let mut tally = CountIndex::new(instants);
    // Each row with UTM values is read from exactly one partial index: the first that contains it.
    // Within a value, an index is ordered by time.
    for (index, condition) in [
        ("source", "utm_source IS NOT NULL"),
        ("medium", "utm_medium IS NOT NULL AND utm_source IS NULL"),
        ("campaign", "utm_campaign IS NOT NULL AND utm_source IS NULL AND utm_medium IS NULL"),
    ] {
        let mut with_utm = prepare(
            &snapshot,
            &format!(
                "SELECT utm_source, utm_medium, utm_campaign, submitted_at
                 FROM submissions AS s INDEXED BY submissions_by_{index}
                 WHERE s.form = ? AND {condition}{visible}"
            ),
        )?;
        let mut rows = with_utm.query([form]).map_err(database_error)?;
        while let Some(row) = rows.next().map_err(database_error)? {
            tally.add_utm(
                &read_utm(row, 0).map_err(database_error)?,
                row.get(3).map_err(database_error)?,
            );
        }
    }
    Ok(Some((state.version, tally)))
}

/// Loads the texts of a form while `has_room` accepts their size in bytes.
pub(super) fn load_texts(
    conn: &Connection,
    form: i64,
    has_room: &dyn Fn(usize) -> bool,
    is_ending: &AtomicBool,
) -> Result<LoadResult<TextIndex>> {
    let snapshot = conn.unchecked_transaction().map_err(database_error)?;
    let Some(state) = forms::find_state_by_seq(&snapshot, form)? else {
        return Ok(LoadResult::Cancelled);
    };
    let visible = visible_sql(&snapshot, form)?;
    let order = format!("WHERE s.form = ?{visible} ORDER BY s.submitted_at, s.id");
    // Merges two ordered scans of tables with the same key. A join would seek for each row.
    let mut utms = prepare(
        &snapshot,
        &format!(
            "SELECT s.submitted_at, s.id, s.utm_source, s.utm_medium, s.utm_campaign
             FROM submissions AS s {order}"
        ),
    )?;
    let mut texts = prepare(
        &snapshot,
        &format!("SELECT s.submitted_at, s.id, s.text FROM submission_texts AS s {order}"),
    )?;
    let mut utms = utms.query([form]).map_err(database_error)?;
    let mut rows = texts.query([form]).map_err(database_error)?;
    let mut texts = TextIndex::default();
    let mut read = 0_usize;
    while let Some(row) = next_row(&mut utms, &mut rows)? {
        if texts.push(&row).is_err() {
            return Ok(LoadResult::TooLarge { rows: state.rows });
        }
        read += 1;
        if read.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            if is_ending.load(Ordering::Relaxed) {
                return Ok(LoadResult::Cancelled);
            }
            if !has_room(texts.bytes()) {
                return Ok(LoadResult::TooLarge { rows: state.rows });
            }
        }
    }
    if !has_room(texts.bytes()) {
        return Ok(LoadResult::TooLarge { rows: state.rows });
    }
    Ok(LoadResult::Complete { version: state.version, value: Box::new(texts) })
}

/// Loads the counted values of a form while `has_room` accepts their size in bytes.
pub(super) fn load_facts(
    conn: &Connection,
    form: i64,
    has_room: &dyn Fn(usize) -> bool,
    is_ending: &AtomicBool,
) -> Result<LoadResult<SummaryIndex>> {
    let snapshot = conn.unchecked_transaction().map_err(database_error)?;
    let Some(state) = forms::find_state_by_seq(&snapshot, form)? else {
        return Ok(LoadResult::Cancelled);
    };
    let visible = visible_sql(&snapshot, form)?;
    let mut facts =
        SummaryIndex::new(CountedFields::for_fields(&forms::list_fields(&snapshot, form)?));
    let sql = format!(
        "SELECT s.submitted_at, s.id, s.json, s.triage FROM submissions AS s
         WHERE s.form = ?{visible} ORDER BY s.submitted_at, s.id"
    );
    let mut statement = prepare(&snapshot, &sql)?;
    let mut rows = statement.query([form]).map_err(database_error)?;
    let mut read = 0_usize;
    while let Some(row) = rows.next().map_err(database_error)? {
        let at = row.get(0).map_err(database_error)?;
        let id = row.get_ref(1).map_err(database_error)?.as_str().map_err(database_error)?;
        let json = row.get_ref(2).map_err(database_error)?.as_str().map_err(database_error)?;
        let triage = row.get_ref(3).map_err(database_error)?;
        facts.insert(at, id, json, triage.as_str_or_null().map_err(database_error)?);
        read += 1;
        if read.is_multiple_of(ROWS_BETWEEN_CHECKS) && is_ending.load(Ordering::Relaxed) {
            return Ok(LoadResult::Cancelled);
        }
        if read.is_multiple_of(64 * ROWS_BETWEEN_CHECKS) && !has_room(facts.bytes()) {
            return Ok(LoadResult::TooLarge { rows: state.rows });
        }
    }
    let mut marks = 0_usize;
    let mut is_whole = true;
    read_state::for_each_mark(&snapshot, form, |at, id, person| {
        facts.set_read_mark(at, id, person, true);
        marks += 1;
        if marks.is_multiple_of(64 * ROWS_BETWEEN_CHECKS) {
            is_whole = has_room(facts.bytes()) && !is_ending.load(Ordering::Relaxed);
        }
        is_whole
    })?;
    if is_ending.load(Ordering::Relaxed) {
        return Ok(LoadResult::Cancelled);
    }
    if !is_whole || !facts.is_complete() || !has_room(facts.bytes()) {
        return Ok(LoadResult::TooLarge { rows: state.rows });
    }
    Ok(LoadResult::Complete { version: state.version, value: Box::new(facts) })
}

/// Reads the answers of a form's submissions, and calls `add_rows` with some rows at a time. If it
/// returns `false`, there is no room for more.
pub(super) fn load_answers(
    conn: &Connection,
    form: i64,
    columns: &[ColumnKey],
    add_rows: impl Fn(&[ReadAnswers]) -> bool,
    is_ending: &AtomicBool,
) -> Result<LoadResult<()>> {
    let snapshot = conn.unchecked_transaction().map_err(database_error)?;
    let Some(state) = forms::find_state_by_seq(&snapshot, form)? else {
        return Ok(LoadResult::Cancelled);
    };
    let visible = visible_sql(&snapshot, form)?;
    let sql = format!(
        "SELECT s.submitted_at, s.id, s.json FROM submissions AS s
         WHERE s.form = ?{visible} ORDER BY s.submitted_at, s.id"
    );
    let mut statement = prepare(&snapshot, &sql)?;
    let mut rows = statement.query([form]).map_err(database_error)?;
    let mut read: Vec<ReadAnswers> = Vec::with_capacity(ROWS_BETWEEN_CHECKS);
    loop {
        let row = rows.next().map_err(database_error)?;
        if read.len() == ROWS_BETWEEN_CHECKS || row.is_none() {
            if is_ending.load(Ordering::Relaxed) {
                return Ok(LoadResult::Cancelled);
            }
            if !add_rows(&read) {
                return Ok(LoadResult::TooLarge { rows: state.rows });
            }
            read.clear();
        }
        let Some(row) = row else { break };
        let json = row.get_ref(2).map_err(database_error)?.as_str().map_err(database_error)?;
        let answers = read_texts(json, columns)?;
        let id = row.get(1).map_err(database_error)?;
        read.push((row.get(0).map_err(database_error)?, id, answers));
    }
    Ok(LoadResult::Complete { version: state.version, value: Box::new(()) })
}

fn next_row(utms: &mut Rows<'_>, texts: &mut Rows<'_>) -> Result<Option<IndexedRow>> {
    let (Some(of_utm), Some(of_text)) =
        (utms.next().map_err(database_error)?, texts.next().map_err(database_error)?)
    else {
        return Ok(None);
    };
    let row = || -> rusqlite::Result<IndexedRow> {
        Ok(IndexedRow {
            at: of_text.get(0)?,
            id: of_text.get(1)?,
            utm: read_utm(of_utm, 2)?,
            text: of_text.get(2)?,
            ..IndexedRow::default()
        })
    };
    let row = row().map_err(database_error)?;
    let at: i64 = of_utm.get(0).map_err(database_error)?;
    let id = of_utm.get_ref(1).map_err(database_error)?.as_str().map_err(database_error)?;
    if (at, id) != (row.at, row.id.as_str()) {
        return Err(damaged_row(format!("submission `{id}` and text `{}` do not match", row.id)));
    }
    Ok(Some(row))
}

/// Reads source, medium and campaign from three columns, starting at `first`.
pub(crate) fn read_utm(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<UtmValues> {
    let value =
        |column| -> rusqlite::Result<Option<&str>> { Ok(row.get_ref(column)?.as_str_or_null()?) };
    Ok(UtmValues::new(value(first)?, value(first + 1)?, value(first + 2)?))
}

fn visible_sql(conn: &Connection, form: i64) -> Result<&'static str> {
    Ok(if hidden::has_unfinished_import(conn, form)? { hidden::VISIBLE_SQL } else { "" })
}

fn prepare<'c>(conn: &'c Connection, sql: &str) -> Result<Statement<'c>> {
    conn.prepare(sql).map_err(database_error)
}
