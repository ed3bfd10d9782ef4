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
    behind: Option<&Position>,
    portion: &mut Chunk,
) -> Result<()> {
    let row_bytes = portion.mean_bytes().unwrap_or(ROW_BYTES_MIN);
    portion.clear();
    let stretch = SubmissionRange::new(form, filter);
    let term = filter.search.as_ref().map(Term::from_search);
    let bytes_max = portion.remaining_bytes();
    // A quarter more rows than expected, so that usually the bytes limit the chunk.
    let rows_max = bytes_max / row_bytes * 5 / 4 + 2;
    let window = ScanWindow { range: &stretch, term: term.as_ref(), behind, rows_max, bytes_max };
    let seen = window.read_rows(&***conn).await?;
    for json in seen.jsons() {
        portion.push(json?);
    }
    if let Some(next) = seen.next {
        portion.set_next_position(next);
    }
    Ok(())
}
