//! Changes and deletions of accounts and forms.
//!
//! A deleted form's rows are removed in batches. They refer to the form's row in `forms`, so that
//! row is removed last. Until then it has an invalid id, and belongs to the [`DELETED_ACCOUNT`]
//! account.

use super::accounts::DELETED_ACCOUNT;
use super::{
    SqliteStore, accounts, forms, import, insert, insert_submission, insight, outbox, people,
    query, run_blocking, sessions,
};
use super::{erase_traces, insertion_error};
use crate::hidden;
use crate::live::LiveRecorder;
use async_trait::async_trait;
use contract::{AccountId, FormId, PersonId, Plan, Role, fold::fold};
use rusqlite::Connection;
use std::sync::Arc;
use store::lifecycle::{DeletionStep, LifecycleStore};
use store::{FormRecord, Hash, Result, StoreError};

/// Maximum number of rows that one batch removes. A batch blocks other writers for some
/// milliseconds.
const BATCH_ROWS_MAX: i64 = 500;

/// Tables with rows of a form, except `submissions` and `deliveries`, and the columns that identify
/// a row of a form.
const DEPENDENT_TABLES: [(&str, &str); 13] = [
    ("submission_texts", "submitted_at, id"),
    ("hidden", "submitted_at, id"),
    ("insight_queue", "submitted_at, id"),
    ("insight_retries", "submitted_at, id"),
    ("insight_corrections", "submitted_at, id"),
    ("unlisted", "state, submitted_at, id"),
    ("notes", "submitted_at, submission, id"),
    ("triage_history", "submitted_at, submission, place"),
    ("read_marks", "submitted_at, submission, person"),
    ("pending_mails", "seq"),
    ("receipts", "key"),
    ("fields", "place"),
    ("removed_fields", "key"),
];

/// Tables with only a few rows per form.
const SMALL_DEPENDENT_TABLES: [&str; 3] = ["insight_sweeps", "insight_categories", "imports"];

#[async_trait]
impl LifecycleStore for SqliteStore {
    async fn set_plan(&self, id: &AccountId, plan: Plan) -> Result<bool> {
        let id = id.clone();
        self.writer
            .write(move |conn| {
                let sql = "UPDATE accounts SET plan = ? WHERE id = ?";
                Ok(query::execute(conn, sql, (plan.as_str(), id.as_str()))? > 0)
            })
            .await
    }

    async fn set_email(
        &self,
        id: &PersonId,
        email: String,
        except_token: Option<Hash>,
    ) -> Result<bool> {
        let id = id.clone();
        self.writer.write(move |conn| set_email(conn, &id, &email, except_token)).await
    }

    async fn delete_account(&self, id: &AccountId) -> Result<bool> {
        let id = id.clone();
        let index = Arc::clone(&self.memory_index);
        self.writer.write_when_full(move |conn| delete_account(conn, index.live(), &id)).await
    }

    async fn duplicate_form(&self, source: &FormId, record: FormRecord) -> Result<bool> {
        let source = source.clone();
        self.writer.write(move |conn| copy_form(conn, &source, &record)).await
    }

    async fn delete_form(&self, id: &FormId) -> Result<bool> {
        let id = id.clone();
        let index = Arc::clone(&self.memory_index);
        self.writer
            .write_when_full(move |conn| {
                let Some(seq) = forms::find_seq(conn, &id)? else { return Ok(false) };
                hide_forms(conn, index.live(), &[seq]).map(|()| true)
            })
            .await
    }

    async fn finish_deletions(&self) -> Result<u64> {
        let mut finished = 0;
        while let Some((seq, has_import)) = self.readers.read(next_deleted_form).await? {
            if has_import {
                let path = self.path.clone();
                run_blocking(move || import::delete_imports_by_seq(&path, seq)).await?;
            }
            let remove = move |conn: &Connection| remove_batch(conn, seq);
            loop {
                match self.writer.write_when_full(remove).await? {
                    DeletionStep::Rows => {}
                    DeletionStep::Form => break finished += 1,
                    // Another process has finished the deletion.
                    DeletionStep::Finished => break,
                }
            }
            self.memory_index.drop_form(seq);
        }
        Ok(finished)
    }
}

fn set_email(conn: &Connection, id: &PersonId, email: &str, except: Option<Hash>) -> Result<bool> {
    let Some(record) = people::find(conn, id)? else { return Ok(false) };
    let description = || format!("a user with the email address `{email}`");
    if people::find_by_email(conn, email)?.is_some_and(|other| other.person.id != *id) {
        return Err(StoreError::Exists(description()));
    }
    let folded = fold(email);
    let sql = "UPDATE people SET email = ?, email_folded = ? WHERE id = ?";
    conn.execute(sql, (email, &folded, id.as_str()))
        .map_err(|error| insertion_error(error, description))?;
    if record.person.role == Role::Owner {
        let sql = "UPDATE accounts SET email = ?, email_folded = ? WHERE id = ?";
        conn.execute(sql, (email, &folded, record.account_id.as_str()))
            .map_err(|error| insertion_error(error, description))?;
    }
    sessions::delete_links(conn, id)?;
    match except {
        Some(except) => sessions::delete_others(conn, id, except)?,
        None => sessions::delete_all(conn, id)?,
    }
    erase_traces::request_erasure(conn)?;
    Ok(true)
}

