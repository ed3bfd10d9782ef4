//! The known triage of submissions: as the server has it, and with changes that are being sent.
//! Pure data, without requests.

use std::collections::HashMap;

use contract::SubmissionId;
use contract::triage::{SubmissionTriage, TRIAGE_IDS_MAX, Triage, TriageChange};

/// Number of known submissions above which those without marks are forgotten.
const KNOWN_MAX: usize = 5_000;
/// Maximum length of the ids in a request, in bytes. With the rest, an address has less than 4,096.
const IDS_BYTES_MAX: usize = 3_000;
/// Length of a separator between ids in an address, in bytes: a comma as `%2C`.
const SEPARATOR_BYTES: usize = 3;

/// The triage of one submission.
#[derive(Debug, Clone, Default)]
struct Mark {
    /// Triage on the server.
    stored: Triage,
    /// Triage with the pending changes.
    shown: Triage,
    /// Changes that are being sent, with their numbers, oldest first.
    pending: Vec<(u32, TriageChange)>,
    /// Number of the last change of this entry.
    version: u32,
    /// Whether no request is needed.
    is_known: bool,
}

impl Mark {
    fn apply_pending(&mut self) {
        self.shown = self.stored.clone();
        for (_, change) in &self.pending {
            // The server refuses a change with too many tags, so it is not shown either.
            let _ = change.apply(&mut self.shown);
        }
    }
}

/// Triage of submissions by their ids. Submissions without an entry count as new ones.
#[derive(Debug, Clone, Default)]
pub struct TriageMarks {
    marks: HashMap<SubmissionId, Mark>,
    /// Number of the last change.
    last_number: u32,
}

impl TriageMarks {
    /// Returns the triage of a submission, including pending changes.
    pub fn get(&self, id: &SubmissionId) -> Triage {
        self.marks.get(id).map(|mark| mark.shown.clone()).unwrap_or_default()
    }

    /// Returns a number that changes with the triage of a submission; 0 for a new one.
    pub fn version(&self, id: &SubmissionId) -> u32 {
        let marked = self.marks.get(id).filter(|mark| !mark.shown.is_default());
        marked.map_or(0, |mark| mark.version)
    }

    /// Returns whether the triage of a submission is known, so that no request is needed.
    pub fn is_known(&self, id: &SubmissionId) -> bool {
        self.marks.get(id).is_some_and(|mark| mark.is_known)
    }

    /// Returns the number of the last change, to be passed to [`Self::store`] with the response to
    /// a request that is sent now.
    pub fn last_number(&self) -> u32 {
        self.last_number
    }

    /// Stores the response to a request for `ids`; those that `found` lacks have no marks. Entries
    /// that changed after `sent_at` stay as they are, because the response may be older.
    pub fn store(&mut self, ids: &[SubmissionId], found: Vec<SubmissionTriage>, sent_at: u32) {
        if self.marks.len() > KNOWN_MAX {
            self.marks.retain(|_, mark| !mark.shown.is_default() || !mark.pending.is_empty());
        }
        let mut found: HashMap<SubmissionId, Triage> =
            found.into_iter().map(|found| (found.id, found.triage)).collect();
        for id in ids {
            let triage = found.remove(id).unwrap_or_default();
            let mark = self.marks.entry(id.clone()).or_default();
            mark.is_known = true;
            if !mark.pending.is_empty() || mark.version > sent_at || mark.stored == triage {
                continue;
            }
            self.last_number += 1;
            mark.version = self.last_number;
            mark.stored = triage;
            mark.apply_pending();
        }
    }

    /// Shows a change before it is sent. Returns its number, for [`Self::commit`] and
    /// [`Self::revert`].
    pub fn begin(&mut self, ids: &[SubmissionId], change: &TriageChange) -> u32 {
        self.last_number += 1;
        let number = self.last_number;
        for id in ids {
            let mark = self.marks.entry(id.clone()).or_default();
            mark.pending.push((number, change.clone()));
            mark.version = number;
            mark.apply_pending();
        }
        number
    }

    /// Records that the server made a change.
    pub fn commit(&mut self, ids: &[SubmissionId], number: u32) {
        self.end(ids, number, true);
    }

    /// Takes back a change that the server refused. Later changes stay.
    pub fn revert(&mut self, ids: &[SubmissionId], number: u32) {
        self.end(ids, number, false);
    }

    fn end(&mut self, ids: &[SubmissionId], number: u32, is_made: bool) {
        self.last_number += 1;
        for id in ids {
            let Some(mark) = self.marks.get_mut(id) else { continue };
            let place = mark.pending.iter().position(|(pending, _)| *pending == number);
            let Some(place) = place else { continue };
            let (_, change) = mark.pending.remove(place);
            if is_made {
                // Fails only if the server had fewer tags. The next request corrects this.
                mark.is_known &= change.apply(&mut mark.stored).is_ok();
            }
            mark.version = self.last_number;
            mark.apply_pending();
        }
    }

