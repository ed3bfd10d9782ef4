//! The store in one SQLite file: one writer thread, several readers, other processes beside them.
//!
//! What was acknowledged is on disk. What is held between calls is compared with the file within
//! each call, so that what the command line writes is seen by a running server at once.

mod accounts;
mod arrival;
mod backup;
mod connect;
mod export;
mod forms;
mod held;
mod import;
mod insert;
mod keys;
mod migrate;
mod readers;
mod sessions;
mod spam;
mod sparse;
mod stretch;
mod submissions;
mod tidy;
mod writer;

use super::arrival::{Arrival, Arrived, IntakeRecord, SpamPage};
use super::row::{SubmissionRow, database};
use super::{
    AccountRecord, FormRecord, Hash, Import, ImportSource, KeyRecord, ListPage, OwnedSubmission,
    Portion, Position, Result, SessionRecord, Store, StoreError, SubmissionSource,
};
use crate::index::Query;
use crate::secret;
use async_trait::async_trait;
use contract::{
    AccountId, ApiKey, Field, Filter, Form, FormId, Intake, KeyId, SubmissionId, Timestamp,
};
use held::Held;
use insert::Read;
use readers::{Abandoned, Readers};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use submissions::Request;
use tokio::task::spawn_blocking;
use writer::Writer;

pub use held::{Holding, Holds};

/// So long after a write, what was deleted leaves the last traces in the files.
const TIDY_AFTER: Duration = Duration::from_secs(30);

/// A store in one file.
pub struct SqliteStore {
    path: PathBuf,
    writer: Writer,
    readers: Arc<Readers>,
    held: Arc<Held>,
}

impl SqliteStore {
    /// Opens a file, or makes it, readable by nobody else, with its folder.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] where the file cannot be made or is not this store's: why, and what to
    /// do. [`StoreError::Database`] where it is damaged or stays locked.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_holding(path, Holding::default())
    }

    /// As [`SqliteStore::open`], with bounds of one's own for what is held in memory.
    ///
    /// # Errors
    /// As there.
    pub fn open_holding(path: &Path, holding: Holding) -> Result<Self> {
        let mut conn = connect::first(path)?;
        migrate::migrate(path, &mut conn, migrate::MIGRATIONS)?;
        if let Err(error) = import::recover(path, &mut conn) {
            tracing::warn!(%error, "what a killed import left is removed later; nobody sees it");
        }
        let held = Held::new(path.to_owned(), holding)?;
        Ok(Self {
            path: path.to_owned(),
            writer: Writer::start(conn, TIDY_AFTER, Arc::clone(&held))?,
            readers: Readers::new(path.to_owned()),
            held,
        })
    }
}

impl SqliteStore {
    /// Returns what is held in memory at this moment.
    pub fn holds(&self) -> Holds {
        self.held.holds()
    }
}

/// Returns what a person can do about an error, where it is one of the file or the disk.
pub fn advice(error: &StoreError) -> Option<&'static str> {
    use rusqlite::ErrorCode;
    let StoreError::Database(source) = error else { return None };
    match source.downcast_ref::<rusqlite::Error>()?.sqlite_error_code()? {
        ErrorCode::DiskFull => Some("make room on the disk and try again"),
        ErrorCode::SystemIoFailure => Some("check whether the disk is full or failing"),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Some("the file is damaged: put a backup in its place")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            Some("another process is using it; try again")
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            Some("check who may write to the data directory")
        }
        _ => None,
    }
}

/// Returns the error of an insertion; `what` names what is there already, where that is why.
fn exists(error: rusqlite::Error, what: impl FnOnce() -> String) -> StoreError {
    use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};
    match error.sqlite_extended_error_code() {
        Some(SQLITE_CONSTRAINT_PRIMARYKEY | SQLITE_CONSTRAINT_UNIQUE) => StoreError::Exists(what()),
        _ => database(error),
    }
}

/// Does what waits for a file on a thread where waiting harms nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(work).await.map_err(database)?
}

#[async_trait]
impl Store for SqliteStore {
    async fn insert_account(&self, record: AccountRecord) -> Result<()> {
        self.writer.write(move |conn| accounts::insert(conn, &record)).await
    }

