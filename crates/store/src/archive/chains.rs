//! Verification of the audit log in an archive: each chain has its recorded start and end, and each
//! entry continues the previous one.

use super::tables::{AUDIT, AUDIT_HEADS, AUDIT_STARTS, Section};
use super::truncate_quote;
use super::value::Value;
use crate::{Result, StoreError};
use std::collections::BTreeMap;

/// Number and hash of an entry.
type ChainEnd = (i64, Vec<u8>);

/// The hash before the first entry of a chain.
const NO_HASH: [u8; 32] = [0; 32];

/// State of the verification after some rows.
#[derive(Default)]
pub(super) struct ArchiveChains {
    /// Last entry so far, by account.
    reached: BTreeMap<String, ChainEnd>,
    /// Recorded last entry, by account.
    heads: BTreeMap<String, ChainEnd>,
}

impl ArchiveChains {
    /// Adds a row of any table. The rows of [`AUDIT_STARTS`] and [`AUDIT_HEADS`] come first.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] for an entry that does not continue its chain.
    pub(super) fn add(&mut self, section: &Section, row: &[Value]) -> Result<()> {
        let account = || section.value(row, "account").as_text().unwrap_or_default().to_owned();
        match section.table.name {
            AUDIT_STARTS => {
                drop(self.reached.insert(account(), parse_chain_end(section, row, "hash")));
            }
            AUDIT_HEADS => {
                drop(self.heads.insert(account(), parse_chain_end(section, row, "hash")));
            }
            AUDIT => {
                let account = account();
                let (number, hash) = parse_chain_end(section, row, "hash");
                let (_, previous) = parse_chain_end(section, row, "prev_hash");
                let reached = self.reached.get(&account).cloned();
                if reached.unwrap_or_else(|| (0, NO_HASH.to_vec())) != (number - 1, previous) {
                    return Err(broken_chain(&account, number));
                }
                self.reached.insert(account, (number, hash));
            }
            _ => {}
        }
        Ok(())
    }

    /// Compares the ends of all chains after the last row.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] for a chain with another end.
    pub(super) fn finish(&self) -> Result<()> {
        let is_end = |(account, head): &(&String, &ChainEnd)| {
            let reached = self.reached.get(*account);
            reached == Some(head) || (reached.is_none() && head.0 == 0)
        };
        match self.heads.iter().find(|it| !is_end(it)) {
            None => {}
            Some((account, (number, _))) => return Err(broken_chain(account, *number)),
        }
        match self.reached.iter().find(|(account, _)| !self.heads.contains_key(*account)) {
            None => Ok(()),
            Some((account, (number, _))) => Err(broken_chain(account, *number)),
        }
    }
}

fn parse_chain_end(section: &Section, row: &[Value], hash: &str) -> ChainEnd {
    let number = match section.value(row, "place") {
        Value::Int(number) => *number,
        _ => 0,
    };
    let hash = match section.value(row, hash) {
        Value::Bytes(hash) => hash.clone(),
        _ => Vec::new(),
    };
    (number, hash)
}

fn broken_chain(account: &str, number: i64) -> StoreError {
    StoreError::Unusable(format!(
        "the audit log is broken at entry {number} of the account `{}`, so it cannot be \
         restored; see `sheaf audit verify`",
        truncate_quote(account)
    ))
}
