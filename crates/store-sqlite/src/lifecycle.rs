//! Changes and deletions of accounts and forms.
//!
//! A deleted form's rows are removed in batches. They refer to the form's row in `forms`, so that
//! row is removed last. Until then it has an invalid id, and belongs to the [`DELETED`] account.

use super::accounts::DELETED;
use super::{
    SqliteStore, accounts, blocking, forms, import, insert, insert_submission, insight, people,
    sessions,
};
use super::{erase_traces, exists};
use crate::hidden;
use async_trait::async_trait;
use contract::{AccountId, FormId, PersonId, Plan, Role, fold::fold};
use rusqlite::Connection;
use store::columns::database;
use store::lifecycle::{LifecycleStore, Piece};
use store::{FormRecord, Hash, Result, StoreError};

/// Maximum number of rows that one batch removes. A batch blocks other writers for some
/// milliseconds.
const PIECE_ROWS_MAX: i64 = 500;

/// Tables with rows of a form, except `submissions`, and the columns that identify a row of a form.
const PARTS: [(&str, &str); 9] = [
    ("submission_texts", "submitted_at, id"),
    ("hidden", "submitted_at, id"),
    ("insight_queue", "submitted_at, id"),
    ("insight_retries", "submitted_at, id"),
    ("insight_corrections", "submitted_at, id"),
    ("unlisted", "state, submitted_at, id"),
    ("receipts", "key"),
    ("fields", "place"),
    ("removed_fields", "key"),
];

/// Tables with only a few rows per form.
const SMALL_PARTS: [&str; 3] = ["insight_sweeps", "insight_categories", "imports"];

#[async_trait]
impl LifecycleStore for SqliteStore {
    async fn set_plan(&self, id: &AccountId, plan: Plan) -> Result<bool> {
        let id = id.clone();
        self.writer
            .write(move |conn| {
                let sql = "UPDATE accounts SET plan = ? WHERE id = ?";
                let changed = conn.execute(sql, (plan.as_str(), id.as_str()));
                Ok(changed.map_err(database)? > 0)
            })
            .await
    }

    async fn set_email(&self, id: &PersonId, email: String, kept: Option<Hash>) -> Result<bool> {
        let id = id.clone();
        self.writer.write(move |conn| set_email(conn, &id, &email, kept)).await
    }

    async fn delete_account(&self, id: &AccountId) -> Result<bool> {
        let id = id.clone();
        self.writer.write_when_full(move |conn| delete_account(conn, &id)).await
    }

    async fn duplicate_form(&self, source: &FormId, record: FormRecord) -> Result<bool> {
        let source = source.clone();
        self.writer.write(move |conn| duplicate(conn, &source, &record)).await
    }

    async fn delete_form(&self, id: &FormId) -> Result<bool> {
        let id = id.clone();
        self.writer
            .write_when_full(move |conn| {
                let Some(seq) = forms::seq(conn, &id)? else { return Ok(false) };
                hide_forms(conn, &[seq]).map(|()| true)
            })
            .await
    }

    async fn finish_deletions(&self) -> Result<u64> {
        let mut finished = 0;
        while let Some((seq, has_import)) = self.readers.read(next_deleted).await? {
            if has_import {
                let path = self.path.clone();
                blocking(move || import::delete_of(&path, seq)).await?;
            }
            let remove = move |conn: &Connection| remove_piece(conn, seq);
            loop {
                match self.writer.write_when_full(remove).await? {
                    Piece::Rows => {}
                    Piece::Form => break finished += 1,
                    // Another process has finished the deletion.
                    Piece::Nothing => break,
                }
            }
            self.held.drop_form(seq);
        }
        Ok(finished)
    }
}

fn set_email(conn: &Connection, id: &PersonId, email: &str, kept: Option<Hash>) -> Result<bool> {
    let Some(record) = people::find(conn, id)? else { return Ok(false) };
    let taken = || format!("a user with the email address `{email}`");
    if people::find_by_email(conn, email)?.is_some_and(|other| other.person.id != *id) {
        return Err(StoreError::Exists(taken()));
    }
    let folded = fold(email);
    let sql = "UPDATE people SET email = ?, email_folded = ? WHERE id = ?";
    conn.execute(sql, (email, &folded, id.as_str())).map_err(|error| exists(error, taken))?;
    if record.person.role == Role::Owner {
        let sql = "UPDATE accounts SET email = ?, email_folded = ? WHERE id = ?";
        conn.execute(sql, (email, &folded, record.account_id.as_str()))
            .map_err(|error| exists(error, taken))?;
    }
    sessions::delete_links(conn, id)?;
    match kept {
        Some(kept) => sessions::delete_others(conn, id, kept)?,
        None => sessions::delete_all(conn, id)?,
    }
    erase_traces::ask(conn).map_err(database)?;
    Ok(true)
}

