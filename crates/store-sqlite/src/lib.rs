//! The store in one SQLite file: one writer thread and a pool of readers. Other processes may use
//! the same file.
//!
//! Acknowledged writes are on disk. Every call compares cached state with the version in the
//! file, so a running server sees the changes of the command line at once.

mod access;
mod accounts;
mod archive;
mod audit;
mod backup;
mod check;
mod connect;
mod disk;
pub(crate) mod disk_reserve;
pub(crate) mod erase_traces;
pub(crate) mod errors;
mod export;
mod forms;
pub(crate) mod health;
mod hidden;
mod identities;
mod import;
mod index;
mod insert;
pub(crate) mod insert_submission;
mod insight;
mod instants;
mod keys;
mod lifecycle;
pub(crate) mod live;
mod mail;
pub(crate) mod memory_index;
mod migrate;
mod open;
mod outbox;
mod people;
mod properties;
mod property_page;
mod query;
pub(crate) mod read_gate;
mod read_state;
mod readers;
mod request;
pub(crate) mod secure_erase;
pub(crate) mod selective_page;
mod sessions;
mod sorted_page;
pub(crate) mod submission_range;
mod submissions;
mod summary;
mod triage;
mod unlisted;
mod views;
pub(crate) mod write_ahead_log;
mod writer;

use crate::index::TextQuery;
pub use archive::{dump, restore};
use async_trait::async_trait;
pub use audit::verify;
pub use check::{CheckReport, check_all as check};
use contract::summary::Summary;
use contract::{
    AccountId, ApiKey, Environment, Field, Filter, FormId, Intake, KeyId, SubmissionId, Timestamp,
};
use errors::insertion_error;
use insert::SourceRows;
use memory_index::MemoryIndex;
use readers::{CancelFlag, ReadPool};
use request::ListRequest;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::audit::AuditRateLimiter;
pub use store::audit::{AuditReport, ChainReport};
use store::columns::database_error;
use store::new_submission::{InsertOutcome, IntakeRecord, NewSubmission, PreparedInsert};
use store::secret;
use store::{
    AccountRecord, Chunk, FormPosition, FormRecord, FormsPage, Hash, Import, ImportSource,
    KeyRecord, ListPage, OwnedSubmission, Owner, Page, Position, Result, Store, SubmissionSource,
    SummaryRequest,
};
use tokio::task::spawn_blocking;
use writer::Writer;

pub use errors::advice;
pub use health::StoreMetrics;
pub use memory_index::{IndexLimits, IndexStats};

/// A store in one file.
pub struct SqliteStore {
    path: PathBuf,
    writer: Writer,
    readers: Arc<ReadPool>,
    memory_index: Arc<MemoryIndex>,
    audit_limiter: Arc<AuditRateLimiter>,
}

/// Runs blocking file work on the blocking thread pool.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(work).await.map_err(database_error)?
}

impl SqliteStore {
    /// Returns the secret with a name; stores `new` if there is no such secret yet.
    async fn find_or_create_secret(&self, name: &'static str, new: Hash) -> Result<Hash> {
        let found = self.readers.read(move |conn| accounts::find_secret(conn, name)).await?;
        if let Some(secret) = found {
            return Ok(secret);
        }
        self.writer.write(move |conn| accounts::get_or_insert_secret(conn, name, new)).await
    }

