//! The store: the trait [`Store`], its records and errors, and what both of its implementations
//! share. This crate has no database driver.
//!
//! The trait has accounts, forms, keys and submissions, not rows or SQL. Each method is one
//! transaction: it is done whole, and on disk, or not at all. No method checks permissions; the
//! caller has checked account and environment before.

use async_trait::async_trait;
use chrono_tz::Tz;
use contract::form::FORMS_MAX;
use contract::summary::Summary;
use contract::{
    Account, AccountId, ApiKey, Environment, Field, Filter, Form, FormId, Intake, KeyId,
    Submission, SubmissionId, Timestamp,
};
use std::path::Path;
use std::sync::Arc;

pub mod access;
pub mod archive;
pub mod audit;
pub(crate) mod chunk;
pub mod clock;
pub mod columns;
pub mod identity;
pub mod ids;
pub mod insight;
pub mod insight_correction;
pub mod keys;
pub mod lifecycle;
pub mod new_submission;
pub mod pages;
pub mod part_file;
pub mod secret;
pub mod shared_limits;
pub mod summary;
pub mod unlisted;
pub mod window;
mod zone;

pub use access::{PersonRecord, SessionProof, SessionRecord, Standing};
pub use chunk::Portion;
pub use pages::{FormsPage, ListPage, OwnedSubmission, Page, Position, StoredSubmission};

use access::AccessStore;
use audit::AuditStore;
use identity::IdentityStore;
use insight::InsightStore;
use lifecycle::LifecycleStore;
use new_submission::{Arrival, Arrived, IntakeRecord};
use unlisted::UnlistedStore;

/// Most keys that an account has made within an hour, revoked ones with them.
pub const KEYS_PER_HOUR_MAX: usize = 20;

/// A store that could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// What was to be inserted is there already: which, in words.
    #[error("{0} exists already")]
    Exists(String),
    /// The account holds as many active keys as it may.
    #[error(
        "an account may hold at most {} active keys; revoke one first",
        contract::key::ACTIVE_KEYS_MAX
    )]
    TooManyKeys,
    /// The account has had as many keys made as it may in an hour, revoked ones with them.
    #[error(
        "an account may have at most {KEYS_PER_HOUR_MAX} keys made in an hour; use one that there \
         is, or try again later"
    )]
    KeysTooFast,
    /// The account has as many people as it may.
    #[error(
        "an account may have at most {} people; remove one first",
        contract::people::PEOPLE_MAX
    )]
    TooManyPeople,
    /// The person is known as many whom they may be.
    #[error(
        "a person may be linked with at most {} identities; unlink one first",
        identity::IDENTITIES_MAX
    )]
    TooManyIdentities,
    /// The account holds as many forms as it may.
    #[error("an account may hold at most {FORMS_MAX} forms, live and test together")]
    TooManyForms,
    /// The submissions to insert ended with an error of their own; nothing was inserted.
    #[error("{0}")]
    Source(String),
    /// What was named cannot be opened as this store: why, and what to do.
    #[error("{0}")]
    Unfit(String),
    /// The disk has no room for it; nothing was written.
    #[error("the disk is full; make room on it, or delete what is not needed, and try again")]
    Full,
    /// The disk is nearly full, and what is left of it is not for submissions that come in; nothing
    /// was written.
    #[error(
        "the disk is nearly full, and the rest is reserved; make room on it, or delete what is \
         not needed, and try again"
    )]
    Reserved,
    /// So much waits to be written that no more is taken for the moment.
    #[error("{0} writes are waiting already")]
    Busy(usize),
    /// The database failed: the reason is for the log.
    #[error("the database failed: {0}")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The database is not there for the moment, or is overloaded: the same call may work soon.
    #[error("the database failed: {0}")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What a store's method gives.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// SHA-256 of a secret or a token: all that is kept of it.
pub type Hash = [u8; 32];

/// An account and the hash by which its owner signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRecord {
    /// The account.
    pub account: Account,
    /// The password's hash as a PHC string; `None` where only a link opens the account.
    pub password_hash: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A form and the account that owns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormRecord {
    /// The owner.
    pub account_id: AccountId,
    /// The form.
    pub form: Form,
}

