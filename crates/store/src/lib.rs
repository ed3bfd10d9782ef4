//! The storage interface: the trait [`Store`], its records and errors, and code that both
//! implementations share. This crate has no database driver.
//!
//! The trait works with accounts, forms, keys and submissions, not with rows or SQL. Each method is
//! one transaction: it is complete and on disk, or it has no effect. No method checks permissions;
//! the caller has checked account and environment before.

use async_trait::async_trait;
use chrono_tz::Tz;
use contract::form::FORMS_MAX;
use contract::summary::Summary;
use contract::{
    Account, AccountId, ApiKey, Environment, Field, FieldId, Filter, Form, FormId, Intake, KeyId,
    Submission, SubmissionId, Timestamp,
};
use std::path::Path;
use std::sync::Arc;

pub mod access;
pub mod answers;
pub mod archive;
pub mod audit;
pub(crate) mod chunk;
pub mod clock;
pub mod columns;
pub mod daily_limits;
pub(crate) mod error;
pub mod identity;
pub mod ids;
pub mod insight;
pub mod insight_correction;
pub mod keys;
pub mod lifecycle;
pub mod live;
pub mod mail;
pub mod new_fields;
pub mod new_submission;
pub mod outbox;
pub mod pages;
pub mod part_file;
pub(crate) mod queue_stats;
pub mod read_state;
pub mod secret;
pub mod shared_limits;
pub mod sorted;
pub mod summary;
pub mod triage;
pub mod unlisted;
pub mod views;
pub mod window;
pub mod zone;

pub use access::{PersonRecord, SessionOwner, SessionProof, SessionRecord};
pub use chunk::Chunk;
pub use error::{KEYS_PER_HOUR_MAX, Result, StoreError};
pub use pages::{
    FormPosition, FormsPage, ListPage, OwnedSubmission, Page, Position, StoredSubmission,
};
pub use queue_stats::QueueStats;

use access::AccessStore;
use audit::AuditStore;
use identity::IdentityStore;
use insight::InsightStore;
use lifecycle::LifecycleStore;
use live::LiveStore;
use mail::MailStore;
use new_submission::{InsertOutcome, IntakeRecord, NewSubmission};
use outbox::OutboxStore;
use read_state::ReadStateStore;
use sorted::SortedStore;
use triage::TriageStore;
use unlisted::UnlistedStore;
use views::ViewStore;

/// SHA-256 of a secret or a token. Only this hash is stored.
pub type Hash = [u8; 32];

/// An account and the password hash of its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRecord {
    /// The account.
    pub account: Account,
    /// Password hash as a PHC string; `None` if only a link can sign in.
    pub password_hash: Option<String>,
    /// Creation time.
    pub created_at: Timestamp,
}

/// A form and its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormRecord {
    /// The account that owns the form.
    pub account_id: AccountId,
    /// The form.
    pub form: Form,
}

/// Account and environment of a form and its submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The account.
    pub account_id: AccountId,
    /// The environment.
    pub environment: Environment,
}

/// A key and its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The account; its plan sets the limits of the key.
    pub account: Arc<Account>,
    /// The key.
    pub key: Arc<ApiKey>,
}

/// Parameters of a summary.
#[derive(Debug, Clone)]
pub struct SummaryRequest {
    /// The form.
    pub form: FormId,
    /// Filter of the submissions.
    pub filter: Filter,
    /// Time zone of the days.
    pub zone: Tz,
    /// The only field to count; `None` for the first rating, choice and boolean fields.
    pub field: Option<FieldId>,
}

/// Submissions to insert, in order. An error aborts the whole insertion.
pub type SubmissionSource =
    Box<dyn Iterator<Item = std::result::Result<Submission, String>> + Send>;

/// A long insertion that can be resumed after its process was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Identifies the import: the same for the same content and options.
    pub fingerprint: Hash,
    /// Fields that it appends to its form.
    pub fields: Vec<Field>,
    /// Start time. Submissions without an instant of their own get it.
    pub began_at: Timestamp,
    /// Number of its submissions already on disk, still hidden; 0 in a new import.
    pub inserted: u64,
}

/// Creates the source of an import: the submissions after those already on disk. It must use the
/// fields and the start time of the import that it gets.
pub type ImportSource =
    Box<dyn FnOnce(&Import) -> std::result::Result<SubmissionSource, String> + Send>;

