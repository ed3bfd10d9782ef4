//! The commands that change the triage of the open submission, or else of the focused row or card,
//! and those that go to unread submissions. Their code shares a chunk with the marks of the rows.

use contract::SubmissionId;
use contract::triage::{Status, TriageChange};
use leptos::{prelude::*, task::spawn_local};

use super::{
    TriageField, TriageFocus,
    change::{change_submission, change_with_undo, show_error},
    unread_steps::{RunningSearch, UnreadSteps},
};
use crate::{
    domain::commands::{Command, STATUS_COMMANDS},
    lazy_actions,
    pages::submissions::{
        board_slot::BoardFocus, list_state::ListState, open_submission::OpenSubmission,
        row_marks::RowMarks, selection::triage::TriageActions,
    },
    state::{commands::Commands, toasts::Toasts, triage::TriageState},
    ui::run_effect,
};

lazy_actions! {
    /// Runs a command for a submission.
    fn run_command(commands: TriageCommands, id: SubmissionId, command: Command) in row_marks
        => commands.run(id.clone(), command);
    /// Goes to the next unread submission, or to the previous one.
    fn step_unread(commands: TriageCommands, forward: bool) in row_marks
        => commands.unread_steps().go(forward);
}

const COMMANDS: &[Command] =
    &[Command::ToggleStar, Command::FocusTags, Command::FocusAssignee, Command::FocusNote];

/// The commands of a list page. Cheap to copy.
#[derive(Clone, Copy)]
struct TriageCommands {
    list: ListState,
    opened: OpenSubmission,
    triage: TriageState,
    marks: RowMarks,
    focus: TriageFocus,
    toasts: Toasts,
    actions: TriageActions,
    running: RunningSearch,
}

/// Registers the commands of the page.
pub fn register_triage_commands() {
    let commands = TriageCommands {
        list: expect_context(),
        opened: expect_context(),
        triage: expect_context(),
        marks: expect_context(),
        focus: expect_context(),
        toasts: expect_context(),
        actions: TriageActions::from_context(),
        running: RunningSearch::default(),
    };
    run_effect(move || {
        commands.opened.id.track();
        commands.triage.set_kept_unread(None);
    });
    let registry = expect_context::<Commands>();
    let lists: [(&'static [Command], bool); 3] =
        [(COMMANDS, true), (&STATUS_COMMANDS, true), (&[Command::MarkUnread], false)];
    for (list, needs_edit) in lists {
        registry.register_if(
            list,
            move || commands.target(needs_edit).is_some(),
            move |command| commands.request(command),
        );
    }
    registry.register_if(
        &[Command::NextUnread, Command::PreviousUnread],
        move || untrack(|| commands.triage.is_available()),
        move |command| commands.request_step(command == Command::NextUnread),
    );
}

impl TriageCommands {
    /// Returns the open submission, or else the focused row or card, if the user may change its
    /// read state, or with `needs_edit` its shared triage.
    fn target(self, needs_edit: bool) -> Option<SubmissionId> {
        let is_allowed = || {
            if needs_edit { self.triage.can_edit() } else { self.triage.is_available() }
        };
        if !untrack(is_allowed) {
            return None;
        }
        let focused = || self.opened.focused().map(|row| row.id.clone());
        self.opened.id.get_untracked().or_else(focused)
    }

    /// Loads the code of a command, and runs it. Returns whether there is a submission for it.
    fn request(self, command: Command) -> bool {
        let Some(id) = self.target(!command.is_about_unread()) else { return false };
        self.toasts.run_lazy(run_command(self, id, command));
        true
    }

    /// Loads the code of a step to an unread submission, and runs it. On the board, opens the first
    /// unread card if no submission is open. Returns `false` if the server does not know which
    /// submissions are unread, or the list has no rows.
    fn request_step(self, forward: bool) -> bool {
        if !untrack(|| self.triage.is_available()) {
            return false;
        }
        if self.is_closed() && untrack(|| self.list.is_board()) {
            // The steps follow the order of the list, which the board does not show.
            self.opened.board.request_focus(BoardFocus::FirstUnread);
            return true;
        }
        if self.list.rows.count().get_untracked() == 0 {
            return false;
        }
        self.toasts.run_lazy(step_unread(self, forward));
        true
    }

    fn unread_steps(self) -> UnreadSteps {
        let Self { list, opened, triage, marks, toasts, running, .. } = self;
        UnreadSteps { list, opened, triage, marks, toasts, running }
    }

    fn run(self, id: SubmissionId, command: Command) {
        match command {
            Command::MarkUnread => {
                if self.opened.id.try_get_untracked().flatten().as_ref() == Some(&id) {
                    self.triage.set_kept_unread(Some(id.clone()));
                }
                self.change(id, TriageChange { read: Some(false), ..TriageChange::default() });
            }
            Command::ToggleStar => {
                let marks = untrack(|| self.triage.with_marks(|marks| marks.get(&id)));
                let starred = Some(!marks.starred);
                self.change(id, TriageChange { starred, ..TriageChange::default() });
            }
            Command::SetStatus(position) => self.set_status(id, usize::from(position)),
            Command::FocusTags => self.focus_field(&id, TriageField::Tags),
            Command::FocusAssignee => self.focus_field(&id, TriageField::Assignee),
            Command::FocusNote => self.focus_field(&id, TriageField::Note),
            _ => {}
        }
    }

    fn change(self, id: SubmissionId, change: TriageChange) {
        change_submission((self.triage, self.marks), id, change);
    }

    /// Sets the status at a position in the list of statuses. Does nothing if there are fewer.
    fn set_status(self, id: SubmissionId, position: usize) {
        spawn_local(async move {
            let status_at = || untrack(|| self.triage.statuses()).get(position).cloned();
            let is_built_in = position < Status::BUILT_IN.len();
            if !is_built_in && status_at().is_none() {
                // Without the settings, the account's own statuses are unknown.
                if let Err(error) = self.triage.reload_settings().await {
                    show_error(self.triage, &error);
                    return;
                }
            }
            let Some(status) = status_at() else { return };
            let change = TriageChange { status: Some(status), ..TriageChange::default() };
            if self.is_closed() && untrack(|| self.list.is_board()) {
                // The card moves away, so the user can bring it back.
                change_with_undo((self.triage, self.marks), self.actions, id, change);
            } else {
                self.change(id, change);
            }
        });
    }

    /// Focuses a field of the card. Opens the focused row first, if no submission is open.
    fn focus_field(self, id: &SubmissionId, field: TriageField) {
        self.focus.request(field);
        if self.is_closed() {
            self.opened.open(id);
        }
    }

    /// Returns whether the page is shown without an open submission.
    fn is_closed(self) -> bool {
        self.opened.id.try_with_untracked(Option::is_none) == Some(true)
    }
}