    async fn find_account(&self, id: &AccountId) -> Result<Option<AccountRecord>> {
        let id = id.clone();
        self.readers.read(move |conn| accounts::find(conn, &id)).await
    }

    async fn find_account_by_email(&self, email: &str) -> Result<Option<AccountRecord>> {
        let email = email.to_owned();
        self.readers.read(move |conn| accounts::find_by_email(conn, &email)).await
    }

    async fn list_accounts(&self) -> Result<Vec<AccountRecord>> {
        self.readers.read(accounts::list).await
    }

    async fn insert_link(
        &self,
        token: Hash,
        account: &AccountId,
        expires_at: Timestamp,
    ) -> Result<()> {
        let account = account.clone();
        self.writer
            .write(move |conn| sessions::insert_link(conn, token, &account, expires_at))
            .await
    }

    async fn take_link(&self, token: Hash, now: Timestamp) -> Result<Option<AccountId>> {
        self.writer.write(move |conn| sessions::take_link(conn, token, now)).await
    }

    async fn insert_session(&self, session: SessionRecord) -> Result<()> {
        self.writer.write(move |conn| sessions::insert(conn, &session)).await
    }

    async fn find_session(&self, token: Hash) -> Result<Option<SessionRecord>> {
        self.readers.read(move |conn| sessions::find(conn, token)).await
    }

    async fn touch_session(&self, token: Hash, seen_at: Timestamp) -> Result<()> {
        self.writer.write_later(move |conn| sessions::touch(conn, token, seen_at))
    }

    async fn delete_sessions(&self, seen_at: Timestamp, created_at: Timestamp) -> Result<()> {
        self.writer.write(move |conn| sessions::delete_old(conn, seen_at, created_at)).await
    }

    async fn delete_session(&self, token: Hash) -> Result<()> {
        self.writer.write(move |conn| sessions::delete(conn, token)).await
    }

    async fn insert_form(&self, record: FormRecord) -> Result<()> {
        self.writer.write(move |conn| forms::insert(conn, &record)).await
    }

    async fn find_form(&self, id: &FormId) -> Result<Option<FormRecord>> {
        let id = id.clone();
        self.readers.read(move |conn| forms::find(conn, &id)).await
    }

    async fn list_forms(&self, account: &AccountId) -> Result<Vec<Form>> {
        let account = account.clone();
        self.readers.read(move |conn| forms::list(conn, &account)).await
    }

    async fn insert_key(&self, account: &AccountId, key: ApiKey, secret: Hash) -> Result<()> {
        let account = account.clone();
        self.writer.write(move |conn| keys::insert(conn, &account, &key, secret)).await
    }

    async fn find_key(&self, secret: Hash) -> Result<Option<KeyRecord>> {
        self.readers.read(move |conn| keys::find(conn, secret)).await
    }

    async fn list_keys(&self, account: &AccountId) -> Result<Vec<ApiKey>> {
        let account = account.clone();
        self.readers.read(move |conn| keys::list(conn, &account)).await
    }

    async fn revoke_key(&self, account: &AccountId, id: &KeyId, now: Timestamp) -> Result<bool> {
        let (account, id) = (account.clone(), id.clone());
        self.writer.write(move |conn| keys::revoke(conn, &account, &id, now)).await
    }

    async fn touch_key(&self, id: &KeyId, now: Timestamp) -> Result<()> {
        let id = id.clone();
        self.writer.write_later(move |conn| keys::touch(conn, &id, now))
    }

    async fn list_submissions(
        &self,
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        rows_max: usize,
    ) -> Result<ListPage> {
        let request = request(form, filter, behind, rows_max);
        let held = Arc::clone(&self.held);
        if let Some(query) = Query::of(filter) {
            let search = move |conn: &Connection, waits: &Abandoned| {
                submissions::search(conn, &held, &request, &query, waits)
            };
            self.readers.scan(search).await
        } else {
            self.readers.read(move |conn| submissions::list(conn, &held, &request)).await
        }
    }

    async fn export_submissions(
        &self,
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        portion: Portion,
    ) -> Result<Portion> {
        let request = request(form, filter, behind, usize::MAX);
        self.readers.scan(move |conn, waits| export::export(conn, &request, portion, waits)).await
    }

