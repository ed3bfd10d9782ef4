//! Summaries: the matching submissions are read in one snapshot and added up here, with
//! [`contract::summary::Counts`]. At most two windows of them are in memory at a time.

use super::forms;
use super::keyset_scan::{ScanWindow, WindowRows};
use super::search_term::Term;
use super::submission_range::SubmissionRange;
use crate::errors::database_error;
use contract::Submission;
use contract::summary::{Counts, Summary};
use deadpool_postgres::Transaction;
use futures_util::future::try_join;
use store::columns::damaged_row;
use store::triage::StoredTriage;
use store::{Position, Result, SummaryRequest};
use tokio::task::spawn_blocking;

/// Maximum rows and bytes per window.
const ROWS_MAX: usize = 2048;
const BYTES_MAX: usize = 2 << 20;

/// Summarizes the matching submissions; `None` if the form does not exist.
pub(super) async fn summarize(
    tx: &Transaction<'_>,
    request: &SummaryRequest,
) -> Result<Option<Summary>> {
    if forms::find_owner(tx, &request.form).await?.is_none() {
        return Ok(None);
    }
    let charted = request.counted_fields(&forms::list_fields(tx, &request.form).await?);
    let range = SubmissionRange::new(&request.form, &request.filter);
    let term = request.filter.search.as_ref().map(Term::from_search);
    let read = async |after: Option<&Position>| {
        let range = &range;
        let term = term.as_ref();
        let window = ScanWindow {
            range,
            term,
            after,
            rows_max: ROWS_MAX,
            bytes_max: BYTES_MAX,
            counts_notes: false,
        };
        window.read_rows(&**tx).await
    };
    let mut counts = Counts::new(charted);
    let mut current = read(None).await?;
    // Read the next window while this one is added up.
    while let Some(next) = current.next.clone() {
        (counts, current) =
            try_join(add_window(counts, current, request.clone()), read(Some(&next))).await?;
    }
    let counts = add_window(counts, current, request.clone()).await?;
    Ok(Some(request.summarize_counts(&counts)))
}

/// Adds a window to the counts, on a blocking thread.
async fn add_window(
    mut counts: Counts,
    window: WindowRows,
    request: SummaryRequest,
) -> Result<Counts> {
    let add = move || {
        for row in window.jsons_with_triage() {
            let (json, triage) = row?;
            let submission: Submission =
                serde_json::from_str(json).map_err(|error| damaged_row(error.to_string()))?;
            let submitted_at = submission.metadata.submitted_at;
            let stored = StoredTriage::parse(triage)?;
            counts.add(&submission, &stored.triage, request.day_of(submitted_at));
            if let Some(seconds) = stored.seconds_to_done(submitted_at) {
                counts.add_done_time(seconds);
            }
        }
        Ok(counts)
    };
    spawn_blocking(add).await.map_err(database_error)?
}
