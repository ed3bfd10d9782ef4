//! Triage of submissions, on a server with the capability `triage`.

use contract::triage::{
    AccountTriage, Note, NoteText, SubmissionTriage, SubmissionsUpdate, TriageDetail, TriageQuery,
    TriageSettings, TriageSettingsUpdate, UnreadCount, UpdatedSubmissions,
};
use contract::{FormId, NoteId, SubmissionId};

use super::{
    ApiError,
    request::{get_data, patch, post, put, read_data, remove},
};
use crate::routes;

/// Returns the statuses, tags and members of the account.
pub async fn get_account_triage() -> Result<AccountTriage, ApiError> {
    get_data(routes::ACCOUNT_TRIAGE, None).await
}

/// Replaces the statuses and tags of the account, and returns them.
pub async fn set_triage_settings(
    update: &TriageSettingsUpdate,
) -> Result<TriageSettings, ApiError> {
    read_data(put(routes::ACCOUNT_TRIAGE, update).await?).await
}

/// Lists the forms with unread submissions, and their number.
pub async fn list_unread() -> Result<Vec<UnreadCount>, ApiError> {
    get_data(routes::ACCOUNT_UNREAD, None).await
}

/// Lists the triage of submissions of a form. Those without marks are left out.
pub async fn list_triage(
    form: &FormId,
    query: &TriageQuery,
) -> Result<Vec<SubmissionTriage>, ApiError> {
    get_data(&routes::account_form_triage(form, query), None).await
}

/// Changes the triage of submissions of a form.
pub async fn update_submissions(
    form: &FormId,
    update: &SubmissionsUpdate,
) -> Result<UpdatedSubmissions, ApiError> {
    let url = routes::account_form_part(form, "submissions");
    read_data(patch(&url, update).await?).await
}

/// Returns triage, notes and history of a submission.
pub async fn get_triage_detail(form: &FormId, id: &SubmissionId) -> Result<TriageDetail, ApiError> {
    get_data(&routes::account_submission(form, id), None).await
}

/// Creates a note about a submission.
pub async fn create_note(form: &FormId, id: &SubmissionId, text: String) -> Result<Note, ApiError> {
    read_data(post(&routes::account_notes(form, id), &NoteText { text }).await?).await
}

/// Replaces the text of an own note.
pub async fn edit_note(
    form: &FormId,
    id: &SubmissionId,
    note: &NoteId,
    text: String,
) -> Result<Note, ApiError> {
    read_data(put(&routes::account_note(form, id, note), &NoteText { text }).await?).await
}

/// Deletes an own note.
pub async fn delete_note(form: &FormId, id: &SubmissionId, note: &NoteId) -> Result<(), ApiError> {
    remove(&routes::account_note(form, id, note)).await.map(|_| ())
}
