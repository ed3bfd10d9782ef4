//! The board of a form: a column for each status, with the submissions newest first. A submission
//! is shown in the column of its known status, so that a change appears at once, and moves back if
//! the server refuses it. Its code is loaded on demand.

pub mod card;
pub mod columns;
mod focus;
mod load;

use std::sync::Arc;

use contract::filter::LabelProperty;
use contract::triage::{Status, TriageChange};
use contract::{Field, Submission, SubmissionId};
use leptos::prelude::*;

use super::{
    board_slot::{BoardFocus, in_board},
    list_state::ListState,
    open_submission::OpenSubmission,
    row_marks::RowMarks,
    selection::{SelectionState, triage::TriageActions},
    triage::change::change_with_undo,
};
use crate::{
    components::paginated::Paginated,
    domain::{
        board::{BoardColumn, BoardPosition, arrange},
        row::{AnswerRole, select_fields},
        triage_marks::TriageMarks,
    },
    i18n,
    state::triage::TriageState,
    ui::{empty::Empty, icon::Glyph, run_effect, throttle::Throttle},
};
use columns::BoardColumns;

/// Number of fields among which the main text of a card is chosen.
const FIELDS_MAX: usize = 3;

/// Column with the loaded pages. Submissions that were moved by now may still be in their former
/// column.
#[derive(Clone)]
struct LoadedColumn {
    status: Status,
    pages: Paginated<Arc<Submission>>,
}

/// The state of the board. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Board {
    list: ListState,
    opened: OpenSubmission,
    triage: TriageState,
    marks: RowMarks,
    actions: TriageActions,
    /// The statuses of the columns: those that match the filter.
    statuses: Memo<Vec<Status>>,
    loaded: RwSignal<Vec<LoadedColumn>>,
    /// The columns as shown, with the changes that are being sent.
    shown: Memo<Vec<BoardColumn>>,
    /// The field with the main text of the cards.
    text_field: Memo<Option<Field>>,
    /// The submission that is being dragged.
    dragged: RwSignal<Option<SubmissionId>>,
    /// Whether a card had the focus before the last change of the columns.
    had_focus: StoredValue<bool>,
    /// Position of the card that had the focus last.
    last_position: StoredValue<BoardPosition>,
    reloads: Throttle,
}

impl Board {
    /// Returns the board of the page in context, owned by the current reactive owner.
    fn from_context() -> Self {
        let list = expect_context::<ListState>();
        let triage = expect_context::<TriageState>();
        let loaded = RwSignal::new(Vec::new());
        let statuses = Memo::new(move |_| {
            let labels =
                list.filter.with(|filter| filter.labels.get(LabelProperty::Status).clone());
            let mut statuses = triage.statuses();
            statuses.retain(|status| labels.is_empty() || labels.match_any(&[status.as_str()]));
            statuses
        });
        let had_focus = StoredValue::new(false);
        let shown = Memo::new(move |_| {
            // The cards are drawn again only after this, so the focus is still where it was.
            had_focus.update_value(|had_focus| *had_focus |= in_board());
            let columns = loaded_columns(loaded, statuses);
            triage.with_marks(|marks| arrange(&columns, |id| marks.status(id)))
        });
        let text_field = Memo::new(move |_| {
            let mut fields = list.fields.get();
            fields.retain(|field| !field.hidden);
            let mut chosen = select_fields(&fields, FIELDS_MAX).into_iter();
            chosen.find(|(_, role)| *role == AnswerRole::MainText).map(|(field, _)| field)
        });
        Self {
            list,
            opened: expect_context(),
            triage,
            marks: expect_context(),
            actions: TriageActions::from_context(),
            statuses,
            loaded,
            shown,
            text_field,
            dragged: RwSignal::new(None),
            had_focus,
            last_position: StoredValue::new((0, 0)),
            reloads: Throttle::default(),
        }
    }

    /// Stores where submissions are once the server has changed them, so that later responses find
    /// the right counts.
    fn follow_stored_statuses(self) {
        run_effect(move || {
            let before = loaded_columns(self.loaded, self.statuses);
            let stored = |marks: &TriageMarks| arrange(&before, |id| marks.stored_status(id));
            let after = self.triage.with_marks(stored);
            for (before, after) in before.iter().zip(after) {
                let column = self.loaded.with_untracked(|loaded| find(loaded, &after.status));
                if let Some(pages) = column.filter(|_| *before != after) {
                    pages.rows.set(after.rows);
                    pages.total.set(after.total);
                }
            }
        });
    }

    /// Moves a submission to another column.
    fn move_to(self, id: SubmissionId, status: Status) {
        let change = TriageChange { status: Some(status), ..TriageChange::default() };
        self.opened.board.request_focus(BoardFocus::Card(id.clone()));
        change_with_undo((self.triage, self.marks), self.actions, id, change);
    }
}

/// Returns the pages of a column.
fn find(loaded: &[LoadedColumn], status: &Status) -> Option<Paginated<Arc<Submission>>> {
    loaded.iter().find(|column| column.status == *status).map(|column| column.pages)
}

/// Returns the columns of the board as they are loaded. Tracked.
fn loaded_columns(
    loaded: RwSignal<Vec<LoadedColumn>>,
    statuses: Memo<Vec<Status>>,
) -> Vec<BoardColumn> {
    let column = |status: Status| {
        let pages = loaded.with(|loaded| find(loaded, &status));
        let rows = pages.map(|pages| pages.rows.get()).unwrap_or_default();
        BoardColumn { status, rows, total: pages.and_then(|pages| pages.total.get()) }
    };
    statuses.get().into_iter().map(column).collect()
}

/// The board.
#[component]
pub fn SubmissionBoard() -> impl IntoView {
    let board = Board::from_context();
    // Cards cannot be selected, and the marks of the rows are not needed.
    expect_context::<SelectionState>().clear();
    board.marks.set_visible_rows((0, 0));
    board.follow_source();
    board.follow_changes();
    board.follow_stored_statuses();
    board.follow_focus();
    let has_columns = Memo::new(move |_| board.statuses.with(|statuses| !statuses.is_empty()));
    move || {
        if has_columns.get() {
            view! { <BoardColumns board /> }.into_any()
        } else {
            let title = i18n::common().no_submissions_match;
            view! { <Empty icon=Glyph::Filter title text=i18n::board().no_status /> }.into_any()
        }
    }
}