fn delete_account(conn: &Connection, live: &LiveRecorder, id: &AccountId) -> Result<bool> {
    if accounts::find(conn, id)?.is_none() {
        return Ok(false);
    }
    let sql = "SELECT seq FROM forms WHERE account = ?";
    let seqs: Vec<i64> = query::list(conn, sql, [id.as_str()], |row| row.get(0))?;
    hide_forms(conn, live, &seqs)?;
    // Links, sessions and identities are deleted by foreign keys.
    for sql in [
        "DELETE FROM people WHERE account = ?",
        "DELETE FROM keys WHERE account = ?",
        "DELETE FROM insight_usage WHERE account = ?",
        "DELETE FROM mail_usage WHERE account = ?",
        "DELETE FROM account_triage WHERE account = ?",
        "DELETE FROM accounts WHERE id = ?",
    ] {
        query::execute(conn, sql, [id.as_str()])?;
    }
    erase_traces::request_erasure(conn)?;
    Ok(true)
}

fn copy_form(conn: &Connection, source: &FormId, record: &FormRecord) -> Result<bool> {
    let copy = &record.form.id;
    let Some(found) = insert_submission::find_intake(conn, source)? else { return Ok(false) };
    forms::insert(conn, record)?;
    insert_submission::update_intake(conn, copy, &found.intake.into_reopened())?;
    let sql = "INSERT INTO insight_categories (form, categories)
               SELECT (SELECT seq FROM forms WHERE id = ?2), categories
               FROM insight_categories WHERE form = (SELECT seq FROM forms WHERE id = ?1)";
    query::execute(conn, sql, (source.as_str(), copy.as_str()))?;
    Ok(true)
}

/// Makes forms inaccessible. Their rows are removed later.
fn hide_forms(conn: &Connection, live: &LiveRecorder, seqs: &[i64]) -> Result<()> {
    if seqs.is_empty() {
        return Ok(());
    }
    let sql = "INSERT OR IGNORE INTO accounts (id, email, email_folded, plan, created_at)
               VALUES (?1, '', ?1, 'free', 0)";
    query::execute(conn, sql, [DELETED_ACCOUNT])?;
    for seq in seqs {
        live.record_form_deletion(conn, *seq)?;
        for sql in [
            "INSERT INTO deleted_forms (form) VALUES (?)",
            // Without a webhook or notification, nothing is sent any more.
            "DELETE FROM webhooks WHERE form = ?",
            "DELETE FROM notifications WHERE form = ?",
            "DELETE FROM saved_views WHERE form = ?",
        ] {
            query::execute(conn, sql, [seq])?;
        }
        let sql = "UPDATE forms SET id = 'deleted ' || seq, account = ?, name = '', analysis = 0,
                     intake = NULL, version = version + 1
                   WHERE seq = ?";
        query::execute(conn, sql, (DELETED_ACCOUNT, seq))?;
    }
    erase_traces::request_erasure(conn)
}

/// Returns the next deleted form with remaining rows, and whether it has an unfinished import.
fn next_deleted_form(conn: &Connection) -> Result<Option<(i64, bool)>> {
    let sql = "SELECT MIN(seq) FROM forms WHERE account = ?";
    let seq: Option<i64> = query::one(conn, sql, [DELETED_ACCOUNT], |row| row.get(0))?;
    seq.map(|seq| Ok((seq, hidden::has_unfinished_import(conn, seq)?))).transpose()
}

/// Removes a batch of rows of a deleted form. The last batch also removes the row in `forms`.
fn remove_batch(conn: &Connection, form: i64) -> Result<DeletionStep> {
    if remove_submissions(conn, form)? > 0 {
        return Ok(DeletionStep::Rows);
    }
    // The webhooks of the form are deleted already.
    if outbox::delete_orphans(conn, BATCH_ROWS_MAX)? > 0 {
        erase_traces::request_erasure(conn)?;
        return Ok(DeletionStep::Rows);
    }
    for (table, key) in DEPENDENT_TABLES {
        let sql = format!(
            "DELETE FROM {table} WHERE form = ?1 AND ({key}) IN (
               SELECT {key} FROM {table} WHERE form = ?1 LIMIT ?2)"
        );
        if query::execute(conn, &sql, (form, BATCH_ROWS_MAX))? > 0 {
            erase_traces::request_erasure(conn)?;
            return Ok(DeletionStep::Rows);
        }
    }
    for table in SMALL_DEPENDENT_TABLES {
        let sql = format!("DELETE FROM {table} WHERE form = ?");
        query::execute(conn, &sql, [form])?;
    }
    let sql = "DELETE FROM forms WHERE seq = ? AND account = ?";
    let removed = query::execute(conn, sql, (form, DELETED_ACCOUNT))?;
    let sql = "DELETE FROM accounts
               WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM forms WHERE account = ?1)";
    query::execute(conn, sql, [DELETED_ACCOUNT])?;
    erase_traces::request_erasure(conn)?;
    Ok(if removed > 0 { DeletionStep::Form } else { DeletionStep::Finished })
}

/// Removes a batch of submissions with all dependent rows; returns how many. Updates the count of
/// the form, so that the file is consistent between batches.
fn remove_submissions(conn: &Connection, form: i64) -> Result<usize> {
    let sql = "SELECT submitted_at, id FROM submissions WHERE form = ? LIMIT ?";
    let places: Vec<(i64, String)> =
        query::list(conn, sql, (form, BATCH_ROWS_MAX), |row| row.try_into())?;
    for table in ["submissions", "submission_texts", "hidden"] {
        let sql = format!("DELETE FROM {table} WHERE form = ? AND submitted_at = ? AND id = ?");
        for (at, id) in &places {
            query::execute(conn, &sql, (form, at, id))?;
        }
    }
    for (at, id) in &places {
        insight::delete_insight_rows(conn, form, *at, id)?;
    }
    if !places.is_empty() {
        insert::remove_count(conn, form, places.len())?;
        erase_traces::request_erasure(conn)?;
    }
    Ok(places.len())
}
