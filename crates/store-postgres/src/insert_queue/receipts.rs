//! Idempotency receipts: results of requests that clients may repeat.
//!
//! Access requires the lock on the form's row, so that processes handle concurrent repeats of a
//! request one after the other.

use super::{Ready, before};
use crate::errors::database;
use crate::query;
use crate::query::{column, hash};
use contract::{FormId, Receipt, SubmissionId, Timestamp};
use deadpool_postgres::Transaction;
use std::collections::HashMap;
use store::Result;
use store::columns::instant;
use store::new_submission::{Arrived, RECEIPT_AGE_MAX};

/// Result of one request.
struct Answer {
    request: [u8; 32],
    receipt: Receipt,
    is_new: bool,
}

/// Receipts for the idempotency keys of some submissions of one form.
#[derive(Default)]
pub(super) struct Receipts(HashMap<String, Answer>);

impl Receipts {
    /// Finds the receipts for the keys of these submissions.
    pub(super) async fn find(tx: &Transaction<'_>, form: &FormId, ready: &[Ready]) -> Result<Self> {
        let repeats = ready.iter().filter_map(|ready| ready.repeat.as_ref());
        let keys: Vec<&[u8]> = repeats.map(|repeat| repeat.key.as_bytes()).collect();
        let mut receipts = Self::default();
        if keys.is_empty() {
            return Ok(receipts);
        }
        let sql = "SELECT key, request, id, submitted_at FROM receipts
                   WHERE form_id = $1 AND key = ANY($2)";
        for row in query::rows(tx, sql, &[&form.as_str(), &keys]).await? {
            let key = String::from_utf8(column(&row, 0)?).map_err(database)?;
            let id = SubmissionId::try_from(column::<String>(&row, 2)?).map_err(database)?;
            let receipt = Receipt { id, submitted_at: instant(column(&row, 3)?)? };
            let answer = Answer { request: hash(&row, 1)?, receipt, is_new: false };
            receipts.0.insert(key, answer);
        }
        Ok(receipts)
    }

    /// Returns the recorded result if the submission is a repeat.
    pub(super) fn find_answer(&self, ready: &Ready) -> Option<Arrived> {
        let repeat = ready.repeat.as_ref()?;
        let oldest = before(ready.submitted_at, RECEIPT_AGE_MAX);
        let young = |answer: &&Answer| answer.receipt.submitted_at.micros() > oldest;
        let answer = self.0.get(&repeat.key).filter(young)?;
        let is_same = answer.request == repeat.request;
        let taken = Arrived::Taken(answer.receipt.clone());
        Some(if is_same { taken } else { Arrived::OtherRequest })
    }

    /// Records the result of a submission that has a key.
    pub(super) fn note(&mut self, ready: &Ready) {
        let Some(repeat) = &ready.repeat else { return };
        let receipt = Receipt { id: ready.id.clone(), submitted_at: ready.submitted_at };
        let answer = Answer { request: repeat.request, receipt, is_new: true };
        self.0.insert(repeat.key.clone(), answer);
    }

    /// Writes the new receipts.
    pub(super) async fn write(&self, tx: &Transaction<'_>, form: &FormId) -> Result<()> {
        let new: Vec<_> = self.0.iter().filter(|(_, answer)| answer.is_new).collect();
        if new.is_empty() {
            return Ok(());
        }
        let keys: Vec<&[u8]> = new.iter().map(|(key, _)| key.as_bytes()).collect();
        let requests: Vec<&[u8]> = new.iter().map(|(_, answer)| &answer.request[..]).collect();
        let ids: Vec<&str> = new.iter().map(|(_, answer)| answer.receipt.id.as_str()).collect();
        let at = |(_, answer): &(_, &Answer)| answer.receipt.submitted_at.micros();
        let at: Vec<i64> = new.iter().map(at).collect();
        let sql = "INSERT INTO receipts (form_id, key, request, id, submitted_at)
                   SELECT $1, * FROM unnest($2::BYTEA[], $3::BYTEA[], $4::TEXT[], $5::BIGINT[])
                   ON CONFLICT (form_id, key) DO UPDATE SET request = EXCLUDED.request,
                     id = EXCLUDED.id, submitted_at = EXCLUDED.submitted_at";
        query::run(tx, sql, &[&form.as_str(), &keys, &requests, &ids, &at]).await.map(drop)
    }
}

/// Deletes at most `most` expired receipts of any form. Afterwards the transaction must not wait
/// for other locks.
pub(super) async fn clear_old(tx: &Transaction<'_>, now: Timestamp, most: i64) -> Result<()> {
    let sql = "DELETE FROM receipts WHERE (form_id, key) IN (
                 SELECT form_id, key FROM receipts WHERE submitted_at <= $1
                 ORDER BY submitted_at LIMIT $2 FOR UPDATE SKIP LOCKED)";
    query::run(tx, sql, &[&before(now, RECEIPT_AGE_MAX), &most]).await.map(drop)
}