    /// Lists a page. Returns `None` if there is no such form, or if it belongs to another owner.
    async fn list_rows(&self, request: ListRequest) -> Result<Option<ListPage>> {
        let index = Arc::clone(&self.memory_index);
        if let Some(query) = TextQuery::of(&request.filter) {
            let search = move |conn: &Connection, cancel_flag: &CancelFlag| {
                submissions::search(conn, &index, &request, &query, cancel_flag)
            };
            return self.readers.scan(search).await;
        }
        // Most pages are found in some microseconds, which is less than a switch of threads takes.
        let has_properties = request.filter.has_properties();
        let list_now = if has_properties { property_page::list_now } else { submissions::list_now };
        if let Some(page) = self.readers.read_here(|conn| list_now(conn, &index, &request)).await? {
            return Ok(Some(page));
        }
        if has_properties {
            let list = move |conn: &Connection, cancel_flag: &CancelFlag| {
                property_page::list(conn, &index, &request, cancel_flag)
            };
            return self.readers.scan(list).await;
        }
        self.readers.read(move |conn| submissions::list(conn, &index, &request)).await
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn insert_account(&self, record: AccountRecord) -> Result<()> {
        self.writer.write(move |conn| accounts::insert(conn, &record)).await
    }

    async fn find_account(&self, id: &AccountId) -> Result<Option<AccountRecord>> {
        self.readers.read_statement(|conn| accounts::find(conn, id)).await
    }

    async fn find_account_by_email(&self, email: &str) -> Result<Option<AccountRecord>> {
        let email = email.to_owned();
        self.readers.read(move |conn| accounts::find_by_email(conn, &email)).await
    }

    async fn list_accounts(&self) -> Result<Vec<AccountRecord>> {
        self.readers.read(accounts::list).await
    }

    async fn insert_form(&self, record: FormRecord) -> Result<()> {
        self.writer.write(move |conn| forms::insert(conn, &record)).await
    }

    async fn find_form(&self, id: &FormId) -> Result<Option<FormRecord>> {
        let id = id.clone();
        self.readers.read(move |conn| forms::find(conn, &id)).await
    }

    async fn rename_form(&self, id: &FormId, name: String) -> Result<bool> {
        let id = id.clone();
        self.writer.write(move |conn| forms::rename(conn, &id, &name)).await
    }

    async fn replace_fields(
        &self,
        id: &FormId,
        was: Vec<Field>,
        fields: Vec<Field>,
    ) -> Result<bool> {
        let id = id.clone();
        self.writer.write(move |conn| forms::replace_fields(conn, &id, &was, &fields)).await
    }

    async fn find_owner(&self, id: &FormId) -> Result<Option<Owner>> {
        self.readers.read_statement(|conn| forms::find_owner(conn, id)).await
    }

    async fn list_forms_page(
        &self,
        account: &AccountId,
        environment: Option<Environment>,
        form_ids: Option<&[FormId]>,
        after: Option<&FormPosition>,
        rows_max: usize,
    ) -> Result<FormsPage> {
        let account = account.clone();
        let form_ids = form_ids.map(<[FormId]>::to_vec);
        let after = after.cloned();
        let list = move |conn: &Connection| {
            let form_ids = form_ids.as_deref();
            forms::list(conn, &account, environment, form_ids, after.as_ref(), rows_max)
        };
        self.readers.read(list).await
    }

    async fn insert_key(&self, account: &AccountId, key: ApiKey, secret: Hash) -> Result<()> {
        let account = account.clone();
        self.writer.write(move |conn| keys::insert(conn, &account, &key, secret)).await
    }

    async fn find_key(&self, secret: Hash) -> Result<Option<KeyRecord>> {
        self.readers.read_statement(|conn| keys::find(conn, secret)).await
    }

    async fn list_keys(&self, account: &AccountId) -> Result<Vec<ApiKey>> {
        let account = account.clone();
        self.readers.read(move |conn| keys::list(conn, &account)).await
    }

    async fn revoke_key(&self, account: &AccountId, id: &KeyId, now: Timestamp) -> Result<bool> {
        let account = account.clone();
        let id = id.clone();
        self.writer.write_when_full(move |conn| keys::revoke(conn, &account, &id, now)).await
    }

    async fn touch_key(&self, id: &KeyId, now: Timestamp) -> Result<()> {
        let id = id.clone();
        self.writer.write_later(move |conn| keys::touch(conn, &id, now))
    }

    async fn list_page(
        &self,
        owner: &Owner,
        form: &FormId,
        filter: &Filter,
        after: Option<&Position>,
        limit: usize,
    ) -> Result<Option<Page>> {
        let page = self.list_rows(ListRequest::new(owner, form, filter, after, limit)).await?;
        Ok(page.map(|page| Page::from_list(page, limit)))
    }

    async fn export_submissions(
        &self,
        form: &FormId,
        filter: &Filter,
        after: Option<&Position>,
        chunk: Chunk,
    ) -> Result<Chunk> {
        let (form, filter, after) = (form.clone(), filter.clone(), after.cloned());
        let fill = move |conn: &Connection, cancel_flag: &CancelFlag| {
            export::fill_chunk(conn, &form, &filter, after, chunk, cancel_flag)
        };
        self.readers.scan(fill).await
    }

    async fn summarize(&self, request: SummaryRequest) -> Result<Option<Summary>> {
        let index = Arc::clone(&self.memory_index);
        self.readers
            .scan(move |conn, cancel_flag| summary::summarize(conn, &index, &request, cancel_flag))
            .await
    }

    async fn find_submission(&self, id: &SubmissionId) -> Result<Option<OwnedSubmission>> {
        self.readers.read_statement(|conn| submissions::find(conn, id)).await
    }

    async fn delete_submission(&self, id: &SubmissionId) -> Result<bool> {
        let id = id.clone();
        let index = Arc::clone(&self.memory_index);
        self.writer.write_when_full(move |conn| insert::delete_submission(conn, &index, &id)).await
    }

    async fn insert_submissions(
        &self,
        form: &FormId,
        fields: Vec<Field>,
        submissions: SubmissionSource,
    ) -> Result<u64> {
        let path = self.path.clone();
        let id = form.clone();
        let form = form.clone();
        let read = run_blocking(move || insert::read_source_start(&id, submissions)).await?;
        match read {
            SourceRows::Short(rows) => {
                let index = Arc::clone(&self.memory_index);
                self.writer
                    .write(move |conn| insert::insert_short(conn, &index, &form, &fields, rows))
                    .await
            }
            SourceRows::Long(rows, rest) => {
                let id = form.clone();
                let event = self.writer.audit_event();
                let insert =
                    move || import::insert_long_source(&path, &id, &fields, rows, rest, event);
                let inserted = run_blocking(insert).await?;
                self.send_inserted(&form, inserted).await;
                Ok(inserted)
            }
        }
    }

    async fn import_submissions(
        &self,
        form: &FormId,
        import: Import,
        source: ImportSource,
    ) -> Result<u64> {
        let path = self.path.clone();
        let id = form.clone();
        let event = self.writer.audit_event();
        let run = move || import::run_import(&path, &id, &import, source, event);
        let inserted = run_blocking(run).await?;
        self.send_inserted(form, inserted).await;
        Ok(inserted)
    }

    async fn delete_imports(&self, form: &FormId) -> Result<()> {
        let path = self.path.clone();
        let form = form.clone();
        run_blocking(move || import::delete_imports(&path, &form)).await
    }

    async fn find_intake(&self, form: &FormId) -> Result<Option<IntakeRecord>> {
        let form = form.clone();
        self.readers.read(move |conn| insert_submission::find_intake(conn, &form)).await
    }

    async fn update_intake(&self, form: &FormId, intake: Intake) -> Result<bool> {
        let form = form.clone();
        self.writer.write(move |conn| insert_submission::update_intake(conn, &form, &intake)).await
    }

    async fn insert_submission(&self, arrival: NewSubmission) -> Result<InsertOutcome> {
        self.writer.insert_submission(PreparedInsert::new(arrival)?).await
    }

    async fn cursor_secret(&self) -> Result<Hash> {
        self.find_or_create_secret("cursor", secret::generate_cursor_secret()).await
    }

    async fn backup(&self, to: &Path) -> Result<()> {
        let from = self.path.clone();
        let to = to.to_owned();
        run_blocking(move || backup::backup(&from, &to)).await
    }
}
