//! Triage of submissions: status, star, tags, assignee, notes and history.
//!
//! The triage is stored in columns next to the submission's JSON, and moves with the submission to
//! spam or trash and back. A permanent deletion also deletes the notes and the history.

use super::audit::{AffectedRows, CountAffected};
use super::columns::{damaged_row, database_error, parse};
use super::mail::AccountMail;
use super::{Result, unlisted::Selection};
use async_trait::async_trait;
use contract::triage::{
    HistoryEntry, InvalidTriageSettings, Note, Reader, SubmissionTriage, TooManyTags, Triage,
    TriageChange, TriageDetail, TriageSettings, UndoStep,
};
use contract::{AccountId, FormId, NoteId, PersonId, SubmissionId, Timestamp, triage::Status};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Maximum number of listed submissions that one update changes.
pub const UPDATE_MAX: u64 = 100_000;
/// Maximum number of history entries of a submission; the oldest are deleted.
pub const HISTORY_MAX: usize = 100;

/// Update of the triage of listed submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriageUpdate {
    /// The form.
    pub form: FormId,
    /// The submissions. Those that match a filter are at most [`UPDATE_MAX`].
    pub selection: Selection,
    /// The change.
    pub change: TriageChange,
    /// Member who makes the change. A changed read state is theirs.
    pub reader: Reader,
    /// Time of the change.
    pub at: Timestamp,
    /// Whether the outcome has the changes that undo this one.
    pub with_undo: bool,
}

/// Result of a [`TriageUpdate`]. Unless submissions were changed, nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// Number of submissions that are different now, for all members or for the one who made the
    /// change, and the changes that undo it, if the update asks for them. Submissions that differ
    /// for all members have a new history entry.
    Changed(u64, Vec<UndoStep>),
    /// The number of matches is not the expected one, or is over [`UPDATE_MAX`].
    CountDiffers(u64),
    /// The account does not have the new status.
    UnknownStatus(Status),
    /// A submission would have too many tags.
    TooManyTags(TooManyTags),
    /// The account would have too many tags.
    Account(InvalidTriageSettings),
}

impl UpdateOutcome {
    /// Returns the outcome of an update that changes `count` submissions, without undo.
    pub fn changed(count: u64) -> Self {
        Self::Changed(count, Vec::new())
    }
}

/// Collects the changes that undo an update.
#[derive(Debug, Default)]
pub struct UndoSteps {
    steps: Vec<UndoStep>,
    /// Place in `steps` of each change.
    places: HashMap<TriageChange, usize>,
}

impl UndoSteps {
    /// Adds a submission with the inverse of its change.
    ///
    /// # Errors
    /// If the id is damaged.
    pub fn add(&mut self, id: &str, inverse: &TriageChange) -> Result<()> {
        let id = parse(id)?;
        if let Some(place) = self.places.get(inverse) {
            self.steps[*place].ids.push(id);
        } else {
            self.places.insert(inverse.clone(), self.steps.len());
            self.steps.push(UndoStep { ids: vec![id], set: inverse.clone() });
        }
        Ok(())
    }

    /// Returns the changes, each with its submissions in the order of their addition.
    pub fn into_steps(self) -> Vec<UndoStep> {
        self.steps
    }
}

/// Result of a change of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsOutcome {
    /// The settings were replaced.
    Set,
    /// A status that would be removed belongs to listed, spam or trashed submissions. Nothing was
    /// changed.
    StatusUsed(Status),
    /// The account has other settings than expected. Nothing was changed.
    Changed,
}

/// Identifies a note for an edit or a deletion by its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteKey {
    /// The form.
    pub form: FormId,
    /// The submission, which must be listed.
    pub submission: SubmissionId,
    /// The note.
    pub note: NoteId,
    /// The member who wants to change it.
    pub person: PersonId,
}

/// Result of a change of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteOutcome {
    /// The note was inserted, edited or deleted.
    Done,
    /// There is no such listed submission, or no such note.
    NotFound,
    /// The note belongs to another member. Nothing was changed.
    OtherAuthor,
    /// The submission has [`NOTES_MAX`](contract::triage::NOTES_MAX) notes. Nothing was inserted.
    TooManyNotes,
}

