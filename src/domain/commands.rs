//! Keyboard shortcuts: one table for the key handlers, the command palette and the help, so that
//! they cannot disagree. It handles no events.

/// A command that is run by a key or from the command palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Open the command palette.
    Palette,
    /// Show the keyboard shortcuts.
    Help,
    /// Close the topmost layer.
    Close,
    /// Focus the search.
    Search,
    /// Focus the search; pressed again there, open the browser's find bar.
    Find,
    /// Go to the next submission.
    Next,
    /// Go to the previous submission.
    Previous,
    /// Open the focused submission.
    Open,
    /// Toggle the selection of the focused submission.
    ToggleSelection,
    /// Select all loaded submissions; pressed again, all matching ones.
    SelectAll,
    /// Open the export dialog.
    Export,
    /// Delete the selected submissions.
    Delete,
    /// Mark the selected submissions as spam.
    MarkSpam,
    /// Star the open or focused submission, or remove its star.
    ToggleStar,
    /// Set the status at this position in the list of statuses, from 0 to 8.
    SetStatus(u8),
    /// Focus the field for tags.
    FocusTags,
    /// Focus the list of members.
    FocusAssignee,
    /// Focus the text of a new note.
    FocusNote,
    /// Mark the open or focused submission as unread.
    MarkUnread,
    /// Go to the next unread submission.
    NextUnread,
    /// Go to the previous unread submission.
    PreviousUnread,
    /// Undo the last action.
    Undo,
    /// Print the current view.
    Print,
    /// Create a form.
    CreateForm,
    /// Create an API key.
    CreateKey,
    /// Sign out.
    SignOut,
}

/// Scope of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyScope {
    /// The whole page, regardless of focus, except while text is being entered.
    Page,
    /// The focused element: a row, a dialog or a card.
    Focused,
}

/// A key with its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyBinding {
    /// The key's name as in `KeyboardEvent.key`: an upper-case letter needs Shift.
    pub name: &'static str,
    /// Whether Ctrl (Cmd on a Mac) must be pressed too.
    pub with_ctrl: bool,
    /// Scope of the key.
    pub scope: KeyScope,
    /// Command that the key runs.
    pub command: Command,
}

impl Command {
    /// Returns whether the command is about unread submissions. Readers can use it.
    pub fn is_about_unread(self) -> bool {
        matches!(self, Self::MarkUnread | Self::NextUnread | Self::PreviousUnread)
    }

    /// Returns whether the command changes the triage that the members share, or leads to its
    /// fields.
    pub fn is_triage(self) -> bool {
        matches!(
            self,
            Self::ToggleStar
                | Self::SetStatus(_)
                | Self::FocusTags
                | Self::FocusAssignee
                | Self::FocusNote
        )
    }
}

impl KeyBinding {
    /// Returns whether Shift must be pressed to type the letter.
    pub fn with_shift(self) -> bool {
        self.name.len() == 1 && self.name.starts_with(|letter: char| letter.is_ascii_uppercase())
    }

    /// Returns whether this is a single character without Ctrl. Users can disable these.
    pub fn is_single(self) -> bool {
        !self.with_ctrl && self.name.chars().count() == 1
    }
}

const fn plain_key(name: &'static str, command: Command) -> KeyBinding {
    KeyBinding { name, with_ctrl: false, scope: KeyScope::Page, command }
}

const fn ctrl_key(name: &'static str, command: Command) -> KeyBinding {
    KeyBinding { with_ctrl: true, ..plain_key(name, command) }
}

const fn focused_key(key: KeyBinding) -> KeyBinding {
    KeyBinding { scope: KeyScope::Focused, ..key }
}

/// The commands of the keys from 1 to 9.
pub const STATUS_COMMANDS: [Command; 9] = [
    Command::SetStatus(0),
    Command::SetStatus(1),
    Command::SetStatus(2),
    Command::SetStatus(3),
    Command::SetStatus(4),
    Command::SetStatus(5),
    Command::SetStatus(6),
    Command::SetStatus(7),
    Command::SetStatus(8),
];

