//! Audit events of the command line. Users who run commands here have full access, so the actor is
//! the system.

use contract::AccountId;
use contract::audit::{Act, Action, Actor};
use store::FormRecord;
use store::clock::{Clock as _, SystemClock};

/// Returns an event in the log of an account.
pub(crate) fn act(action: Action, account: &AccountId) -> Act {
    Act::new(SystemClock.now(), &Actor::system(), action).of(account)
}

/// Returns an event about a form.
pub(crate) fn form(action: Action, record: &FormRecord) -> Act {
    let form = &record.form;
    let act = act(action, &record.account_id).within(form.environment);
    act.on("form", &form.id).named("name", &form.name)
}
