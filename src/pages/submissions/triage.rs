//! The triage of submissions on the list page: the marks of the rows, the group of the card, the
//! commands, and the changes of other users.

pub mod card_triage;
pub mod change;
pub mod commands;
pub mod group;
pub mod history;
pub mod lazy;
pub mod live;
pub mod mention_picker;
pub mod note_editor;
pub mod notes;
pub mod read;
pub mod rows;
pub mod tags;
pub mod unread_steps;

use contract::SubmissionId;
use leptos::prelude::*;

/// Field of the group in the card that can take the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriageField {
    /// Field that adds a tag.
    Tags,
    /// List of members.
    Assignee,
    /// Text of a new note.
    Note,
}

/// The field that a command wants to focus, until the card shows it; provided as context by the
/// page. Cheap to copy.
#[derive(Debug, Clone, Copy, Default)]
pub struct TriageFocus(RwSignal<Option<TriageField>>);

impl TriageFocus {
    /// Focuses a field as soon as the card shows it.
    pub fn request(self, field: TriageField) {
        self.0.try_set(Some(field));
    }

    /// Returns the field that is to be focused. Tracked.
    pub fn requested(self) -> Option<TriageField> {
        self.0.get()
    }

    /// Ends the request.
    pub fn clear(self) {
        if self.0.try_get_untracked().flatten().is_some() {
            self.0.try_set(None);
        }
    }
}

/// Texts of notes that were not saved yet, so that they survive a look at another submission;
/// provided as context by the page. Cheap to copy.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoteDrafts(StoredValue<Vec<(SubmissionId, String)>>);

impl NoteDrafts {
    /// Returns the text for a submission; empty without a draft.
    pub fn get(self, id: &SubmissionId) -> String {
        let find = |drafts: &Vec<(SubmissionId, String)>| {
            drafts.iter().find(|draft| draft.0 == *id).map(|draft| draft.1.clone())
        };
        self.0.try_with_value(find).flatten().unwrap_or_default()
    }

    /// Sets the text for a submission; an empty one removes it.
    pub fn set(self, id: &SubmissionId, text: &str) {
        self.0.try_update_value(|drafts| {
            drafts.retain(|draft| draft.0 != *id);
            if !text.is_empty() {
                drafts.push((id.clone(), text.to_owned()));
            }
        });
    }
}
