//! The history of a submission's triage as a list of events.

use contract::triage::{HistoryEntry, Status, Tag, Triage, TriageChange};
use contract::{PersonId, Timestamp};

/// Maximum number of changes in a response. With that many, older ones may exist.
const ENTRIES_MAX: usize = 100;

/// Event in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriageEvent {
    /// The status changed.
    Status {
        /// Status before; `None` if it is unknown.
        from: Option<Status>,
        /// New status.
        to: Status,
    },
    /// The star was set or removed.
    Starred(bool),
    /// The submission was assigned to a member, or its assignee was removed.
    Assigned(Option<PersonId>),
    /// Tags were added.
    TagsAdded(Vec<Tag>),
    /// Tags were removed.
    TagsRemoved(Vec<Tag>),
}

/// Event with its time and the member who caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastEvent {
    /// Time of the change.
    pub at: Timestamp,
    /// Member who made the change; `None` if the member was removed.
    pub person: Option<PersonId>,
    /// The event.
    pub event: TriageEvent,
}

/// Returns the events of a change that was applied to a triage with the status `from`.
fn events(change: &TriageChange, from: Option<Status>) -> Vec<TriageEvent> {
    let status = change.status.clone().map(|to| TriageEvent::Status { from, to });
    let starred = change.starred.map(TriageEvent::Starred);
    let assigned = change.assignee.clone().map(TriageEvent::Assigned);
    let tags = |tags: &[Tag], event: fn(Vec<Tag>) -> TriageEvent| {
        (!tags.is_empty()).then(|| event(tags.to_vec()))
    };
    let added = tags(&change.add_tags, TriageEvent::TagsAdded);
    let removed = tags(&change.remove_tags, TriageEvent::TagsRemoved);
    [status, starred, assigned, added, removed].into_iter().flatten().collect()
}

/// Returns the events that a change of a triage causes; empty if it has no effect or is refused.
pub fn events_of_change(change: &TriageChange, before: &Triage) -> Vec<TriageEvent> {
    let effect = change.apply(&mut before.clone()).unwrap_or_default();
    events(&effect, Some(before.status.clone()))
}

/// Returns the events of a history, newest first, as the history.
pub fn past_events(history: &[HistoryEntry]) -> Vec<PastEvent> {
    let mut status = (history.len() < ENTRIES_MAX).then(Status::default);
    let mut past = Vec::new();
    for HistoryEntry { at, person, change } in history.iter().rev() {
        let from = status.clone();
        if let Some(now) = &change.status {
            status = Some(now.clone());
        }
        // The list is reversed below, and the events of one change keep their order.
        for event in events(change, from).into_iter().rev() {
            past.push(PastEvent { at: *at, person: person.clone(), event });
        }
    }
    past.reverse();
    past
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(json: &str) -> Vec<HistoryEntry> {
        serde_json::from_str(json).unwrap()
    }

    fn status(name: &str) -> Status {
        name.parse().unwrap()
    }

    #[test]
    fn status_events_name_former_status() {
        let past = past_events(&history(
            r#"[{"at":"2026-03-03T00:00:00Z","person":"psn_1","change":{"status":"done"}},
                {"at":"2026-03-02T00:00:00Z","person":null,"change":{"starred":true}},
                {"at":"2026-03-01T00:00:00Z","person":"psn_1",
                 "change":{"status":"in_progress","add_tags":["a"]}}]"#,
        ));
        let events: Vec<_> = past.iter().map(|past| past.event.clone()).collect();
        let expected = [
            TriageEvent::Status { from: Some(status("in_progress")), to: status("done") },
            TriageEvent::Starred(true),
            TriageEvent::Status { from: Some(status("open")), to: status("in_progress") },
            TriageEvent::TagsAdded(vec!["a".parse().unwrap()]),
        ];
        assert_eq!(events, expected);
        assert_eq!(past[1].person, None);
    }

    #[test]
    fn oldest_status_of_cut_history_is_unknown() {
        let entry = r#"{"at":"2026-03-03T00:00:00Z","person":null,"change":{"status":"done"}}"#;
        let past = past_events(&history(&format!("[{}]", [entry; ENTRIES_MAX].join(","))));
        assert_eq!(past[99].event, TriageEvent::Status { from: None, to: status("done") });
        assert!(matches!(&past[98].event, TriageEvent::Status { from: Some(_), .. }));
    }

    #[test]
    fn change_without_effect_has_no_events() {
        let change: TriageChange =
            serde_json::from_str(r#"{"status":"open","assignee":null,"starred":true}"#).unwrap();
        let events = events_of_change(&change, &Triage::default());
        assert_eq!(events, [TriageEvent::Starred(true)]);
        assert!(past_events(&[]).is_empty());
    }
}
