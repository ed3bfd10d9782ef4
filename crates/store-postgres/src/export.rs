//! Reading submissions for an export: portion by portion, each a window of its own, and the next
//! behind the last place of the one before. Nothing of the database is held in between.

use super::keyset_scan::Window;
use super::submission_range::Stretch;
use super::submissions::search::Term;
use super::transaction::Conn;
use contract::{Filter, FormId};
use store::{Portion, Position, Result};

/// No submission's JSON is shorter, which names all that it may have.
const ROW_BYTES_MIN: usize = 200;

/// Fills a portion with the submissions that match and lie behind a place.
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
    // A quarter more than there will be, so that mostly the bytes are the end.
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
