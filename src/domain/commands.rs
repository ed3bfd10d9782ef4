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
    Pick,
    /// Select all loaded submissions; pressed again, all matching ones.
    PickAll,
    /// Open the export dialog.
    Export,
    /// Delete the selected submissions.
    Delete,
    /// Mark the selected submissions as spam.
    MarkSpam,
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
pub enum Heard {
    /// The whole page, regardless of focus, except while text is being entered.
    Everywhere,
    /// The focused element: a row, a dialog or a card.
    Inside,
}

/// A key with its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key's name as in `KeyboardEvent.key`.
    pub name: &'static str,
    /// Whether Ctrl (Cmd on a Mac) must be pressed too.
    pub held: bool,
    /// Scope of the key.
    pub heard: Heard,
    /// Command that the key runs.
    pub act: Command,
}

impl Key {
    /// Returns whether this is a single character without Ctrl. Users can disable these.
    pub fn is_single(self) -> bool {
        !self.held && self.name.chars().count() == 1
    }
}

const fn key(name: &'static str, act: Command) -> Key {
    Key { name, held: false, heard: Heard::Everywhere, act }
}

const fn held(name: &'static str, act: Command) -> Key {
    Key { held: true, ..key(name, act) }
}

const fn inside(key: Key) -> Key {
    Key { heard: Heard::Inside, ..key }
}

/// Every shortcut, in the order of the help.
pub const KEYS: [Key; 17] = [
    held("k", Command::Palette),
    key("?", Command::Help),
    inside(key("Escape", Command::Close)),
    key("/", Command::Search),
    held("f", Command::Find),
    key("j", Command::Next),
    key("k", Command::Previous),
    inside(key("Enter", Command::Open)),
    inside(key("x", Command::Pick)),
    inside(held("a", Command::PickAll)),
    key("e", Command::Export),
    key("#", Command::Delete),
    key("Delete", Command::Delete),
    key("Backspace", Command::Delete),
    key("u", Command::Undo),
    held("z", Command::Undo),
    held("p", Command::Print),
];

/// Returns the page-wide command for a key press. `held` says whether Ctrl or Cmd is pressed.
pub fn act(name: &str, held: bool) -> Option<Command> {
    let fits = |key: &&Key| {
        // With Ctrl and Caps Lock, a browser may report an upper-case letter.
        let same = if held { key.name.eq_ignore_ascii_case(name) } else { key.name == name };
        same && key.held == held && key.heard == Heard::Everywhere
    };
    KEYS.iter().find(fits).map(|key| key.act)
}

/// Returns the first key that runs a command.
pub fn key_of(act: Command) -> Option<Key> {
    KEYS.into_iter().find(|key| key.act == act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_press_respects_ctrl_modifier() {
        assert_eq!(act("k", true), Some(Command::Palette));
        assert_eq!(act("K", true), Some(Command::Palette));
        assert_eq!(act("k", false), Some(Command::Previous));
        assert_eq!(act("j", true), None);
        assert_eq!(act("q", false), None);
        assert_eq!(act("Enter", false), None, "Enter is handled by the row, not the page");
    }

    #[test]
    fn single_character_keys_are_detected() {
        let single: Vec<_> = KEYS.into_iter().filter(|key| key.is_single()).collect();
        let names: Vec<_> = single.iter().map(|key| key.name).collect();
        assert_eq!(names, ["?", "/", "j", "k", "x", "e", "#", "u"]);
    }

    #[test]
    fn key_press_maps_to_one_command() {
        for (at, one) in KEYS.iter().enumerate() {
            let other = KEYS[at + 1..].iter().find(|it| it.name == one.name && it.held == one.held);
            assert_eq!(other, None, "{one:?}");
        }
    }

    #[test]
    fn key_of_command_runs_that_command() {
        for Key { act: wanted, heard, .. } in KEYS {
            let key = key_of(wanted).unwrap();
            if heard == Heard::Everywhere {
                assert_eq!(act(key.name, key.held), Some(wanted));
            }
        }
        assert_eq!(key_of(Command::SignOut), None);
    }
}
