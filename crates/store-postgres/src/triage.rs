//! [`TriageStore`] for PostgreSQL.
//!
//! The triage is in columns of `submissions` and `unlisted`, which the moves copy. Notes and
//! history belong to the key of a submission in any state. Writers lock the submission, so no
//! change is lost.

mod columns;
mod detail;
mod notes;
mod settings;
mod update;

pub(super) use columns::{TriageColumns, TriageWrite};
pub(super) use notes::delete_notes_of;

use super::PostgresStore;
use super::mail::insert_account_mail;
use async_trait::async_trait;
use contract::triage::{Note, SubmissionTriage, TriageDetail, TriageSettings};
use contract::{AccountId, FormId, SubmissionId, Timestamp};
use deadpool_postgres::Transaction;
use store::Result;
use store::mail::AccountMail;
use store::triage::{
    NoteKey, NoteOutcome, SettingsOutcome, TriageStore, TriageUpdate, UpdateOutcome,
};
use store::unlisted::Selection;

#[async_trait]
impl TriageStore for PostgresStore {
    async fn find_triage_settings(&self, account: &AccountId) -> Result<TriageSettings> {
        settings::find(&self.connections.get().await?, account.as_str()).await
    }

    async fn set_triage_settings(
        &self,
        account: &AccountId,
        before: Option<TriageSettings>,
        settings: TriageSettings,
    ) -> Result<SettingsOutcome> {
        // The search for a removed status may read an index of all forms.
        let mut conn = self.connections.get_long().await?;
        let work = self.begin_write(&mut conn).await?;
        let outcome = settings::replace(&work, account.as_str(), before, &settings).await?;
        if outcome != SettingsOutcome::Set {
            // Drops the transaction.
            return Ok(outcome);
        }
        work.commit_audited(outcome).await
    }

    async fn update_triage(&self, update: TriageUpdate) -> Result<Option<UpdateOutcome>> {
        let is_long = matches!(update.selection, Selection::Matching { .. });
        let (mut conn, _share) = self.connections.get_for_form(&update.form, is_long).await?;
        let work = self.begin_write(&mut conn).await?;
        let outcome = update::run(&work, &update).await?;
        if !matches!(outcome, Some(UpdateOutcome::Changed(1.., _))) {
            // Drops the transaction, which may have locked rows and inserted settings.
            return Ok(outcome);
        }
        work.commit_audited(outcome).await
    }

    async fn list_triage(
        &self,
        form: &FormId,
        ids: &[SubmissionId],
    ) -> Result<Vec<SubmissionTriage>> {
        let mut conn = self.connections.get().await?;
        detail::list(&self.begin_read(&mut conn).await?, form, ids).await
    }

    async fn find_triage(&self, form: &FormId, id: &SubmissionId) -> Result<Option<TriageDetail>> {
        let mut conn = self.connections.get().await?;
        detail::find(&self.begin_read(&mut conn).await?, form, id).await
    }

    async fn insert_note(
        &self,
        form: &FormId,
        submission: &SubmissionId,
        note: Note,
        mails: Vec<AccountMail>,
    ) -> Result<NoteOutcome> {
        let mut conn = self.connections.get().await?;
        let work = self.begin_write(&mut conn).await?;
        let outcome = notes::insert(&work, form, submission, &note).await?;
        insert_mails(&work, outcome, &mails, note.created_at).await?;
        work.commit_audited(outcome).await
    }

    async fn edit_note(
        &self,
        key: &NoteKey,
        text: String,
        at: Timestamp,
        mails: Vec<AccountMail>,
    ) -> Result<NoteOutcome> {
        let mut conn = self.connections.get().await?;
        let work = self.begin_write(&mut conn).await?;
        let outcome = notes::edit(&work, key, &text, at).await?;
        insert_mails(&work, outcome, &mails, at).await?;
        work.commit_audited(outcome).await
    }

    async fn delete_note(&self, key: &NoteKey) -> Result<NoteOutcome> {
        let mut conn = self.connections.get().await?;
        let work = self.begin_write(&mut conn).await?;
        let outcome = notes::delete(&work, key).await?;
        work.commit_audited(outcome).await
    }
}

/// Inserts the e-mails about a note, if the note was inserted or edited.
async fn insert_mails(
    tx: &Transaction<'_>,
    outcome: NoteOutcome,
    mails: &[AccountMail],
    now: Timestamp,
) -> Result<()> {
    if outcome == NoteOutcome::Done {
        for mail in mails {
            insert_account_mail(tx, mail, now).await?;
        }
    }
    Ok(())
}
