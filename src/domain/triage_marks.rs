//! The known triage of submissions: as the server has it, and with changes that are being sent.
//! Pure data, without requests.

use std::collections::HashMap;

use contract::SubmissionId;
use contract::triage::{Status, SubmissionTriage, TRIAGE_IDS_MAX, Triage, TriageChange};

/// Number of known submissions above which those without marks are forgotten.
const KNOWN_MAX: usize = 5_000;
/// Number of responses with submissions that rows may show, so that they are not forgotten.
const RECENT_RESPONSES: u32 = 10;
/// Maximum length of the ids in a request, in bytes. With the rest, an address has less than 4,096.
const IDS_BYTES_MAX: usize = 3_000;
/// Length of a separator between ids in an address, in bytes: a comma as `%2C`.
const SEPARATOR_BYTES: usize = 3;

/// Whether the triage of a submission is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LoadState {
    /// Never loaded.
    #[default]
    New,
    /// Loaded, but must be requested again.
    Outdated,
    /// Loaded.
    Known,
}

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
    load_state: LoadState,
    /// Number of the last response with this entry.
    response: u32,
    /// Whether the server has stored a read state that was set here.
    has_set_read: bool,
}

impl Mark {
    fn apply_pending(&mut self) {
        self.shown = self.stored.clone();
        for (_, change) in &self.pending {
            // The server refuses a change with too many tags, so it is not shown either.
            apply_change(change, &mut self.shown);
        }
    }

    fn was_loaded(&self) -> bool {
        matches!(self.load_state, LoadState::Outdated | LoadState::Known)
    }

    /// Returns whether the user has read the submission; `None` while it is unknown.
    fn read_state(&self) -> Option<bool> {
        let pending = self.pending.iter().rev().find_map(|(_, change)| change.read);
        let is_stored = self.was_loaded() || self.has_set_read;
        pending.or(is_stored.then_some(self.stored.read))
    }

    /// Returns whether the row of the submission differs from one without marks.
    fn is_drawn(&self) -> bool {
        has_marks(&self.shown) || self.read_state() == Some(false)
    }
}

/// Applies a change, also to the read state, which [`TriageChange::apply`] ignores. Returns whether
/// the server accepts the change.
fn apply_change(change: &TriageChange, triage: &mut Triage) -> bool {
    let is_accepted = change.apply(triage).is_ok();
    if is_accepted {
        triage.read = change.read.unwrap_or(triage.read);
    }
    is_accepted
}

/// Returns whether a triage has a status, a star, tags or an assignee. The read state is ignored.
pub fn has_marks(triage: &Triage) -> bool {
    let Triage { status, starred, tags, assignee, read: _ } = triage;
    status.as_str() != Status::OPEN || *starred || !tags.is_empty() || assignee.is_some()
}

/// Triage of submissions by their ids. Submissions without an entry count as new ones.
#[derive(Debug, Clone, Default)]
pub struct TriageMarks {
    marks: HashMap<SubmissionId, Mark>,
    /// Number of the last change.
    last_number: u32,
    /// Number of responses so far.
    responses: u32,
}

impl TriageMarks {
    /// Returns the triage of a submission, including pending changes.
    pub fn get(&self, id: &SubmissionId) -> Triage {
        self.marks.get(id).map(|mark| mark.shown.clone()).unwrap_or_default()
    }

    /// Returns a number that changes with the triage of a submission; 0 if its row shows nothing
    /// of it.
    pub fn version(&self, id: &SubmissionId) -> u32 {
        let drawn = self.marks.get(id).filter(|mark| mark.is_drawn());
        drawn.map_or(0, |mark| mark.version)
    }

    /// Returns the status of a submission, including pending changes; `None` while it is unknown.
    pub fn status(&self, id: &SubmissionId) -> Option<Status> {
        self.known_status(id, |mark| &mark.shown)
    }

    /// Returns the status of a submission on the server; `None` while it is unknown.
    pub fn stored_status(&self, id: &SubmissionId) -> Option<Status> {
        self.known_status(id, |mark| &mark.stored)
    }

    fn known_status(&self, id: &SubmissionId, triage: fn(&Mark) -> &Triage) -> Option<Status> {
        let mark = self.marks.get(id)?;
        let status = &triage(mark).status;
        // A status that was set here is known, even if the rest was never loaded.
        (mark.was_loaded() || status.as_str() != Status::OPEN).then(|| status.clone())
    }

    /// Returns whether the user has read a submission, including pending changes; `None` while it
    /// is unknown.
    pub fn read_state(&self, id: &SubmissionId) -> Option<bool> {
        self.marks.get(id)?.read_state()
    }

    /// Returns how many submissions are known to be unread.
    pub fn count_unread(&self, ids: &[SubmissionId]) -> usize {
        ids.iter().filter(|id| self.read_state(id) == Some(false)).count()
    }

    /// Returns whether no request for a submission is needed now: it is loaded, or is being
    /// changed, so that a response would be ignored.
    pub fn is_known(&self, id: &SubmissionId) -> bool {
        self.is_loaded(id) || self.marks.get(id).is_some_and(|mark| !mark.pending.is_empty())
    }

    /// Returns whether the triage of a submission is loaded, and not outdated.
    pub fn is_loaded(&self, id: &SubmissionId) -> bool {
        self.marks.get(id).is_some_and(|mark| mark.load_state == LoadState::Known)
    }

    /// Returns whether the triage of a submission was loaded, even if it is outdated.
    pub fn was_loaded(&self, id: &SubmissionId) -> bool {
        self.marks.get(id).is_some_and(Mark::was_loaded)
    }

