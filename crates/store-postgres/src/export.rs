//! Reads submissions for an export in chunks. Each chunk is a window that starts after the last
//! position of the previous one. Between chunks the export uses no connection or transaction.

use super::keyset_scan::Window;
use super::submission_range::Stretch;
use super::submissions::search::Term;
use super::transaction::Conn;
use contract::{Filter, FormId};
use store::{Portion, Position, Result};

/// Minimum length of a submission's JSON, which always has all its members.
const ROW_BYTES_MIN: usize = 200;

/// Fills a chunk with the matching submissions after a position.
pub(super) async fn export(
    conn: &Conn,
    form: &FormId,
    filter: &Filter,
    behind: Option<&Position>,
    portion: &mut Portion,
) -> Result<()> {
    let row_bytes = portion.mean_bytes().unwrap_or(ROW_BYTES_MIN);
    portion.clear();
    let stretch = Stretch::new(form, filter);
    let term = filter.search.as_ref().map(Term::of);
    let bytes_max = portion.left_bytes();
    // A quarter more rows than expected, so that usually the bytes limit the chunk.
    let rows_max = bytes_max / row_bytes * 5 / 4 + 2;
    let window = Window { stretch: &stretch, term: term.as_ref(), behind, rows_max, bytes_max };
    let seen = window.read(&***conn).await?;
    for json in seen.jsons() {
        portion.push(json?);
    }
    if let Some(next) = seen.next {
        portion.set_next(next);
    }
    Ok(())
}
