//! Deduplicates submissions of browsers: a double click, or a form that is sent again from the
//! history, counts once within seconds.
//!
//! Each process has its own table. With several instances, two clicks that a load balancer spreads
//! are both accepted; `Idempotency-Key` works across instances.

use super::request_metadata::RequestMetadata;
use contract::network::client_network;
use contract::{Receipt, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::new_submission::NewSubmission;
use store::window::lock;

/// Within this many microseconds, the same answers of one sender are one submission.
const DUPLICATE_AGE_US: u64 = 10_000_000;
/// Maximum number of remembered submissions. Further ones are not compared.
const REMEMBERED_MAX: usize = 20_000;

/// Receipt of a submission, once it is stored. Locked while the submission is being stored.
type ReceiptEntry = Arc<tokio::sync::Mutex<Option<Receipt>>>;

/// Receipts by a hash of the submission and its sender.
#[derive(Default)]
pub(super) struct RecentSubmissions(Mutex<HashMap<[u8; 32], (Timestamp, ReceiptEntry)>>);

impl RecentSubmissions {
    /// Returns the entry of a submission; `None` if the sender's address is unknown or the table is
    /// full.
    pub(super) fn entry(
        &self,
        arrival: &NewSubmission,
        metadata: &RequestMetadata,
        now: Timestamp,
    ) -> Option<ReceiptEntry> {
        let key = deduplication_key(arrival, metadata)?;
        let is_recent = |at: &Timestamp| now.micros().abs_diff(at.micros()) < DUPLICATE_AGE_US;
        let mut entries = lock(&self.0);
        if entries.len() >= REMEMBERED_MAX {
            entries.retain(|_, (at, _)| is_recent(at));
        }
        if entries.len() >= REMEMBERED_MAX {
            return None;
        }
        let (at, entry) = entries.entry(key).or_insert_with(|| (now, ReceiptEntry::default()));
        if !is_recent(at) {
            (*at, *entry) = (now, ReceiptEntry::default());
        }
        Some(Arc::clone(entry))
    }
}

/// Hashes the form, the sender, the answers, and whether they count as spam: an honest submission
/// does not repeat spam. Control inputs are excluded, since a second click has another time.
fn deduplication_key(arrival: &NewSubmission, metadata: &RequestMetadata) -> Option<[u8; 32]> {
    let sender = client_network(metadata.address?).to_string();
    let answers = serde_json::to_vec(&arrival.submission.answers).ok()?;
    let mut hash = Sha256::new();
    let agent = metadata.user_agent.as_deref().unwrap_or_default();
    hash.update([u8::from(arrival.spam.is_some())]);
    for part in [arrival.form.as_str().as_bytes(), sender.as_bytes(), agent.as_bytes(), &answers] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    Some(hash.finalize().into())
}
