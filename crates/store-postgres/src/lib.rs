//! The store in PostgreSQL, for any number of processes that share one database.
//!
//! Shared state is only in the database. What a process caches between calls, it compares with the
//! database at each use. Every key of a form's rows includes `form_id`, so that forms can be
//! distributed over machines.

mod access;
mod accounts;
mod address;
mod answer_cache;
mod answers;
mod archive;
mod audit;
pub(crate) mod cancel_on_drop;
mod connect;
mod days;
pub(crate) mod dirty_connections;
pub(crate) mod errors;
mod export;
pub(crate) mod fair_share;
mod forms;
pub(crate) mod health;
mod identities;
mod import;
mod insert;
pub(crate) mod insert_queue;
mod insight;
mod keys;
pub(crate) mod keyset_scan;
pub(crate) mod last_used;
mod lifecycle;
mod limits;
mod live;
mod mail;
mod migrate;
mod open;
mod outbox;
mod people;
mod pool;
pub(crate) mod preflight;
mod property_conditions;
pub(crate) mod query;
mod query_params;
mod read_state;
mod replica;
mod search_term;
mod sessions;
pub(crate) mod submission_range;
mod submissions;
mod summary;
#[cfg(test)]
mod test_database;
pub(crate) mod text_encoding;
mod tls;
pub(crate) mod transaction;
mod triage;
mod unlisted;
mod views;

use crate::errors::database_error;
use answer_cache::AnswerCache;
use async_trait::async_trait;
use audit::AuditQueue;
use connect::Connections;
use contract::audit::AuditEvent;
use contract::summary::Summary;
use contract::{
    AccountId, ApiKey, Environment, Field, Filter, FormId, Intake, KeyId, SubmissionId, Timestamp,
};
use last_used::LastUsedQueue;
use std::path::Path;
use std::sync::Arc;
use store::new_submission::{InsertOutcome, IntakeRecord, NewSubmission};
use store::secret;
use store::{
    AccountRecord, Chunk, FormPosition, FormRecord, FormsPage, Hash, Import, ImportSource,
    KeyRecord, ListPage, OwnedSubmission, Owner, Page, Position, Result, Store, StoreError,
    SubmissionSource, SummaryRequest,
};
use submissions::CachedList;
use transaction::Conn;

pub use archive::{dump, restore};
pub use connect::{Migrate, Setup};
pub use health::{PoolStatus, StoreMetrics};
pub use limits::shared_limits;
pub use replica::REPLICA_LAG_MAX;

/// A store in a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresStore {
    connections: Arc<Connections>,
    insert_queue: Arc<insert_queue::InsertQueue>,
    answers: Arc<AnswerCache>,
    /// The audit event that is recorded with the next write.
    audit_event: Option<AuditEvent>,
    audit_queue: Arc<AuditQueue>,
    last_used: LastUsedQueue,
    live: Arc<live::LiveListener>,
    /// Identifies this process to other processes.
    instance_id: Hash,
}

impl PostgresStore {
    /// Returns the secret with a name; stores `new` if there is no such secret yet.
    async fn find_or_create_secret(&self, name: &str, new: Hash) -> Result<Hash> {
        let mut conn = self.connections.get().await?;
        // Nearly every call finds the secret, so look for it without a transaction.
        if let Some(secret) = accounts::find_secret(&conn, name).await? {
            return Ok(secret);
        }
        let tx = self.begin_write(&mut conn).await?;
        let done = accounts::init_secret(&tx, name, new).await?;
        tx.commit_audited(done).await
    }

    /// Lists a page. The statement is canceled if the future is dropped. Searches and filters by
    /// labels, numbers or answers use the pool for long reads, because they may read all rows.
    async fn list_cancelable(
        &self,
        request: &submissions::PageRequest<'_>,
    ) -> Result<Option<ListPage>> {
        let filter = request.filter;
        let mut conn = if filter.search.is_some() || filter.has_properties() {
            self.get_cancelable_long(request.form).await?
        } else {
            self.get_cancelable().await?
        };
        let page = match self.read_page(&mut conn, request).await {
            Ok(page) => page,
            Err(error) => {
                // If the replica failed, repeat the read on the primary.
                conn = self.fall_back_to_primary(conn, error, request.form).await?;
                self.read_page(&mut conn, request).await?
            }
        };
        conn.release();
        Ok(page)
    }

