//! Changes and deletions of accounts and forms.
//!
//! Neither submissions nor unlisted rows reference the row of their form. So the first transaction
//! of a deletion removes that row, and `deleted_forms` lists the forms that still have rows to
//! delete.

use super::query::read_column;
use super::{PostgresStore, forms, insert_queue, live, people, query, sessions, text_encoding};
use crate::errors::database_error;
use async_trait::async_trait;
use contract::live::ChangeKind;
use contract::{AccountId, FormId, PersonId, Plan, Role, fold::fold};
use deadpool_postgres::Transaction;
use store::lifecycle::{DeletionStep, LifecycleStore};
use store::{FormRecord, Hash, Result, StoreError};

/// Maximum rows that one transaction deletes.
const PIECE_ROWS_MAX: i64 = 1000;

#[async_trait]
impl LifecycleStore for PostgresStore {
    async fn set_plan(&self, id: &AccountId, plan: Plan) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let sql = "UPDATE accounts SET plan = $1 WHERE id = $2";
        let changed = query::execute(&*tx, sql, &[&plan.as_str(), &id.as_str()]).await?;
        tx.commit_audited(changed > 0).await
    }

    async fn set_email(&self, id: &PersonId, email: String, except: Option<Hash>) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = set_email(&tx, id, &email, except).await?;
        tx.commit_audited(done).await
    }

    async fn delete_account(&self, id: &AccountId) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = delete_account(&tx, id).await?;
        tx.commit_audited(done).await
    }

    async fn duplicate_form(&self, source: &FormId, record: FormRecord) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = copy_form(&tx, source, &record).await?;
        tx.commit_audited(done).await
    }

    async fn delete_form(&self, id: &FormId) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let sql = "SELECT form_id FROM forms WHERE form_id = $1 FOR UPDATE";
        let is_there = query::fetch_row(&*tx, sql, &[&id.as_str()]).await?.is_some();
        if is_there {
            hide_forms(&tx, &[id.as_str()]).await?;
        }
        tx.commit_audited(is_there).await
    }

    async fn finish_deletions(&self) -> Result<u64> {
        let mut finished = 0;
        loop {
            let mut conn = self.connections.get().await?;
            let tx = self.begin_write(&mut conn).await?;
            let piece = delete_piece(&tx).await?;
            match tx.commit_audited(piece).await? {
                DeletionStep::Finished => return Ok(finished),
                DeletionStep::Rows => {}
                DeletionStep::Form => finished += 1,
            }
        }
    }
}

async fn set_email(
    tx: &Transaction<'_>,
    id: &PersonId,
    email: &str,
    except: Option<Hash>,
) -> Result<bool> {
    let Some(record) = people::find_person(tx, id).await? else { return Ok(false) };
    let exists_error = || StoreError::Exists(format!("a person with the mail address `{email}`"));
    people::lock_account(tx, &record.account_id).await?;
    sessions::lock_person(tx, id).await?;
    let other = people::find_by_email(tx, email).await?;
    if other.is_some_and(|other| other.person.id != *id) {
        return Err(exists_error());
    }
    let folded = fold(email);
    let email = text_encoding::encode(email);
    let folded = text_encoding::encode(&folded);
    let constraint_error = |error: tokio_postgres::Error| {
        if people::is_email_conflict(&error) { exists_error() } else { database_error(error) }
    };
    let sql = "UPDATE people SET email = $1, email_folded = $2 WHERE id = $3";
    let changed = query::execute_raw(tx, sql, &[&email, &folded, &id.as_str()])
        .await
        .map_err(constraint_error)?;
    if record.person.role == Role::Owner {
        let sql = "UPDATE accounts SET email = $1, email_folded = $2 WHERE id = $3";
        let account = record.account_id.as_str();
        query::execute_raw(tx, sql, &[&email, &folded, &account])
            .await
            .map_err(constraint_error)?;
    }
    match except {
        Some(except) => {
            sessions::delete_other_sessions(tx, id, except).await?;
            sessions::delete_links(tx, id).await?;
        }
        None => sessions::delete_sessions_and_links(tx, id).await?,
    }
    Ok(changed > 0)
}

async fn delete_account(tx: &Transaction<'_>, id: &AccountId) -> Result<bool> {
    let id = id.as_str();
    let sql = "SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE";
    if query::fetch_row(tx, sql, &[&id]).await?.is_none() {
        return Ok(false);
    }
    let sql = "SELECT 1 FROM people WHERE account = $1 ORDER BY id FOR UPDATE";
    query::fetch_rows(tx, sql, &[&id]).await?;
    // Sessions and links are deleted in the common lock order. Identities are deleted by foreign
    // keys.
    for sql in [
        "DELETE FROM sessions WHERE token IN (
           SELECT s.token FROM sessions AS s JOIN people AS p ON p.id = s.person
           WHERE p.account = $1 ORDER BY s.token FOR UPDATE OF s)",
        "DELETE FROM links WHERE token IN (
           SELECT l.token FROM links AS l JOIN people AS p ON p.id = l.person
           WHERE p.account = $1 ORDER BY l.token FOR UPDATE OF l)",
        "DELETE FROM people WHERE account = $1",
        "DELETE FROM keys WHERE account = $1",
    ] {
        query::execute(tx, sql, &[&id]).await?;
    }
    let sql = "SELECT form_id FROM forms WHERE account = $1 ORDER BY form_id FOR UPDATE";
    let rows = query::fetch_rows(tx, sql, &[&id]).await?;
    let forms = rows.iter().map(|row| read_column::<&str>(row, 0)).collect::<Result<Vec<_>>>()?;
    hide_forms(tx, &forms).await?;
    for sql in [
        "DELETE FROM insight_usage WHERE account = $1",
        "DELETE FROM insight_leases WHERE account = $1",
        "DELETE FROM mail_usage WHERE account = $1",
        "DELETE FROM account_triage WHERE account = $1",
        "DELETE FROM accounts WHERE id = $1",
    ] {
        query::execute(tx, sql, &[&id]).await?;
    }
    Ok(true)
}

