//! Changes that are merged before they are sent: one event for each form and kind.

use contract::FormAccess;
use contract::live::{ChangeKind, FormChange, LiveEvent};
use store::Owner;
use store::live::LiveMessage;

/// Events to be sent, in this order.
#[derive(Default)]
pub(super) struct PendingEvents {
    is_reset: bool,
    changes: Vec<(ChangeKind, FormChange)>,
}

impl PendingEvents {
    /// Adds a message if it concerns the owner and a form that the user has access to. Changes
    /// after a reset are of no interest.
    pub(super) fn add(&mut self, message: &LiveMessage, owner: &Owner, access: &FormAccess) {
        match message {
            LiveMessage::Reset => {
                self.is_reset = true;
                self.changes.clear();
            }
            LiveMessage::Change(change) => {
                let is_visible = change.owner == *owner && access.covers(&change.change.form_id);
                if is_visible && !self.is_reset {
                    self.add_change(change.kind, &change.change);
                }
            }
        }
    }

    fn add_change(&mut self, kind: ChangeKind, change: &FormChange) {
        self.remove_undone(kind, change);
        let same = |(known, pending): &&mut (ChangeKind, FormChange)| {
            *known == kind && pending.form_id == change.form_id
        };
        match self.changes.iter_mut().find(same) {
            Some((_, pending)) => pending.add_ids(&change.ids),
            None => self.changes.push((kind, change.clone())),
        }
    }

    /// Removes submissions from earlier events that a change undoes: after the merge, their order
    /// would be lost.
    fn remove_undone(&mut self, kind: ChangeKind, change: &FormChange) {
        let is_undone = |earlier: ChangeKind| match kind {
            ChangeKind::Created => earlier == ChangeKind::Removed,
            ChangeKind::Removed => earlier != ChangeKind::Removed,
            ChangeKind::Updated | ChangeKind::Analyzed => false,
        };
        self.changes.retain_mut(|(earlier, pending)| {
            if !is_undone(*earlier) || pending.form_id != change.form_id || pending.ids.is_empty() {
                return true;
            }
            pending.ids.retain(|id| !change.ids.contains(id));
            // An event without ids would mean that there are too many.
            !pending.ids.is_empty()
        });
    }

    /// Takes the events as text; `None` without events.
    pub(super) fn take_frames(&mut self) -> Option<String> {
        let Self { is_reset, changes } = std::mem::take(self);
        let reset = is_reset.then_some(LiveEvent::Reset);
        let changes = changes.into_iter().map(|(kind, change)| LiveEvent::Change(kind, change));
        let frames: String =
            reset.into_iter().chain(changes).map(|event| event.to_frame()).collect();
        (!frames.is_empty()).then_some(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ChangeKind::{Created, Removed, Updated};
    use contract::Environment;
    use store::live::LiveChange;

    fn owner(account: &str, environment: Environment) -> Owner {
        Owner { account_id: account.parse().unwrap(), environment }
    }

    fn change(kind: ChangeKind, form: &str, ids: &[&str]) -> LiveMessage {
        let ids = ids.iter().map(|id| format!("sub_{id}").parse().unwrap()).collect();
        let change = FormChange { form_id: form.parse().unwrap(), ids };
        LiveMessage::Change(LiveChange { owner: owner("acc_1", Environment::Live), kind, change })
    }

    /// Returns the events after these messages, as `kind form ids`.
    fn merge(messages: &[LiveMessage], owner: &Owner) -> Vec<String> {
        merge_limited(messages, owner, &FormAccess::default())
    }

    fn merge_limited(messages: &[LiveMessage], owner: &Owner, access: &FormAccess) -> Vec<String> {
        let mut pending = PendingEvents::default();
        for message in messages {
            pending.add(message, owner, access);
        }
        let text = pending.take_frames().unwrap_or_default();
        assert_eq!(pending.take_frames(), None, "the events are taken once");
        let frames = text.split("\n\n").filter(|frame| !frame.is_empty());
        frames
            .map(|frame| {
                let (name, data) = frame.split_once('\n').unwrap();
                let name = name.strip_prefix("event: ").unwrap();
                let data = data.strip_prefix("data: ").unwrap();
                match LiveEvent::parse(name, data).unwrap().unwrap() {
                    LiveEvent::Change(_, FormChange { form_id, ids }) => {
                        let ids: Vec<_> = ids.iter().map(|id| &id.as_str()[4..]).collect();
                        format!("{name} {form_id} {}", ids.join(","))
                    }
                    _ => name.to_owned(),
                }
            })
            .collect()
    }

    #[track_caller]
    fn check(messages: &[LiveMessage], expected: &[&str]) {
        assert_eq!(merge(messages, &owner("acc_1", Environment::Live)), expected);
    }

    #[test]
    fn changes_are_merged_by_form_and_kind() {
        check(&[], &[]);
        check(
            &[
                change(Created, "frm_1", &["a"]),
                change(Updated, "frm_1", &["a"]),
                change(Created, "frm_2", &["c"]),
                change(Created, "frm_1", &["b", "a"]),
                change(Updated, "frm_1", &[]),
            ],
            &["created frm_1 a,b", "updated frm_1 ", "created frm_2 c"],
        );
    }

    #[test]
    fn last_change_of_a_submission_counts() {
        check(
            &[
                change(Created, "frm_1", &["a", "b"]),
                change(Updated, "frm_1", &["a"]),
                change(Removed, "frm_1", &["a"]),
                change(Removed, "frm_2", &["b"]),
            ],
            &["created frm_1 b", "removed frm_1 a", "removed frm_2 b"],
        );
        check(
            &[
                change(Removed, "frm_1", &["a"]),
                change(Created, "frm_1", &["a"]),
                change(Removed, "frm_1", &["b"]),
            ],
            &["created frm_1 a", "removed frm_1 b"],
        );
        check(
            &[change(Removed, "frm_1", &[]), change(Created, "frm_1", &["a"])],
            &["removed frm_1 ", "created frm_1 a"],
        );
    }

    #[test]
    fn reset_replaces_changes() {
        let messages = [
            change(Created, "frm_1", &["a"]),
            LiveMessage::Reset,
            change(Removed, "frm_1", &["a"]),
        ];
        check(&messages, &["reset"]);
        let other = owner("acc_2", Environment::Live);
        assert_eq!(merge(&messages, &other), ["reset"]);
    }

    #[test]
    fn changes_of_other_forms_are_left_out() {
        let access = FormAccess(Some(vec!["frm_1".parse().unwrap()]));
        let messages = [change(Created, "frm_1", &["a"]), change(Created, "frm_2", &["b"])];
        let owner = owner("acc_1", Environment::Live);
        assert_eq!(merge_limited(&messages, &owner, &access), ["created frm_1 a"]);
        assert_eq!(merge_limited(&messages[1..], &owner, &access), [""; 0]);
    }

    #[test]
    fn changes_of_others_are_left_out() {
        let messages = [change(Created, "frm_1", &["a"])];
        for other in [owner("acc_2", Environment::Live), owner("acc_1", Environment::Test)] {
            assert_eq!(merge(&messages, &other), [""; 0]);
        }
    }
}
