//! Notes about a submission, and the history of its triage.

use super::TriageChange;
use crate::{NoteId, PersonId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Maximum length of a note, in characters.
pub const NOTE_CHARS_MAX: usize = 10_000;
/// Maximum number of notes of a submission.
pub const NOTES_MAX: usize = 200;

/// Note of a member about a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct Note {
    /// Identifier of the note.
    pub id: NoteId,
    /// Author; `null` if the member was removed.
    pub author: Option<PersonId>,
    /// The text, as plain text.
    pub text: String,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last edit; `null` if the note was not edited.
    pub edited_at: Option<Timestamp>,
}

/// Body of `POST …/notes`, and of `PUT …/notes/{note_id}`: the text of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoteText {
    /// Plain text of 1 to 10,000 characters, with at least one that is visible.
    #[cfg_attr(feature = "openapi", schemars(
        length(max = NOTE_CHARS_MAX), regex(pattern = r"\S")
    ))]
    pub text: String,
}

/// Error: the text of a note is blank or too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidNote {
    /// Length of the text, in characters, without white space at its ends.
    pub chars: usize,
}

impl fmt::Display for InvalidNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a note must have 1 to {NOTE_CHARS_MAX} characters, but has {}", self.chars)
    }
}

impl std::error::Error for InvalidNote {}

impl NoteText {
    /// Returns the text without white space at its ends.
    ///
    /// # Errors
    /// If the text is blank or too long.
    pub fn checked(&self) -> Result<&str, InvalidNote> {
        let text = self.text.trim();
        let chars = text.chars().count();
        if (1..=NOTE_CHARS_MAX).contains(&chars) { Ok(text) } else { Err(InvalidNote { chars }) }
    }
}

/// Change of a submission's triage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct HistoryEntry {
    /// Time of the change.
    pub at: Timestamp,
    /// Member who made the change; `null` if the member was removed.
    pub person: Option<PersonId>,
    /// The change, without parts that had no effect.
    pub change: TriageChange,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_length_is_limited_after_trimming() {
        let check = |text: &str| NoteText { text: text.to_owned() }.checked().map(str::to_owned);
        assert_eq!(check(" two\nlines \n").unwrap(), "two\nlines");
        assert!(check(&format!(" {} ", "é".repeat(NOTE_CHARS_MAX))).is_ok());
        assert_eq!(check(&"é".repeat(NOTE_CHARS_MAX + 1)), Err(InvalidNote { chars: 10_001 }));
        assert_eq!(check(" \n"), Err(InvalidNote { chars: 0 }));
    }
}
