//! [`TriageStore`] for SQLite.
//!
//! The triage is a column of the submission, and moves with it. Notes and history have the key of
//! the submission, listed or not; triggers delete them with the last row of this key.

mod notes;
mod read;
mod settings;
mod update;

use super::SqliteStore;
use super::mail::insert_account_mail;
use async_trait::async_trait;
use contract::triage::{Note, SubmissionTriage, TriageDetail, TriageSettings};
use contract::{AccountId, FormId, SubmissionId, Timestamp};
use rusqlite::Connection;
use std::sync::Arc;
use store::Result;
use store::mail::AccountMail;
use store::triage::{
    NoteKey, NoteOutcome, SettingsOutcome, TriageStore, TriageUpdate, UpdateOutcome,
};

#[async_trait]
impl TriageStore for SqliteStore {
    async fn find_triage_settings(&self, account: &AccountId) -> Result<TriageSettings> {
        self.readers.read_statement(|conn| settings::find(conn, account.as_str())).await
    }

    async fn set_triage_settings(
        &self,
        account: &AccountId,
        before: Option<TriageSettings>,
        settings: TriageSettings,
    ) -> Result<SettingsOutcome> {
        let account = account.clone();
        let set = move |conn: &Connection| settings::set(conn, &account, before, &settings);
        self.writer.write(set).await
    }

    async fn update_triage(&self, update: TriageUpdate) -> Result<Option<UpdateOutcome>> {
        let index = Arc::clone(&self.memory_index);
        self.writer.write(move |conn| update::update_triage(conn, &index, &update)).await
    }

    async fn list_triage(
        &self,
        form: &FormId,
        ids: &[SubmissionId],
    ) -> Result<Vec<SubmissionTriage>> {
        self.readers.read_here(|conn| read::list(conn, form, ids)).await
    }

    async fn find_triage(&self, form: &FormId, id: &SubmissionId) -> Result<Option<TriageDetail>> {
        self.readers.read_here(|conn| read::find(conn, form, id)).await
    }

    async fn insert_note(
        &self,
        form: &FormId,
        submission: &SubmissionId,
        note: Note,
        mails: Vec<AccountMail>,
    ) -> Result<NoteOutcome> {
        let (form, submission) = (form.clone(), submission.clone());
        let index = Arc::clone(&self.memory_index);
        let insert = move |conn: &Connection| {
            let outcome = notes::insert(conn, &index, &form, &submission, &note)?;
            insert_mails(conn, outcome, &mails, note.created_at)
        };
        self.writer.write(insert).await
    }

    async fn edit_note(
        &self,
        key: &NoteKey,
        text: String,
        at: Timestamp,
        mails: Vec<AccountMail>,
    ) -> Result<NoteOutcome> {
        let key = key.clone();
        let index = Arc::clone(&self.memory_index);
        let edit = move |conn: &Connection| {
            let outcome = notes::edit(conn, &index, &key, &text, at)?;
            insert_mails(conn, outcome, &mails, at)
        };
        self.writer.write(edit).await
    }

    async fn delete_note(&self, key: &NoteKey) -> Result<NoteOutcome> {
        let key = key.clone();
        let index = Arc::clone(&self.memory_index);
        self.writer.write_when_full(move |conn| notes::delete(conn, &index, &key)).await
    }
}

/// Inserts the e-mails about a note, if the note was inserted or edited. Returns the outcome.
fn insert_mails(
    conn: &Connection,
    outcome: NoteOutcome,
    mails: &[AccountMail],
    now: Timestamp,
) -> Result<NoteOutcome> {
    if outcome == NoteOutcome::Done {
        mails.iter().try_for_each(|mail| insert_account_mail(conn, mail, now))?;
    }
    Ok(outcome)
}
