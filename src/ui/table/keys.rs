//! What the keys do in a table: which row is next. Pure but for reading the event.

use leptos::ev::KeyboardEvent;
use leptos::wasm_bindgen::JsCast;
use web_sys::Element;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Down,
    Up,
    PageDown,
    PageUp,
    First,
    Last,
    Open,
}

impl Step {
    /// Returns what the key of `event` asks for; `None` where it is none of ours, or is held with
    /// another.
    pub(super) fn of(event: &KeyboardEvent, key: &str) -> Option<Self> {
        let step = Self::named(key)?;
        let with = event.ctrl_key() || event.meta_key() || event.alt_key();
        (!with).then_some(step)
    }

    /// Returns whether `event` was pressed inside a control of a cell, which it belongs to then;
    /// mostly it was in the row itself that the keyboard is at.
    pub(super) fn is_in_control(event: &KeyboardEvent, active: Option<&Element>) -> bool {
        let target = event.target();
        if target.is_some() && target.as_ref() == active.map(|row| &***row) {
            return false;
        }
        let target = target.and_then(|target| target.dyn_into::<Element>().ok());
        let controls = "a, button, input, select, textarea";
        target.is_none_or(|one| one.matches(controls).unwrap_or(false))
    }

    fn named(key: &str) -> Option<Self> {
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
    pub(super) fn target(self, active: usize, count: usize, page: usize) -> Option<usize> {
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
