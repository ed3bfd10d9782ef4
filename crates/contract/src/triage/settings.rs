//! Statuses and tags of an account.

use super::{ACCOUNT_TAGS_MAX, Status, Tag};
use crate::PersonId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Maximum number of statuses that an account defines.
pub const STATUSES_MAX: usize = 10;
/// Maximum length of the name of a status, in characters.
pub const STATUS_NAME_CHARS_MAX: usize = 50;

/// Response of `GET /account/triage`: statuses and tags of the account, and its members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct AccountTriage {
    /// Statuses, as in [`TriageSettings`].
    #[serde(default)]
    pub statuses: Vec<CustomStatus>,
    /// Tags, as in [`TriageSettings`].
    #[serde(default)]
    pub tags: Vec<TagSettings>,
    /// Members of the account, in the order of their creation.
    #[serde(default)]
    pub members: Vec<Member>,
    /// The signed-in member.
    #[serde(default)]
    pub person_id: Option<PersonId>,
}

impl AccountTriage {
    /// Returns the statuses and tags.
    pub fn settings(&self) -> TriageSettings {
        TriageSettings { statuses: self.statuses.clone(), tags: self.tags.clone() }
    }

    /// Replaces the statuses and tags.
    pub fn set_settings(&mut self, settings: TriageSettings) {
        (self.statuses, self.tags) = (settings.statuses, settings.tags);
    }
}

/// Member of an account, as all members see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Member {
    /// Identifier of the member.
    pub id: PersonId,
    /// Email address of the member.
    pub email: String,
}

/// Body of `PUT /account/triage`: the new statuses and tags.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TriageSettingsUpdate {
    /// Statuses, as in [`TriageSettings`].
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schemars(length(max = STATUSES_MAX)))]
    pub statuses: Vec<CustomStatus>,
    /// Tags, as in [`TriageSettings`].
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schemars(length(max = ACCOUNT_TAGS_MAX)))]
    pub tags: Vec<TagSettings>,
    /// The settings that were edited. If the account has others now, nothing is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<TriageSettings>,
}

/// Statuses and tags of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TriageSettings {
    /// Statuses in addition to `open`, `in_progress` and `done`, in their order, at most 10.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schemars(length(max = STATUSES_MAX)))]
    pub statuses: Vec<CustomStatus>,
    /// Tags with their colours, at most 200. A tag that is added to a submission is added here.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schemars(length(max = ACCOUNT_TAGS_MAX)))]
    pub tags: Vec<TagSettings>,
}

/// Status that an account defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CustomStatus {
    /// Identifier in filters and changes.
    pub id: Status,
    /// Name in the dashboard.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = STATUS_NAME_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    pub name: String,
}

/// Tag of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TagSettings {
    /// The tag.
    pub name: Tag,
    /// Colour in the dashboard.
    #[serde(default)]
    pub color: TagColor,
}

/// Colour of a tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TagColor {
    /// Gray.
    #[default]
    Gray,
    /// Red.
    Red,
    /// Orange.
    Orange,
    /// Yellow.
    Yellow,
    /// Green.
    Green,
    /// Blue.
    Blue,
    /// Purple.
    Purple,
    /// Pink.
    Pink,
}

/// Error: the settings are invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidTriageSettings {
    /// There are too many statuses; the value is their number.
    StatusCount(usize),
    /// There are too many tags; the value is their number.
    TagCount(usize),
    /// A status occurs twice or is built in.
    StatusTaken(Status),
    /// The name of a status is blank, too long, or has control characters.
    StatusName(Status),
    /// A tag occurs twice.
    TagTwice(Tag),
}

impl fmt::Display for InvalidTriageSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StatusCount(count) => {
                write!(f, "an account may define at most {STATUSES_MAX} statuses, but has {count}")
            }
            Self::TagCount(count) => {
                write!(f, "an account may have at most {ACCOUNT_TAGS_MAX} tags, but has {count}")
            }
            Self::StatusTaken(status) => {
                write!(f, "the status `{status}` exists already; choose another id")
            }
            Self::StatusName(status) => write!(
                f,
                "the name of the status `{status}` must be one line of 1 to \
                 {STATUS_NAME_CHARS_MAX} characters"
            ),
            Self::TagTwice(tag) => write!(f, "the tag `{tag}` is given twice; give it once"),
        }
    }
}

impl std::error::Error for InvalidTriageSettings {}

