//! Changes of a form's submissions, as the indexes see them.

use super::UtmValues;
use std::sync::Arc;
use store::columns::SubmissionRow;

/// The indexed parts of a submission.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IndexedRow {
    /// Microseconds since the epoch, UTC.
    pub(crate) at: i64,
    /// The id, which orders submissions of the same instant.
    pub(crate) id: String,
    /// The UTM values.
    pub(crate) utm: UtmValues,
    /// The folded answer values, each followed by [`END_OF_VALUE`](store::columns::END_OF_VALUE).
    pub(crate) text: Vec<u8>,
    /// The submission as JSON, as the API returns it.
    pub(crate) json: String,
    /// The triage as JSON; `None` for the default.
    pub(crate) triage: Option<Arc<str>>,
}

impl From<SubmissionRow> for IndexedRow {
    fn from(row: SubmissionRow) -> Self {
        let utm = [row.utm_source, row.utm_medium, row.utm_campaign];
        let utm = UtmValues(utm.map(|value| value.map(String::into_boxed_str)));
        Self { at: row.submitted_at, id: row.id, utm, text: row.text, json: row.json, triage: None }
    }
}

/// A change to one submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// A submission was inserted.
    Insert(IndexedRow),
    /// A submission was deleted. `text`, `json` and `triage` are empty.
    Delete(IndexedRow),
    /// A submission has another insight. Its instant, id and answers are the same.
    Rewrite {
        /// Microseconds since the epoch, UTC.
        at: i64,
        /// The id.
        id: String,
        /// The new JSON.
        json: String,
    },
    /// A submission has another triage. Everything else is the same.
    Triage {
        /// Microseconds since the epoch, UTC.
        at: i64,
        /// The id.
        id: String,
        /// The new triage as JSON; `None` for the default.
        triage: Option<Arc<str>>,
    },
    /// A member has read a submission, or it is unread again.
    Read {
        /// Microseconds since the epoch, UTC.
        at: i64,
        /// The id.
        id: String,
        /// The id of the member.
        person: Arc<str>,
        /// Whether the state differs from the default of the member.
        is_marked: bool,
    },
}

/// The changes that lead from the previous version of a form to this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The version after the changes.
    pub(crate) version: i64,
    /// The changes, in chronological order.
    pub(crate) changes: Vec<Change>,
}

impl Changes {
    /// Returns the approximate size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let length = |triage: &Option<Arc<str>>| triage.as_deref().map_or(0, str::len);
        let row = |change: &Change| match change {
            Change::Insert(row) | Change::Delete(row) => {
                row.text.len() + row.id.len() + row.json.len() + length(&row.triage)
            }
            Change::Triage { id, triage, .. } => id.len() + length(triage),
            Change::Rewrite { id, json, .. } => id.len() + json.len(),
            Change::Read { id, .. } => id.len(),
        };
        size_of::<Self>()
            + self.changes.iter().map(|change| size_of::<Change>() + row(change)).sum::<usize>()
    }
}
