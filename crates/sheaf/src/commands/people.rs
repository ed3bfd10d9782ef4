//! `sheaf account add-reader`, `people` and `remove-reader`: who may come into an account.

use contract::audit::Action;
use contract::{Account, AccountId, Person, PersonId, Role, Timestamp};
use store::clock::{Clock as _, SystemClock};
use store::{PersonRecord, Store, StoreError};

use crate::email::canonical_email;
use crate::error::{Error, Result};
use crate::link::link_to;
use crate::{mint, noted, output};

/// Lets a reader in, and prints the link that signs them in.
///
/// # Errors
/// An address that somebody has, or an account with as many people as it may have.
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
            "somebody with the mail address `{email}` may come in already; see `sheaf account \
             people --account …`"
        )),
        other => other.into(),
    })?;
    output::line(link_to(store, &id, base, gateway::INVITATION_S).await?)
}

/// A reader who has no password yet.
pub(crate) fn reader(
    account: &AccountId,
    email: String,
    id: PersonId,
    created_at: Timestamp,
) -> PersonRecord {
    let person = Person { id, email, role: Role::Reader, has_password: false, created_at };
    PersonRecord { account_id: account.clone(), person, password_hash: None }
}

/// Prints the people of an account.
///
/// # Errors
/// A store that fails.
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

/// Removes a reader, whosever they are: who may run commands here may do all.
///
/// # Errors
/// Nobody of that address, or an owner.
pub(crate) async fn remove(store: &dyn Store, email: &str) -> Result<()> {
    let found = store.find_person_by_email(email.trim()).await?;
    let record = found.ok_or_else(|| {
        Error::refused(format!("there is nobody with the mail address `{}`", email.trim()))
    })?;
    let person = &record.person.id;
    let act = noted::act(Action::PersonRemoved, &record.account_id).on("person", person);
    if !store.noting(act).delete_reader(&record.account_id, &record.person.id).await? {
        let wrong = format!("`{}` is an owner; an account cannot be without", record.person.email);
        return Err(Error::refused(wrong));
    }
    output::line(format!("{} may not come in any more", record.person.email))
}
