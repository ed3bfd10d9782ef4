//! Global keyboard shortcuts, and the slot of the command palette and the shortcut help.
//! `domain/commands.rs` maps keys to commands, and the pages register the commands. The code of
//! palette and help is loaded when either opens.

pub mod help;
pub mod palette;

use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::{
    domain::commands::{self, Command},
    lazy,
    state::{commands::Commands, shortcut_setting::SingleKeys, toasts::Toasts},
    ui::{
        is_switched_off,
        lazy::{ChunkLoadError, LazyOverlay},
        let_single_keys_act, react,
    },
};

/// Elements that receive text input. Most shortcuts are inactive while one has the focus.
const WRITING: &str =
    "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

/// Slot of palette and help, and the global key listener.
#[component]
pub fn Habits() -> impl IntoView {
    let (acts, toasts) = (expect_context::<Commands>(), expect_context::<Toasts>());
    let (palette, help) = (RwSignal::new(false), RwSignal::new(false));
    let single_keys = SingleKeys::load();
    provide_context(single_keys);
    react(move || let_single_keys_act(single_keys.are_on().get()));
    listen(acts);
    acts.offer(&[Command::Palette, Command::Help], move |act| {
        let open = if act == Command::Palette { palette } else { help };
        open.try_set(true).is_none()
    });
    let on_missing = move |missing: ChunkLoadError| {
        palette.set(false);
        help.set(false);
        toasts.failed(missing.told());
    };
    let open = Signal::derive(move || palette.get() || help.get());
    view! { <LazyOverlay open load=move || lazy::habits(palette, help) ahead=false on_missing /> }
}

/// Runs the registered command of a key press.
fn listen(acts: Commands) {
    let listener = window_event_listener(ev::keydown, move |event| {
        let held = event.ctrl_key() || event.meta_key();
        // Alt and Ctrl+Shift belong to the browser and the operating system.
        let other = event.alt_key() || (held && event.shift_key());
        if event.default_prevented() || other || is_switched_off(&event) || is_above() {
            return;
        }
        let Some(act) = commands::act(&event.key(), held) else { return };
        // Ctrl shortcuts insert no text, but inside a field Ctrl+Z belongs to the field's own undo.
        let free = matches!(act, Command::Palette | Command::Find | Command::Print);
        if (free || !is_writing(&event)) && acts.run(act) {
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
}

/// Returns whether a dialog or a menu is open. It handles the keys itself.
fn is_above() -> bool {
    let above = document().query_selector("dialog[open], :popover-open");
    above.is_ok_and(|one| one.is_some())
}

fn is_writing(event: &ev::KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| target.matches(WRITING).unwrap_or(false))
}