    async fn find_submission(&self, id: &SubmissionId) -> Result<Option<OwnedSubmission>> {
        let id = id.clone();
        self.readers.read(move |conn| submissions::find(conn, &id)).await
    }

    async fn delete_submission(&self, id: &SubmissionId) -> Result<bool> {
        let (id, held) = (id.clone(), Arc::clone(&self.held));
        self.writer.write(move |conn| insert::delete(conn, &held, &id)).await
    }

    async fn insert_submissions(
        &self,
        form: &FormId,
        fields: Vec<Field>,
        submissions: SubmissionSource,
    ) -> Result<u64> {
        let (path, id) = (self.path.clone(), form.clone());
        let form = form.clone();
        let read = blocking(move || insert::read(&id, submissions)).await?;
        match read {
            Read::Short(rows) => {
                let held = Arc::clone(&self.held);
                self.writer
                    .write(move |conn| insert::insert_short(conn, &held, &form, &fields, rows))
                    .await
            }
            Read::Long(rows, rest) => {
                blocking(move || import::insert(&path, &form, &fields, rows, rest)).await
            }
        }
    }

    async fn import_submissions(
        &self,
        form: &FormId,
        import: Import,
        source: ImportSource,
    ) -> Result<u64> {
        let (path, form) = (self.path.clone(), form.clone());
        blocking(move || import::run(&path, &form, &import, source)).await
    }

    async fn delete_imports(&self, form: &FormId) -> Result<()> {
        let (path, form) = (self.path.clone(), form.clone());
        blocking(move || import::delete(&path, &form)).await
    }

    async fn find_intake(&self, form: &FormId) -> Result<Option<IntakeRecord>> {
        let form = form.clone();
        self.readers.read(move |conn| arrival::find_intake(conn, &form)).await
    }

    async fn update_intake(&self, form: &FormId, intake: Intake) -> Result<bool> {
        let form = form.clone();
        self.writer.write(move |conn| arrival::update_intake(conn, &form, &intake)).await
    }

    async fn insert_arrival(&self, arrival: Arrival) -> Result<Arrived> {
        let Arrival { form, version, submission, fields, spam, repeat } = arrival;
        let (id, submitted_at) = (submission.id.clone(), submission.metadata.submitted_at);
        let row = SubmissionRow::new(submission)?;
        let ready = arrival::Ready { form, version, id, submitted_at, row, fields, spam, repeat };
        let held = Arc::clone(&self.held);
        self.writer.write(move |conn| arrival::insert(conn, &held, ready)).await
    }

    async fn list_spam(
        &self,
        form: &FormId,
        after: Timestamp,
        behind: Option<&Position>,
        rows_max: usize,
    ) -> Result<SpamPage> {
        let (form, behind) = (form.clone(), behind.cloned());
        let behind = move |conn: &_| spam::list(conn, &form, after, behind.as_ref(), rows_max);
        self.readers.read(behind).await
    }

    async fn release_spam(&self, form: &FormId, id: &SubmissionId) -> Result<bool> {
        let (form, id, held) = (form.clone(), id.clone(), Arc::clone(&self.held));
        self.writer.write(move |conn| spam::release(conn, &held, &form, &id)).await
    }

    async fn delete_spam(&self, form: &FormId, id: Option<&SubmissionId>) -> Result<u64> {
        let (form, id) = (form.clone(), id.cloned());
        self.writer.write(move |conn| spam::delete(conn, &form, id.as_ref())).await
    }

    async fn cursor_secret(&self) -> Result<Hash> {
        let kept = self.readers.read(|conn| accounts::find_cursor_secret(conn).map_err(database));
        if let Some(kept) = kept.await? {
            return Ok(kept);
        }
        let new = secret::mint_cursor_secret();
        self.writer.write(move |conn| accounts::cursor_secret(conn, new)).await
    }

    async fn backup(&self, to: &Path) -> Result<()> {
        let (from, to) = (self.path.clone(), to.to_owned());
        blocking(move || backup::backup(&from, &to)).await
    }
}

fn request(form: &FormId, filter: &Filter, behind: Option<&Position>, rows_max: usize) -> Request {
    Request { form: form.clone(), filter: filter.clone(), behind: behind.cloned(), rows_max }
}