/// The store.
#[async_trait]
pub trait Store:
    AccessStore
    + AuditStore
    + IdentityStore
    + InsightStore
    + LifecycleStore
    + LiveStore
    + MailStore
    + OutboxStore
    + ReadStateStore
    + SortedStore
    + TriageStore
    + UnlistedStore
    + ViewStore
{
    /// Inserts an account with its owner. The owner's id is the account's id with another prefix.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if another user has the email address, ignoring case.
    async fn insert_account(&self, record: AccountRecord) -> Result<()>;
    /// Finds an account by its id.
    async fn find_account(&self, id: &AccountId) -> Result<Option<AccountRecord>>;
    /// Finds an account by its email address, ignoring case.
    async fn find_account_by_email(&self, email: &str) -> Result<Option<AccountRecord>>;
    /// Lists all accounts, oldest first.
    async fn list_accounts(&self) -> Result<Vec<AccountRecord>>;

    /// Inserts a form with its fields. Ignores the count and the last submission of the given form.
    ///
    /// # Errors
    /// [`StoreError::TooManyForms`]; [`StoreError::Exists`] if the id or a key is taken.
    async fn insert_form(&self, record: FormRecord) -> Result<()>;
    /// Finds a form, with its exact count and last submission.
    async fn find_form(&self, id: &FormId) -> Result<Option<FormRecord>>;
    /// Renames a form; `false` if there is no such form.
    async fn rename_form(&self, id: &FormId, name: String) -> Result<bool>;
    /// Replaces the fields of a form if they are still `was`; `false` if they are not.
    /// [`StoreError::Exists`] if two of the fields have the same id or the same key.
    async fn replace_fields(
        &self,
        id: &FormId,
        was: Vec<Field>,
        fields: Vec<Field>,
    ) -> Result<bool>;
    /// Finds the account and environment of a form. Faster than [`Store::find_form`].
    async fn find_owner(&self, id: &FormId) -> Result<Option<Owner>>;
    /// Lists at most `rows_max` of the forms of an account in one environment or both, oldest
    /// first, after the position `after`. With `only`, lists and counts only these forms; an id of
    /// another form has no effect.
    async fn list_forms_page(
        &self,
        account: &AccountId,
        environment: Option<Environment>,
        only: Option<&[FormId]>,
        after: Option<&FormPosition>,
        rows_max: usize,
    ) -> Result<FormsPage>;
    /// Lists all of an account's forms in both environments, oldest first.
    async fn list_forms(&self, account: &AccountId) -> Result<Vec<Form>> {
        Ok(self.list_forms_page(account, None, None, None, FORMS_MAX).await?.forms)
    }

    /// Inserts a key and the hash of its secret.
    ///
    /// # Errors
    /// [`StoreError::KeysTooFast`] if the account has created twenty keys within the hour;
    /// [`StoreError::TooManyKeys`] if it has ten active keys (§5.6), also with concurrent calls.
    /// A key that expired before the new one was created is not active.
    async fn insert_key(&self, account: &AccountId, key: ApiKey, secret: Hash) -> Result<()>;
    /// Finds a key by the hash of its secret, in any state.
    async fn find_key(&self, secret: Hash) -> Result<Option<KeyRecord>>;
    /// Lists an account's keys, newest first, including revoked and expired ones.
    async fn list_keys(&self, account: &AccountId) -> Result<Vec<ApiKey>>;
    /// Revokes a key of an account; `false` if there is no such key or it is revoked already.
    async fn revoke_key(&self, account: &AccountId, id: &KeyId, now: Timestamp) -> Result<bool>;
    /// Updates the time of a key's last use. The write may be delayed.
    async fn touch_key(&self, id: &KeyId, now: Timestamp) -> Result<()>;

    /// Lists at most `limit` matching submissions of a form after a position, newest first and at
    /// most 2 MiB, with the number of all matches; `None` if the owner has no such form.
    async fn list_page(
        &self,
        owner: &Owner,
        form: &FormId,
        filter: &Filter,
        after: Option<&Position>,
        limit: usize,
    ) -> Result<Option<Page>>;
    /// Fills a chunk with the matching submissions of a form after a position, newest first,
    /// without counting. Replaces the content of the chunk, and sets the position of the next one.
    ///
    /// Each chunk is read at one instant, and the next one at a later instant. All chunks together
    /// have each submission that exists for the whole export exactly once.
    async fn export_submissions(
        &self,
        form: &FormId,
        filter: &Filter,
        after: Option<&Position>,
        chunk: Chunk,
    ) -> Result<Chunk>;
    /// Summarizes the matching submissions of a form at one instant; `None` if there is no such
    /// form.
    async fn summarize(&self, request: SummaryRequest) -> Result<Option<Summary>>;
    /// Finds one submission with its owner.
    async fn find_submission(&self, id: &SubmissionId) -> Result<Option<OwnedSubmission>>;
    /// Deletes one submission permanently; `false` if there is no such submission.
    async fn delete_submission(&self, id: &SubmissionId) -> Result<bool>;
    /// Appends fields to a form and inserts submissions, all or nothing; returns their number.
    /// Fields whose keys the form has are left out. Submissions of a long source stay
    /// hidden until all are inserted. Other writes continue meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Source`] with the error of the source, and if the form does not exist or a
    /// submission belongs to another form; [`StoreError::Exists`] if an id is taken.
    async fn insert_submissions(
        &self,
        form: &FormId,
        fields: Vec<Field>,
        submissions: SubmissionSource,
    ) -> Result<u64>;
    /// Like [`Store::insert_submissions`], but the same call resumes a killed import. Its rows stay
    /// on disk for seven days. Returns the number of all submissions, which the audit entry counts.
    ///
    /// # Errors
    /// As [`Store::insert_submissions`]. The inserted submissions are removed, unless the database
    /// failed.
    async fn import_submissions(
        &self,
        form: &FormId,
        import: Import,
        source: ImportSource,
    ) -> Result<u64>;
    /// Deletes the hidden submissions of killed imports into a form.
    async fn delete_imports(&self, form: &FormId) -> Result<()>;

    /// Finds the settings and fields that intake needs to accept a submission.
    async fn find_intake(&self, form: &FormId) -> Result<Option<IntakeRecord>>;
    /// Updates the intake settings of a form; `false` if there is no such form.
    async fn update_intake(&self, form: &FormId, intake: Intake) -> Result<bool>;
    /// Inserts one submission into the list or the spam, in one transaction with its fields and its
    /// idempotency record.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if the write queue is full; [`StoreError::Exists`] if the id is taken.
    async fn insert_submission(&self, arrival: NewSubmission) -> Result<InsertOutcome>;
    /// Returns the secret that authenticates cursors. Created once and stored with the data.
    async fn cursor_secret(&self) -> Result<Hash>;
    /// Writes a consistent copy to a new file. Reads and writes continue meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the file exists.
    async fn backup(&self, to: &Path) -> Result<()>;
}