/// Triage as in its column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTriage {
    /// The triage.
    #[serde(flatten)]
    pub triage: Triage,
    /// Time of the last change to `done`, in microseconds since the epoch; `None` for another
    /// status, and if an older version made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    done_at: Option<i64>,
    /// Time of the last change of the triage, or of the last note or edit of a note, in
    /// microseconds since the epoch; `None` before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    updated_at: Option<i64>,
}

impl StoredTriage {
    /// Returns the triage in its column; `None` is the default.
    ///
    /// # Errors
    /// If the text is not the JSON of a triage.
    pub fn parse(json: Option<&str>) -> Result<Self> {
        json.map_or_else(|| Ok(Self::default()), serde_json::from_str).map_err(damaged_row)
    }

    /// Returns the column; `None` for the default that was never changed.
    ///
    /// # Errors
    /// If the triage cannot be serialised.
    pub fn to_column(&self) -> Result<Option<String>> {
        let is_new = self.triage.is_default() && self.updated_at.is_none();
        let json = (!is_new).then(|| serde_json::to_string(self));
        json.transpose().map_err(database_error)
    }

    /// Applies a change that is made at `at`, as [`TriageChange::apply`].
    ///
    /// # Errors
    /// If there would be too many tags. The triage is unchanged then.
    pub fn apply(
        &mut self,
        change: &TriageChange,
        at: Timestamp,
    ) -> std::result::Result<TriageChange, TooManyTags> {
        let effect = change.apply(&mut self.triage)?;
        if let Some(status) = &effect.status {
            self.done_at = (status.as_str() == Status::DONE).then(|| at.micros());
        }
        if !effect.is_empty() {
            self.set_updated_at(at);
        }
        Ok(effect)
    }

    /// Returns the time of the last change.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.updated_at.and_then(Timestamp::from_micros)
    }

    /// Sets the time of the last change, unless a later one is known.
    pub fn set_updated_at(&mut self, at: Timestamp) {
        self.updated_at = self.updated_at.max(Some(at.micros()));
    }

    /// Returns the whole seconds from a submission to its last change to `done`, if it is done and
    /// the time of the change is known. A change before the submission counts as 0.
    pub fn seconds_to_done(&self, submitted_at: Timestamp) -> Option<u32> {
        if self.triage.status.as_str() != Status::DONE {
            return None;
        }
        let micros = self.done_at?.saturating_sub(submitted_at.micros());
        Some(u32::try_from(micros.max(0) / 1_000_000).unwrap_or(u32::MAX - 1))
    }
}

/// Returns the triage in its column, without its times.
///
/// # Errors
/// If the text is not the JSON of a triage.
pub fn parse_triage(json: Option<&str>) -> Result<Triage> {
    json.map_or_else(|| Ok(Triage::default()), serde_json::from_str).map_err(damaged_row)
}

/// Returns the detail of a submission. `notes` are sorted by creation time and id, `history` newest
/// first.
pub fn triage_detail(
    stored: StoredTriage,
    notes: Vec<Note>,
    history: Vec<HistoryEntry>,
) -> TriageDetail {
    TriageDetail { updated_at: stored.updated_at(), triage: stored.triage, notes, history }
}

impl CountAffected for Option<UpdateOutcome> {
    fn affected_rows(&self) -> AffectedRows {
        match self {
            Some(UpdateOutcome::Changed(count, _)) => count.affected_rows(),
            _ => AffectedRows::Nothing,
        }
    }
}

impl CountAffected for SettingsOutcome {
    fn affected_rows(&self) -> AffectedRows {
        (*self == Self::Set).affected_rows()
    }
}

impl CountAffected for NoteOutcome {
    fn affected_rows(&self) -> AffectedRows {
        (*self == Self::Done).affected_rows()
    }
}

