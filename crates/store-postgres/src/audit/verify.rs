//! Verifies every chain of the audit log, from start to end, in one snapshot. Never repairs
//! anything.

use super::list::read_entry;
use crate::query::{read_column, read_hash};
use crate::{PostgresStore, query};
use deadpool_postgres::Transaction;
use store::audit::{AuditReport, ChainReport, ChainVerifier};
use store::{Hash, Result};

/// Entries per batch.
const BATCH_ROWS: i64 = 1_000;

impl PostgresStore {
    /// Verifies every chain, and looks for entries with the given positions and hashes.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn verify(&self, expected: Vec<(i64, String)>) -> Result<AuditReport> {
        let mut conn = self.connections.get_long().await?;
        let tx = self.begin_read(&mut conn).await?;
        let sql = "SELECT account FROM audit_heads UNION SELECT account FROM audit
                   UNION SELECT account FROM audit_starts ORDER BY 1";
        let mut chains = Vec::new();
        for row in query::fetch_rows(&tx, sql, &[]).await? {
            chains.push(verify_chain(&tx, read_column(&row, 0)?).await?);
        }
        let mut missing = Vec::new();
        for (place, hash) in expected {
            if !has_entry(&tx, place, &hash).await? {
                missing.push((place, hash));
            }
        }
        Ok(AuditReport { chains, missing })
    }
}

async fn has_entry(tx: &Transaction<'_>, place: i64, hash: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (
                 SELECT 1 FROM audit WHERE place = $1 AND encode(hash, 'hex') = lower($2))";
    let found = query::fetch_row(tx, sql, &[&place, &hash]).await?;
    found.map_or(Ok(false), |row| read_column(&row, 0))
}

async fn verify_chain(tx: &Transaction<'_>, account: String) -> Result<ChainReport> {
    let start = "SELECT place, hash FROM audit_starts WHERE account = $1";
    let end = "SELECT place, hash FROM audit_heads WHERE account = $1";
    let start = find_position(tx, start, &account).await?;
    let end = find_position(tx, end, &account).await?;
    let mut verifier = ChainVerifier::after(start);
    let sql = "SELECT account, place, at, environment, actor_kind, actor_id, device, browser,
                 address, request, action, object_kind, object_id, outcome, code, detail, prev_hash,
                 hash
               FROM audit WHERE account = $1 AND place > $2 ORDER BY place LIMIT $3";
    let mut last = i64::MIN;
    while verifier.is_valid() {
        let rows = query::fetch_rows(tx, sql, &[&account, &last, &BATCH_ROWS]).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            let (line, stored) = read_entry(row)?;
            last = line.number;
            if verifier.is_valid() {
                verifier.add_row(&line, stored);
            }
        }
    }
    Ok(verifier.finish(account, end))
}

async fn find_position(
    tx: &Transaction<'_>,
    sql: &'static str,
    account: &str,
) -> Result<(i64, Hash)> {
    let found = query::fetch_row(tx, sql, &[&account]).await?;
    found.map_or(Ok((0, Hash::default())), |row| Ok((read_column(&row, 0)?, read_hash(&row, 1)?)))
}
