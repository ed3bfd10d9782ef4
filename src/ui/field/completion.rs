//! Texts that complete what is typed into a text field. The focus stays in the field.

use leptos::{ev, prelude::*};

use crate::ui::{scroll_to_option, unique_id};

/// Offered texts of a field, and the one that the arrow keys are on. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Completion {
    id: StoredValue<String>,
    /// Offered texts; the list is closed while there are none.
    options: Signal<Vec<String>>,
    active: RwSignal<usize>,
    on_choose: Callback<String>,
    on_close: Callback<()>,
}

impl Completion {
    /// Creates a completion by `options`. `on_choose` receives the selected one; `on_close` runs
    /// when the list should be closed without a selection.
    pub fn new(
        options: Signal<Vec<String>>,
        on_choose: Callback<String>,
        on_close: Callback<()>,
    ) -> Self {
        let id = StoredValue::new(unique_id("completion"));
        Self { id, options, active: RwSignal::new(0), on_choose, on_close }
    }

    /// Makes the first option the active one, after something was typed.
    pub fn restart(self) {
        self.active.set(0);
    }

    /// Returns the id of the list.
    pub(super) fn list_id(self) -> String {
        self.id.get_value()
    }

    /// Returns the id of the active option while the list is open. Tracked.
    pub(super) fn active_id(self) -> Option<String> {
        let is_open = self.options.with(|options| !options.is_empty());
        is_open.then(|| self.option_id(self.active.get()))
    }

    fn option_id(self, index: usize) -> String {
        self.id.with_value(|id| format!("{id}-{index}"))
    }

    /// Handles a key while the list is open: arrows move to an option, Enter and Tab select it,
    /// Escape closes. Returns whether the key was handled. A key that moves the caret closes the
    /// list, too.
    pub fn on_key(self, event: &ev::KeyboardEvent) -> bool {
        let options = self.options.get_untracked();
        let Some(last) = options.len().checked_sub(1) else { return false };
        let has_modifier =
            event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key();
        if has_modifier || event.is_composing() {
            return false;
        }
        let active = self.active.get_untracked().min(last);
        match event.key().as_str() {
            "ArrowDown" => self.active.set(if active == last { 0 } else { active + 1 }),
            "ArrowUp" => self.active.set(active.checked_sub(1).unwrap_or(last)),
            "Enter" | "Tab" => self.on_choose.run(options[active].clone()),
            "Escape" => self.on_close.run(()),
            "ArrowLeft" | "ArrowRight" | "Home" | "End" | "PageUp" | "PageDown" => {
                self.on_close.run(());
                return false;
            }
            _ => return false,
        }
        event.prevent_default();
        event.stop_propagation();
        scroll_to_option(&self.option_id(self.active.get_untracked()));
        true
    }

    /// Returns the list of options.
    pub fn list_view(self, label: &'static str) -> impl IntoView {
        let option = move |(index, text): (usize, String)| {
            let chosen = text.clone();
            view! {
                <li
                    class="pick-option"
                    role="option"
                    id=self.option_id(index)
                    aria-selected=move || {
                        if self.active.get() == index { "true" } else { "false" }
                    }
                    // Keep the focus in the field.
                    on:mousedown=|event| event.prevent_default()
                    on:click=move |_| self.on_choose.run(chosen.clone())
                >
                    <span class="pick-value">{text}</span>
                </li>
            }
        };
        view! {
            <ul
                class="pick-list"
                role="listbox"
                id=self.list_id()
                aria-label=label
                hidden=move || self.options.with(Vec::is_empty)
            >
                {move || self.options.get().into_iter().enumerate().map(option).collect_view()}
            </ul>
        }
    }
}
