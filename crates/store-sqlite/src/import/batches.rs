//! Splits rows into batches. One thread builds them while another inserts them.

use std::sync::mpsc::sync_channel;
use std::thread;
use store::Result;
use store::columns::{SubmissionRow, read_batch};

/// Maximum rows of a batch; this or [`BATCH_BYTES_MAX`] is about 20 ms of writing.
pub(super) const BATCH_ROWS_MAX: usize = 1000;
const BATCH_BYTES_MAX: usize = 4 << 20;
/// Number of batches that may wait for insertion.
const WAITING_MAX: usize = 2;

/// Calls `insert` with one batch after another. Stops at the first error of `insert` or of a row;
/// an erroneous row discards its batch.
pub(super) fn with_batches(
    mut rows: impl Iterator<Item = Result<SubmissionRow>> + Send,
    mut insert: impl FnMut(Vec<SubmissionRow>) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        let (sender, batches) = sync_channel(WAITING_MAX);
        scope.spawn(move || {
            loop {
                let batch = read_batch(&mut rows, BATCH_ROWS_MAX, BATCH_BYTES_MAX);
                let is_error = batch.is_err();
                let is_end = batch.as_ref().is_ok_and(Vec::is_empty);
                // The channel is closed if an insertion has failed.
                if is_end || sender.send(batch).is_err() || is_error {
                    break;
                }
            }
        });
        batches.into_iter().try_for_each(|batch| insert(batch?))
    })
}
