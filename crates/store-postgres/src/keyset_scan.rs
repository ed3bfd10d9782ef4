//! Scans the submissions of a range in windows, newest first.
//!
//! One statement reads a window, so a window is a consistent snapshot of bounded size. It ends at a
//! maximum of bytes, of returned rows or of examined rows. The next window starts after the last
//! key (keyset pagination), so concurrent inserts and deletes do not disturb the scan.

use super::answers::retain_matches;
use super::query::read_column;
use super::query_params::QueryParams;
use super::search_term::Term;
use super::submission_range::SubmissionRange;
use crate::errors::database_error;
use store::columns::{damaged_row, parse_position};
use store::{Position, Result};
use tokio_postgres::{GenericClient, Row};

/// Maximum rows that are examined for a search term per window.
const EXAMINED_ROWS_MAX: usize = 4096;

/// Bounds of a window.
pub(super) struct ScanWindow<'a> {
    pub(super) range: &'a SubmissionRange<'a>,
    pub(super) term: Option<&'a Term>,
    pub(super) after: Option<&'a Position>,
    pub(super) rows_max: usize,
    /// The row that reaches this number of bytes is the last.
    pub(super) bytes_max: usize,
    /// Whether the rows have the numbers of notes.
    pub(super) counts_notes: bool,
}

/// Rows of a window.
#[derive(Default)]
pub(super) struct WindowRows {
    rows: Vec<Row>,
    /// Column of the number of notes, if it was read.
    notes_column: Option<usize>,
    /// Position after which the next window starts, if there may be one.
    pub(super) next: Option<Position>,
}

impl WindowRows {
    /// Iterates over the submissions as JSON.
    pub(super) fn jsons(&self) -> impl Iterator<Item = Result<&str>> {
        self.rows.iter().map(|row| read_column(row, 2))
    }

    /// Iterates over the numbers of notes; 0 if they were not read.
    pub(super) fn notes_counts(&self) -> impl Iterator<Item = Result<u32>> {
        self.rows.iter().map(|row| match self.notes_column {
            Some(column) => u32::try_from(read_column::<i64>(row, column)?).map_err(damaged_row),
            None => Ok(0),
        })
    }

    /// Iterates over the submissions and their triage, both as JSON.
    pub(super) fn jsons_with_triage(&self) -> impl Iterator<Item = Result<(&str, Option<&str>)>> {
        self.rows.iter().map(|row| Ok((read_column(row, 2)?, read_column(row, 3)?)))
    }
}

impl ScanWindow<'_> {
    /// Reads the window.
    pub(super) async fn read_rows(&self, client: &impl GenericClient) -> Result<WindowRows> {
        let mut params = QueryParams::default();
        let sql = self.to_sql(&mut params);
        let mut rows =
            client.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
        // With a term, columns 4 and 5 hold the last examined key, or NULL at the end of the range.
        let end = match rows.first() {
            Some(row) if self.term.is_some() => read_position(row, 4)?,
            _ => None,
        };
        // The outer join gives one row of NULLs if no submission matches.
        if let Some(row) = rows.first()
            && read_position(row, 0)?.is_none()
        {
            rows.clear();
        }
        let last = rows.last();
        let mut bytes = 0;
        for row in &rows {
            bytes += read_column::<&str>(row, 2)?.len();
        }
        let is_full = rows.len() >= self.rows_max || bytes >= self.bytes_max;
        let next = match last {
            Some(last) if is_full => read_position(last, 0)?,
            _ => end,
        };
        let rows = retain_matches(self.range.fields(), rows).await?;
        let notes_column = self.counts_notes.then_some(if self.term.is_some() { 6 } else { 4 });
        Ok(WindowRows { rows, notes_column, next })
    }

    fn to_sql(&self, params: &mut QueryParams) -> String {
        let rows = self.range.rows_condition(self.after, params);
        let mut before = String::new();
        let mut has = String::new();
        let mut end = "";
        let mut from = "(SELECT 1) AS one";
        if let Some(term) = self.term {
            // `stop` is the key of the last row to examine. It is the end of the window if few rows
            // match.
            let examined_max = params.push_rows(EXAMINED_ROWS_MAX - 1);
            before = format!(
                "WITH stop AS MATERIALIZED (\
                   SELECT s.submitted_at, s.id FROM submissions AS s WHERE {rows} \
                   ORDER BY s.submitted_at DESC, s.id DESC OFFSET {examined_max} LIMIT 1) "
            );
            let least = params.push_number(i64::MIN);
            has = format!(
                " AND (s.submitted_at, s.id) >= (\
                   coalesce((SELECT submitted_at FROM stop), {least}), \
                   coalesce((SELECT id FROM stop), '')) AND {}",
                term.scan_condition(params)
            );
            (end, from) =
                (", e.submitted_at, e.id", "(SELECT 1) AS one LEFT JOIN stop AS e ON TRUE");
        }
        let rows_max = params.push_rows(self.rows_max);
        let newest = if has.is_empty() {
            self.range.newest_rows(self.after, &rows_max, params)
        } else {
            format!(
                "SELECT s.submitted_at, s.id, s.json, s.triage FROM submissions AS s \
                 WHERE {rows}{has} \
                 ORDER BY s.submitted_at DESC, s.id DESC LIMIT {rows_max}"
            )
        };
        let notes =
            if self.counts_notes { self.range.notes_count("p", params) } else { String::new() };
        let bytes_max = params.push_rows(self.bytes_max.max(1));
        // A row is in the window if the rows before it have fewer bytes than `bytes_max`.
        format!(
            "{before}SELECT p.submitted_at, p.id, p.json, p.triage{end}{notes} \
             FROM {from} LEFT JOIN LATERAL (\
               SELECT w.* FROM (\
                 SELECT n.*, sum(octet_length(n.json)) OVER (\
                   ORDER BY n.submitted_at DESC, n.id DESC ROWS UNBOUNDED PRECEDING) AS bytes \
                 FROM ({newest}) AS n) AS w \
               WHERE w.bytes - octet_length(w.json) < {bytes_max}) AS p ON TRUE \
             ORDER BY p.submitted_at DESC, p.id DESC"
        )
    }
}

fn read_position(row: &Row, column_at: usize) -> Result<Option<Position>> {
    let Some(at) = read_column::<Option<i64>>(row, column_at)? else { return Ok(None) };
    parse_position(at, read_column(row, column_at + 1)?).map(Some)
}
