//! What the command line tells the audit log: who may run commands here is the system itself.

use contract::AccountId;
use contract::audit::{Act, Action, Actor};
use store::FormRecord;
use store::clock::{Clock as _, SystemClock};

/// Something that a command does, in the log of an account.
pub(crate) fn act(action: Action, account: &AccountId) -> Act {
    Act::new(SystemClock.now(), &Actor::system(), action).of(account)
}

/// Something that a command does to a form.
pub(crate) fn form(action: Action, record: &FormRecord) -> Act {
    let form = &record.form;
    let act = act(action, &record.account_id).within(form.environment);
    act.on("form", &form.id).named("name", &form.name)
}
