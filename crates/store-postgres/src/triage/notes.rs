//! Notes about submissions.

use crate::forms;
use crate::live;
use crate::outbox;
use crate::query;
use crate::query::{insert_error, read_column};
use crate::text_encoding::encode;
use contract::live::ChangeKind;
use contract::triage::{NOTES_MAX, Note};
use contract::webhook::WebhookEvent;
use contract::{FormId, PersonId, SubmissionId, Timestamp};
use deadpool_postgres::Transaction;
use std::collections::HashSet;
use store::Result;
use store::columns::parse_count;
use store::triage::{NoteKey, NoteOutcome, StoredTriage};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// Inserts a note about a listed submission.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    form: &FormId,
    submission: &SubmissionId,
    note: &Note,
) -> Result<NoteOutcome> {
    let Some(locked) = lock_submission(tx, form, submission).await? else {
        return Ok(NoteOutcome::NotFound);
    };
    let submitted_at = locked.submitted_at;
    let (form, submission) = (form.as_str(), submission.as_str());
    let sql = "SELECT count(*) FROM notes
               WHERE form_id = $1 AND submitted_at = $2 AND submission = $3";
    let count = query::fetch_one(tx, sql, &[&form, &submitted_at, &submission]).await?;
    if parse_count(read_column(&count, 0)?)? >= NOTES_MAX as u64 {
        return Ok(NoteOutcome::TooManyNotes);
    }
    let sql = "INSERT INTO notes
                 (form_id, submitted_at, submission, id, author, text, created_at, edited_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let id = note.id.as_str();
    let author = note.author.as_ref().map(PersonId::as_str);
    let text = encode(&note.text);
    let created_at = note.created_at.micros();
    let edited_at = note.edited_at.map(Timestamp::micros);
    let values: query::Parameters<'_> =
        &[&form, &submitted_at, &submission, &id, &author, &text, &created_at, &edited_at];
    query::execute_raw(tx, sql, values)
        .await
        .map_err(|error| insert_error(error, || format!("note `{id}`")))?;
    record_update(tx, (form, submission), locked, note.created_at).await?;
    Ok(NoteOutcome::Done)
}

/// Replaces the text of a note, and sets the time of its edit.
pub(super) async fn edit(
    tx: &Transaction<'_>,
    key: &NoteKey,
    text: &str,
    at: Timestamp,
) -> Result<NoteOutcome> {
    let locked = match find_own(tx, key).await? {
        Ok(locked) => locked,
        Err(outcome) => return Ok(outcome),
    };
    let submitted_at = locked.submitted_at;
    let sql = "UPDATE notes SET text = $5, edited_at = $6
               WHERE form_id = $1 AND submitted_at = $2 AND submission = $3 AND id = $4";
    let (form, submission, id) = (key.form.as_str(), key.submission.as_str(), key.note.as_str());
    let text = encode(text);
    query::execute(tx, sql, &[&form, &submitted_at, &submission, &id, &text, &at.micros()]).await?;
    record_update(tx, (form, submission), locked, at).await?;
    Ok(NoteOutcome::Done)
}

/// Sets the time of the last change of a submission, and reports the change to webhooks and open
/// lists.
async fn record_update(
    tx: &Transaction<'_>,
    (form, submission): (&str, &str),
    locked: LockedSubmission,
    at: Timestamp,
) -> Result<()> {
    let LockedSubmission { submitted_at, mut triage } = locked;
    triage.set_updated_at(at);
    let sql = "UPDATE submissions SET triage = $4
               WHERE form_id = $1 AND submitted_at = $2 AND id = $3";
    let column = triage.to_column()?;
    query::execute(tx, sql, &[&form, &submitted_at, &submission, &column]).await?;
    let (event, at) = (WebhookEvent::Updated, at.micros());
    outbox::enqueue(tx, form, event, at, &[submitted_at], &[submission]).await?;
    live::notify(tx, form, ChangeKind::Updated, &[submission]).await
}

/// Deletes a note.
pub(super) async fn delete(tx: &Transaction<'_>, key: &NoteKey) -> Result<NoteOutcome> {
    let submitted_at = match find_own(tx, key).await? {
        Ok(locked) => locked.submitted_at,
        Err(outcome) => return Ok(outcome),
    };
    let sql = "DELETE FROM notes
               WHERE form_id = $1 AND submitted_at = $2 AND submission = $3 AND id = $4";
    let (form, submission, id) = (key.form.as_str(), key.submission.as_str(), key.note.as_str());
    query::execute(tx, sql, &[&form, &submitted_at, &submission, &id]).await?;
    live::notify(tx, form, ChangeKind::Updated, &[submission]).await?;
    Ok(NoteOutcome::Done)
}

/// A listed submission that is not moved, and whose triage and notes do not change, until the
/// transaction ends.
struct LockedSubmission {
    submitted_at: i64,
    triage: StoredTriage,
}

/// Locks a listed submission of an existing form.
async fn lock_submission(
    tx: &Transaction<'_>,
    form: &FormId,
    id: &SubmissionId,
) -> Result<Option<LockedSubmission>> {
    if forms::find_owner(tx, form).await?.is_none() {
        return Ok(None);
    }
    let sql = "SELECT submitted_at, triage FROM submissions WHERE form_id = $1 AND id = $2
               FOR NO KEY UPDATE";
    let found = query::fetch_row(tx, sql, &[&form.as_str(), &id.as_str()]).await?;
    let locked = |row: &Row| {
        let triage = StoredTriage::parse(read_column(row, 1)?)?;
        Ok(LockedSubmission { submitted_at: read_column(row, 0)?, triage })
    };
    found.as_ref().map(locked).transpose()
}

/// Locks and returns the submission of a member's own note, or why the member cannot change the
/// note.
async fn find_own(
    tx: &Transaction<'_>,
    key: &NoteKey,
) -> Result<Result<LockedSubmission, NoteOutcome>> {
    let Some(locked) = lock_submission(tx, &key.form, &key.submission).await? else {
        return Ok(Err(NoteOutcome::NotFound));
    };
    let sql = "SELECT author FROM notes
               WHERE form_id = $1 AND submitted_at = $2 AND submission = $3 AND id = $4";
    let (form, submission, id) = (key.form.as_str(), key.submission.as_str(), key.note.as_str());
    let values: query::Parameters<'_> = &[&form, &locked.submitted_at, &submission, &id];
    let found = query::fetch_row(tx, sql, values).await?;
    let Some(note) = found else { return Ok(Err(NoteOutcome::NotFound)) };
    let author: Option<&str> = read_column(&note, 0)?;
    let is_own = author == Some(key.person.as_str());
    Ok(if is_own { Ok(locked) } else { Err(NoteOutcome::OtherAuthor) })
}

/// Deletes notes, history and read marks of submissions that were deleted permanently, given by
/// their instants and ids. A submission that was inserted again under the same key keeps them.
pub(crate) async fn delete_notes_of<T: ToSql + Sync>(
    tx: &Transaction<'_>,
    form: &str,
    submitted_at: &[i64],
    ids: &[T],
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    // One table at a time, because submissions can be distributed over machines.
    let mut kept = HashSet::new();
    for sql in [
        "SELECT s.submitted_at, s.id FROM submissions AS s
           JOIN unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
           ON s.submitted_at = n.submitted_at AND s.id = n.id
         WHERE s.form_id = $1",
        "SELECT u.submitted_at, u.id FROM unlisted AS u
           JOIN unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
           ON u.submitted_at = n.submitted_at AND u.id = n.id
         WHERE u.form_id = $1 AND u.state = ANY('{spam,trash}')",
    ] {
        for row in query::fetch_rows(tx, sql, &[&form, &submitted_at, &ids]).await? {
            kept.insert((read_column::<i64>(&row, 0)?, read_column::<String>(&row, 1)?));
        }
    }
    let (kept_at, kept_ids): (Vec<i64>, Vec<String>) = kept.into_iter().unzip();
    for sql in [
        "DELETE FROM notes AS o USING unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
         WHERE o.form_id = $1 AND o.submitted_at = n.submitted_at AND o.submission = n.id
           AND (o.submitted_at, o.submission) NOT IN (
             SELECT * FROM unnest($4::BIGINT[], $5::TEXT[]))",
        "DELETE FROM triage_history AS o
         USING unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
         WHERE o.form_id = $1 AND o.submitted_at = n.submitted_at AND o.submission = n.id
           AND (o.submitted_at, o.submission) NOT IN (
             SELECT * FROM unnest($4::BIGINT[], $5::TEXT[]))",
        "DELETE FROM read_marks AS o
         USING unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
         WHERE o.form_id = $1 AND o.submitted_at = n.submitted_at AND o.submission = n.id
           AND (o.submitted_at, o.submission) NOT IN (
             SELECT * FROM unnest($4::BIGINT[], $5::TEXT[]))",
    ] {
        query::execute(tx, sql, &[&form, &submitted_at, &ids, &kept_at, &kept_ids]).await?;
    }
    Ok(())
}
