//! Changes of the triage.

use super::{Status, TAGS_MAX, Tag, Triage};
#[cfg(feature = "openapi")]
use crate::trash::IDS_MAX;
use crate::{PersonId, SubmissionId};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// Body of `PATCH /account/forms/{form_id}/submissions`. Set either `ids`, or `filter` and `count`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SubmissionsUpdate {
    /// Identifiers of submissions, at most 1,000. Identifiers that are not in the list are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schemars(length(max = IDS_MAX)))]
    pub ids: Option<Vec<SubmissionId>>,
    /// Filter as in the query of a list, such as `sentiment=negative&status=open`. An empty text
    /// selects all submissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Number of submissions that match `filter`. If it differs, nothing is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The changes.
    pub set: TriageChange,
    /// Whether the response has the changes that undo this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undo: bool,
}

/// Change of the triage of submissions. Absent members are not changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TriageChange {
    /// New status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Whether the signed-in member has read the submissions. Other members do not see it, and the
    /// history does not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<bool>,
    /// Whether the submissions are starred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starred: Option<bool>,
    /// Identifier of a member; `null` removes the assignee.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    #[cfg_attr(feature = "openapi", schemars(with = "Option<PersonId>"))]
    pub assignee: Option<Option<PersonId>>,
    /// Tags to add, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schemars(length(max = TAGS_MAX)))]
    pub add_tags: Vec<Tag>,
    /// Tags to remove, at most 20. Tags that a submission does not have are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schemars(length(max = TAGS_MAX)))]
    pub remove_tags: Vec<Tag>,
}

/// Distinguishes `null`, which is a value of `T`, from an absent member.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Response of `PATCH /account/forms/{form_id}/submissions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct UpdatedSubmissions {
    /// Number of submissions that are different now.
    pub changed: u64,
    /// The changes that set the former values back, if the request asked for them. Each can have
    /// more `ids` than one request may have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<UndoStep>,
}

/// Part of an undo: a change, and the submissions that it sets back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct UndoStep {
    /// Identifiers of the submissions.
    pub ids: Vec<SubmissionId>,
    /// The change.
    pub set: TriageChange,
}

/// Error: a submission would have more than [`TAGS_MAX`] tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyTags {
    /// Number of tags that it would have.
    pub count: usize,
}

impl fmt::Display for TooManyTags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a submission may have at most {TAGS_MAX} tags, but would have {}; remove some first",
            self.count
        )
    }
}

impl std::error::Error for TooManyTags {}

impl TriageChange {
    /// Returns whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether only the read state of a member is changed.
    pub fn changes_only_read(&self) -> bool {
        *self == Self { read: self.read, ..Self::default() }
    }

    /// Applies the change, and returns the part of it that has an effect: empty if the triage is
    /// the same as before. A tag that is both added and removed is removed. The read state, which
    /// members do not share, is not changed.
    ///
    /// # Errors
    /// If there would be too many tags. Nothing is changed then.
    pub fn apply(&self, triage: &mut Triage) -> Result<Self, TooManyTags> {
        let is_removed = |tag: &Tag| self.remove_tags.contains(tag);
        let mut tags: Vec<Tag> = triage
            .tags
            .iter()
            .chain(&self.add_tags)
            .filter(|tag| !is_removed(tag))
            .cloned()
            .collect();
        tags.sort_unstable();
        tags.dedup();
        // A submission may have more tags than allowed only if no tag is added.
        if tags.len() > TAGS_MAX && !self.add_tags.is_empty() {
            return Err(TooManyTags { count: tags.len() });
        }
        let only_in = |some: &[Tag], others: &[Tag]| -> Vec<Tag> {
            some.iter().filter(|tag| !others.contains(tag)).cloned().collect()
        };
        let effect = Self {
            status: self.status.clone().filter(|status| *status != triage.status),
            read: None,
            starred: self.starred.filter(|starred| *starred != triage.starred),
            assignee: self.assignee.clone().filter(|assignee| *assignee != triage.assignee),
            add_tags: only_in(&tags, &triage.tags),
            remove_tags: only_in(&triage.tags, &tags),
        };
        if let Some(status) = &effect.status {
            triage.status = status.clone();
        }
        if let Some(starred) = effect.starred {
            triage.starred = starred;
        }
        if let Some(assignee) = &effect.assignee {
            triage.assignee.clone_from(assignee);
        }
        triage.tags = tags;
        Ok(effect)
    }

