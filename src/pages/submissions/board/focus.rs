//! The focus on the board: one card of each column can be reached by Tab, and the arrow keys lead
//! to the others. The focus follows a card that moves.

use contract::SubmissionId;
use leptos::{
    ev::KeyboardEvent,
    prelude::*,
    task::{spawn_local, tick},
};

use super::Board;
use crate::{
    components::page::focus_heading,
    domain::board::{BoardPosition, BoardStep, nearest, position, step},
    i18n,
    pages::submissions::board_slot::{BoardFocus, in_board},
    ui::{focus, focus_is_lost, run_effect},
};

impl Board {
    /// Moves the focus by request, and keeps it when its card moves or leaves the board.
    pub(super) fn follow_focus(self) {
        run_effect(move || match self.opened.board.take_request() {
            Some(BoardFocus::Card(id)) => spawn_local(async move {
                tick().await;
                self.focus_card(Some(&id));
            }),
            Some(BoardFocus::Step { forward }) => untrack(|| {
                let direction = if forward { BoardStep::Down } else { BoardStep::Up };
                if in_board() {
                    self.step(direction);
                } else {
                    self.focus_card(self.active_id().as_ref());
                }
            }),
            Some(BoardFocus::FirstUnread) => untrack(|| self.open_first_unread()),
            None => {}
        });
        run_effect(move || {
            self.shown.track();
            if self.had_focus.try_update_value(std::mem::take) == Some(true) {
                spawn_local(async move {
                    tick().await;
                    if focus_is_lost() {
                        self.focus_card(self.active_id().as_ref());
                    }
                });
            }
        });
    }

    /// Moves the focus by an arrow key, if a card has it.
    pub(super) fn handle_key(self, event: &KeyboardEvent) {
        let has_modifier =
            event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key();
        let Some(direction) = BoardStep::from_key(&event.key()).filter(|_| !has_modifier) else {
            return;
        };
        if in_board() {
            event.prevent_default();
            self.step(direction);
        }
    }

    fn step(self, direction: BoardStep) {
        let Some(id) = self.active_id() else { return };
        let target = self.shown.with_untracked(|columns| {
            let target = step(columns, position(columns, &id)?, direction)?;
            id_at(columns, target)
        });
        if let Some(target) = target {
            focus_element(&target);
        }
    }

    /// Opens the first unread submission among the cards, column by column.
    fn open_first_unread(self) {
        let unread = self.shown.with(|columns| {
            let mut rows = columns.iter().flat_map(|column| &column.rows);
            let unread = rows.find(|row| self.triage.read_state(&row.id) == Some(false));
            unread.map(|row| row.id.clone())
        });
        match unread {
            Some(id) => self.opened.open(&id),
            None => self.triage.toasts().show_success(i18n::board().none_unread),
        }
    }

    /// Records the card that has the focus.
    pub(super) fn set_active(self, id: &SubmissionId) {
        let found = self.shown.with_untracked(|columns| {
            let at = position(columns, id)?;
            Some((at, columns[at.0].rows[at.1].clone()))
        });
        if let Some((at, row)) = found {
            self.last_position.set_value(at);
            self.opened.board.active.set(Some(row));
        }
    }

    fn active_id(self) -> Option<SubmissionId> {
        let active = self.opened.board.active;
        active.try_get_untracked().flatten().map(|row| row.id.clone())
    }

    /// Focuses a card; if the board does not have it, the card that took its position, or else the
    /// heading.
    fn focus_card(self, id: Option<&SubmissionId>) {
        let target = self.shown.try_with_untracked(|columns| {
            let at = id.and_then(|id| position(columns, id));
            let last = self.last_position.get_value();
            id_at(columns, at.or_else(|| nearest(columns, last))?)
        });
        match target {
            Some(Some(target)) => focus_element(&target),
            Some(None) => focus_heading(),
            None => {}
        }
    }
}

fn id_at(
    columns: &[crate::domain::board::BoardColumn],
    (column, row): BoardPosition,
) -> Option<SubmissionId> {
    columns.get(column)?.rows.get(row).map(|row| row.id.clone())
}

fn focus_element(id: &SubmissionId) {
    // Ids have no characters with a meaning in selectors.
    let selector = format!(".board-card[data-key=\"{id}\"]");
    if let Ok(Some(card)) = document().query_selector(&selector) {
        focus(&card);
    }
}