    /// Returns the number of the last change, to be passed to [`Self::store`] with the response to
    /// a request that is sent now.
    pub fn last_number(&self) -> u32 {
        self.last_number
    }

    /// Stores the response to a request for `ids`; those that `found` lacks have no marks. Entries
    /// that changed after `sent_at` stay as they are, because the response may be older.
    pub fn store(&mut self, ids: &[SubmissionId], found: Vec<SubmissionTriage>, sent_at: u32) {
        self.responses += 1;
        let response = self.responses;
        if self.marks.len() > KNOWN_MAX {
            self.marks.retain(|_, mark| {
                has_marks(&mark.shown)
                    || !mark.pending.is_empty()
                    || mark.response + RECENT_RESPONSES > response
            });
        }
        let mut found: HashMap<SubmissionId, Triage> =
            found.into_iter().map(|found| (found.id, found.triage)).collect();
        for id in ids {
            let triage = found.remove(id).unwrap_or_default();
            let mark = self.marks.entry(id.clone()).or_default();
            mark.response = response;
            let is_older = !mark.pending.is_empty() || mark.version > sent_at;
            if is_older {
                continue;
            }
            let was_loaded = mark.was_loaded();
            mark.load_state = LoadState::Known;
            if was_loaded && mark.stored == triage {
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
            // Fails only if the server had fewer tags. The next request corrects this.
            if is_made && !apply_change(&change, &mut mark.stored) {
                mark.load_state = LoadState::Outdated;
            }
            mark.has_set_read |= is_made && change.read.is_some();
            mark.version = self.last_number;
            mark.apply_pending();
        }
    }

    /// Requests every submission again when it is needed next. Until then, the known triage is
    /// shown.
    pub fn forget(&mut self) {
        for mark in self.marks.values_mut() {
            mark.load_state = if mark.was_loaded() { LoadState::Outdated } else { LoadState::New };
        }
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
        let read = r#"[{"id":"sub_1","read":true},{"id":"sub_2","read":true}]"#;
        marks.store(&[id(1), id(2)], found(read), 0);
        assert_eq!(marks.version(&id(1)), 0);
        let number = marks.begin(&[id(1)], &change(r#"{"starred":true}"#));
        let pending = marks.version(&id(1));
        assert_ne!(pending, 0);
        assert_eq!(marks.version(&id(2)), 0);
        marks.revert(&[id(1)], number);
        assert_eq!(marks.version(&id(1)), 0);
    }

    #[test]
    fn submission_is_unread_only_once_it_is_loaded() {
        let mut marks = TriageMarks::default();
        assert_eq!((marks.read_state(&id(1)), marks.version(&id(1))), (None, 0));
        marks.store(&[id(1), id(2)], found(r#"[{"id":"sub_2","read":true}]"#), 0);
        assert_eq!(marks.read_state(&id(1)), Some(false));
        assert_ne!(marks.version(&id(1)), 0, "the row is drawn again");
        assert_eq!((marks.read_state(&id(2)), marks.version(&id(2))), (Some(true), 0));
        assert_eq!(marks.count_unread(&[id(1), id(2), id(3)]), 1);
        marks.forget();
        assert_eq!(marks.read_state(&id(1)), Some(false), "it stays known during the request");
    }

    #[test]
    fn read_state_follows_changes() {
        let mut marks = TriageMarks::default();
        let read = marks.begin(&[id(1)], &change(r#"{"read":true}"#));
        assert_eq!(marks.read_state(&id(1)), Some(true), "a change needs no response");
        marks.revert(&[id(1)], read);
        assert_eq!(marks.read_state(&id(1)), None);
        let unread = marks.begin(&[id(1)], &change(r#"{"read":false}"#));
        marks.commit(&[id(1)], unread);
        assert_eq!(marks.read_state(&id(1)), Some(false));
        assert!(!marks.is_known(&id(1)), "the rest is still unknown");
        let read = marks.begin(&[id(1)], &change(r#"{"read":true,"starred":true}"#));
        marks.commit(&[id(1)], read);
        assert!(marks.get(&id(1)).read && marks.get(&id(1)).starred);
    }

    #[test]
    fn response_during_first_change_is_requested_again() {
        let mut marks = TriageMarks::default();
        let sent_at = marks.last_number();
        let number = marks.begin(&[id(1)], &change(r#"{"starred":true}"#));
        marks.store(&[id(1)], found(r#"[{"id":"sub_1","status":"done"}]"#), sent_at);
        assert!(marks.is_known(&id(1)), "it is not requested during the change");
        assert!(!marks.is_loaded(&id(1)));
        marks.commit(&[id(1)], number);
        assert!(!marks.is_known(&id(1)));
        assert_eq!(marks.read_state(&id(1)), None);
    }

    #[test]
    fn ignored_response_leaves_outdated_entry_outdated() {
        let mut marks = TriageMarks::default();
        marks.store(&[id(1)], Vec::new(), 0);
        marks.forget();
        let sent_at = marks.last_number();
        let number = marks.begin(&[id(1)], &change(r#"{"starred":true}"#));
        marks.store(&[id(1)], found(r#"[{"id":"sub_1","status":"done"}]"#), sent_at);
        assert!(marks.is_known(&id(1)) && !marks.is_loaded(&id(1)));
        marks.commit(&[id(1)], number);
        assert!(!marks.is_known(&id(1)), "the status of the response is not known");
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
        let read = r#"[{"id":"sub_7","status":"done"},{"id":"sub_8","read":true}]"#;
        marks.store(&many, found(read), 0);
        for number in 0..RECENT_RESPONSES {
            assert!(marks.is_known(&id(8)), "forgotten after {number} responses");
            marks.store(&[id(9_999)], Vec::new(), 0);
        }
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
