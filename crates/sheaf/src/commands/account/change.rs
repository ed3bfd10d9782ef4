//! `sheaf account set-plan`, `set-email` and `delete`.

use contract::audit::{Act, Action, Actor};
use contract::{Account, Plan};
use store::clock::{Clock as _, SystemClock};
use store::{Store, StoreError};

use crate::email::canonical_email_of;
use crate::error::{Error, Result};
use crate::{confirm, noted, output, stores};

/// Gives an account another plan.
///
/// # Errors
/// A store that fails.
pub(super) async fn set_plan(store: &dyn Store, account: &Account, plan: Plan) -> Result<()> {
    let act = noted::act(Action::PlanSet, &account.id).on("account", &account.id);
    let act = act.with("before", account.plan.as_str()).with("plan", plan.as_str());
    store.noting(act).set_plan(&account.id, plan).await?;
    output::line(format!("{} has the plan {plan}", account.email))
}

/// Gives the owner of an account another mail address. Whoever knew a link or had a session under
/// the old one is out.
///
/// # Errors
/// A text that is no address, or an address that somebody has.
pub(super) async fn set_email(store: &dyn Store, account: &Account, new: &str) -> Result<()> {
    let email = canonical_email_of("NEW", new)?;
    let owner = stores::person(store, account.id.as_str()).await?;
    let act = noted::act(Action::EmailSet, &account.id).on("person", &owner.id);
    let act = act.named("before", &owner.email).named("email", &email);
    store.noting(act).set_email(&owner.id, email.clone(), None).await.map_err(
        |error| match error {
            StoreError::Exists(_) => Error::refused(format!(
                "somebody has the mail address `{email}` already; give another one"
            )),
            other => other.into(),
        },
    )?;
    output::line(format!(
        "the owner signs in as {email} from now on, and is signed out everywhere; see `sheaf \
         account sign-in-link`"
    ))
}

/// Deletes an account, or finishes what an earlier command began.
///
/// # Errors
/// No such account, or nobody who confirms it.
pub(super) async fn delete(store: &dyn Store, named: &str, yes: bool) -> Result<()> {
    let finished = store.finish_deletions().await?;
    let account = match stores::account(store, named).await {
        Ok(account) => account,
        Err(_) if finished > 0 => return output::line("an earlier deletion is finished"),
        Err(error) => return Err(error),
    };
    let forms = store.list_forms(&account.id).await?;
    if !yes {
        let submissions: u64 = forms.iter().map(|form| form.submission_count).sum();
        let what = format!(
            "This deletes the account {} with {} forms and {submissions} submissions for good.",
            account.email,
            forms.len()
        );
        confirm::typed(&what, &account.email)?;
    }
    // Not in the log of the account, which nobody can read any more.
    let act = Act::new(SystemClock.now(), &Actor::system(), Action::AccountDeleted);
    let act = act.on("account", &account.id).with("forms", forms.len());
    store.noting(act).delete_account(&account.id).await?;
    store.finish_deletions().await?;
    output::line(format!("the account {} is deleted", account.email))
}
