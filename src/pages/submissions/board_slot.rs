//! Slot between the page and its board, whose code is loaded on demand: the focused card, and
//! requests to move the focus.

use std::sync::Arc;

use contract::{Submission, SubmissionId};
use leptos::prelude::*;

/// Request to move the focus on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardFocus {
    /// To the card of a submission.
    Card(SubmissionId),
    /// To the card below, or else to the card above.
    Step {
        /// Whether to move down.
        forward: bool,
    },
    /// To the first unread card, which opens.
    FirstUnread,
}

/// The slot. Cheap to copy.
#[derive(Debug, Clone, Copy, Default)]
pub struct BoardSlot {
    /// Submission of the card that has or had the focus last.
    pub active: RwSignal<Option<Arc<Submission>>>,
    request: RwSignal<Option<BoardFocus>>,
}

impl BoardSlot {
    /// Returns the submission of the focused card, if one has the focus. Not tracked.
    pub fn focused(self) -> Option<Arc<Submission>> {
        self.active.get_untracked().filter(|_| in_board())
    }

    /// Moves the focus as soon as the board is shown.
    pub fn request_focus(self, focus: BoardFocus) {
        self.request.try_set(Some(focus));
    }

    /// Takes the last request. Tracked.
    pub fn take_request(self) -> Option<BoardFocus> {
        let request = self.request.get();
        if request.is_some() {
            self.request.set(None);
        }
        request
    }
}

/// Returns whether a card of the board has the focus.
pub fn in_board() -> bool {
    let active = document().active_element();
    active.is_some_and(|active| active.class_list().contains("board-card"))
}
