//! `sheaf account set-plan`, `set-email` and `delete_account`.

use contract::audit::{Action, Actor, AuditEvent};
use contract::{Account, Plan};
use store::clock::{Clock as _, SystemClock};
use store::{Store, StoreError};

use crate::email::canonical_email_of;
use crate::error::{Error, Result};
use crate::{audit_events, confirm, output, stores};

/// Changes the plan of an account.
///
/// # Errors
/// The store fails.
pub(super) async fn set_plan(store: &dyn Store, account: &Account, plan: Plan) -> Result<()> {
    let event = audit_events::account_event(Action::PlanSet, &account.id)
        .with_object("account", &account.id);
    let event = event.with_value("before", account.plan.as_str()).with_value("plan", plan.as_str());
    store.with_audit(event).set_plan(&account.id, plan).await?;
    output::print_line(format!("{} has the plan {plan}", account.email))
}

/// Changes the email address of an account's owner. Links and sessions of the owner become invalid.
///
/// # Errors
/// An invalid address, or one that is in use.
pub(super) async fn set_email(store: &dyn Store, account: &Account, new: &str) -> Result<()> {
    let email = canonical_email_of("NEW", new)?;
    let owner = stores::find_member(store, account.id.as_str()).await?;
    let event =
        audit_events::account_event(Action::EmailSet, &account.id).with_object("person", &owner.id);
    let event = event.with_user_text("before", &owner.email).with_user_text("email", &email);
    store.with_audit(event).set_email(&owner.id, email.clone(), None).await.map_err(|error| {
        match error {
            StoreError::Exists(_) => {
                Error::invalid(format!("the email address `{email}` is in use; choose another one"))
            }
            other => other.into(),
        }
    })?;
    output::print_line(format!(
        "the owner's email address is now {email}, and the owner is signed out everywhere; create \
         a sign-in link with `sheaf account sign-in-link`"
    ))
}

/// Deletes an account, or finishes an interrupted deletion.
///
/// # Errors
/// An unknown account, or a deletion that is not confirmed.
pub(super) async fn delete_account(store: &dyn Store, name: &str, yes: bool) -> Result<()> {
    let finished = store.finish_deletions().await?;
    let account = match stores::find_account(store, name).await {
        Ok(account) => account,
        Err(_) if finished > 0 => return output::print_line("finished an earlier deletion"),
        Err(error) => return Err(error),
    };
    let forms = store.list_forms(&account.id).await?;
    if !yes {
        let submissions: u64 = forms.iter().map(|form| form.submission_count).sum();
        let effect = format!(
            "This permanently deletes the account {} with {} forms and {submissions} submissions.",
            account.email,
            forms.len()
        );
        confirm::confirm_by_typing(&effect, &account.email)?;
    }
    // The event belongs to no account, because the log of a deleted account cannot be read.
    let event = AuditEvent::new(SystemClock.now(), &Actor::system(), Action::AccountDeleted);
    let event = event.with_object("account", &account.id).with_value("forms", forms.len());
    store.with_audit(event).delete_account(&account.id).await?;
    store.finish_deletions().await?;
    output::print_line(format!("the account {} is deleted", account.email))
}
