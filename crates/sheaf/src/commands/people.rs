//! `sheaf account add-reader`, `people` and `remove-reader`: members of an account.

use contract::audit::Action;
use contract::people::NewPerson;
use contract::{Account, AccountId, Person, PersonId, Role, Timestamp};
use store::clock::{Clock as _, SystemClock};
use store::{PersonRecord, Store, StoreError};

use crate::email::canonical_email;
use crate::error::{Error, Result};
use crate::sign_in_link::create_sign_in_link;
use crate::{audit_events, new_ids, output};

/// Adds a reader and prints their sign-in link.
///
/// # Errors
/// An address that is in use, or an account with the maximum number of members.
pub(crate) async fn add_reader(
    store: &dyn Store,
    account: &Account,
    email: &str,
    base: &str,
) -> Result<()> {
    let email = canonical_email(email)?;
    let id = new_ids::new_person_id();
    let reader = NewPerson { email: email.clone(), role: Role::Reader, forms: None };
    let record = new_member(&account.id, reader, id.clone(), SystemClock.now());
    let event =
        audit_events::account_event(Action::PersonAdded, &account.id).with_object("person", &id);
    store.with_audit(event).insert_member(record).await.map_err(|error| match error {
        StoreError::Exists(_) => Error::invalid(format!(
            "the email address `{email}` is in use; see `sheaf account people --account …`"
        )),
        other => other.into(),
    })?;
    output::print_line(create_sign_in_link(store, &id, base, gateway::INVITATION_S).await?)
}

/// Returns a member without a password.
pub(crate) fn new_member(
    account: &AccountId,
    NewPerson { email, role, forms }: NewPerson,
    id: PersonId,
    created_at: Timestamp,
) -> PersonRecord {
    let person = Person { id, email, role, has_password: false, created_at, forms };
    PersonRecord { account_id: account.clone(), person, password_hash: None }
}

/// Prints the members of an account.
///
/// # Errors
/// The store fails.
pub(crate) async fn print_members(store: &dyn Store, account: &Account, json: bool) -> Result<()> {
    let records = store.list_people(&account.id).await?;
    let people: Vec<Person> = records.into_iter().map(|record| record.person).collect();
    if json {
        return output::print_json(&people);
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
    output::print_table(["ID", "EMAIL", "ROLE", "SIGN-IN", "CREATED"], &rows)
}

/// Removes an editor or reader of any account, because users who run commands here have full
/// access.
///
/// # Errors
/// An unknown address, or an owner.
pub(crate) async fn remove_reader(store: &dyn Store, email: &str) -> Result<()> {
    let found = store.find_person_by_email(email.trim()).await?;
    let record = found.ok_or_else(|| {
        Error::invalid(format!("there is no member with the email address `{}`", email.trim()))
    })?;
    let person = &record.person.id;
    let event = audit_events::account_event(Action::PersonRemoved, &record.account_id)
        .with_object("person", person);
    if !store.with_audit(event).delete_member(&record.account_id, &record.person.id).await? {
        let wrong =
            format!("`{}` is the owner of an account, who cannot be removed", record.person.email);
        return Err(Error::invalid(wrong));
    }
    output::print_line(format!("removed {}", record.person.email))
}
