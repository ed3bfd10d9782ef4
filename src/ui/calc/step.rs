//! What the keys do in a table: which row is next.

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next row.
    Down,
    /// The row before.
    Up,
    /// A page on.
    PageDown,
    /// A page back.
    PageUp,
    /// The first row.
    First,
    /// The last row.
    Last,
    /// To open the row.
    Open,
}

impl Step {
    /// Returns what a key asks for; `None` where it is none of ours.
    pub fn named(key: &str) -> Option<Self> {
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

    /// Returns the row to go to from `active`, among `count` (above 0); `None` to open it.
    pub fn target(self, active: usize, count: usize, page: usize) -> Option<usize> {
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
        assert_eq!(Step::named(key).and_then(|step| step.target(active, 100, 10)), next, "{key}");
    }

    #[test]
    fn keys_lead_to_rows_and_never_outside() {
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
    fn other_keys_mean_nothing() {
        assert_eq!(Step::named("x"), None);
        assert_eq!(Step::named("Escape"), None);
    }
}
