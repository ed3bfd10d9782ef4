//! [`UnlistedStore`] for SQLite: spam and trash, which a form stores but does not list.

mod delete;
mod list;
mod restore;
mod unlist;

pub(super) use unlist::find_listed_keys;

use super::{SqliteStore, erase_traces, query};
use async_trait::async_trait;
use contract::{Field, FormId, SpamReason, Timestamp};
use rusqlite::Connection;
use std::sync::Arc;
use store::clock::micros_before;
use store::columns::{SubmissionRow, database_error};
use store::unlisted::{
    MoveOutcome, SPAM_AGE_MAX, SPAM_ROWS_MAX, SpamPage, TrashPage, TrashQuery, UnlistRequest,
    UnlistedSelection, UnlistedState, UnlistedStore,
};
use store::{Position, Result};

#[async_trait]
impl UnlistedStore for SqliteStore {
    async fn move_submissions(&self, request: UnlistRequest) -> Result<Option<MoveOutcome>> {
        let index = Arc::clone(&self.memory_index);
        self.writer
            .write_when_full(move |conn| unlist::move_submissions(conn, &index, &request))
            .await
    }

    async fn list_spam(
        &self,
        form: &FormId,
        moved_after: Timestamp,
        after: Option<&Position>,
        rows_max: usize,
    ) -> Result<SpamPage> {
        let form = form.clone();
        let after = after.cloned();
        let list =
            move |conn: &_| list::list_spam(conn, &form, moved_after, after.as_ref(), rows_max);
        self.readers.read(list).await
    }

    async fn list_trash(&self, query: TrashQuery) -> Result<TrashPage> {
        self.readers
            .scan(move |conn, cancel_flag| list::list_trash(conn, &query, cancel_flag))
            .await
    }

    async fn restore_submissions(
        &self,
        form: &FormId,
        state: UnlistedState,
        chosen: UnlistedSelection,
    ) -> Result<u64> {
        let form = form.clone();
        let index = Arc::clone(&self.memory_index);
        self.writer
            .write(move |conn| restore::restore_rows(conn, &index, &form, state, &chosen))
            .await
    }

    async fn delete_unlisted(
        &self,
        form: &FormId,
        state: UnlistedState,
        chosen: UnlistedSelection,
    ) -> Result<u64> {
        let form = form.clone();
        self.writer
            .write_when_full(move |conn| delete::delete_rows(conn, &form, state, &chosen))
            .await
    }

    async fn set_trash_days(&self, form: &FormId, days: u8) -> Result<bool> {
        let form = form.clone();
        self.writer
            .write(move |conn| {
                let sql = "UPDATE forms SET trash_days = ? WHERE id = ?";
                Ok(query::execute(conn, sql, (days, form.as_str()))? > 0)
            })
            .await
    }

    async fn purge_expired(&self, now: Timestamp) -> Result<u64> {
        let spam_before = micros_before(now, SPAM_AGE_MAX);
        let mut purged = 0;
        // A read first, so that the writer is not used if nothing has expired.
        while self.readers.read(move |conn| delete::has_expired(conn, spam_before, now)).await? {
            let piece = move |conn: &Connection| delete::delete_expired(conn, spam_before, now);
            match self.writer.write_when_full(piece).await? {
                0 => break,
                count => purged += count,
            }
        }
        Ok(purged)
    }
}

/// Inserts a submission that intake classified as spam.
pub(super) fn insert_spam(
    conn: &Connection,
    form: i64,
    reason: SpamReason,
    row: &SubmissionRow,
    fields: &[Field],
) -> Result<()> {
    let fields = serde_json::to_string(fields).map_err(database_error)?;
    let sql = "INSERT OR REPLACE INTO unlisted
                 (form, state, submitted_at, id, moved_at, reason, fields, json)
               VALUES (?1, 'spam', ?2, ?3, ?2, ?4, ?5, ?6)";
    let columns = (form, row.submitted_at, &row.id, reason.as_str(), fields, &row.json);
    query::execute(conn, sql, columns)?;
    delete_excess_spam(conn, form)
}

/// Deletes the oldest spam of intake beyond the maximum per form. Spam marked by the owner does not
/// count.
fn delete_excess_spam(conn: &Connection, form: i64) -> Result<()> {
    let rows_max = i64::try_from(SPAM_ROWS_MAX).map_err(database_error)?;
    let sql = "DELETE FROM unlisted WHERE form = ?1 AND state = 'spam' AND (submitted_at, id) IN (
                 SELECT submitted_at, id FROM unlisted INDEXED BY unlisted_by_age
                 WHERE form = ?1 AND state = 'spam' AND batch IS NULL
                 ORDER BY moved_at DESC, submitted_at DESC, id DESC LIMIT -1 OFFSET ?2)";
    let removed = query::execute(conn, sql, (form, rows_max))?;
    if removed > 0 { erase_traces::request_erasure(conn) } else { Ok(()) }
}

/// Returns the condition that selects the rows, and the value of its third parameter. Every variant
/// uses `?3`, so that all statements have the same parameters.
fn selection_sql(chosen: &UnlistedSelection) -> Result<(&'static str, Option<String>)> {
    Ok(match chosen {
        UnlistedSelection::All => (" AND ?3 IS NULL", None),
        UnlistedSelection::Ids(ids) => {
            let ids = serde_json::to_string(ids).map_err(database_error)?;
            (" AND id IN (SELECT value FROM json_each(?3))", Some(ids))
        }
        UnlistedSelection::Batch(batch) => (" AND batch = ?3", Some(batch.as_str().to_owned())),
    })
}
