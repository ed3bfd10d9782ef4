//! Verifies every chain of the audit log, from start to end, in one snapshot. Never repairs
//! anything.

use super::list::line;
use crate::query::{column, hash};
use crate::{PostgresStore, query};
use deadpool_postgres::Transaction;
use store::audit::{AuditReport, Chain, Look};
use store::{Hash, Result};

/// Entries per batch.
const PORTION_ROWS: i64 = 1_000;

impl PostgresStore {
    /// Verifies every chain, and looks for entries with the given positions and hashes.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn verify(&self, wanted: Vec<(i64, String)>) -> Result<AuditReport> {
        let mut conn = self.connections.get_patient().await?;
        let tx = self.look(&mut conn).await?;
        let sql = "SELECT account FROM audit_heads UNION SELECT account FROM audit
                   UNION SELECT account FROM audit_starts ORDER BY 1";
        let mut chains = Vec::new();
        for row in query::rows(&tx, sql, &[]).await? {
            chains.push(look_at(&tx, column(&row, 0)?).await?);
        }
        let mut missing = Vec::new();
        for (place, hash) in wanted {
            if !holds(&tx, place, &hash).await? {
                missing.push((place, hash));
            }
        }
        Ok(AuditReport { chains, missing })
    }
}

async fn holds(tx: &Transaction<'_>, place: i64, hash: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (
                 SELECT 1 FROM audit WHERE place = $1 AND encode(hash, 'hex') = lower($2))";
    let found = query::row(tx, sql, &[&place, &hash]).await?;
    found.map_or(Ok(false), |row| column(&row, 0))
}

async fn look_at(tx: &Transaction<'_>, account: String) -> Result<Chain> {
    let start = "SELECT place, hash FROM audit_starts WHERE account = $1";
    let end = "SELECT place, hash FROM audit_heads WHERE account = $1";
    let start = place(tx, start, &account).await?;
    let end = place(tx, end, &account).await?;
    let mut look = Look::behind(start);
    let sql = "SELECT account, place, at, environment, actor_kind, actor_id, device, browser,
                 address, request, action, object_kind, object_id, outcome, code, detail, prev_hash,
                 hash
               FROM audit WHERE account = $1 AND place > $2 ORDER BY place LIMIT $3";
    let mut behind = i64::MIN;
    while look.goes_on() {
        let rows = query::rows(tx, sql, &[&account, &behind, &PORTION_ROWS]).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            let (line, kept) = line(row)?;
            behind = line.place;
            if look.goes_on() {
                look.take(&line, kept);
            }
        }
    }
    Ok(look.end(account, end))
}

async fn place(tx: &Transaction<'_>, sql: &'static str, account: &str) -> Result<(i64, Hash)> {
    let found = query::row(tx, sql, &[&account]).await?;
    found.map_or(Ok((0, Hash::default())), |row| Ok((column(&row, 0)?, hash(&row, 1)?)))
}
