//! Undo of a change of triage: the changes that set the former values back.

use contract::SubmissionId;
use contract::triage::{Triage, TriageChange};

/// Maximum number of submissions of an undo.
pub const UNDO_MAX: usize = 1000;

/// A change, and the submissions that it applies to.
pub type ChangeOfIds = (TriageChange, Vec<SubmissionId>);

/// Returns the change that sets `before` back after `change`: empty if the change has no effect.
fn inverse(before: &Triage, change: &TriageChange) -> TriageChange {
    // A submission with too many tags fails on the server, so that nothing is changed.
    let Ok(effect) = change.apply(&mut before.clone()) else { return TriageChange::default() };
    TriageChange {
        read: change.read.filter(|read| *read != before.read).map(|_| before.read),
        status: effect.status.map(|_| before.status.clone()),
        starred: effect.starred.map(|_| before.starred),
        assignee: effect.assignee.map(|_| before.assignee.clone()),
        add_tags: effect.remove_tags,
        remove_tags: effect.add_tags,
    }
}

/// Returns the changes that set the former values back, each with its submissions in their order.
/// Submissions that `change` does not affect are left out.
pub fn undo_changes(
    change: &TriageChange,
    former: impl IntoIterator<Item = (SubmissionId, Triage)>,
) -> Vec<ChangeOfIds> {
    let mut groups: Vec<ChangeOfIds> = Vec::new();
    for (id, triage) in former {
        let back = inverse(&triage, change);
        if back.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == back) {
            Some((_, ids)) => ids.push(id),
            None => groups.push((back, vec![id])),
        }
    }
    groups
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    fn change(json: &str) -> TriageChange {
        serde_json::from_str(json).unwrap()
    }

    fn former(triages: &[&str]) -> Vec<(SubmissionId, Triage)> {
        let id = |number: usize| format!("sub_{number}").parse().unwrap();
        let triages = triages.iter().map(|json| serde_json::from_str(json).unwrap());
        triages.enumerate().map(|(number, triage)| (id(number), triage)).collect()
    }

    /// Returns the changes as JSON, each with the numbers of its submissions.
    fn undo(set: &str, triages: &[&str]) -> Vec<String> {
        let groups = undo_changes(&change(set), former(triages));
        let text = |(back, ids): &ChangeOfIds| {
            let ids: Vec<&str> = ids.iter().map(|id| &id.as_str()[4..]).collect();
            format!("{} {}", ids.join(","), serde_json::to_string(back).unwrap())
        };
        groups.iter().map(text).collect()
    }

    #[test]
    fn submissions_with_same_former_value_share_a_change() {
        let triages =
            ["{}", r#"{"status":"waiting"}"#, r#"{"status":"done"}"#, r#"{"starred":true}"#];
        assert_eq!(
            undo(r#"{"status":"done"}"#, &triages),
            [r#"0,3 {"status":"open"}"#, r#"1 {"status":"waiting"}"#]
        );
    }

    #[test]
    fn only_changed_parts_are_set_back() {
        let set = r#"{"starred":true,"assignee":null,"add_tags":["a","b"],"remove_tags":["c"]}"#;
        let triages = [
            r#"{"assignee":"psn_1","tags":["a","c"]}"#,
            r#"{"starred":true,"tags":["a","b"]}"#,
            r#"{"starred":true,"tags":["c"],"assignee":"psn_2"}"#,
        ];
        assert_eq!(
            undo(set, &triages),
            [
                r#"0 {"starred":false,"assignee":"psn_1","add_tags":["c"],"remove_tags":["b"]}"#,
                r#"2 {"assignee":"psn_2","add_tags":["c"],"remove_tags":["a","b"]}"#,
            ]
        );
    }

    #[test]
    fn only_changed_read_states_are_set_back() {
        let triages = ["{}", r#"{"read":true}"#, r#"{"starred":true}"#];
        assert_eq!(undo(r#"{"read":true}"#, &triages), [r#"0,2 {"read":false}"#]);
        assert_eq!(undo(r#"{"read":false}"#, &triages), [r#"1 {"read":true}"#]);
    }

    #[test]
    fn removed_assignee_is_set_back_to_nobody() {
        let set = r#"{"assignee":"psn_1"}"#;
        let triages = ["{}", r#"{"assignee":"psn_1"}"#];
        assert_eq!(undo(set, &triages), [r#"0 {"assignee":null}"#]);
    }

    #[test]
    fn undone_change_gives_the_former_triage() {
        let set = change(r#"{"status":"done","add_tags":["x"],"remove_tags":["y"]}"#);
        for (id, before) in former(&[r#"{"tags":["y"]}"#, r#"{"status":"done","tags":["x","z"]}"#])
        {
            let mut triage = before.clone();
            set.apply(&mut triage).unwrap();
            for (back, _) in undo_changes(&set, [(id, before.clone())]) {
                back.apply(&mut triage).unwrap();
            }
            assert_eq!(triage, before);
        }
    }
}
