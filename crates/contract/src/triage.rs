//! Triage of submissions: status, star, tags, assignee and notes (not in the specification).
//!
//! Members of an account set them. They are stored apart from the submission and are no part of
//! its JSON.

pub(crate) mod change;
mod export;
mod mention;
mod note;
mod query;
mod read;
mod settings;
mod status;

pub use change::{SubmissionsUpdate, TooManyTags, TriageChange, UndoStep, UpdatedSubmissions};
pub use export::{ExportedTriage, TriageColumn, TriageColumns, TriageNames};
pub use mention::{Mention, NOTIFIED_MEMBERS_MAX, find_mentions, starts_mention};
pub use note::{HistoryEntry, InvalidNote, NOTE_CHARS_MAX, NOTES_MAX, Note, NoteText};
pub use query::{TRIAGE_IDS_MAX, TriageQuery};
pub use read::{Reader, UnreadCount};
pub use settings::{
    AccountTriage, CustomStatus, InvalidTriageSettings, Member, STATUS_NAME_CHARS_MAX,
    STATUSES_MAX, TagColor, TagSettings, TriageSettings, TriageSettingsUpdate,
};
pub use status::{InvalidStatus, InvalidTag, Status, Tag};

use crate::{PersonId, SubmissionId, Timestamp};
use serde::{Deserialize, Serialize};

/// Maximum number of tags of a submission.
pub const TAGS_MAX: usize = 20;
/// Maximum number of tags of an account.
pub const ACCOUNT_TAGS_MAX: usize = 200;
/// Maximum length of a tag, in characters.
pub const TAG_CHARS_MAX: usize = 50;

/// Triage of one submission. A new submission has the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Triage {
    /// Status.
    #[serde(default)]
    pub status: Status,
    /// Whether the submission is starred.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starred: bool,
    /// Tags, sorted, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// Member who works on the submission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<PersonId>,
    /// Whether the signed-in member has read the submission. It is stored for each member; `false`
    /// where no member is signed in, as in webhooks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read: bool,
}

impl Triage {
    /// Returns whether this is the triage of a new submission.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Triage of a submission with its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct SubmissionTriage {
    /// Identifier of the submission.
    pub id: SubmissionId,
    /// Its triage.
    #[serde(flatten)]
    pub triage: Triage,
    /// Number of notes.
    #[serde(default)]
    pub notes_count: u32,
}

/// Response of `GET /account/forms/{form_id}/submissions/{id}`: triage, notes and
/// history of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct TriageDetail {
    /// Its triage.
    #[serde(flatten)]
    pub triage: Triage,
    /// Time of the last change of triage or notes; `null` if there was no change.
    pub updated_at: Option<Timestamp>,
    /// Notes, oldest first.
    pub notes: Vec<Note>,
    /// Latest changes, newest first, at most 100.
    pub history: Vec<HistoryEntry>,
}