/// Whose a form and its submissions are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The account.
    pub account_id: AccountId,
    /// The environment.
    pub environment: Environment,
}

/// A key, the account that owns it, and the hash of its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The owner, whose plan limits the key.
    pub account: Arc<Account>,
    /// The key.
    pub key: Arc<ApiKey>,
}

/// Which submissions of a form are added up, and whose days count.
#[derive(Debug, Clone)]
pub struct SummaryRequest {
    /// The form.
    pub form: FormId,
    /// Which of its submissions.
    pub filter: Filter,
    /// The time zone of the days.
    pub zone: Tz,
}

/// Submissions to insert, one after another; an error ends the whole insertion with nothing done.
pub type SubmissionSource =
    Box<dyn Iterator<Item = std::result::Result<Submission, String>> + Send>;

/// A long insertion that goes on where it was, should its process be killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// By what it is known: the same for the same content and the same options.
    pub fingerprint: Hash,
    /// The fields that it appends to its form.
    pub fields: Vec<Field>,
    /// When it began: the instant for submissions that have none of their own.
    pub began_at: Timestamp,
    /// How many of its submissions are on disk, where nobody sees them; 0 in one that begins.
    pub inserted: u64,
}

/// Makes the source of an import: what stands behind the submissions that are on disk already. The
/// fields and the instant to use are those of the import that it is given.
pub type ImportSource =
    Box<dyn FnOnce(&Import) -> std::result::Result<SubmissionSource, String> + Send>;

