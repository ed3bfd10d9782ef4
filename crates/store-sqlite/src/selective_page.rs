//! Pages for filters with several UTM values.
//!
//! An index of the file scans all rows with one of the values, including those without the others.
//! The tally in memory has the instants of the matching rows, and each is read by its key.

use super::memory_index::{FormState, IndexRead, MemoryIndex};
use super::request::ListRequest;
use super::submission_range::{read_page, visible_range};
use crate::index::UtmValues;
use contract::{Filter, Timestamp};
use rusqlite::Connection;
use store::{Result, StoredSubmission};

/// Reads a page of `total` matching rows. Returns `None` for filters with fewer than two UTM
/// values, and without a tally.
pub(super) fn read_selective_page(
    conn: &Connection,
    index: &MemoryIndex,
    state: FormState,
    request: &ListRequest,
    total: u64,
) -> Result<Option<Vec<StoredSubmission>>> {
    if total == 0 {
        return Ok(Some(Vec::new()));
    }
    let filter = &request.filter;
    if UtmValues::of_filter(filter).0.iter().flatten().count() < 2 {
        return Ok(None);
    }
    let after = request.after.as_ref().map(|place| place.submitted_at);
    // `newest` also returns rows with the cursor's instant that precede the cursor, so `max`
    // includes all rows of this instant.
    let ties = match after.and_then(|at| at_instant(filter, at.micros())) {
        None => 0,
        Some(tie) => match index.count(state, &tie) {
            IndexRead::Found(ties) => usize::try_from(ties).unwrap_or(usize::MAX),
            IndexRead::Newer | IndexRead::Missing => return Ok(None),
        },
    };
    let max = request.rows_max.saturating_add(ties);
    let newest = index.newest_instants(state, filter, after.map(Timestamp::micros), max);
    let IndexRead::Found(mut instants) = newest else { return Ok(None) };
    instants.dedup();
    let mut rows = request.page_rows();
    for at in instants {
        let Some(filter) = at_instant(filter, at).filter(|_| !rows.is_full()) else { break };
        let of_instant = visible_range(conn, state.seq, &filter, request.after.as_ref())?;
        read_page(conn, &of_instant, &mut rows)?;
    }
    Ok(Some(rows.into_rows()))
}

/// Restricts a filter to one instant. Returns `None` at the maximum timestamp.
fn at_instant(filter: &Filter, at: i64) -> Option<Filter> {
    let date_from = Some(Timestamp::from_micros(at)?);
    let date_to = Some(Timestamp::from_micros(at.checked_add(1)?)?);
    Some(Filter { date_from, date_to, ..filter.clone() })
}
