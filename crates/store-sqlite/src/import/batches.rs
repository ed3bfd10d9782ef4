//! Splits rows into batches. One thread builds them while another inserts them.

use std::sync::mpsc::sync_channel;
use std::thread;
use store::Result;
use store::columns::SubmissionRow;

/// Maximum rows of a batch; this or [`BATCH_BYTES_MAX`] is about 20 ms of writing.
pub(super) const BATCH_ROWS_MAX: usize = 1000;
const BATCH_BYTES_MAX: usize = 4 << 20;
/// Number of batches that may wait for insertion.
const WAITING_MAX: usize = 2;

/// Calls `insert` with one batch after another. Stops at the first error of `insert` or of a row;
/// an erroneous row discards its batch.
pub(super) fn with_batches(
    rows: impl Iterator<Item = Result<SubmissionRow>> + Send,
    mut insert: impl FnMut(Vec<SubmissionRow>) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        let (sender, batches) = sync_channel(WAITING_MAX);
        scope.spawn(move || {
            for batch in (RowBatches { rows }) {
                let is_error = batch.is_err();
                // The channel is closed if an insertion has failed.
                if sender.send(batch).is_err() || is_error {
                    break;
                }
            }
        });
        batches.into_iter().try_for_each(|batch| insert(batch?))
    })
}

struct RowBatches<I> {
    rows: I,
}

impl<I: Iterator<Item = Result<SubmissionRow>>> Iterator for RowBatches<I> {
    type Item = Result<Vec<SubmissionRow>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut piece = Vec::new();
        let mut bytes = 0;
        while piece.len() < BATCH_ROWS_MAX && bytes < BATCH_BYTES_MAX {
            match self.rows.next() {
                Some(Ok(row)) => {
                    bytes += row.json.len() + row.text.len();
                    piece.push(row);
                }
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        (!piece.is_empty()).then_some(Ok(piece))
    }
}