/// Every shortcut, in the order of the help.
pub const KEY_BINDINGS: [KeyBinding; 33] = [
    ctrl_key("k", Command::Palette),
    plain_key("?", Command::Help),
    focused_key(plain_key("Escape", Command::Close)),
    plain_key("/", Command::Search),
    ctrl_key("f", Command::Find),
    plain_key("j", Command::Next),
    plain_key("k", Command::Previous),
    plain_key("J", Command::NextUnread),
    plain_key("K", Command::PreviousUnread),
    focused_key(plain_key("Enter", Command::Open)),
    focused_key(plain_key("x", Command::ToggleSelection)),
    focused_key(ctrl_key("a", Command::SelectAll)),
    plain_key("e", Command::Export),
    plain_key("#", Command::Delete),
    plain_key("Delete", Command::Delete),
    plain_key("Backspace", Command::Delete),
    plain_key("s", Command::ToggleStar),
    plain_key("1", STATUS_COMMANDS[0]),
    plain_key("2", STATUS_COMMANDS[1]),
    plain_key("3", STATUS_COMMANDS[2]),
    plain_key("4", STATUS_COMMANDS[3]),
    plain_key("5", STATUS_COMMANDS[4]),
    plain_key("6", STATUS_COMMANDS[5]),
    plain_key("7", STATUS_COMMANDS[6]),
    plain_key("8", STATUS_COMMANDS[7]),
    plain_key("9", STATUS_COMMANDS[8]),
    plain_key("t", Command::FocusTags),
    plain_key("a", Command::FocusAssignee),
    plain_key("m", Command::FocusNote),
    plain_key("U", Command::MarkUnread),
    plain_key("u", Command::Undo),
    ctrl_key("z", Command::Undo),
    ctrl_key("p", Command::Print),
];

/// Returns the page-wide command for a key press. `has_ctrl` says whether Ctrl or Cmd is pressed.
pub fn find_command(name: &str, has_ctrl: bool) -> Option<Command> {
    let is_match = |key: &&KeyBinding| {
        // With Ctrl and Caps Lock, a browser may report an upper-case letter.
        let is_same_name =
            if has_ctrl { key.name.eq_ignore_ascii_case(name) } else { key.name == name };
        is_same_name && key.with_ctrl == has_ctrl && key.scope == KeyScope::Page
    };
    KEY_BINDINGS.iter().find(is_match).map(|key| key.command)
}

/// Returns the first key that runs a command.
pub fn find_key(command: Command) -> Option<KeyBinding> {
    KEY_BINDINGS.into_iter().find(|key| key.command == command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_press_respects_ctrl_modifier() {
        assert_eq!(find_command("k", true), Some(Command::Palette));
        assert_eq!(find_command("K", true), Some(Command::Palette));
        assert_eq!(find_command("k", false), Some(Command::Previous));
        assert_eq!(find_command("j", true), None);
        assert_eq!(find_command("q", false), None);
        assert_eq!(find_command("Enter", false), None, "Enter is handled by the row, not the page");
    }

    #[test]
    fn single_character_keys_are_detected() {
        let single: Vec<_> = KEY_BINDINGS.into_iter().filter(|key| key.is_single()).collect();
        let names: String = single.iter().map(|key| key.name).collect();
        assert_eq!(names, "?/jkJKxe#s123456789tamUu");
    }

    #[test]
    fn upper_case_letters_need_shift() {
        let shifted = KEY_BINDINGS.into_iter().filter(|key| key.with_shift());
        let names: String = shifted.map(|key| key.name).collect();
        assert_eq!(names, "JKU");
        assert_eq!(find_command("J", false), Some(Command::NextUnread));
        assert_eq!(find_command("J", true), None);
    }

    #[test]
    fn key_press_maps_to_one_command() {
        for (at, binding) in KEY_BINDINGS.iter().enumerate() {
            let other = KEY_BINDINGS[at + 1..]
                .iter()
                .find(|other| other.name == binding.name && other.with_ctrl == binding.with_ctrl);
            assert_eq!(other, None, "{binding:?}");
        }
    }

    #[test]
    fn key_of_command_runs_that_command() {
        for KeyBinding { command: expected, scope: heard, .. } in KEY_BINDINGS {
            let key = find_key(expected).unwrap();
            if heard == KeyScope::Page {
                assert_eq!(find_command(key.name, key.with_ctrl), Some(expected));
            }
        }
        assert_eq!(find_key(Command::SignOut), None);
    }
}