    /// Returns the change that sets `before` back after this change: empty if this change has no
    /// effect, or adds too many tags.
    #[must_use]
    pub fn inverse(&self, before: &Triage) -> Self {
        let Ok(effect) = self.apply(&mut before.clone()) else { return Self::default() };
        Self {
            read: self.read.filter(|read| *read != before.read).map(|_| before.read),
            status: effect.status.map(|_| before.status.clone()),
            starred: effect.starred.map(|_| before.starred),
            assignee: effect.assignee.map(|_| before.assignee.clone()),
            add_tags: effect.remove_tags,
            remove_tags: effect.add_tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(json: &str) -> TriageChange {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn effect_has_only_differences() {
        let mut triage = Triage::default();
        let all = change(
            r#"{"status":"done","starred":true,"assignee":"psn_1","add_tags":["b","a","b"]}"#,
        );
        let effect = all.apply(&mut triage).unwrap();
        assert_eq!(effect.add_tags.len(), 2);
        let json = serde_json::to_string(&triage).unwrap();
        assert_eq!(json, r#"{"status":"done","starred":true,"tags":["a","b"],"assignee":"psn_1"}"#);
        assert!(all.apply(&mut triage).unwrap().is_empty());
        let back = change(
            r#"{"status":"open","starred":false,"assignee":null,"add_tags":["a"],
                "remove_tags":["a","b","c"]}"#,
        );
        let effect = back.apply(&mut triage).unwrap();
        assert!(triage.is_default());
        let json = serde_json::to_string(&effect).unwrap();
        assert_eq!(
            json,
            r#"{"status":"open","starred":false,"assignee":null,"remove_tags":["a","b"]}"#
        );
        assert_eq!(change(&json), effect);
    }

    #[test]
    fn absent_assignee_differs_from_null() {
        assert_eq!(change("{}").assignee, None);
        assert_eq!(change(r#"{"assignee":null}"#).assignee, Some(None));
        assert!(serde_json::from_str::<TriageChange>(r#"{"stars":1}"#).is_err());
    }

    #[test]
    fn inverse_sets_changed_parts_back() {
        let set = r#"{"starred":true,"assignee":null,"add_tags":["a","b"],"remove_tags":["c"]}"#;
        for (set, before, expected) in [
            (r#"{"status":"done"}"#, "{}", r#"{"status":"open"}"#),
            (r#"{"status":"done"}"#, r#"{"status":"done"}"#, "{}"),
            (r#"{"read":true}"#, "{}", r#"{"read":false}"#),
            (r#"{"read":false}"#, "{}", "{}"),
            (r#"{"assignee":"psn_1"}"#, "{}", r#"{"assignee":null}"#),
            (r#"{"assignee":"psn_1"}"#, r#"{"assignee":"psn_1"}"#, "{}"),
            (
                set,
                r#"{"status":"done","assignee":"psn_1","tags":["a","c"]}"#,
                r#"{"starred":false,"assignee":"psn_1","add_tags":["c"],"remove_tags":["b"]}"#,
            ),
            (set, r#"{"status":"open","starred":true,"tags":["a","b"]}"#, "{}"),
        ] {
            let before: Triage = serde_json::from_str(before).unwrap();
            let inverse = change(set).inverse(&before);
            assert_eq!(serde_json::to_string(&inverse).unwrap(), expected, "{set}");
            let mut triage = before.clone();
            change(set).apply(&mut triage).unwrap();
            inverse.apply(&mut triage).unwrap();
            assert_eq!(triage, before, "{set}");
        }
    }

    #[test]
    fn too_many_tags_change_nothing() {
        let tag = |number: usize| Tag::try_from(format!("tag {number}")).unwrap();
        let mut triage = Triage { tags: (0..TAGS_MAX).map(tag).collect(), ..Triage::default() };
        triage.tags.sort_unstable();
        let before = triage.clone();
        let add = TriageChange {
            status: Some("done".parse().unwrap()),
            add_tags: vec![tag(TAGS_MAX)],
            ..TriageChange::default()
        };
        assert_eq!(add.apply(&mut triage), Err(TooManyTags { count: TAGS_MAX + 1 }));
        assert_eq!(triage, before);
        let replace = TriageChange { remove_tags: vec![tag(0)], ..add };
        assert!(replace.apply(&mut triage).is_ok());
        assert_eq!(triage.tags.len(), TAGS_MAX);
    }
}
