//! How accounts and forms change and end: plans, mail addresses, copies and deletions.
//!
//! A deletion has two parts. The first is one transaction, after which nobody finds the account or
//! the form. The second removes in small pieces what they held, so that other writers need not
//! wait. If the process ends in between, [`LifecycleStore::finish_deletions`] does the rest later.

use super::audit::{Did, Done};
use super::{FormRecord, Hash, Result};
use async_trait::async_trait;
use contract::{AccountId, FormId, PersonId, Plan};

/// The part of the store that changes and deletes accounts and forms.
#[async_trait]
pub trait LifecycleStore: Send + Sync + 'static {
    /// Gives an account another plan; `false` if there is no such account.
    async fn set_plan(&self, id: &AccountId, plan: Plan) -> Result<bool>;
    /// Gives a person another mail address; of an owner, the account too. The person's sign-in
    /// links end, and their sessions except `kept`. `false` if there is no such person.
    ///
    /// # Errors
    /// [`StoreError::Exists`](super::StoreError::Exists) if another person has the address, case
    /// ignored.
    async fn set_email(&self, id: &PersonId, email: String, kept: Option<Hash>) -> Result<bool>;
    /// Deletes an account with its people, keys and forms; `false` if there is no such account.
    /// [`LifecycleStore::finish_deletions`] removes what the forms held. The account's audit
    /// entries stay for their time.
    async fn delete_account(&self, id: &AccountId) -> Result<bool>;
    /// Inserts a form that gets the intake settings and the categories of another one; `false` if
    /// there is no such other form.
    ///
    /// # Errors
    /// As [`Store::insert_form`](super::Store::insert_form).
    async fn duplicate_form(&self, source: &FormId, record: FormRecord) -> Result<bool>;
    /// Deletes a form; `false` if there is no such form. [`LifecycleStore::finish_deletions`]
    /// removes what it held.
    async fn delete_form(&self, id: &FormId) -> Result<bool>;
    /// Removes what deleted forms held, piece by piece, and returns how many forms it finished.
    /// Several processes may do so at once.
    async fn finish_deletions(&self) -> Result<u64>;
}

/// What one piece of a deletion removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Nothing: there is nothing left to remove.
    Nothing,
    /// Some rows of a form.
    Rows,
    /// The last trace of a form.
    Form,
}

impl Did for Piece {
    fn did(&self) -> Done {
        Done::Nothing
    }
}