/// Triage of the store. Each method is one transaction.
#[async_trait]
pub trait TriageStore: Send + Sync + 'static {
    /// Returns the statuses and tags of an account; the default if there is no such account.
    async fn find_triage_settings(&self, account: &AccountId) -> Result<TriageSettings>;
    /// Replaces the statuses and tags of an account; with `before`, only if it has these. An
    /// unknown account is not an error. Tags that are removed stay on their submissions.
    async fn set_triage_settings(
        &self,
        account: &AccountId,
        before: Option<TriageSettings>,
        settings: TriageSettings,
    ) -> Result<SettingsOutcome>;
    /// Changes the triage of listed submissions, and adds new tags to the account; `None` if there
    /// is no such form.
    async fn update_triage(&self, update: TriageUpdate) -> Result<Option<UpdateOutcome>>;
    /// Lists the triage of those of a form's listed submissions that differ from a new one, in any
    /// order. Unknown ids are ignored.
    async fn list_triage(
        &self,
        form: &FormId,
        ids: &[SubmissionId],
    ) -> Result<Vec<SubmissionTriage>>;
    /// Returns triage, notes and history of a listed submission of a form.
    async fn find_triage(&self, form: &FormId, id: &SubmissionId) -> Result<Option<TriageDetail>>;
    /// Inserts a note about a listed submission of a form, and the e-mails to the members whom it
    /// mentions.
    async fn insert_note(
        &self,
        form: &FormId,
        submission: &SubmissionId,
        note: Note,
        mails: Vec<AccountMail>,
    ) -> Result<NoteOutcome>;
    /// Replaces the text of a note, sets the time of its edit, and inserts e-mails to members whom
    /// the new text mentions.
    async fn edit_note(
        &self,
        key: &NoteKey,
        text: String,
        at: Timestamp,
        mails: Vec<AccountMail>,
    ) -> Result<NoteOutcome>;
    /// Deletes a note.
    async fn delete_note(&self, key: &NoteKey) -> Result<NoteOutcome>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros).unwrap()
    }

    fn change(json: &str) -> TriageChange {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn time_of_last_change_is_kept() {
        let mut stored = StoredTriage::default();
        stored.apply(&change(r#"{"starred":false}"#), at(1)).unwrap();
        assert_eq!((stored.to_column().unwrap(), stored.updated_at()), (None, None));
        stored.apply(&change(r#"{"starred":true}"#), at(2)).unwrap();
        stored.apply(&change(r#"{"starred":true}"#), at(3)).unwrap();
        assert_eq!(stored.updated_at(), Some(at(2)));
        stored.apply(&change(r#"{"starred":false}"#), at(4)).unwrap();
        let column = stored.to_column().unwrap();
        assert_eq!(column.as_deref(), Some(r#"{"status":"open","updated_at":4}"#));
        assert_eq!(StoredTriage::parse(column.as_deref()).unwrap(), stored);
    }

    #[test]
    fn time_of_done_is_the_last_change_to_done() {
        let mut stored = StoredTriage::default();
        assert_eq!(stored.to_column().unwrap(), None);
        stored.apply(&change(r#"{"status":"done","add_tags":["ä\""]}"#), at(5_900_000)).unwrap();
        let column = stored.to_column().unwrap().unwrap();
        let times = r#""done_at":5900000,"updated_at":5900000"#;
        assert_eq!(column, format!(r#"{{"status":"done","tags":["ä\""],{times}}}"#));
        assert_eq!(StoredTriage::parse(Some(&column)).unwrap(), stored);
        assert_eq!(parse_triage(Some(&column)).unwrap(), stored.triage);
        stored.apply(&change(r#"{"status":"done","starred":true}"#), at(9_000_000)).unwrap();
        assert_eq!(stored.seconds_to_done(at(1_000_000)), Some(4));
        assert_eq!(stored.seconds_to_done(at(7_000_000)), Some(0));
        assert_eq!(stored.seconds_to_done(Timestamp::MIN), Some(u32::MAX - 1));
        stored.apply(&change(r#"{"status":"open"}"#), at(9_000_000)).unwrap();
        assert_eq!(stored.seconds_to_done(at(0)), None);
        let column = stored.to_column().unwrap().unwrap();
        let expected = r#"{"status":"open","starred":true,"tags":["ä\""],"updated_at":9000000}"#;
        assert_eq!(column, expected);
        let of_older_version = StoredTriage::parse(Some(r#"{"status":"done"}"#)).unwrap();
        assert_eq!(of_older_version.seconds_to_done(at(0)), None);
    }
}
