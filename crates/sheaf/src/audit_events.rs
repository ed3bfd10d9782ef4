//! Audit events of the command line. Users who run commands here have full access, so the actor is
//! the system.

use contract::AccountId;
use contract::audit::{Action, Actor, AuditEvent};
use store::FormRecord;
use store::clock::{Clock as _, SystemClock};

/// Returns an event in the log of an account.
pub(crate) fn account_event(action: Action, account: &AccountId) -> AuditEvent {
    AuditEvent::new(SystemClock.now(), &Actor::system(), action).with_account(account)
}

/// Returns an event about a form.
pub(crate) fn form_event(action: Action, record: &FormRecord) -> AuditEvent {
    let form = &record.form;
    let act = account_event(action, &record.account_id).with_environment(form.environment);
    act.with_object("form", &form.id).with_user_text("name", &form.name)
}
