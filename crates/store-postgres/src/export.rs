//! Reads submissions for an export in chunks. Each chunk is a window that starts after the last
//! position of the previous one. Between chunks the export uses no connection or transaction.

use super::keyset_scan::ScanWindow;
use super::search_term::Term;
use super::submission_range::SubmissionRange;
use super::transaction::Conn;
use contract::triage::TriageColumn;
use contract::{Filter, FormId};
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
    let row_bytes = chunk.mean_bytes().unwrap_or(ROW_BYTES_MIN);
    chunk.clear();
    let range = SubmissionRange::new(form, filter);
    let term = filter.search.as_ref().map(Term::from_search);
    let bytes_max = chunk.remaining_bytes();
    // A quarter more rows than expected, so that usually the bytes limit the chunk.
    let rows_max = bytes_max / row_bytes * 5 / 4 + 2;
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
