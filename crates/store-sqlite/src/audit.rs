//! [`AuditStore`] for SQLite. Entries go through the writer, mostly in the transaction of the write
//! that they record.

mod line;
mod list;
mod verify;

pub(super) use verify::look as look_through;
pub use verify::verify;

use super::SqliteStore;
use async_trait::async_trait;
use contract::AccountId;
use contract::audit::{Act, AuditFilter, Outcome};
use rusqlite::{Connection, OptionalExtension, Row};
use std::sync::Arc;
use store::audit::{
    AuditStore, Calm, DROPPED_MAX, Done, Line, NotesPage, WAITING_MAX, Whose, chain,
};
use store::columns::database;
use store::{Hash, Result, Store};

#[async_trait]
impl AuditStore for SqliteStore {
    fn noting(&self, act: Act) -> Arc<dyn Store> {
        Arc::new(Self {
            path: self.path.clone(),
            writer: self.writer.noting(act),
            readers: Arc::clone(&self.readers),
            held: Arc::clone(&self.held),
            calm: Arc::clone(&self.calm),
        })
    }

    async fn note(&self, act: Act) -> Result<()> {
        self.writer.noting(act).write_when_full(|_| Ok(())).await
    }

    fn note_soon(&self, act: Act) {
        if act.outcome != Outcome::Denied {
            self.write_soon(act);
            return;
        }
        for act in self.calm.admit(act) {
            let (account, at) = (act.account.clone(), act.at);
            if !self.write_soon(act) {
                self.calm.leave_out(account, at);
            }
        }
    }

    async fn list_notes(
        &self,
        whose: Whose<'_>,
        filter: &AuditFilter,
        before: Option<u64>,
        rows_max: usize,
    ) -> Result<NotesPage> {
        if let Some(act) = self.calm.take_left_out(whose.account())
            && let Err(error) = self.note(act).await
        {
            tracing::error!(%error, "audit log: entry dropped");
        }
        let account = whose.chain().to_owned();
        let filter = filter.clone();
        let list = move |conn: &Connection| list::list(conn, &account, &filter, before, rows_max);
        self.readers.read(list).await
    }
}

impl SqliteStore {
    /// Queues an audit entry. Returns `false`, and logs an error, if it is dropped.
    fn write_soon(&self, act: Act) -> bool {
        let Some(place) = Calm::wait(&self.calm) else {
            tracing::error!(
                action = act.action.as_str(),
                "audit log: entry dropped, {WAITING_MAX} are queued already"
            );
            return false;
        };
        let done = self.writer.write_later(move |conn| {
            let _place = place;
            append(conn, act, &Done::All)
        });
        done.inspect_err(|error| tracing::error!(%error, "audit log: entry dropped")).is_ok()
    }
}

/// Appends an audit entry within a writer job, and deletes expired entries. Does nothing if the
/// write changed nothing.
pub(super) fn append(conn: &Connection, act: Act, done: &Done) -> Result<()> {
    let act = match done {
        Done::Nothing => return Ok(()),
        Done::All => act,
        Done::Count(count) => act.with("count", *count),
    };
    insert(conn, &act).map_err(database)?;
    drop_old(conn, &act).map_err(database)
}

fn insert(conn: &Connection, act: &Act) -> rusqlite::Result<()> {
    let line = Line::of(act, end(conn, act.account.as_ref())?);
    let hash = line.hash();
    conn.prepare_cached(
        "INSERT INTO audit (account, place, at, environment, actor_kind, actor_id, device, browser,
           address, request, action, object_kind, object_id, outcome, code, detail, prev_hash, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(rusqlite::params![
        line.account,
        line.place,
        line.at,
        line.environment,
        line.actor_kind,
        line.actor_id,
        line.device,
        line.browser,
        line.address,
        line.request,
        line.action,
        line.object_kind,
        line.object_id,
        line.outcome,
        line.code,
        line.detail,
        line.prev_hash,
        hash,
    ])?;
    conn.prepare_cached(
        "INSERT INTO audit_heads (account, place, hash) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET place = excluded.place, hash = excluded.hash",
    )?
    .execute((&line.account, line.place, hash))?;
    Ok(())
}

/// Returns the number and the hash of the last entry of a chain; zeros if the chain is empty.
fn end(conn: &Connection, account: Option<&AccountId>) -> rusqlite::Result<(i64, Hash)> {
    let account = account.map_or("", AccountId::as_str);
    let end = conn
        .prepare_cached("SELECT place, hash FROM audit_heads WHERE account = ?")?
        .query_row([account], |row: &Row<'_>| row.try_into())
        .optional()?;
    Ok(end.unwrap_or_default())
}

/// Deletes expired entries of the chain that has the oldest entry: whole months, from the start of
/// the chain. Records in the chain that entries were dropped, and its new start.
fn drop_old(conn: &Connection, act: &Act) -> rusqlite::Result<()> {
    let first: Option<(String, i64, i64)> = conn
        .prepare_cached("SELECT account, place, at FROM audit ORDER BY seq LIMIT 1")?
        .query_row([], |row| row.try_into())
        .optional()?;
    let until = chain::kept_from(act.at);
    let Some((account, place, at)) = first else { return Ok(()) };
    if at >= until {
        return Ok(());
    }
    let most = place + DROPPED_MAX;
    let last: i64 = conn
        .prepare_cached(
            "SELECT COALESCE(MIN(place), ?2) - 1 FROM audit
             WHERE account = ?1 AND place < ?2 AND at >= ?3",
        )?
        .query_row((&account, most, until), |row| row.get(0))?;
    let start: Option<(i64, Hash)> = conn
        .prepare_cached(
            "SELECT place, hash FROM audit WHERE account = ? AND place <= ?
             ORDER BY place DESC LIMIT 1",
        )?
        .query_row((&account, last), |row| row.try_into())
        .optional()?;
    let Some((last, hash)) = start else { return Ok(()) };
    conn.execute(
        "INSERT INTO audit_starts (account, place, hash) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET place = excluded.place, hash = excluded.hash",
        (&account, last, hash),
    )?;
    let gone =
        conn.execute("DELETE FROM audit WHERE account = ? AND place <= ?", (&account, last))?;
    insert(conn, &chain::dropped(act.at, &account, last, gone))
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
