//! Audit events of the command line. Users who run commands here have full access, so the actor is
//! the system.

use contract::audit::{Action, Actor, AuditEvent};
use contract::{AccountId, Notification, Webhook};
use store::FormRecord;
use store::clock::{Clock as _, SystemClock};
use url::Url;

/// Returns an event in the log of an account.
pub(crate) fn account_event(action: Action, account: &AccountId) -> AuditEvent {
    AuditEvent::new(SystemClock.now(), &Actor::system(), action).with_account(account)
}

/// Returns an event about a form.
pub(crate) fn form_event(action: Action, record: &FormRecord) -> AuditEvent {
    account_event(action, &record.account_id).with_form(&record.form)
}

/// Returns an event about a webhook of a form. Only the host of its URL is recorded, because path
/// and query often contain a secret of the receiver.
pub(crate) fn webhook_event(action: Action, record: &FormRecord, webhook: &Webhook) -> AuditEvent {
    let form = &record.form;
    let url = Url::parse(&webhook.url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    account_event(action, &record.account_id)
        .with_environment(form.environment)
        .with_object("webhook", &webhook.id)
        .with_value("form", form.id.as_str())
        .with_user_text("name", &form.name)
        .with_user_text("host", host)
}

/// Returns an event about a notification of a form.
pub(crate) fn notification_event(
    action: Action,
    record: &FormRecord,
    notification: &Notification,
) -> AuditEvent {
    let form = &record.form;
    account_event(action, &record.account_id)
        .with_environment(form.environment)
        .with_object("notification", &notification.id)
        .with_value("form", form.id.as_str())
        .with_user_text("name", &form.name)
        .with_user_text("email", &notification.email)
}
