//! Statuses and tags.

use super::TAG_CHARS_MAX;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Maximum length of a status, in bytes.
const STATUS_BYTES_MAX: usize = 40;

/// Status of a submission: `open`, `in_progress`, `done`, or one that the account defines. Lower
/// case letters, digits and `_`, first a letter, at most 40 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct Status(
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = r"^[a-z][a-z0-9_]{0,39}$")))] String,
);

/// Error: the text is not a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidStatus;

impl fmt::Display for InvalidStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a status must have 1 to {STATUS_BYTES_MAX} characters from `a-z`, `0-9` and `_`, the \
             first one a letter"
        )
    }
}

impl std::error::Error for InvalidStatus {}

impl Status {
    /// Name of the status of new submissions.
    pub const OPEN: &'static str = "open";
    /// Name of the status of completed submissions.
    pub const DONE: &'static str = "done";
    /// Names of the statuses that every account has, in their order.
    pub const BUILT_IN: [&'static str; 3] = [Self::OPEN, "in_progress", Self::DONE];

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether every account has this status.
    pub fn is_built_in(&self) -> bool {
        Self::BUILT_IN.contains(&self.as_str())
    }
}

impl Default for Status {
    fn default() -> Self {
        Self(Self::OPEN.to_owned())
    }
}

impl TryFrom<String> for Status {
    type Error = InvalidStatus;

    fn try_from(text: String) -> Result<Self, InvalidStatus> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_valid = text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.len() <= STATUS_BYTES_MAX
            && text.bytes().all(is_allowed);
        if is_valid { Ok(Self(text)) } else { Err(InvalidStatus) }
    }
}

impl FromStr for Status {
    type Err = InvalidStatus;

    fn from_str(text: &str) -> Result<Self, InvalidStatus> {
        Self::try_from(text.to_owned())
    }
}

impl From<Status> for String {
    fn from(status: Status) -> Self {
        status.0
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Tag of a submission: one line of 1 to 50 characters, without control characters and without
/// spaces at its ends. Tags that differ in case are different.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct Tag(
    #[cfg_attr(feature = "openapi", schemars(
        length(max = TAG_CHARS_MAX), regex(pattern = crate::NAME_PATTERN)
    ))]
    String,
);

/// Error: the text is not a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidTag;

impl fmt::Display for InvalidTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a tag must be one line of 1 to {TAG_CHARS_MAX} visible characters")
    }
}

impl std::error::Error for InvalidTag {}

impl Tag {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Tag {
    type Error = InvalidTag;

    fn try_from(text: String) -> Result<Self, InvalidTag> {
        let text = text.trim();
        let length = text.chars().count();
        let is_valid = (1..=TAG_CHARS_MAX).contains(&length) && !text.contains(char::is_control);
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidTag) }
    }
}

impl FromStr for Tag {
    type Err = InvalidTag;

    fn from_str(text: &str) -> Result<Self, InvalidTag> {
        Self::try_from(text.to_owned())
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_short_identifiers() {
        for good in ["open", "in_progress", "a", "waiting_2", &"x".repeat(40)] {
            assert_eq!(good.parse::<Status>().unwrap().as_str(), good);
        }
        for bad in ["", "Open", "2nd", "_a", "in progress", "a,b", "é", &"x".repeat(41)] {
            assert_eq!(bad.parse::<Status>(), Err(InvalidStatus), "{bad:?} was accepted");
        }
        assert!(Status::BUILT_IN.iter().all(|name| name.parse::<Status>().unwrap().is_built_in()));
        assert!(!"waiting".parse::<Status>().unwrap().is_built_in());
    }

    #[test]
    fn tags_are_trimmed_lines() {
        assert_eq!(" VIP, urgent\u{a0}".parse::<Tag>().unwrap().as_str(), "VIP, urgent");
        assert!("é".repeat(50).parse::<Tag>().is_ok());
        for bad in ["", " ", "a\nb", "a\u{7}b", &"é".repeat(51)] {
            assert_eq!(bad.parse::<Tag>(), Err(InvalidTag), "{bad:?} was accepted");
        }
    }
}
