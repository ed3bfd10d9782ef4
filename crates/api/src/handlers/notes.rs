//! Routes for the notes about a submission (additive): create, edit and delete.

use super::body;
use super::mentions::{mail_language, mention_mails};
use super::own_form::OwnForm;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::Json;
use axum::extract::Request;
use contract::audit::Action;
use contract::triage::{NOTES_MAX, Note, NoteText};
use contract::{Data, NoteId, SubmissionId};
use http::StatusCode;
use std::sync::Arc;
use store::triage::{NoteKey, NoteOutcome};
use store::{Store, ids};

/// Expected request body, for error messages.
const NOTE_BODY: &str = r#"{"text": "…"}"#;

/// `POST /account/forms/{form_id}/submissions/{id}/notes`: creates a note.
pub(crate) async fn create_note(
    own: OwnForm,
    Id(submission): Id<SubmissionId>,
    request: Request,
) -> Result<(StatusCode, Json<Data<Note>>)> {
    let author = Some(own.person()?);
    let language = mail_language(request.headers());
    let text = read_text(request).await?;
    let created_at = own.service.now();
    let id = ids::generate_note_id(created_at);
    let note = Note { id, author, text, created_at, edited_at: None };
    let mails = mention_mails(&own, (&submission, &note), "", language).await?;
    let store = audited_store(&own, Action::NoteCreated, &submission, &note.id);
    let outcome = store.insert_note(&own.form.id, &submission, note.clone(), mails).await?;
    check_outcome(outcome, "submission")?;
    Ok((StatusCode::CREATED, Json(Data { data: note })))
}

/// `PUT /account/forms/{form_id}/submissions/{id}/notes/{note_id}`: replaces the text of a note.
pub(crate) async fn edit_note(
    own: OwnForm,
    Id(submission): Id<SubmissionId>,
    Id(note): Id<NoteId>,
    request: Request,
) -> Result<Json<Data<Note>>> {
    let person = own.person()?;
    let language = mail_language(request.headers());
    let text = read_text(request).await?;
    let mut found = find_note(&own, &submission, &note).await?;
    let former = std::mem::replace(&mut found.text, text);
    let mails = mention_mails(&own, (&submission, &found), &former, language).await?;
    let store = audited_store(&own, Action::NoteEdited, &submission, &note);
    let key = NoteKey { form: own.form.id.clone(), submission, note, person };
    check_outcome(store.edit_note(&key, found.text, own.service.now(), mails).await?, "note")?;
    Ok(Json(Data { data: find_note(&own, &key.submission, &key.note).await? }))
}

/// `DELETE /account/forms/{form_id}/submissions/{id}/notes/{note_id}`: deletes a note.
pub(crate) async fn delete_note(
    own: OwnForm,
    Id(submission): Id<SubmissionId>,
    Id(note): Id<NoteId>,
) -> Result<StatusCode> {
    let person = own.person()?;
    let store = audited_store(&own, Action::NoteDeleted, &submission, &note);
    let key = NoteKey { form: own.form.id, submission, note, person };
    check_outcome(store.delete_note(&key).await?, "note")?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns a note, or the 404 error.
async fn find_note(own: &OwnForm, submission: &SubmissionId, note: &NoteId) -> Result<Note> {
    let detail = own.service.store().find_triage(&own.form.id, submission).await?;
    let notes = detail.map(|detail| detail.notes).unwrap_or_default();
    notes.into_iter().find(|found| found.id == *note).ok_or_else(|| Error::not_found("note"))
}

async fn read_text(request: Request) -> Result<String> {
    let text: NoteText = body::read_json(request, NOTE_BODY).await?;
    let text = text.checked().map_err(|problem| Error::validation(problem.to_string()))?;
    Ok(text.to_owned())
}

/// Returns the store that logs the next write: an action on a note, without its text.
fn audited_store(
    own: &OwnForm,
    action: Action,
    submission: &SubmissionId,
    note: &NoteId,
) -> Arc<dyn Store> {
    let event = own.part_event(action, "note", note);
    own.service.with_audit(event.with_value("submission", submission.as_str()))
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
