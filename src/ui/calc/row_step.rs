//! Keyboard navigation of a table: the row that a key moves to.

/// Keyboard command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCommand {
    /// To the next row.
    Down,
    /// To the previous row.
    Up,
    /// One page down.
    PageDown,
    /// One page up.
    PageUp,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Open the row.
    Open,
}

impl RowCommand {
    /// Returns the command of a key; `None` for other keys.
    pub fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "j" | "J" | "ArrowDown" => Self::Down,
            "k" | "K" | "ArrowUp" => Self::Up,
            "PageDown" => Self::PageDown,
            "PageUp" => Self::PageUp,
            "Home" => Self::First,
            "End" => Self::Last,
            "Enter" => Self::Open,
            _ => return None,
        })
    }

    /// Returns the row to move to from `active`; `None` to open it. `count` is above 0.
    pub fn target_row(self, active: usize, count: usize, page: usize) -> Option<usize> {
        let last = count - 1;
        Some(match self {
            Self::Down => (active + 1).min(last),
            Self::Up => active.saturating_sub(1),
            Self::PageDown => (active + page).min(last),
            Self::PageUp => active.saturating_sub(page),
            Self::First => 0,
            Self::Last => last,
            Self::Open => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, active: usize, next: Option<usize>) {
        assert_eq!(
            RowCommand::from_key(key).and_then(|step| step.target_row(active, 100, 10)),
            next,
            "{key}"
        );
    }

    #[test]
    fn key_target_stays_inside_the_list() {
        check("j", 4, Some(5));
        check("ArrowDown", 99, Some(99));
        check("k", 4, Some(3));
        check("ArrowUp", 0, Some(0));
        check("PageDown", 95, Some(99));
        check("PageUp", 12, Some(2));
        check("Home", 50, Some(0));
        check("End", 0, Some(99));
        check("Enter", 7, None);
    }

    #[test]
    fn unknown_keys_are_ignored() {
        assert_eq!(RowCommand::from_key("x"), None);
        assert_eq!(RowCommand::from_key("Escape"), None);
    }
}
