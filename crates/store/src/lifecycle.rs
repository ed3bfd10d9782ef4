//! Changes and deletion of accounts and forms: plans, email addresses, copies.
//!
//! A deletion has two steps. The first is one transaction that hides the account or the form. The
//! second removes its data in small chunks, so that other writers need not wait. If the process
//! ends in between, [`LifecycleStore::finish_deletions`] removes the rest later.

use super::audit::{AffectedRows, CountAffected};
use super::{FormRecord, Hash, Result};
use async_trait::async_trait;
use contract::{AccountId, FormId, PersonId, Plan};

/// Changes and deletions of accounts and forms.
#[async_trait]
pub trait LifecycleStore: Send + Sync + 'static {
    /// Sets the plan of an account; `false` if there is no such account.
    async fn set_plan(&self, id: &AccountId, plan: Plan) -> Result<bool>;
    /// Sets the email address of a user, and of the account if the user is its owner. Ends the
    /// user's sign-in links and their sessions except `kept`. `false` if there is no such user.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) if another user has the address, ignoring
    /// case.
    async fn set_email(&self, id: &PersonId, email: String, except: Option<Hash>) -> Result<bool>;
    /// Deletes an account with its users, keys and forms; `false` if there is no such account.
    /// [`LifecycleStore::finish_deletions`] removes the data of the forms. The account's audit
    /// entries stay until they expire.
    async fn delete_account(&self, id: &AccountId) -> Result<bool>;
    /// Inserts a form with the intake settings and the categories of another form; `false` if there
    /// is no such other form.
    ///
    /// # Errors
    /// As [`Store::insert_form`](super::Store::insert_form).
    async fn duplicate_form(&self, source: &FormId, record: FormRecord) -> Result<bool>;
    /// Deletes a form; `false` if there is no such form. [`LifecycleStore::finish_deletions`]
    /// removes its data.
    async fn delete_form(&self, id: &FormId) -> Result<bool>;
    /// Removes the data of deleted forms chunk by chunk; returns the number of finished forms.
    /// Several processes may call it at once.
    async fn finish_deletions(&self) -> Result<u64>;
}

/// Result of one step of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionStep {
    /// There was nothing left to remove.
    Finished,
    /// Removed some rows of a form.
    Rows,
    /// Removed the last data of a form.
    Form,
}

impl CountAffected for DeletionStep {
    fn affected_rows(&self) -> AffectedRows {
        AffectedRows::Nothing
    }
}