async fn copy_form(tx: &Transaction<'_>, source: &FormId, record: &FormRecord) -> Result<bool> {
    people::lock_account(tx, &record.account_id).await?;
    if !forms::lock(tx, source).await? {
        return Ok(false);
    }
    let Some(found) = insert_queue::find_intake(tx, source).await? else { return Ok(false) };
    let copy = &record.form.id;
    forms::insert(tx, record).await?;
    insert_queue::update_intake(tx, copy, &found.intake.into_reopened()).await?;
    let sql = "INSERT INTO insight_categories (form_id, categories)
               SELECT $2, categories FROM insight_categories WHERE form_id = $1";
    query::execute(tx, sql, &[&source.as_str(), &copy.as_str()]).await?;
    Ok(true)
}

/// Removes forms from all lists. Their rows must be locked for this.
async fn hide_forms(tx: &Transaction<'_>, forms: &[&str]) -> Result<()> {
    let removed: Vec<_> = forms.iter().map(|form| (*form, "[]".to_owned())).collect();
    live::notify_forms(tx, ChangeKind::Removed, &removed).await?;
    for sql in [
        "INSERT INTO deleted_forms (form_id) SELECT unnest($1::TEXT[])",
        "DELETE FROM fields WHERE form_id = ANY($1)",
        "DELETE FROM removed_fields WHERE form_id = ANY($1)",
        "DELETE FROM receipts WHERE form_id = ANY($1)",
        "DELETE FROM insight_sweeps WHERE form_id = ANY($1)",
        "DELETE FROM insight_categories WHERE form_id = ANY($1)",
        "DELETE FROM imports WHERE form_id = ANY($1)",
        "DELETE FROM forms WHERE form_id = ANY($1)",
    ] {
        query::execute(tx, sql, &[&forms]).await?;
    }
    Ok(())
}

/// Deletes some rows of a deleted form that no other process is working on.
async fn delete_piece(tx: &Transaction<'_>) -> Result<DeletionStep> {
    let next = "SELECT form_id FROM deleted_forms ORDER BY form_id LIMIT 1 FOR UPDATE SKIP LOCKED";
    let Some(next) = query::fetch_row(tx, next, &[]).await? else {
        return Ok(DeletionStep::Finished);
    };
    let form: &str = read_column(&next, 0)?;
    // Analysis data of a submission is deleted with its row.
    for sql in [
        "DELETE FROM submissions WHERE form_id = $1 AND (submitted_at, id) IN (
           SELECT submitted_at, id FROM submissions WHERE form_id = $1
           ORDER BY submitted_at, id LIMIT $2 FOR UPDATE)",
        "DELETE FROM submission_days
         WHERE form_id = $1 AND (day, utm_source, utm_medium, utm_campaign) IN (
           SELECT day, utm_source, utm_medium, utm_campaign FROM submission_days
           WHERE form_id = $1 LIMIT $2)",
        "DELETE FROM unlisted WHERE form_id = $1 AND (state, submitted_at, id) IN (
           SELECT state, submitted_at, id FROM unlisted WHERE form_id = $1 LIMIT $2)",
        "DELETE FROM notes WHERE form_id = $1 AND (submitted_at, submission, id) IN (
           SELECT submitted_at, submission, id FROM notes WHERE form_id = $1 LIMIT $2)",
        "DELETE FROM triage_history WHERE form_id = $1 AND (submitted_at, submission, place) IN (
           SELECT submitted_at, submission, place FROM triage_history WHERE form_id = $1
           LIMIT $2)",
        "DELETE FROM read_marks WHERE form_id = $1 AND (submitted_at, submission, person) IN (
           SELECT submitted_at, submission, person FROM read_marks WHERE form_id = $1 LIMIT $2)",
        "DELETE FROM deliveries WHERE seq IN (
           SELECT seq FROM deliveries WHERE form_id = $1 LIMIT $2)",
        "DELETE FROM pending_mails WHERE (notification, seq) IN (
           SELECT notification, seq FROM pending_mails WHERE form_id = $1
           ORDER BY seq LIMIT $2 FOR UPDATE)",
        "DELETE FROM import_rows WHERE form_id = $1 AND (import, place) IN (
           SELECT import, place FROM import_rows WHERE form_id = $1 LIMIT $2)",
        "DELETE FROM import_days
         WHERE form_id = $1 AND (import, day, utm_source, utm_medium, utm_campaign) IN (
           SELECT import, day, utm_source, utm_medium, utm_campaign FROM import_days
           WHERE form_id = $1 LIMIT $2)",
    ] {
        if query::execute(tx, sql, &[&form, &PIECE_ROWS_MAX]).await? > 0 {
            return Ok(DeletionStep::Rows);
        }
    }
    query::execute(tx, "DELETE FROM deleted_forms WHERE form_id = $1", &[&form]).await?;
    Ok(DeletionStep::Form)
}
