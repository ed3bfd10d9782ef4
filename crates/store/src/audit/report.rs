//! Verification of a chain of the audit log: each entry continues the previous one, up to the
//! stored end of the chain. Does no I/O and repairs nothing.

use super::chain::{AuditRow, to_hex};
use crate::Hash;
use contract::audit::Action;
use serde::Deserialize;

/// Result for one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// The account; empty for entries without a known account.
    pub account: String,
    /// Number of entries.
    pub entries: u64,
    /// Number and hexadecimal hash of the last entry. Stored outside of the database, they later
    /// prove that no earlier entry was changed.
    pub end: (i64, String),
    /// The first fault.
    pub finding: Option<String>,
}

/// Result for all chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditReport {
    /// The chains, ordered by account.
    pub chains: Vec<ChainReport>,
    /// Requested entries, by number and hexadecimal hash, that are in no chain.
    pub missing: Vec<(i64, String)>,
}

/// Verifies the rows of one chain in order.
pub struct ChainVerifier {
    /// Number of the last entry that was dropped after its retention, or 0.
    start: i64,
    /// Highest number of the dropped entries, according to the entries themselves.
    dropped: i64,
    last: (i64, Hash),
    entries: u64,
    finding: Option<String>,
}

impl ChainVerifier {
    /// Begins after the entry with this number and hash.
    pub fn after(start: (i64, Hash)) -> Self {
        Self { start: start.0, dropped: 0, last: start, entries: 0, finding: None }
    }

    /// Whether there is no fault so far.
    pub fn is_valid(&self) -> bool {
        self.finding.is_none()
    }

    /// Verifies the next row and its stored hash.
    pub fn add_row(&mut self, row: &AuditRow, stored_hash: Hash) {
        self.finding = find_fault(row, stored_hash, self.last);
        self.dropped = self.dropped.max(dropped_up_to(row).unwrap_or_default());
        self.last = (row.number, stored_hash);
        self.entries += 1;
    }

    /// Compares the last row with the stored end, and the start with the entries that report
    /// dropped entries.
    pub fn finish(self, account: String, end: (i64, Hash)) -> ChainReport {
        let Self { start, dropped, last, entries, mut finding } = self;
        if finding.is_none() && start != dropped {
            finding = Some(format!(
                "the log begins after entry {start}, but its entries say that those up to \
                 {dropped} were dropped"
            ));
        }
        if finding.is_none() && last != end {
            finding = Some(format!(
                "the log should end with entry {}, but ends with entry {}",
                end.0, last.0
            ));
        }
        ChainReport { account, entries, end: (end.0, to_hex(end.1)), finding }
    }
}

/// Detail of an entry about dropped entries.
#[derive(Deserialize)]
struct DroppedDetail {
    last_place: i64,
}

/// Returns the highest number of the dropped entries, if the row reports any.
fn dropped_up_to(row: &AuditRow) -> Option<i64> {
    if row.action != Action::AuditDropped.as_str() {
        return None;
    }
    serde_json::from_str::<DroppedDetail>(&row.detail).ok().map(|detail| detail.last_place)
}

/// Returns the fault of a row after the previous one, if there is one.
fn find_fault(row: &AuditRow, stored_hash: Hash, (number, hash): (i64, Hash)) -> Option<String> {
    let expected = number + 1;
    if row.number != expected {
        return Some(format!("entry {expected} is missing; found entry {} instead", row.number));
    }
    if row.prev_hash != hash {
        return Some(format!("entry {expected} does not follow the previous entry"));
    }
    (row.hash() != stored_hash)
        .then(|| format!("entry {expected} was changed after it was written"))
}
