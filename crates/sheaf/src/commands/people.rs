//! `sheaf account add-member`, `set-member`, `people` and `remove-member`: members of an account.

use contract::audit::Action;
use contract::form_access::{self, InvalidForms, NAMED_FORMS_MAX};
use contract::people::{NewPerson, PersonChange};
use contract::{Account, AccountId, FormId, Person, PersonId, Role, Timestamp};
use store::clock::{Clock as _, SystemClock};
use store::keys::find_invalid_form;
use store::{PersonRecord, Store, StoreError};

use crate::args::MemberChangeArgs;
use crate::email::canonical_email;
use crate::error::{Error, Result};
use crate::sign_in_link::create_sign_in_link;
use crate::{audit_events, new_ids, output};

/// Adds a member and prints their sign-in link.
///
/// # Errors
/// An address that is in use, a form that the account does not have, or an account with the maximum
/// number of members.
pub(crate) async fn add_member(
    store: &dyn Store,
    account: &AccountId,
    new: NewPerson,
    base: &str,
) -> Result<()> {
    let email = canonical_email(&new.email)?;
    check_forms(store, account, new.forms.as_deref()).await?;
    let id = new_ids::new_person_id();
    let event =
        audit_events::account_event(Action::PersonAdded, account).with_object("person", &id);
    let event = PersonChange::from_new(&new).add_to_event(event);
    let new = NewPerson { email: email.clone(), ..new };
    let record = new_member(account, new, id.clone(), SystemClock.now());
    store.with_audit(event).insert_member(record).await.map_err(|error| match error {
        StoreError::Exists(_) => Error::invalid(format!(
            "the email address `{email}` is in use; see `sheaf account people --account …`"
        )),
        other => other.into(),
    })?;
    output::print_line(create_sign_in_link(store, &id, base, gateway::INVITATION_S).await?)
}

/// Changes the role or the forms of a member of any account.
///
/// # Errors
/// An unknown address, an owner, or a form that the account does not have.
pub(crate) async fn change_member(
    store: &dyn Store,
    email: &str,
    args: MemberChangeArgs,
) -> Result<()> {
    let PersonRecord { account_id, person, .. } = find_member(store, email, "changed").await?;
    let MemberChangeArgs { role, forms, all_forms } = args;
    let named_forms = (!forms.is_empty()).then_some(forms);
    check_forms(store, &account_id, named_forms.as_deref()).await?;
    let forms = (named_forms.is_some() || all_forms).then_some(named_forms);
    let change = PersonChange { role, forms };
    let event = audit_events::account_event(Action::PersonChanged, &account_id)
        .with_object("person", &person.id);
    let event = change.add_to_event(event);
    if !store.with_audit(event).change_member(&account_id, &person.id, change).await? {
        return Err(unknown_member(email));
    }
    output::print_line(format!("changed {}", person.email))
}

/// Checks a member's list of forms. An account without forms can name unknown ones: those of
/// `sheaf gateway` are on another server.
async fn check_forms(
    store: &dyn Store,
    account: &AccountId,
    forms: Option<&[FormId]>,
) -> Result<()> {
    let Some(forms) = forms else { return Ok(()) };
    let problem = match form_access::check_list(forms) {
        Ok(()) => find_invalid_form(store, account, None, forms).await?,
        Err(problem) => Some(problem),
    };
    let message = match problem {
        None => return Ok(()),
        Some(InvalidForms::Count(count)) => {
            format!(
                "`--form` can be given at most {NAMED_FORMS_MAX} times, but was given {count} times"
            )
        }
        Some(InvalidForms::Repeated(form)) => format!("`--form {form}` was given twice"),
        Some(InvalidForms::Unknown(form)) => {
            if store.find_owner(&form).await?.is_none()
                && store.list_forms(account).await?.is_empty()
            {
                return Ok(());
            }
            format!("the account has no form `{form}`; see `sheaf form list --account …`")
        }
        Some(problem @ InvalidForms::OtherEnvironment(..)) => problem.to_string(),
    };
    Err(Error::invalid(message))
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
    let row = |person: &Person| {
        let let_in_by = if person.has_password { "password" } else { "link" };
        [
            person.id.to_string(),
            person.email.clone(),
            person.role.to_string(),
            person.forms.as_ref().map_or_else(|| "all".to_owned(), |forms| forms.len().to_string()),
            let_in_by.to_owned(),
            person.created_at.to_string(),
        ]
    };
    let columns = ["ID", "EMAIL", "ROLE", "FORMS", "SIGN-IN", "CREATED"];
    output::print_list(&people, json, columns, row)
}

/// Removes an editor or reader of any account, because users who run commands here have full
/// access.
///
/// # Errors
/// An unknown address, or an owner.
pub(crate) async fn remove_member(store: &dyn Store, email: &str) -> Result<()> {
    let record = find_member(store, email, "removed").await?;
    let person = &record.person.id;
    let event = audit_events::account_event(Action::PersonRemoved, &record.account_id)
        .with_object("person", person);
    if !store.with_audit(event).delete_member(&record.account_id, person).await? {
        return Err(unknown_member(email));
    }
    output::print_line(format!("removed {}", record.person.email))
}

/// Finds a member other than an owner, who cannot be changed or removed.
async fn find_member(store: &dyn Store, email: &str, change: &str) -> Result<PersonRecord> {
    let found = store.find_person_by_email(email.trim()).await?;
    let record = found.ok_or_else(|| unknown_member(email))?;
    if record.person.role == Role::Owner {
        return Err(Error::invalid(format!(
            "`{}` is the owner of an account, who cannot be {change}",
            record.person.email
        )));
    }
    Ok(record)
}

fn unknown_member(email: &str) -> Error {
    Error::invalid(format!("there is no member with the email address `{}`", email.trim()))
}