impl TriageSettings {
    /// Checks limits, names and duplicates.
    ///
    /// # Errors
    /// The first problem.
    pub fn check(&self) -> Result<(), InvalidTriageSettings> {
        if self.statuses.len() > STATUSES_MAX {
            return Err(InvalidTriageSettings::StatusCount(self.statuses.len()));
        }
        if self.tags.len() > ACCOUNT_TAGS_MAX {
            return Err(InvalidTriageSettings::TagCount(self.tags.len()));
        }
        for (number, status) in self.statuses.iter().enumerate() {
            let is_repeated = self.statuses[..number].iter().any(|other| other.id == status.id);
            if is_repeated || status.id.is_built_in() {
                return Err(InvalidTriageSettings::StatusTaken(status.id.clone()));
            }
            let length = status.name.trim().chars().count();
            let has_control = status.name.contains(char::is_control);
            if !(1..=STATUS_NAME_CHARS_MAX).contains(&length) || has_control {
                return Err(InvalidTriageSettings::StatusName(status.id.clone()));
            }
        }
        for (number, tag) in self.tags.iter().enumerate() {
            if self.tags[..number].iter().any(|other| other.name == tag.name) {
                return Err(InvalidTriageSettings::TagTwice(tag.name.clone()));
            }
        }
        Ok(())
    }

    /// Returns whether the account has a status.
    pub fn has_status(&self, status: &str) -> bool {
        Status::BUILT_IN.contains(&status)
            || self.statuses.iter().any(|custom| custom.id.as_str() == status)
    }

    /// Adds tags that are missing, in the default colour.
    ///
    /// # Errors
    /// If there would be too many tags. Nothing is added then.
    pub fn add_tags(&mut self, tags: &[Tag]) -> Result<(), InvalidTriageSettings> {
        let is_missing = |tag: &&Tag| self.tags.iter().all(|known| known.name != **tag);
        let mut missing: Vec<Tag> = tags.iter().filter(is_missing).cloned().collect();
        missing.sort_unstable();
        missing.dedup();
        let count = self.tags.len() + missing.len();
        if count > ACCOUNT_TAGS_MAX && !missing.is_empty() {
            return Err(InvalidTriageSettings::TagCount(count));
        }
        let with_color = |name| TagSettings { name, color: TagColor::default() };
        self.tags.extend(missing.into_iter().map(with_color));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(json: &str) -> TriageSettings {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn duplicates_and_built_in_statuses_are_refused() {
        let good = settings(
            r#"{"statuses":[{"id":"waiting","name":"Waiting for reply"}],
                "tags":[{"name":"VIP","color":"red"},{"name":"vip"}]}"#,
        );
        assert_eq!(good.check(), Ok(()));
        assert!(good.has_status("waiting") && good.has_status("done") && !good.has_status("x"));
        for (json, problem) in [
            (r#"{"statuses":[{"id":"done","name":"Done"}]}"#, "the status `done` exists"),
            (r#"{"statuses":[{"id":"a","name":" "}]}"#, "the name of the status `a`"),
            (r#"{"tags":[{"name":"a"},{"name":" a"}]}"#, "the tag `a` is given twice"),
        ] {
            let error = settings(json).check().unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
        let status = |number| CustomStatus {
            id: format!("s{number}").parse().unwrap(),
            name: "S".to_owned(),
        };
        let many = TriageSettings { statuses: (0..11).map(status).collect(), tags: Vec::new() };
        assert_eq!(many.check(), Err(InvalidTriageSettings::StatusCount(11)));
    }

    #[test]
    fn missing_tags_are_added_up_to_the_limit() {
        let tag = |number: usize| Tag::try_from(format!("tag {number:03}")).unwrap();
        let mut account = TriageSettings::default();
        account.add_tags(&[tag(1), tag(0), tag(1)]).unwrap();
        account.add_tags(&[tag(1)]).unwrap();
        assert_eq!(account.tags.len(), 2);
        let rest: Vec<Tag> = (2..ACCOUNT_TAGS_MAX).map(tag).collect();
        account.add_tags(&rest).unwrap();
        let error = account.add_tags(&[tag(0), tag(200)]).unwrap_err();
        assert_eq!(error, InvalidTriageSettings::TagCount(201));
        assert_eq!(account.tags.len(), ACCOUNT_TAGS_MAX);
    }
}
