//! What happens to a form's submissions, as far as an index cares.

use super::Utm;
use store::columns::SubmissionRow;

/// A submission as an index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Microseconds of UTC.
    pub(crate) at: i64,
    /// Its id, which orders those of one instant.
    pub(crate) id: String,
    /// Its UTM values.
    pub(crate) utm: Utm,
    /// The folded answer values, each followed by [`END_OF_VALUE`](store::columns::END_OF_VALUE).
    pub(crate) text: Vec<u8>,
    /// The submission as it stands on the wire.
    pub(crate) json: String,
}

impl From<SubmissionRow> for Row {
    fn from(row: SubmissionRow) -> Self {
        let utm = [row.utm_source, row.utm_medium, row.utm_campaign];
        let utm = Utm(utm.map(|value| value.map(String::into_boxed_str)));
        Self { at: row.submitted_at, id: row.id, utm, text: row.text, json: row.json }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// A submission came.
    Insert(Row),
    /// A submission went; its text and JSON are left empty.
    Delete(Row),
    /// A submission has another insight; its instant, id and answers stay.
    Rewrite {
        /// Microseconds of UTC.
        at: i64,
        /// Its id.
        id: String,
        /// The submission as it stands on the wire now.
        json: String,
    },
}

/// The changes by which a form comes from the version before to this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The version that they lead to.
    pub(crate) version: i64,
    /// In the order in which they were made.
    pub(crate) changes: Vec<Change>,
}

impl Changes {
    /// Returns about how many bytes these take in memory.
    pub(super) fn bytes(&self) -> usize {
        let row = |change: &Change| match change {
            Change::Insert(row) | Change::Delete(row) => {
                row.text.len() + row.id.len() + row.json.len()
            }
            Change::Rewrite { id, json, .. } => id.len() + json.len(),
        };
        size_of::<Self>()
            + self.changes.iter().map(|change| size_of::<Change>() + row(change)).sum::<usize>()
    }
}
