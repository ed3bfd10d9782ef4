//! Reads submissions for an export in chunks. Each chunk is a window that starts after the last
//! position of the previous one. Between chunks the export uses no connection or transaction.

use super::keyset_scan::ScanWindow;
use super::submission_range::SubmissionRange;
use super::submissions::search::Term;
use super::transaction::Conn;
use contract::{Filter, FormId};
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
    let window = ScanWindow { range: &range, term: term.as_ref(), after, rows_max, bytes_max };
    let window_rows = window.read_rows(&***conn).await?;
    for json in window_rows.jsons() {
        chunk.push(json?);
    }
    if let Some(next) = window_rows.next {
        chunk.set_next_position(next);
    }
    Ok(())
}
