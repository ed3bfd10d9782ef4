//! The commands of the page, and where the focus goes when the open submission is closed.

use contract::SubmissionId;
use leptos::{html, prelude::*};

use super::{
    actions::SubmissionActions, board_slot::BoardFocus, list_state::ListState,
    open_submission::OpenSubmission, selection::SelectionState,
    triage::commands::register_triage_commands,
};
use crate::{
    api::MoveTarget,
    components::page::focus_heading,
    domain::commands::Command,
    state::{commands::Commands, exports::Exports},
    ui::{focus, table::SelectionChange},
};

/// Registers the commands of the page. Shortcuts of the table work only while a row has the focus.
pub(super) fn register_commands(search: SearchFocus) {
    const COMMANDS: &[Command] = &[
        Command::Search,
        Command::Find,
        Command::SelectAll,
        Command::Next,
        Command::Previous,
        Command::Print,
    ];
    register_triage_commands();
    let registry = expect_context::<Commands>();
    let list = expect_context::<ListState>();
    let opened = expect_context::<OpenSubmission>();
    let selection = expect_context::<SelectionState>();
    let actions = expect_context::<SubmissionActions>();
    for (command, target) in
        [(&[Command::Delete], MoveTarget::Trash), (&[Command::MarkSpam], MoveTarget::Spam)]
    {
        registry.register_if(
            command,
            move || actions.can_move(target),
            move |_| actions.request_move(target),
        );
    }
    let exporting = expect_context::<Exports>().open();
    let can_export = move || !untrack(|| list.is_inbox());
    registry.register_if(&[Command::Export], can_export, move |_| {
        can_export() && exporting.try_set(true).is_none()
    });
    registry.register(COMMANDS, move |command| match command {
        Command::Search => search.focus_search(),
        Command::Find => search.focus_or_browser_find(),
        // Cards of the board cannot be selected.
        Command::SelectAll if untrack(|| list.is_board()) => false,
        Command::SelectAll => {
            selection.request_gesture(SelectionChange::All);
            true
        }
        Command::Next => opened.step_row(true),
        Command::Previous => opened.step_row(false),
        // The print style sheet shows the open submission, or else the list.
        Command::Print => window().print().is_ok(),
        _ => false,
    });
}

/// Moves the focus when the open submission is closed: to its row; if that was removed, to the row
/// at its index; if it was never in the list, to the heading. On the board it moves to the card. If
/// the submission was closed to reach the search field, the focus goes there.
pub(super) fn restore_focus(list: ListState, opened: OpenSubmission, search: SearchFocus) {
    Effect::new(move |before: Option<Option<(SubmissionId, u32, Option<usize>)>>| {
        let before = before.flatten();
        let generation = list.rows.generation();
        let Some(id) = opened.id.get() else {
            let sought = search.is_pending.try_update_value(std::mem::take) == Some(true);
            if let (Some(_), true) = (&before, sought) {
                // The list is rendered by the next frame.
                request_animation_frame(move || {
                    search.focus_search();
                });
            } else if let (Some((id, _, _)), true) = (&before, untrack(|| list.is_board())) {
                opened.board.request_focus(BoardFocus::Card(id.clone()));
            } else if let Some((_, _, index)) = before {
                let count = list.rows.count().get_untracked();
                match (index, count.checked_sub(1)) {
                    (Some(index), Some(max)) => list.rows.table.focus_row(index.min(max)),
                    _ => focus_heading(),
                }
            }
            return None;
        };
        // A row that was just deleted has no index any more: use its last one.
        let before = before.filter(|(_, seen_generation, _)| *seen_generation == generation);
        let index = opened.index.get().or(before.and_then(|(_, _, index)| index));
        Some((id, generation, index))
    });
}

/// Moves the focus to the search field.
#[derive(Clone, Copy)]
pub(super) struct SearchFocus {
    pub(super) opened: OpenSubmission,
    pub(super) input: NodeRef<html::Input>,
    /// Whether the open submission is being closed because it covers the search field.
    pub(super) is_pending: StoredValue<bool>,
}

impl SearchFocus {
    fn has_focus(self) -> bool {
        let Some(input) = self.input.get_untracked() else { return false };
        document().active_element().as_ref() == Some(&input)
    }

    /// Focuses the search field. On small screens the open submission covers the list, which then
    /// cannot be focused, so it is closed first.
    fn focus_search(self) -> bool {
        let Some(input) = self.input.get_untracked() else { return false };
        focus(&input);
        if !self.has_focus() && self.opened.id.with_untracked(Option::is_some) {
            self.is_pending.set_value(true);
            self.opened.close();
        }
        true
    }

    /// Focuses the search field, which finds more than the loaded rows. Returns false if it already
    /// has the focus, so that the browser's own search opens.
    fn focus_or_browser_find(self) -> bool {
        if self.has_focus() {
            return false;
        }
        let is_focused = self.focus_search();
        if let Some(input) = self.input.get_untracked() {
            input.select();
        }
        is_focused
    }
}
