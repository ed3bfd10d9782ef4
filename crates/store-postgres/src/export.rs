//! Reads submissions for an export in chunks. Each chunk is a window that starts after the last
//! position of the previous one. Between chunks the export uses no connection or transaction.

use super::keyset_scan::ScanWindow;
use super::query::read_column;
use super::query_params::QueryParams;
use super::search_term::Term;
use super::submission_range::SubmissionRange;
use super::transaction::Conn;
use crate::errors::database_error;
use contract::triage::TriageColumn;
use contract::{Filter, FormId};
use store::columns::{damaged_row, parse_position};
use store::triage::parse_triage;
use store::{Chunk, Position, Result};

/// Minimum length of a submission's JSON, which always has all its members.
const ROW_BYTES_MIN: usize = 200;

/// Fills a chunk with the matching submissions after a position.
pub(super) async fn fill_chunk(
    conn: &Conn,
    form: &FormId,
    filter: &Filter,
    after: Option<&Position>,
    chunk: &mut Chunk,
) -> Result<()> {
    let rows_max = clear_and_estimate_rows(chunk);
    let range = SubmissionRange::new(form, filter);
    let term = filter.search.as_ref().map(Term::from_search);
    let bytes_max = chunk.remaining_bytes();
    let term = term.as_ref();
    let columns = chunk.triage_columns();
    let counts_notes = columns.contains(TriageColumn::NotesCount);
    let window = ScanWindow { range: &range, term, after, rows_max, bytes_max, counts_notes };
    let window_rows = window.read_rows(&***conn).await?;
    if columns.is_empty() {
        for json in window_rows.jsons() {
            chunk.push(json?);
        }
    } else {
        for (row, notes_count) in window_rows.jsons_with_triage().zip(window_rows.notes_counts()) {
            let (json, triage) = row?;
            chunk.push_triage(parse_triage(triage)?, notes_count?);
            chunk.push(json);
        }
    }
    if let Some(next) = window_rows.next {
        chunk.set_next_position(next);
    }
    Ok(())
}

/// Empties a chunk, and returns how many rows to read into it: a quarter more than expected, so
/// that usually the bytes limit the chunk.
fn clear_and_estimate_rows(chunk: &mut Chunk) -> usize {
    let row_bytes = chunk.mean_bytes().unwrap_or(ROW_BYTES_MIN);
    chunk.clear();
    chunk.remaining_bytes() / row_bytes * 5 / 4 + 2
}

/// Fills a chunk with the submissions of a form at positions, in their order.
pub(super) async fn fill_chunk_at(
    conn: &Conn,
    form: &FormId,
    positions: &[Position],
    chunk: &mut Chunk,
) -> Result<()> {
    let rows_max = clear_and_estimate_rows(chunk);
    let read = &positions[..positions.len().min(rows_max)];
    let bytes_max = chunk.remaining_bytes();
    let columns = chunk.triage_columns();
    let mut params = QueryParams::default();
    let counts_notes = columns.contains(TriageColumn::NotesCount);
    let all = Filter::default();
    let notes = if counts_notes {
        SubmissionRange::new(form, &all).notes_count("w", &mut params)
    } else {
        String::new()
    };
    let form = params.push_text(form.as_str());
    let instants = read.iter().map(|position| position.submitted_at.micros()).collect();
    let instants = params.push_numbers(instants);
    let ids = params.push_texts(read.iter().map(|position| position.id.as_str()));
    let max = params.push_rows(bytes_max.max(1));
    // As in `ScanWindow`, the row that reaches the maximum of bytes is the last.
    let sql = format!(
        "SELECT w.submitted_at, w.id, w.json, w.triage{notes} FROM (\
           SELECT s.submitted_at, s.id, s.json, s.triage, n.place, \
             sum(octet_length(s.json)) OVER (ORDER BY n.place ROWS UNBOUNDED PRECEDING) AS bytes \
           FROM unnest({instants}, {ids}) WITH ORDINALITY AS n (submitted_at, id, place) \
             JOIN submissions AS s ON s.form_id = {form} \
               AND s.submitted_at = n.submitted_at AND s.id = n.id) AS w \
         WHERE w.bytes - octet_length(w.json) < {max} ORDER BY w.place"
    );
    let rows = conn.query_typed(&sql, &params.as_typed()).await.map_err(database_error)?;
    if read.len() < positions.len()
        && let Some(last) = read.last()
    {
        chunk.set_next_position(last.clone());
    }
    for row in &rows {
        if !columns.is_empty() {
            let count: i64 = if counts_notes { read_column(row, 4)? } else { 0 };
            let count = u32::try_from(count).map_err(damaged_row)?;
            chunk.push_triage(parse_triage(read_column(row, 3)?)?, count);
        }
        if !chunk.push(read_column(row, 2)?) {
            chunk.set_next_position(parse_position(read_column(row, 0)?, read_column(row, 1)?)?);
        }
    }
    Ok(())
}