    /// Reads a page: by the answers in memory, if the filter has criteria for answers.
    async fn read_page(
        &self,
        conn: &mut Conn,
        request: &submissions::PageRequest<'_>,
    ) -> Result<Option<ListPage>> {
        let filter = request.filter;
        let can_cache = self.connections.caches_answers && filter.search.is_none();
        if can_cache && !filter.fields.is_empty() {
            let tx = self.begin_read(conn).await?;
            let list = submissions::list_cached(&tx, &self.answers, request).await?;
            tx.commit().await.map_err(database_error)?;
            match list {
                CachedList::Found(page) => return Ok(page),
                CachedList::NotCached(columns) => self.load_answers(request.form, columns),
                CachedList::NeedsScan => {}
            }
        }
        submissions::list_page(conn, request).await
    }

    async fn summarize_on(
        &self,
        conn: &mut Conn,
        request: &SummaryRequest,
    ) -> Result<Option<Summary>> {
        let tx = self.begin_read(conn).await?;
        let summary = summary::summarize(&tx, request).await?;
        tx.commit().await.map_err(database_error)?;
        Ok(summary)
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn insert_account(&self, record: AccountRecord) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = accounts::insert(&tx, &record).await?;
        tx.commit_audited(done).await
    }

    async fn find_account(&self, id: &AccountId) -> Result<Option<AccountRecord>> {
        accounts::find_account(&self.connections.get().await?, id).await
    }

    async fn find_account_by_email(&self, email: &str) -> Result<Option<AccountRecord>> {
        accounts::find_by_email(&self.connections.get().await?, email).await
    }

    async fn list_accounts(&self) -> Result<Vec<AccountRecord>> {
        accounts::list_accounts(&self.connections.get().await?).await
    }

