//! Visible text for the hovered or focused bar or column: touch and keyboard have no tooltips.
//! Screen readers read the accessible name of the item itself.

use leptos::prelude::*;

/// Readout of one chart.
#[derive(Clone, Copy, Debug, Default)]
pub struct Readout {
    hovered: RwSignal<Option<Signal<String>>>,
    focused: RwSignal<Option<Signal<String>>>,
}

impl Readout {
    /// Sets the text of the hovered item; `None` if there is no such item.
    pub fn set_hovered(self, text: Option<Signal<String>>) {
        self.hovered.set(text);
    }

    /// Sets the text of the focused item.
    pub fn set_focused(self, text: Option<Signal<String>>) {
        self.focused.set(text);
    }

    /// Returns the current text; empty if its item was removed. Tracked.
    pub fn text(self) -> String {
        let of = |text_signal: RwSignal<Option<Signal<String>>>| {
            text_signal.get().and_then(|text| text.try_get())
        };
        of(self.hovered).or_else(|| of(self.focused)).unwrap_or_default()
    }
}
