//! What a plot says of the bar or column that is looked at, for eyes: on a small screen and for
//! keys there is no pointer to ask with. What is heard is the name of the bar or column itself.

use leptos::prelude::*;

/// What is looked at in one plot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    hovered: RwSignal<Option<Signal<String>>>,
    focused: RwSignal<Option<Signal<String>>>,
}

impl Said {
    /// Takes in what the pointer is over; `None` where it is over nothing.
    pub fn hover(self, text: Option<Signal<String>>) {
        self.hovered.set(text);
    }

    /// Takes in what has the focus.
    pub fn focus(self, text: Option<Signal<String>>) {
        self.focused.set(text);
    }

    /// Returns what is said now; nothing of what is not there any more. Tracked.
    pub fn text(self) -> String {
        let of = |one: RwSignal<Option<Signal<String>>>| one.get().and_then(|text| text.try_get());
        of(self.hovered).or_else(|| of(self.focused)).unwrap_or_default()
    }
}