    async fn insert_form(&self, record: FormRecord) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        forms::insert(&tx, &record).await?;
        tx.commit_audited(()).await
    }

    async fn find_form(&self, id: &FormId) -> Result<Option<FormRecord>> {
        forms::find_form(&self.connections.get().await?, id).await
    }

    async fn rename_form(&self, id: &FormId, name: String) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let renamed = forms::rename_form(&tx, id, &name).await?;
        tx.commit_audited(renamed).await
    }

    async fn replace_fields(
        &self,
        id: &FormId,
        was: Vec<Field>,
        fields: Vec<Field>,
    ) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let replaced = forms::replace_fields(&tx, id, &was, &fields).await?;
        tx.commit_audited(replaced).await
    }

    async fn find_owner(&self, id: &FormId) -> Result<Option<Owner>> {
        forms::find_owner(&self.connections.get().await?, id).await
    }

    async fn list_forms_page(
        &self,
        account: &AccountId,
        environment: Option<Environment>,
        form_ids: Option<&[FormId]>,
        after: Option<&FormPosition>,
        rows_max: usize,
    ) -> Result<FormsPage> {
        let conn = self.connections.get().await?;
        forms::list_forms(&conn, account, environment, form_ids, after, rows_max).await
    }

    async fn insert_key(&self, account: &AccountId, key: ApiKey, secret: Hash) -> Result<()> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = keys::insert(&tx, account, &key, secret).await?;
        tx.commit_audited(done).await
    }

    async fn find_key(&self, secret: Hash) -> Result<Option<KeyRecord>> {
        keys::find_key(&self.connections.get().await?, secret).await
    }

    async fn list_keys(&self, account: &AccountId) -> Result<Vec<ApiKey>> {
        keys::list_keys(&self.connections.get().await?, account).await
    }

    async fn revoke_key(&self, account: &AccountId, id: &KeyId, now: Timestamp) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = keys::revoke_key(&tx, account, id, now).await?;
        tx.commit_audited(done).await
    }

    async fn touch_key(&self, id: &KeyId, now: Timestamp) -> Result<()> {
        self.last_used.touch_key(id, now).await;
        Ok(())
    }

    async fn list_page(
        &self,
        owner: &Owner,
        form: &FormId,
        filter: &Filter,
        after: Option<&Position>,
        limit: usize,
    ) -> Result<Option<Page>> {
        // Fetch one extra row to detect a next page.
        let rows_max = limit.saturating_add(1);
        let request = submissions::PageRequest { owner, form, filter, after, rows_max };
        let page = self.list_cancelable(&request).await?;
        Ok(page.map(|page| Page::from_list(page, limit)))
    }

    async fn export_submissions(
        &self,
        form: &FormId,
        filter: &Filter,
        after: Option<&Position>,
        mut chunk: Chunk,
    ) -> Result<Chunk> {
        let mut conn = self.get_cancelable_long(form).await?;
        if let Err(error) = export::fill_chunk(&conn, form, filter, after, &mut chunk).await {
            conn = self.fall_back_to_primary(conn, error, form).await?;
            export::fill_chunk(&conn, form, filter, after, &mut chunk).await?;
        }
        conn.release();
        Ok(chunk)
    }

    async fn summarize(&self, request: SummaryRequest) -> Result<Option<Summary>> {
        let mut conn = self.get_cancelable_long(&request.form).await?;
        let summary = match self.summarize_on(&mut conn, &request).await {
            Ok(summary) => summary,
            Err(error) => {
                conn = self.fall_back_to_primary(conn, error, &request.form).await?;
                self.summarize_on(&mut conn, &request).await?
            }
        };
        conn.release();
        Ok(summary)
    }

    async fn find_submission(&self, id: &SubmissionId) -> Result<Option<OwnedSubmission>> {
        submissions::find_submission(&self.connections.get().await?, id).await
    }

    async fn delete_submission(&self, id: &SubmissionId) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let deleted = submissions::delete_submission(&tx, id).await?;
        tx.commit_audited(deleted).await
    }

    async fn insert_submissions(
        &self,
        form: &FormId,
        fields: Vec<Field>,
        submissions: SubmissionSource,
    ) -> Result<u64> {
        let mut conn = self.connections.get_long().await?;
        let tx = self.begin_write(&mut conn).await?;
        let inserted = submissions::insert_source(&tx, form, &fields, submissions).await?;
        tx.commit_audited(inserted).await
    }

    async fn import_submissions(
        &self,
        form: &FormId,
        import: Import,
        source: ImportSource,
    ) -> Result<u64> {
        import::run(&self.connections, form, import, source, self.audit_event.clone()).await
    }

    async fn delete_imports(&self, form: &FormId) -> Result<()> {
        import::delete_killed(&self.connections, form).await
    }

    async fn find_intake(&self, form: &FormId) -> Result<Option<IntakeRecord>> {
        let mut conn = self.connections.get().await?;
        insert_queue::find_intake(&self.begin_read(&mut conn).await?, form).await
    }

    async fn update_intake(&self, form: &FormId, intake: Intake) -> Result<bool> {
        let mut conn = self.connections.get().await?;
        let tx = self.begin_write(&mut conn).await?;
        let done = insert_queue::update_intake(&tx, form, &intake).await?;
        tx.commit_audited(done).await
    }

    async fn insert_submission(&self, arrival: NewSubmission) -> Result<InsertOutcome> {
        self.insert_queue.insert_submission(arrival).await
    }

    async fn cursor_secret(&self) -> Result<Hash> {
        self.find_or_create_secret("cursor", secret::generate_cursor_secret()).await
    }

    async fn backup(&self, to: &Path) -> Result<()> {
        Err(StoreError::Unusable(format!(
            "a backup is a copy of a SQLite file; use `sheaf dump {}` for PostgreSQL",
            to.display()
        )))
    }
}
