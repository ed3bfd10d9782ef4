//! What can be done by a key: one list, which the key handlers, the palette and the help all read,
//! so that none of them can tell of a key that another does not know. It handles nothing itself.

/// Something that a person does, by a key or out of the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Open the palette of all that can be done here.
    Palette,
    /// Show what the keys do.
    Help,
    /// Close what lies above.
    Close,
    /// Go to the search.
    Search,
    /// Go to the search; from there, to the browser's own.
    Find,
    /// Go to the next submission.
    Next,
    /// Go to the submission before.
    Previous,
    /// Open the submission that has the focus.
    Open,
    /// Select the submission that has the focus, or no longer.
    Pick,
    /// Select all that are loaded; then all that match.
    PickAll,
    /// Open the export.
    Export,
    /// Delete.
    Delete,
    /// Mark as spam.
    MarkSpam,
    /// Undo the last action.
    Undo,
    /// Print what is on view.
    Print,
    /// Create a form.
    CreateForm,
    /// Create an API key.
    CreateKey,
    /// Sign out.
    SignOut,
}

/// Who hears of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The page, wherever the focus is, unless something is being written.
    Everywhere,
    /// What has the focus: a row, a dialog, a card.
    Inside,
}

/// A key that does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, as the browser reports it.
    pub name: &'static str,
    /// Whether Ctrl is held with it; Cmd on a Mac.
    pub held: bool,
    /// Who hears of it.
    pub heard: Heard,
    /// What it does.
    pub act: Command,
}

impl Key {
    /// Returns whether it is a letter or a sign by itself, which can be switched off.
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

/// Every key, in the order of the help.
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

/// Returns what a press asks the page for.
pub fn act(name: &str, held: bool) -> Option<Command> {
    let fits = |key: &&Key| {
        // With Ctrl, a browser may report a capital where Caps Lock is on.
        let same = if held { key.name.eq_ignore_ascii_case(name) } else { key.name == name };
        same && key.held == held && key.heard == Heard::Everywhere
    };
    KEYS.iter().find(fits).map(|key| key.act)
}

/// Returns the first key that does an act.
pub fn key_of(act: Command) -> Option<Key> {
    KEYS.into_iter().find(|key| key.act == act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_asks_for_its_act_and_only_with_what_is_held() {
        assert_eq!(act("k", true), Some(Command::Palette));
        assert_eq!(act("K", true), Some(Command::Palette));
        assert_eq!(act("k", false), Some(Command::Previous));
        assert_eq!(act("j", true), None);
        assert_eq!(act("q", false), None);
        assert_eq!(act("Enter", false), None, "a row hears of it, not the page");
    }

    #[test]
    fn letters_and_signs_by_themselves_can_be_told_from_the_other_keys() {
        let single: Vec<_> = KEYS.into_iter().filter(|key| key.is_single()).collect();
        let names: Vec<_> = single.iter().map(|key| key.name).collect();
        assert_eq!(names, ["?", "/", "j", "k", "x", "e", "#", "u"]);
    }

    #[test]
    fn no_press_asks_for_two_things() {
        for (at, one) in KEYS.iter().enumerate() {
            let other = KEYS[at + 1..].iter().find(|it| it.name == one.name && it.held == one.held);
            assert_eq!(other, None, "{one:?}");
        }
    }

    #[test]
    fn what_is_shown_of_an_act_is_a_key_that_does_it() {
        for Key { act: wanted, heard, .. } in KEYS {
            let key = key_of(wanted).unwrap();
            if heard == Heard::Everywhere {
                assert_eq!(act(key.name, key.held), Some(wanted));
            }
        }
        assert_eq!(key_of(Command::SignOut), None);
    }
}
