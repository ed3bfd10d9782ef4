//! Routes for the notes about a submission (additive): create, edit and delete.

use super::mentions::{mail_language, mention_mails};
use super::{body, forms};
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::{Action, AuditEvent};
use contract::triage::{NOTES_MAX, Note, NoteText};
use contract::{AccountId, Data, Form, FormId, NoteId, SubmissionId};
use http::StatusCode;
use store::ids;
use store::triage::{NoteKey, NoteOutcome};

/// Expected request body, for error messages.
const NOTE_BODY: &str = r#"{"text": "…"}"#;

/// `POST /account/forms/{form_id}/submissions/{id}/notes`: creates a note.
pub(crate) async fn create_note(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(form): Id<FormId>,
    Id(submission): Id<SubmissionId>,
    request: Request,
) -> Result<(StatusCode, Json<Data<Note>>)> {
    let form = forms::find_own_form(&service, &account, &form).await?;
    let author = Some(actor.person(&account)?);
    let language = mail_language(request.headers());
    let text = read_text(request).await?;
    let created_at = service.now();
    let id = ids::generate_note_id(created_at);
    let note = Note { id, author, text, created_at, edited_at: None };
    let key = (&form.id, &submission, &note);
    let mails = mention_mails(&service, &account, key, "", language).await?;
    let event = actor.account_event(&service, &account, Action::NoteCreated);
    let store = service.with_audit(with_note(event, &form, &submission, &note.id));
    let outcome = store.insert_note(&form.id, &submission, note.clone(), mails).await?;
    check_outcome(outcome, "submission")?;
    Ok((StatusCode::CREATED, Json(Data { data: note })))
}

/// `PUT /account/forms/{form_id}/submissions/{id}/notes/{note_id}`: replaces the text of a note.
pub(crate) async fn edit_note(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(form): Id<FormId>,
    Id(submission): Id<SubmissionId>,
    Id(note): Id<NoteId>,
    request: Request,
) -> Result<Json<Data<Note>>> {
    let form = forms::find_own_form(&service, &account, &form).await?;
    let person = actor.person(&account)?;
    let language = mail_language(request.headers());
    let text = read_text(request).await?;
    let mut found = find_note(&service, (&form.id, &submission, &note)).await?;
    let former = std::mem::replace(&mut found.text, text);
    let key = (&form.id, &submission, &found);
    let mails = mention_mails(&service, &account, key, &former, language).await?;
    let event = actor.account_event(&service, &account, Action::NoteEdited);
    let store = service.with_audit(with_note(event, &form, &submission, &note));
    let key = NoteKey { form: form.id, submission, note, person };
    check_outcome(store.edit_note(&key, found.text, service.now(), mails).await?, "note")?;
    let edited = find_note(&service, (&key.form, &key.submission, &key.note)).await?;
    Ok(Json(Data { data: edited }))
}

/// `DELETE /account/forms/{form_id}/submissions/{id}/notes/{note_id}`: deletes a note.
pub(crate) async fn delete_note(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    actor: RequestActor,
    Id(form): Id<FormId>,
    Id(submission): Id<SubmissionId>,
    Id(note): Id<NoteId>,
) -> Result<StatusCode> {
    let form = forms::find_own_form(&service, &account, &form).await?;
    let person = actor.person(&account)?;
    let event = actor.account_event(&service, &account, Action::NoteDeleted);
    let store = service.with_audit(with_note(event, &form, &submission, &note));
    let key = NoteKey { form: form.id, submission, note, person };
    check_outcome(store.delete_note(&key).await?, "note")?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns a note, or the 404 error.
async fn find_note(
    service: &Service,
    (form, submission, note): (&FormId, &SubmissionId, &NoteId),
) -> Result<Note> {
    let detail = service.store().find_triage(form, submission).await?;
    let notes = detail.map(|detail| detail.notes).unwrap_or_default();
    notes.into_iter().find(|found| found.id == *note).ok_or_else(|| Error::not_found("note"))
}

async fn read_text(request: Request) -> Result<String> {
    let text: NoteText = body::read_json(request, NOTE_BODY).await?;
    let text = text.checked().map_err(|problem| Error::validation(problem.to_string()))?;
    Ok(text.to_owned())
}

/// Adds a note, its submission and its form to an audit event, without its text.
fn with_note(
    event: AuditEvent,
    form: &Form,
    submission: &SubmissionId,
    note: &NoteId,
) -> AuditEvent {
    event
        .with_environment(form.environment)
        .with_object("note", note)
        .with_value("submission", submission.as_str())
        .with_value("form", form.id.as_str())
        .with_user_text("name", &form.name)
}

/// Returns the error of an outcome. `noun` names the missing object.
fn check_outcome(outcome: NoteOutcome, noun: &str) -> Result<()> {
    match outcome {
        NoteOutcome::Done => Ok(()),
        NoteOutcome::NotFound => Err(Error::not_found(noun)),
        NoteOutcome::OtherAuthor => {
            Err(Error::forbidden("only the author of a note can edit or delete it"))
        }
        NoteOutcome::TooManyNotes => Err(Error::conflict(format!(
            "a submission may have at most {NOTES_MAX} notes; delete one first"
        ))),
    }
}