fn delete_account(conn: &Connection, id: &AccountId) -> Result<bool> {
    if accounts::find(conn, id)?.is_none() {
        return Ok(false);
    }
    let seqs: Vec<i64> = conn
        .prepare_cached("SELECT seq FROM forms WHERE account = ?")
        .and_then(|mut all| all.query_map([id.as_str()], |row| row.get(0))?.collect())
        .map_err(database)?;
    hide_forms(conn, &seqs)?;
    // Links, sessions and identities are deleted by foreign keys.
    for sql in [
        "DELETE FROM people WHERE account = ?",
        "DELETE FROM keys WHERE account = ?",
        "DELETE FROM insight_usage WHERE account = ?",
        "DELETE FROM accounts WHERE id = ?",
    ] {
        conn.execute(sql, [id.as_str()]).map_err(database)?;
    }
    erase_traces::ask(conn).map_err(database)?;
    Ok(true)
}

fn duplicate(conn: &Connection, source: &FormId, record: &FormRecord) -> Result<bool> {
    let copy = &record.form.id;
    let Some(found) = insert_submission::find_intake(conn, source)? else { return Ok(false) };
    forms::insert(conn, record)?;
    insert_submission::update_intake(conn, copy, &found.intake.reopened())?;
    conn.execute(
        "INSERT INTO insight_categories (form, categories)
         SELECT (SELECT seq FROM forms WHERE id = ?2), categories
         FROM insight_categories WHERE form = (SELECT seq FROM forms WHERE id = ?1)",
        (source.as_str(), copy.as_str()),
    )
    .map_err(database)?;
    Ok(true)
}

/// Makes forms inaccessible. Their rows are removed later.
fn hide_forms(conn: &Connection, seqs: &[i64]) -> Result<()> {
    if seqs.is_empty() {
        return Ok(());
    }
    conn.execute(
        "INSERT OR IGNORE INTO accounts (id, email, email_folded, plan, created_at)
         VALUES (?1, '', ?1, 'free', 0)",
        [DELETED],
    )
    .map_err(database)?;
    let mut number =
        conn.prepare_cached("INSERT INTO deleted_forms (form) VALUES (?)").map_err(database)?;
    let mut hide = conn
        .prepare_cached(
            "UPDATE forms SET id = 'deleted ' || seq, account = ?, name = '', analysis = 0,
               intake = NULL, version = version + 1
             WHERE seq = ?",
        )
        .map_err(database)?;
    for seq in seqs {
        number.execute([seq]).and_then(|_| hide.execute((DELETED, seq))).map_err(database)?;
    }
    erase_traces::ask(conn).map_err(database)
}

/// Returns the next deleted form with remaining rows, and whether it has an unfinished import.
fn next_deleted(conn: &Connection) -> Result<Option<(i64, bool)>> {
    let sql = "SELECT MIN(seq) FROM forms WHERE account = ?";
    let seq: Option<i64> = conn
        .prepare_cached(sql)
        .and_then(|mut next| next.query_row([DELETED], |row| row.get(0)))
        .map_err(database)?;
    seq.map(|seq| Ok((seq, hidden::is_under_way(conn, seq)?))).transpose()
}

/// Removes a batch of rows of a deleted form. The last batch also removes the row in `forms`.
fn remove_piece(conn: &Connection, form: i64) -> Result<Piece> {
    if remove_submissions(conn, form)? > 0 {
        return Ok(Piece::Rows);
    }
    for (table, key) in PARTS {
        let sql = format!(
            "DELETE FROM {table} WHERE form = ?1 AND ({key}) IN (
               SELECT {key} FROM {table} WHERE form = ?1 LIMIT ?2)"
        );
        let removed = conn.execute(&sql, (form, PIECE_ROWS_MAX)).map_err(database)?;
        if removed > 0 {
            erase_traces::ask(conn).map_err(database)?;
            return Ok(Piece::Rows);
        }
    }
    for table in SMALL_PARTS {
        let sql = format!("DELETE FROM {table} WHERE form = ?");
        conn.execute(&sql, [form]).map_err(database)?;
    }
    let sql = "DELETE FROM forms WHERE seq = ? AND account = ?";
    let removed = conn.execute(sql, (form, DELETED)).map_err(database)?;
    let sql = "DELETE FROM accounts
               WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM forms WHERE account = ?1)";
    conn.execute(sql, [DELETED]).map_err(database)?;
    erase_traces::ask(conn).map_err(database)?;
    Ok(if removed > 0 { Piece::Form } else { Piece::Nothing })
}

/// Removes a batch of submissions with all dependent rows; returns how many. Updates the count of
/// the form, so that the file is consistent between batches.
fn remove_submissions(conn: &Connection, form: i64) -> Result<usize> {
    let places: Vec<(i64, String)> = conn
        .prepare_cached("SELECT submitted_at, id FROM submissions WHERE form = ? LIMIT ?")
        .and_then(|mut some| {
            some.query_map((form, PIECE_ROWS_MAX), |row| row.try_into())?.collect()
        })
        .map_err(database)?;
    for table in ["submissions", "submission_texts", "hidden"] {
        let sql = format!("DELETE FROM {table} WHERE form = ? AND submitted_at = ? AND id = ?");
        let mut delete = conn.prepare_cached(&sql).map_err(database)?;
        for (at, id) in &places {
            delete.execute((form, at, id)).map_err(database)?;
        }
    }
    for (at, id) in &places {
        insight::forget(conn, form, *at, id).map_err(database)?;
    }
    if !places.is_empty() {
        insert::remove_count(conn, form, places.len())?;
        erase_traces::ask(conn).map_err(database)?;
    }
    Ok(places.len())
}
