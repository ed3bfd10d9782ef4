//! Requests about one of the owner's forms: its parts, spam, trash, notifications and webhooks.

use contract::summary::SummaryQuery;
use contract::triage::TriageQuery;
use contract::webhook::DeliveryState;
use contract::{
    DeliveryId, Filter, FormId, ListQuery, NoteId, NotificationId, SubmissionId, ViewId, WebhookId,
};

use super::{ACCOUNT_FORMS, filter_query, with_query};

/// Returns the URL of one of the owner's forms.
pub fn account_form(form: &FormId) -> String {
    format!("{ACCOUNT_FORMS}/{form}")
}

/// Returns the URL of a sub-resource of a form, such as `fields` or `intake`.
pub fn account_form_part(form: &FormId, part: &str) -> String {
    format!("{ACCOUNT_FORMS}/{form}/{part}")
}

/// Returns the URL of a page of a form's spam.
pub fn account_spam(form: &FormId, query: &ListQuery) -> String {
    with_query(account_form_part(form, "spam"), &query.to_query_string())
}

/// Returns the URL of a submission in a form's spam.
pub fn account_spam_submission(form: &FormId, id: &SubmissionId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/spam/{id}")
}

/// Returns the URL that releases a submission from spam.
pub fn account_release(form: &FormId, id: &SubmissionId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/spam/{id}/release")
}

/// Returns the URL of a page of a form's trash.
pub fn account_trash(form: &FormId, query: &ListQuery) -> String {
    with_query(account_form_part(form, "trash"), &query.to_query_string())
}

/// Returns the URL that moves the matching submissions of a form to `trash` or `spam`.
pub fn account_move(form: &FormId, part: &str, filter: &Filter) -> String {
    with_query(account_form_part(form, part), &filter_query(filter))
}

/// Returns the URL of a notification of a form.
pub fn account_notification(form: &FormId, id: &NotificationId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/notifications/{id}")
}

/// Returns the URL of a sub-resource of a notification: `confirmation` or `test`.
pub fn account_notification_part(form: &FormId, id: &NotificationId, part: &str) -> String {
    format!("{ACCOUNT_FORMS}/{form}/notifications/{id}/{part}")
}

/// Returns the URL of a webhook of a form.
pub fn account_webhook(form: &FormId, id: &WebhookId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/webhooks/{id}")
}

/// Returns the URL of a sub-resource of a webhook: `rotate`, `test` or `replay`.
pub fn account_webhook_part(form: &FormId, id: &WebhookId, part: &str) -> String {
    format!("{ACCOUNT_FORMS}/{form}/webhooks/{id}/{part}")
}

/// Returns the URL of a page of a webhook's deliveries: those before `before`, in a state.
pub fn account_deliveries(
    form: &FormId,
    id: &WebhookId,
    limit: u16,
    before: Option<&DeliveryId>,
    state: Option<DeliveryState>,
) -> String {
    let before = before.map(|before| format!("&before={before}")).unwrap_or_default();
    let state = state.map(|state| format!("&state={}", state.as_str())).unwrap_or_default();
    let query = format!("limit={limit}{before}{state}");
    with_query(account_webhook_part(form, id, "deliveries"), &query)
}

/// Returns the URL that sends a delivery again.
pub fn account_replay(form: &FormId, id: &WebhookId, delivery: &DeliveryId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/webhooks/{id}/deliveries/{delivery}/replay")
}

/// Returns the URL of a saved view of a form.
pub fn account_view(form: &FormId, id: &ViewId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/views/{id}")
}

/// Returns the URL of a form's summary.
pub fn account_summary(form: &FormId, query: &SummaryQuery) -> String {
    with_query(format!("{ACCOUNT_FORMS}/{form}/summary"), &query.to_query_string())
}

/// Returns the URL of the distributions of a form's answers.
pub fn account_distributions(form: &FormId, filter: &Filter) -> String {
    with_query(account_form_part(form, "distributions"), &filter_query(filter))
}

/// Returns the URL of the triage of some submissions of a form.
pub fn account_form_triage(form: &FormId, query: &TriageQuery) -> String {
    with_query(account_form_part(form, "triage"), &query.to_query_string())
}

/// Returns the URL of the triage, notes and history of a submission.
pub fn account_submission(form: &FormId, id: &SubmissionId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/submissions/{id}")
}

/// Returns the URL of the notes about a submission.
pub fn account_notes(form: &FormId, id: &SubmissionId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/submissions/{id}/notes")
}

/// Returns the URL of a note about a submission.
pub fn account_note(form: &FormId, id: &SubmissionId, note: &NoteId) -> String {
    format!("{ACCOUNT_FORMS}/{form}/submissions/{id}/notes/{note}")
}