/// The store.
#[async_trait]
pub trait Store:
    AccessStore + AuditStore + IdentityStore + InsightStore + LifecycleStore + UnlistedStore
{
    /// Inserts an account with its owner, whose id is the account's under another prefix.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where another person has the mail address, case ignored.
    async fn insert_account(&self, record: AccountRecord) -> Result<()>;
    /// Finds an account by its id.
    async fn find_account(&self, id: &AccountId) -> Result<Option<AccountRecord>>;
    /// Finds an account by its mail address, case ignored.
    async fn find_account_by_email(&self, email: &str) -> Result<Option<AccountRecord>>;
    /// Lists all accounts, oldest first.
    async fn list_accounts(&self) -> Result<Vec<AccountRecord>>;

    /// Inserts a form with its fields. Counts and last submission of the given form are ignored.
    ///
    /// # Errors
    /// [`StoreError::TooManyForms`]; [`StoreError::Exists`] where the id or a key is taken.
    async fn insert_form(&self, record: FormRecord) -> Result<()>;
    /// Finds a form, with its exact count and last submission.
    async fn find_form(&self, id: &FormId) -> Result<Option<FormRecord>>;
    /// Gives a form another name; `false` where there is no such form.
    async fn rename_form(&self, id: &FormId, name: String) -> Result<bool>;
    /// Gives a form other fields in place of those that it has, where these are `was`; `false`
    /// where they are not. [`StoreError::Exists`] where two of them have one id or one key.
    async fn replace_fields(
        &self,
        id: &FormId,
        was: Vec<Field>,
        fields: Vec<Field>,
    ) -> Result<bool>;
    /// Finds whose a form is, which is quicker than finding the form.
    async fn find_owner(&self, id: &FormId) -> Result<Option<Owner>>;
    /// Lists at most `rows_max` of an account's forms in both environments, oldest first, those
    /// behind a form of it.
    async fn list_forms_page(
        &self,
        account: &AccountId,
        behind: Option<&FormId>,
        rows_max: usize,
    ) -> Result<FormsPage>;
    /// Lists all of an account's forms in both environments, oldest first.
    async fn list_forms(&self, account: &AccountId) -> Result<Vec<Form>> {
        Ok(self.list_forms_page(account, None, FORMS_MAX).await?.forms)
    }

    /// Inserts a key and the hash of its secret.
    ///
    /// # Errors
    /// [`StoreError::KeysTooFast`] where it has had twenty made within the hour;
    /// [`StoreError::TooManyKeys`] where the account holds ten active ones (§5.6), also when many
    /// are created at once.
    async fn insert_key(&self, account: &AccountId, key: ApiKey, secret: Hash) -> Result<()>;
    /// Finds a key by the hash of its secret, revoked or not.
    async fn find_key(&self, secret: Hash) -> Result<Option<KeyRecord>>;
    /// Lists an account's keys, newest first, revoked ones too.
    async fn list_keys(&self, account: &AccountId) -> Result<Vec<ApiKey>>;
    /// Revokes an active key of an account; `false` where there is none of that id.
    async fn revoke_key(&self, account: &AccountId, id: &KeyId, now: Timestamp) -> Result<bool>;
    /// Notes that a key was used. May be written a little later than other things.
    async fn touch_key(&self, id: &KeyId, now: Timestamp) -> Result<()>;

    /// Lists the matching submissions of a form behind a place, newest first, at most `rows_max`,
    /// together with how many match in all.
    async fn list_submissions(
        &self,
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        rows_max: usize,
    ) -> Result<ListPage>;
    /// As [`Store::list_submissions`], at most `limit` and 2 MiB of them; `None` where the form is
    /// not this owner's.
    async fn list_page(
        &self,
        owner: &Owner,
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        limit: usize,
    ) -> Result<Option<Page>>;
    /// Fills a portion, whatever was in it, with the matching submissions of a form behind a place,
    /// newest first, without counting. It says where the next one begins.
    ///
    /// Each portion is of one instant, but two portions are of two: a walk over all of them gives
    /// every submission that is there throughout exactly once.
    async fn export_submissions(
        &self,
        form: &FormId,
        filter: &Filter,
        behind: Option<&Position>,
        portion: Portion,
    ) -> Result<Portion>;
    /// Adds up the matching submissions of a form, as they are at one instant; `None` where there
    /// is no such form.
    async fn summarize(&self, request: SummaryRequest) -> Result<Option<Summary>>;
    /// Finds one submission and whose it is.
    async fn find_submission(&self, id: &SubmissionId) -> Result<Option<OwnedSubmission>>;
    /// Deletes one submission for good; `false` where there is none of that id.
    async fn delete_submission(&self, id: &SubmissionId) -> Result<bool>;
    /// Appends fields to a form and inserts submissions, all or nothing; returns how many. Of a
    /// long source nothing is seen until all of it is there; other writes go on meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Source`] with what the source ended with, and where the form does not exist or
    /// a submission names another one; [`StoreError::Exists`] where an id or a field's key is
    /// taken.
    async fn insert_submissions(
        &self,
        form: &FormId,
        fields: Vec<Field>,
        submissions: SubmissionSource,
    ) -> Result<u64>;
    /// As [`Store::insert_submissions`], but one that was killed is continued by the same call:
    /// what was on disk is kept for seven days. Returns how many came in all.
    ///
    /// # Errors
    /// As [`Store::insert_submissions`]; nothing is kept then, save where the database failed.
    async fn import_submissions(
        &self,
        form: &FormId,
        import: Import,
        source: ImportSource,
    ) -> Result<u64>;
    /// Removes what killed imports into a form left on disk.
    async fn delete_imports(&self, form: &FormId) -> Result<()>;

    /// Finds what decides whether and how a form takes a submission.
    async fn find_intake(&self, form: &FormId) -> Result<Option<IntakeRecord>>;
    /// Changes what a form takes in; `false` where there is no such form.
    async fn update_intake(&self, form: &FormId, intake: Intake) -> Result<bool>;
    /// Takes one submission in, or sets it aside, together with the fields that it brings and with
    /// what will be answered if it comes again.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where too much is being written; [`StoreError::Exists`] where the id is
    /// taken.
    async fn insert_arrival(&self, arrival: Arrival) -> Result<Arrived>;
    /// Returns the secret by which cursors are authenticated. Made once, kept with the data.
    async fn cursor_secret(&self) -> Result<Hash>;
    /// Writes a consistent copy to a new file while others read and write.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where the file is there already.
    async fn backup(&self, to: &Path) -> Result<()>;
}
