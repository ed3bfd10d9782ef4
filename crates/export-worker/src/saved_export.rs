//! Saved state of an export, for resuming it after a reload. Data only.

use std::collections::{HashSet, VecDeque};

use contract::{Field, FieldType, Submission, SubmissionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    file::FileState,
    task::{ExportTask, Unwritable},
};

/// Maximum number of answer keys that are gathered from a server that does not publish fields.
pub const KEYS_MAX: usize = 16_000;

/// Saved state of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedExport {
    /// Id.
    pub id: String,
    /// Task.
    pub task: ExportTask,
    /// Start of the export.
    #[serde(rename = "began")]
    pub started_at: Timestamp,
    /// Position in the source.
    #[serde(rename = "place")]
    pub position: SourcePosition,
    /// Total number of rows, once known.
    pub total: Option<u64>,
    /// Requests made.
    pub requests: u64,
    /// State of the file at that position; `None` before the first commit.
    pub file: Option<FileState>,
    /// Number of bytes that belong to that state.
    pub bytes: u64,
    /// Keys of the answers in order of appearance, for servers that do not publish fields.
    pub keys: Vec<String>,
    /// Whether the user chose the location of the file.
    pub chosen: bool,
}

/// Position in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourcePosition {
    /// Before the first row.
    Start,
    /// Before the page with this cursor.
    Cursor(String),
    /// After a submission.
    After(Timestamp, SubmissionId),
    /// Before the submission with this index.
    Nth(usize),
    /// After the last row.
    End,
}

/// Position that belongs to the last committed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedPosition {
    position: SourcePosition,
    /// Number of keys. Keys are only ever added.
    keys: usize,
}

impl SavedExport {
    /// Returns an export that has not started.
    pub fn new(id: String, task: ExportTask, started_at: Timestamp, chosen: bool) -> Self {
        let total = task.selected_ids.as_ref().map(|ids| ids.len() as u64).or(task.expected);
        Self {
            id,
            task,
            started_at,
            position: SourcePosition::Start,
            total,
            requests: 0,
            file: None,
            bytes: 0,
            keys: Vec::new(),
            chosen,
        }
    }

    /// Returns the position for bytes that are committed now.
    pub fn current_position(&self) -> CommittedPosition {
        CommittedPosition { position: self.position.clone(), keys: self.keys.len() }
    }

    /// Returns to the position of the last committed bytes; to the start if no bytes were
    /// committed.
    pub fn restore_position(&mut self, mark: &CommittedPosition) {
        if self.file.is_none() {
            (self.position, self.bytes) = (SourcePosition::Start, 0);
            self.keys.clear();
        } else {
            self.position = mark.position.clone();
            self.keys.truncate(mark.keys);
        }
    }

    /// Records the number of rows to write. The total is never below the number that the page
    /// expects.
    pub fn raise_total(&mut self, total: u64) {
        self.total = Some(self.total.unwrap_or_default().max(total));
    }

    /// Records the number of rows in the list. Has no effect for a selection.
    pub fn set_listed(&mut self, listed: u64) {
        if self.task.selected_ids.is_none() {
            self.raise_total(listed);
        }
    }

    /// Returns whether the rows are gathered first, because only they determine the columns.
    pub fn needs_gathering(&self) -> bool {
        !self.task.managed && self.task.fields.is_empty() && self.task.format.is_table()
    }

    /// Records the keys of the answers of a submission.
    ///
    /// # Errors
    /// If there are more than [`KEYS_MAX`] keys.
    pub fn record_keys(&mut self, row: &Submission) -> Result<(), Unwritable> {
        for key in row.answers.0.keys() {
            if !self.keys.contains(key) {
                if self.keys.len() == KEYS_MAX {
                    return Err(Unwritable::Keys(KEYS_MAX as u64));
                }
                self.keys.push(key.clone());
            }
        }
        Ok(())
    }

    /// Returns the fields of the form: those of the server, or those derived from the answers.
    pub fn fields(&self) -> Vec<Field> {
        let field = |(n, key): (usize, &String)| {
            let id = format!("fld_{}", n + 1).parse().ok()?;
            let name = key.clone();
            Some(Field { id, key: key.clone(), name, kind: FieldType::Text, hidden: false })
        };
        if self.needs_gathering() {
            return self.keys.iter().enumerate().filter_map(field).collect();
        }
        self.task.fields.clone()
    }
}

/// Selection of the rows to write.
#[derive(Debug)]
pub struct SubmissionSelection {
    ids: Option<HashSet<SubmissionId>>,
}

impl SubmissionSelection {
    /// Returns the selection of a task.
    pub fn from_task(task: &ExportTask) -> Self {
        let ids = task.selected_ids.clone().map(|ids| ids.into_iter().collect());
        Self { ids }
    }

    /// Returns whether a row is selected.
    pub fn contains(&self, id: &SubmissionId) -> bool {
        self.ids.as_ref().is_none_or(|ids| ids.contains(id))
    }

    /// Returns whether the number of written rows is the whole selection, so that reading can stop.
    pub fn is_complete(&self, written: u64) -> bool {
        self.ids.as_ref().is_some_and(|ids| written >= ids.len() as u64)
    }
}

/// Returns whether a row is after a position. Rows are sorted from new to old, and by descending
/// id.
pub fn is_after_position(position: &SourcePosition, row: &Submission) -> bool {
    match position {
        SourcePosition::After(at, id) => {
            (row.metadata.submitted_at, row.id.as_str()) < (*at, id.as_str())
        }
        _ => true,
    }
}

