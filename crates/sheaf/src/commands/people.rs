//! `sheaf account add-reader`, `people` and `remove-reader`: members of an account.

use contract::audit::Action;
use contract::{Account, AccountId, Person, PersonId, Role, Timestamp};
use store::clock::{Clock as _, SystemClock};
use store::{PersonRecord, Store, StoreError};

use crate::email::canonical_email;
use crate::error::{Error, Result};
use crate::link::link_to;
use crate::{mint, noted, output};

/// Adds a reader and prints their sign-in link.
///
/// # Errors
/// An address that is in use, or an account with the maximum number of members.
pub(crate) async fn add(
    store: &dyn Store,
    account: &Account,
    email: &str,
    base: &str,
) -> Result<()> {
    let email = canonical_email(email)?;
    let id = mint::person_id();
    let record = reader(&account.id, email.clone(), id.clone(), SystemClock.now());
    let act = noted::act(Action::PersonAdded, &account.id).on("person", &id);
    store.noting(act).insert_reader(record).await.map_err(|error| match error {
        StoreError::Exists(_) => Error::refused(format!(
            "the email address `{email}` is in use; see `sheaf account people --account …`"
        )),
        other => other.into(),
    })?;
    output::line(link_to(store, &id, base, gateway::INVITATION_S).await?)
}

/// Returns a reader without a password.
pub(crate) fn reader(
    account: &AccountId,
    email: String,
    id: PersonId,
    created_at: Timestamp,
) -> PersonRecord {
    let person = Person { id, email, role: Role::Reader, has_password: false, created_at };
    PersonRecord { account_id: account.clone(), person, password_hash: None }
}

/// Prints the members of an account.
///
/// # Errors
/// The store fails.
pub(crate) async fn list(store: &dyn Store, account: &Account, json: bool) -> Result<()> {
    let records = store.list_people(&account.id).await?;
    let people: Vec<Person> = records.into_iter().map(|record| record.person).collect();
    if json {
        return output::json(&people);
    }
    let row = |person: Person| {
        let let_in_by = if person.has_password { "password" } else { "link" };
        [
            person.id.to_string(),
            person.email,
            person.role.to_string(),
            let_in_by.to_owned(),
            person.created_at.to_string(),
        ]
    };
    let rows: Vec<_> = people.into_iter().map(row).collect();
    output::table(["ID", "EMAIL", "ROLE", "SIGN-IN", "CREATED"], &rows)
}

/// Removes a reader of any account, because users who run commands here have full access.
///
/// # Errors
/// An unknown address, or an owner.
pub(crate) async fn remove(store: &dyn Store, email: &str) -> Result<()> {
    let found = store.find_person_by_email(email.trim()).await?;
    let record = found.ok_or_else(|| {
        Error::refused(format!("there is no member with the email address `{}`", email.trim()))
    })?;
    let person = &record.person.id;
    let act = noted::act(Action::PersonRemoved, &record.account_id).on("person", person);
    if !store.noting(act).delete_reader(&record.account_id, &record.person.id).await? {
        let wrong =
            format!("`{}` is the owner of an account, who cannot be removed", record.person.email);
        return Err(Error::refused(wrong));
    }
    output::line(format!("removed {}", record.person.email))
}