    /// Requests every submission again when it is needed next. Until then, the known triage is
    /// shown.
    pub fn forget(&mut self) {
        self.marks.values_mut().for_each(|mark| mark.is_known = false);
    }

    /// Removes everything, for another form.
    pub fn clear(&mut self) {
        self.marks.clear();
    }
}

/// Returns the longest start of `ids` that fits into one request: at most [`TRIAGE_IDS_MAX`] ids,
/// and an address of less than 4,096 bytes. It is empty only if `ids` is.
pub fn first_batch(ids: &[SubmissionId]) -> &[SubmissionId] {
    let mut bytes = 0;
    let fits = |id: &&SubmissionId| {
        bytes += id.as_str().len() + SEPARATOR_BYTES;
        bytes <= IDS_BYTES_MAX
    };
    let count = ids.iter().take(TRIAGE_IDS_MAX).take_while(fits).count();
    &ids[..count.max(1).min(ids.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> SubmissionId {
        format!("sub_{number}").parse().unwrap()
    }

    fn change(json: &str) -> TriageChange {
        serde_json::from_str(json).unwrap()
    }

    fn found(json: &str) -> Vec<SubmissionTriage> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn failed_change_keeps_later_ones() {
        let mut marks = TriageMarks::default();
        marks.store(&[id(1)], found(r#"[{"id":"sub_1","status":"done"}]"#), 0);
        let starred = marks.begin(&[id(1)], &change(r#"{"starred":true}"#));
        let opened = marks.begin(&[id(1)], &change(r#"{"status":"open"}"#));
        assert!(marks.get(&id(1)).starred);
        marks.revert(&[id(1)], starred);
        assert!(!marks.get(&id(1)).starred);
        assert_eq!(marks.get(&id(1)).status.as_str(), "open");
        marks.revert(&[id(1)], opened);
        assert_eq!(marks.get(&id(1)).status.as_str(), "done");
    }

    #[test]
    fn version_changes_with_shown_triage() {
        let mut marks = TriageMarks::default();
        marks.store(&[id(1), id(2)], Vec::new(), 0);
        assert_eq!(marks.version(&id(1)), 0);
        let number = marks.begin(&[id(1)], &change(r#"{"starred":true}"#));
        let pending = marks.version(&id(1));
        assert_ne!(pending, 0);
        assert_eq!(marks.version(&id(2)), 0);
        marks.revert(&[id(1)], number);
        assert_eq!(marks.version(&id(1)), 0);
    }

    #[test]
    fn older_response_does_not_replace_change() {
        let mut marks = TriageMarks::default();
        let sent_at = marks.last_number();
        let number = marks.begin(&[id(1)], &change(r#"{"starred":true}"#));
        marks.store(&[id(1)], Vec::new(), sent_at);
        assert!(marks.get(&id(1)).starred, "a pending change stays");
        marks.commit(&[id(1)], number);
        marks.store(&[id(1)], Vec::new(), sent_at);
        assert!(marks.get(&id(1)).starred, "a change after the request stays");
        let sent_at = marks.last_number();
        marks.store(&[id(1)], Vec::new(), sent_at);
        assert!(!marks.get(&id(1)).starred, "a later response counts");
    }

    #[test]
    fn submissions_are_asked_for_once_and_after_forgetting() {
        let mut marks = TriageMarks::default();
        assert!(!marks.is_known(&id(1)));
        marks.store(&[id(1)], found(r#"[{"id":"sub_1","status":"done"}]"#), 0);
        assert!(marks.is_known(&id(1)));
        marks.forget();
        assert!(!marks.is_known(&id(1)));
        assert_eq!(marks.get(&id(1)).status.as_str(), "done");
    }

    #[test]
    fn only_entries_without_marks_are_forgotten_above_limit() {
        let mut marks = TriageMarks::default();
        let many: Vec<SubmissionId> = (0..=KNOWN_MAX).map(id).collect();
        marks.store(&many, found(r#"[{"id":"sub_7","status":"done"}]"#), 0);
        marks.store(&[id(9_999)], Vec::new(), 0);
        assert!(marks.is_known(&id(7)) && marks.is_known(&id(9_999)));
        assert!(!marks.is_known(&id(8)));
    }

    #[test]
    fn batch_is_limited_by_count_and_bytes() {
        let short: Vec<SubmissionId> = (0..150).map(id).collect();
        assert_eq!(first_batch(&short).len(), TRIAGE_IDS_MAX);
        let long = |number: usize| format!("sub_{number:032}").parse().unwrap();
        let long: Vec<SubmissionId> = (0..150).map(long).collect();
        assert_eq!(first_batch(&long).len(), 76);
        assert_eq!(first_batch(&long[..3]).len(), 3);
        assert!(first_batch(&[]).is_empty());
    }
}