/// Ids of recently written rows, for the detection of repeated rows. If new submissions shift the
/// pages of a server, a page repeats rows of the previous one. Bounded, so that memory use is
/// constant.
#[derive(Debug, Default)]
pub struct RecentIds {
    ids: HashSet<SubmissionId>,
    order: VecDeque<SubmissionId>,
}

impl RecentIds {
    /// Maximum number of ids.
    const IDS_MAX: usize = 2000;

    /// Records an id. Returns false if it was recorded recently.
    pub fn insert_new(&mut self, id: &SubmissionId) -> bool {
        if !self.ids.insert(id.clone()) {
            return false;
        }
        self.order.push_back(id.clone());
        if self.order.len() > Self::IDS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, at: &str) -> Submission {
        serde_json::from_value(serde_json::json!({
            "id": id, "form_id": "frm_1", "metadata": { "submitted_at": at },
        }))
        .unwrap()
    }

    fn saved(task: &serde_json::Value) -> SavedExport {
        let mut defaults = serde_json::json!({
            "account": "acc_1", "environment": "live", "form": "frm_1", "fields": [],
            "managed": false, "query": "", "only": null, "format": "csv",
            "safe": true, "left_out": [], "zone": "utc", "plan": "free", "expected": null,
            "name": "a.csv",
        });
        let members = task.as_object().unwrap().clone();
        defaults.as_object_mut().unwrap().extend(members);
        let task = serde_json::from_value(defaults).unwrap();
        let started_at = Timestamp::parse("2026-03-01").unwrap();
        SavedExport::new("own".to_owned(), task, started_at, false)
    }

    #[test]
    fn go_back_restores_last_committed_position() {
        let mut saved = saved(&serde_json::json!({}));
        let initial = saved.clone();
        let mark = saved.current_position();
        let later = |saved: &mut SavedExport, cursor: &str| {
            saved.position = SourcePosition::Cursor(cursor.to_owned());
            saved.keys.push(cursor.to_owned());
        };
        later(&mut saved, "a");
        saved.restore_position(&mark);
        assert_eq!(saved, initial);
        later(&mut saved, "a");
        saved.file = serde_json::from_value(serde_json::json!({ "rows": 100, "xlsx": null })).ok();
        saved.bytes = 5000;
        let committed = saved.clone();
        let mark = saved.current_position();
        assert!(committed.file.is_some());
        later(&mut saved, "b");
        saved.restore_position(&mark);
        assert_eq!(saved, committed);
    }

    #[test]
    fn selection_matches_and_counts_its_ids() {
        let members = serde_json::json!({ "only": ["sub_1", "sub_2"] });
        let mut saved = saved(&members);
        let selection = SubmissionSelection::from_task(&saved.task);
        let is_selected = |id: &str| selection.contains(&id.parse().unwrap());
        assert!(is_selected("sub_1") && is_selected("sub_2") && !is_selected("sub_3"));
        assert!(!selection.is_complete(1) && selection.is_complete(2));
        saved.set_listed(400);
        assert_eq!(saved.total, Some(2), "the size of the list does not apply to a selection");
    }

    #[test]
    fn listed_total_can_exceed_expected_total() {
        let mut saved = saved(&serde_json::json!({ "expected": 10 }));
        saved.set_listed(8);
        assert_eq!(saved.total, Some(10));
        saved.set_listed(12);
        assert_eq!(saved.total, Some(12));
    }

    /// Earlier versions stored the included columns, and could lose some of them.
    #[test]
    fn outdated_saved_state_is_rejected() {
        let mut note = serde_json::to_value(saved(&serde_json::json!({}))).unwrap();
        assert!(serde_json::from_value::<SavedExport>(note.clone()).is_ok());
        let task = note["task"].as_object_mut().unwrap();
        task.remove("left_out");
        task.insert("columns".to_owned(), serde_json::json!(["submission_id"]));
        assert!(serde_json::from_value::<SavedExport>(note).is_err());
    }

    #[test]
    fn rows_after_position_have_smaller_keys() {
        let at = Timestamp::parse("2026-03-01").unwrap();
        let position = SourcePosition::After(at, "sub_5".parse().unwrap());
        let check = |id: &str, time: &str, behind: bool| {
            assert_eq!(is_after_position(&position, &row(id, time)), behind, "{id} {time}");
        };
        check("sub_5", "2026-03-01", false);
        check("sub_6", "2026-03-01", false);
        check("sub_4", "2026-03-01", true);
        check("sub_9", "2026-02-28", true);
        check("sub_1", "2026-03-01T00:00:00.000001Z", false);
        assert!(is_after_position(&SourcePosition::Start, &row("sub_1", "2026-03-01")));
    }

    #[test]
    fn repeated_row_is_detected_until_evicted() {
        let mut recent = RecentIds::default();
        let id = |n: usize| -> SubmissionId { format!("sub_{n}").parse().unwrap() };
        for n in 0..RecentIds::IDS_MAX {
            assert!(recent.insert_new(&id(n)));
        }
        assert!(!recent.insert_new(&id(0)));
        assert!(recent.insert_new(&id(RecentIds::IDS_MAX)));
        assert!(recent.insert_new(&id(0)), "the oldest id is evicted");
        assert_eq!(recent.order.len(), recent.ids.len());
    }
}
