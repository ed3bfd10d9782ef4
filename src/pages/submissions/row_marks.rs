//! Slot for the marks in the rows of the list: unread, star, status, tags and assignee. The code
//! that loads and draws them comes after the first rows, and registers itself here.

use contract::{Submission, SubmissionId};
use leptos::prelude::*;

use crate::{state::triage::TriageState, ui::table::Cell};

/// Functions that draw marks.
#[derive(Debug, Clone, Copy)]
pub struct MarkRenderer {
    /// Returns a number that changes with the marks of a submission; 0 without marks. Tracked.
    pub version: fn(TriageState, &SubmissionId) -> u32,
    /// Returns whether a submission is known to be unread. Tracked.
    pub is_unread: fn(TriageState, &SubmissionId) -> bool,
    /// Adds the marks of a submission to the cells of its row.
    pub draw: fn(TriageState, &SubmissionId, Vec<Cell>) -> Vec<Cell>,
}

/// The marks of the rows on a list page; provided as context by the page. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct RowMarks {
    triage: TriageState,
    renderer: RwSignal<Option<MarkRenderer>>,
    visible: RwSignal<(usize, usize)>,
    announcement: RwSignal<String>,
    /// The row that takes the focus once it is loaded.
    pub focus_request: RwSignal<Option<FocusRequest>>,
}

/// Request to focus a row when it is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FocusRequest {
    /// The submission.
    pub id: SubmissionId,
    /// Epoch of the list at the request.
    pub epoch: u32,
    /// Index of the active row then.
    pub from: usize,
}

impl RowMarks {
    /// Returns marks without a renderer, owned by the current reactive owner.
    pub fn new(triage: TriageState) -> Self {
        Self {
            triage,
            renderer: RwSignal::new(None),
            visible: RwSignal::new((0, 0)),
            announcement: RwSignal::new(String::new()),
            focus_request: RwSignal::new(None),
        }
    }

    /// Sets the functions that draw the marks.
    pub fn set_renderer(self, renderer: MarkRenderer) {
        self.renderer.try_set(Some(renderer));
    }

    /// Sets the range of rows in view, end exclusive.
    pub fn set_visible_rows(self, range: (usize, usize)) {
        self.visible.try_set(range);
    }

    /// Returns the range of rows in view, end exclusive.
    pub fn visible_rows(self) -> Signal<(usize, usize)> {
        self.visible.into()
    }

    /// Announces the result of a change to assistive technology.
    pub fn announce(self, text: String) {
        self.announcement.try_set(text);
    }

    /// Returns the last announcement.
    pub fn announcement(self) -> Signal<String> {
        self.announcement.into()
    }

    /// Returns a function that returns the version of a row's marks. Tracked, as the function.
    pub fn versions(self) -> impl Fn(&Submission) -> u32 {
        let renderer = self.renderer.get();
        move |row| renderer.map_or(0, |renderer| (renderer.version)(self.triage, &row.id))
    }

    /// Returns whether the submission of a row is known to be unread.
    pub fn is_unread(self, row: &Submission) -> bool {
        let renderer = self.renderer.get_untracked();
        renderer.is_some_and(|renderer| untrack(|| (renderer.is_unread)(self.triage, &row.id)))
    }

    /// Adds the marks of a row to its cells.
    pub fn add_to_cells(self, row: &Submission, cells: Vec<Cell>) -> Vec<Cell> {
        match self.renderer.get_untracked() {
            Some(renderer) => (renderer.draw)(self.triage, &row.id, cells),
            None => cells,
        }
    }
}
