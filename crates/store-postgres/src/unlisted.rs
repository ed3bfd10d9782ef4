//! Submissions that a form stores but does not list: spam and trash, in PostgreSQL.
//!
//! Writers lock the form's row first. There are two exceptions: [`delete::delete_expired`] skips
//! locked rows, and a restore inserts the submissions before it locks the form.

mod delete;
mod list;
mod restore;
mod unlist;

use super::query::insert_error;
use super::query_params::QueryParams;
use super::{PostgresStore, query};
use crate::errors::database_error;
use async_trait::async_trait;
use contract::{Field, FormId, SpamReason, SubmissionId, Timestamp};
use deadpool_postgres::Transaction;
use store::audit::Unaudited;
use store::columns::SubmissionRow;
use store::unlisted::{
    MoveOutcome, SPAM_ROWS_MAX, Selection, SpamPage, TrashPage, TrashQuery, UnlistRequest,
    UnlistedSelection, UnlistedState, UnlistedStore,
};
use store::{Position, Result};

#[async_trait]
impl UnlistedStore for PostgresStore {
    async fn move_submissions(&self, request: UnlistRequest) -> Result<Option<MoveOutcome>> {
        let is_long = matches!(request.selection, Selection::Matching { .. });
        let (mut conn, _share) = self.connections.get_for_form(&request.form, is_long).await?;
        let tx = self.begin_write(&mut conn).await?;
        let outcome = unlist::run(&tx, &request).await?;
        tx.commit_audited(outcome).await
    }

    async fn list_spam(
        &self,
        form: &FormId,
        moved_after: Timestamp,
        after: Option<&Position>,
        rows_max: usize,
    ) -> Result<SpamPage> {
        let mut conn = self.connections.get().await?;
        list::list_spam(&self.begin_read(&mut conn).await?, form, moved_after, after, rows_max)
            .await
    }

    async fn list_trash(&self, query: TrashQuery) -> Result<TrashPage> {
        let is_long = query.search.is_some();
        let (mut conn, _share) = self.connections.get_for_form(&query.form, is_long).await?;
        list::list_trash(&self.begin_read(&mut conn).await?, &query).await
    }

    async fn restore_submissions(
        &self,
        form: &FormId,
        state: UnlistedState,
        chosen: UnlistedSelection,
    ) -> Result<u64> {
        let (mut conn, _share) = self.connections.get_for_form(form, is_long(&chosen)).await?;
        let tx = self.begin_write(&mut conn).await?;
        match restore::run(&tx, form, state, &chosen).await? {
            Some(count) => tx.commit_audited(count).await,
            None => Ok(0),
        }
    }

    async fn delete_unlisted(
        &self,
        form: &FormId,
        state: UnlistedState,
        chosen: UnlistedSelection,
    ) -> Result<u64> {
        let (mut conn, _share) = self.connections.get_for_form(form, is_long(&chosen)).await?;
        let tx = self.begin_write(&mut conn).await?;
        let count = delete::run(&tx, form, state, &chosen).await?;
        tx.commit_audited(count).await
    }

    async fn set_trash_days(&self, form: &FormId, days: u8) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let sql = "UPDATE forms SET trash_days = $2 WHERE form_id = $1";
        let changed = query::execute(&*tx, sql, &[&form.as_str(), &i64::from(days)]).await?;
        tx.commit_audited(changed > 0).await
    }

    async fn purge_expired(&self, now: Timestamp) -> Result<u64> {
        let mut conn = self.connections.get_long().await?;
        let mut purged = 0;
        for form in delete::list_due_forms(&conn, now).await? {
            loop {
                let tx = self.begin_write(&mut conn).await?;
                let count = delete::delete_expired(&tx, &form, now).await?;
                tx.commit_audited(Unaudited).await?;
                purged += count;
                if count == 0 {
                    break;
                }
            }
        }
        Ok(purged)
    }
}

/// Whether a request may change more rows than one that lists ids.
fn is_long(chosen: &UnlistedSelection) -> bool {
    !matches!(chosen, UnlistedSelection::Ids(_))
}

/// The chosen unlisted rows of a form.
#[derive(Clone, Copy)]
struct UnlistedRows<'a> {
    form: &'a FormId,
    state: UnlistedState,
    chosen: &'a UnlistedSelection,
}

impl UnlistedRows<'_> {
    /// Returns the condition on `u` to be one of the rows.
    fn condition(&self, params: &mut QueryParams) -> String {
        let form = params.push_text(self.form.as_str());
        let state = params.push_text(self.state.as_str());
        let rows = format!("u.form_id = {form} AND u.state = {state}");
        match self.chosen {
            UnlistedSelection::All => rows,
            UnlistedSelection::Ids(ids) => {
                let ids = params.push_texts(ids.iter().map(SubmissionId::as_str));
                format!("{rows} AND u.id = ANY({ids})")
            }
            UnlistedSelection::Batch(batch) => {
                format!("{rows} AND u.batch = {}", params.push_text(batch.as_str()))
            }
        }
    }
}

/// A submission that intake marked as spam.
pub(super) struct SpamEntry<'r> {
    pub(super) reason: SpamReason,
    pub(super) row: &'r SubmissionRow,
    pub(super) fields: &'r [Field],
}

/// Inserts spam from intake into a locked form.
pub(super) async fn insert_spam(
    tx: &Transaction<'_>,
    form: &FormId,
    entries: &[SpamEntry<'_>],
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let at: Vec<i64> = entries.iter().map(|entry| entry.row.submitted_at).collect();
    let ids: Vec<&str> = entries.iter().map(|entry| entry.row.id.as_str()).collect();
    let reasons: Vec<&str> = entries.iter().map(|entry| entry.reason.as_str()).collect();
    let json: Vec<&str> = entries.iter().map(|it| it.row.json.as_str()).collect();
    let fields: Result<Vec<String>, _> =
        entries.iter().map(|it| serde_json::to_string(it.fields)).collect();
    let fields = fields.map_err(database_error)?;
    let sql = "INSERT INTO unlisted
                 (form_id, state, submitted_at, id, moved_at, reason, json, fields)
               SELECT $1, 'spam', n.at, n.id, n.at, n.reason, n.json, n.fields
               FROM unnest($2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[])
                 AS n (at, id, reason, json, fields)";
    query::execute_raw(tx, sql, &[&form.as_str(), &at, &ids, &reasons, &json, &fields])
        .await
        .map_err(|error| insert_error(error, || "a submission of the same id".to_owned()))?;
    trim_spam(tx, form).await
}

/// Deletes the oldest spam from intake beyond [`SPAM_ROWS_MAX`]. Spam that the owner marked does
/// not count. The form's row is locked.
async fn trim_spam(tx: &Transaction<'_>, form: &FormId) -> Result<()> {
    let rows_max = i64::try_from(SPAM_ROWS_MAX).map_err(database_error)?;
    let sql = "DELETE FROM unlisted WHERE form_id = $1 AND state = 'spam' AND batch IS NULL
                 AND (moved_at, submitted_at, id) <= (
                   SELECT moved_at, submitted_at, id FROM unlisted
                   WHERE form_id = $1 AND state = 'spam' AND batch IS NULL
                   ORDER BY moved_at DESC, submitted_at DESC, id DESC LIMIT 1 OFFSET $2)";
    query::execute(tx, sql, &[&form.as_str(), &rows_max]).await.map(drop)
}
