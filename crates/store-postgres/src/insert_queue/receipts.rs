//! Idempotency receipts: results of requests that clients may repeat.
//!
//! Access requires the lock on the form's row, so that processes handle concurrent repeats of a
//! request one after the other.

use crate::errors::database_error;
use crate::query;
use crate::query::{read_column, read_hash};
use contract::{FormId, Receipt, SubmissionId, Timestamp};
use deadpool_postgres::Transaction;
use std::collections::HashMap;
use store::Result;
use store::clock::micros_before;
use store::columns::parse_instant;
use store::new_submission::{IDEMPOTENCY_AGE_MAX, InsertOutcome, PreparedInsert};

/// Result of one request.
struct RecordedResult {
    request: [u8; 32],
    receipt: Receipt,
    is_new: bool,
}

/// Receipts for the idempotency keys of some submissions of one form.
#[derive(Default)]
pub(super) struct Receipts(HashMap<String, RecordedResult>);

impl Receipts {
    /// Finds the receipts for the keys of these submissions.
    pub(super) async fn find_receipts(
        tx: &Transaction<'_>,
        form: &FormId,
        ready: &[PreparedInsert],
    ) -> Result<Self> {
        let repeats = ready.iter().filter_map(|ready| ready.repeat.as_ref());
        let keys: Vec<&[u8]> = repeats.map(|repeat| repeat.key.as_bytes()).collect();
        let mut receipts = Self::default();
        if keys.is_empty() {
            return Ok(receipts);
        }
        let sql = "SELECT key, request, id, submitted_at FROM receipts
                   WHERE form_id = $1 AND key = ANY($2)";
        for row in query::fetch_rows(tx, sql, &[&form.as_str(), &keys]).await? {
            let key = String::from_utf8(read_column(&row, 0)?).map_err(database_error)?;
            let id =
                SubmissionId::try_from(read_column::<String>(&row, 2)?).map_err(database_error)?;
            let receipt = Receipt { id, submitted_at: parse_instant(read_column(&row, 3)?)? };
            let answer = RecordedResult { request: read_hash(&row, 1)?, receipt, is_new: false };
            receipts.0.insert(key, answer);
        }
        Ok(receipts)
    }

    /// Returns the recorded result if the submission is a repeat.
    pub(super) fn find_result(&self, ready: &PreparedInsert) -> Option<InsertOutcome> {
        let repeat = ready.repeat.as_ref()?;
        let oldest = micros_before(ready.submitted_at, IDEMPOTENCY_AGE_MAX);
        let young = |answer: &&RecordedResult| answer.receipt.submitted_at.micros() > oldest;
        let answer = self.0.get(&repeat.key).filter(young)?;
        let is_same = answer.request == repeat.request;
        let taken = InsertOutcome::Inserted(answer.receipt.clone());
        Some(if is_same { taken } else { InsertOutcome::IdempotencyConflict })
    }

    /// Records the result of a submission that has a key.
    pub(super) fn record(&mut self, ready: &PreparedInsert) {
        let Some(repeat) = &ready.repeat else { return };
        let receipt = Receipt { id: ready.id.clone(), submitted_at: ready.submitted_at };
        let answer = RecordedResult { request: repeat.request, receipt, is_new: true };
        self.0.insert(repeat.key.clone(), answer);
    }

    /// Writes the new receipts.
    pub(super) async fn write_new(&self, tx: &Transaction<'_>, form: &FormId) -> Result<()> {
        let new: Vec<_> = self.0.iter().filter(|(_, answer)| answer.is_new).collect();
        if new.is_empty() {
            return Ok(());
        }
        let keys: Vec<&[u8]> = new.iter().map(|(key, _)| key.as_bytes()).collect();
        let requests: Vec<&[u8]> = new.iter().map(|(_, answer)| &answer.request[..]).collect();
        let ids: Vec<&str> = new.iter().map(|(_, answer)| answer.receipt.id.as_str()).collect();
        let at = |(_, answer): &(_, &RecordedResult)| answer.receipt.submitted_at.micros();
        let at: Vec<i64> = new.iter().map(at).collect();
        let sql = "INSERT INTO receipts (form_id, key, request, id, submitted_at)
                   SELECT $1, * FROM unnest($2::BYTEA[], $3::BYTEA[], $4::TEXT[], $5::BIGINT[])
                   ON CONFLICT (form_id, key) DO UPDATE SET request = EXCLUDED.request,
                     id = EXCLUDED.id, submitted_at = EXCLUDED.submitted_at";
        query::execute(tx, sql, &[&form.as_str(), &keys, &requests, &ids, &at]).await.map(drop)
    }
}

/// Deletes at most `most` expired receipts of any form. Afterwards the transaction must not wait
/// for other locks.
pub(super) async fn delete_expired(tx: &Transaction<'_>, now: Timestamp, most: i64) -> Result<()> {
    let sql = "DELETE FROM receipts WHERE (form_id, key) IN (
                 SELECT form_id, key FROM receipts WHERE submitted_at <= $1
                 ORDER BY submitted_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
    query::execute(tx, sql, &[&micros_before(now, IDEMPOTENCY_AGE_MAX), &most]).await.map(drop)
}
