//! Deletes spam and trash permanently.

use super::selection_sql;
use crate::{erase_traces, forms, query};
use contract::{BatchId, FormId, Timestamp};
use rusqlite::Connection;
use store::Result;
use store::unlisted::{PURGE_ROWS_MAX, UnlistedSelection, UnlistedState};

/// Selects the keys of expired rows. Each part reads only the index by age.
macro_rules! expired {
    () => {
        "SELECT u.form, u.state, u.submitted_at, u.id
         FROM forms AS f CROSS JOIN unlisted AS u INDEXED BY unlisted_by_age
           ON u.form = f.seq AND u.state = 'spam' AND u.moved_at <= ?1
         UNION ALL
         SELECT u.form, u.state, u.submitted_at, u.id
         FROM forms AS f CROSS JOIN unlisted AS u INDEXED BY unlisted_by_age
           ON u.form = f.seq AND u.state = 'trash'
             AND u.moved_at <= ?2 - f.trash_days * 86400000000"
    };
}

/// Deletes rows of a form, within a writer job.
pub(super) fn delete_rows(
    conn: &Connection,
    form: &FormId,
    state: UnlistedState,
    chosen: &UnlistedSelection,
) -> Result<u64> {
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(0) };
    let (condition, value) = selection_sql(chosen)?;
    let sql = format!("DELETE FROM unlisted WHERE form = ?1 AND state = ?2{condition}");
    let deleted = query::execute(conn, &sql, (seq, state.as_str(), value))?;
    request_erasure(conn, deleted)
}

/// Deletes the rows of a move, in the transaction of the move.
pub(super) fn delete_move(conn: &Connection, form: i64, batch: &BatchId) -> Result<()> {
    let sql = "DELETE FROM unlisted WHERE form = ? AND batch = ?";
    let deleted = query::execute(conn, sql, (form, batch.as_str()))?;
    request_erasure(conn, deleted).map(drop)
}

/// Whether there are expired rows to delete.
pub(super) fn has_expired(conn: &Connection, spam_before: i64, now: Timestamp) -> Result<bool> {
    let sql = concat!("SELECT EXISTS (", expired!(), ")");
    query::one(conn, sql, (spam_before, now.micros()), |row| row.get(0))
}

/// Deletes a batch of expired rows, and returns how many.
pub(super) fn delete_expired(conn: &Connection, spam_before: i64, now: Timestamp) -> Result<u64> {
    let sql = concat!(
        "DELETE FROM unlisted WHERE (form, state, submitted_at, id) IN (",
        expired!(),
        " LIMIT ?3)"
    );
    let deleted = query::execute(conn, sql, (spam_before, now.micros(), PURGE_ROWS_MAX))?;
    request_erasure(conn, deleted)
}

/// Schedules the secure erasure of deleted rows.
fn request_erasure(conn: &Connection, deleted: usize) -> Result<u64> {
    if deleted > 0 {
        erase_traces::request_erasure(conn)?;
    }
    Ok(deleted as u64)
}
