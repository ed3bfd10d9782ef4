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
    state::{commands::Commands, shortcut_setting::ShortcutSetting, toasts::Toasts},
    ui::{
        is_disabled_single_key, is_overlay_open,
        lazy::{ChunkLoadError, LazyOverlay},
        run_effect, set_single_keys_enabled,
    },
};

/// Elements that receive text input. Most shortcuts are inactive while one has the focus.
const TEXT_INPUTS: &str =
    "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

/// Slot of palette and help, and the global key listener.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let commands = expect_context::<Commands>();
    let toasts = expect_context::<Toasts>();
    let palette = RwSignal::new(false);
    let help = RwSignal::new(false);
    let single_keys = ShortcutSetting::load();
    provide_context(single_keys);
    run_effect(move || set_single_keys_enabled(single_keys.is_enabled().get()));
    listen_to_keys(commands);
    commands.register(&[Command::Palette, Command::Help], move |command| {
        let open = if command == Command::Palette { palette } else { help };
        open.try_set(true).is_none()
    });
    let on_missing = move |missing: ChunkLoadError| {
        palette.set(false);
        help.set(false);
        toasts.show_error(missing.action_error_text());
    };
    let open = Signal::derive(move || palette.get() || help.get());
    view! {
        <LazyOverlay open load=move || lazy::shortcuts(palette, help) ahead=false on_missing />
    }
}

/// Runs the registered command of a key press.
fn listen_to_keys(registry: Commands) {
    let listener = window_event_listener(ev::keydown, move |event| {
        let has_ctrl = event.ctrl_key() || event.meta_key();
        // Alt and Ctrl+Shift belong to the browser and the operating system.
        let has_other_modifier = event.alt_key() || (has_ctrl && event.shift_key());
        if event.default_prevented()
            || has_other_modifier
            || is_disabled_single_key(&event)
            // An open dialog or menu handles the keys itself.
            || is_overlay_open()
        {
            return;
        }
        let Some(command) = commands::find_command(&key_name(&event), has_ctrl) else { return };
        // Ctrl shortcuts insert no text, but inside a field Ctrl+Z belongs to the field's own undo.
        let free = matches!(command, Command::Palette | Command::Find | Command::Print);
        if (free || !is_text_input(&event)) && registry.run(command) {
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
}

/// Returns the name of the pressed key. A letter is upper-case if Shift is pressed, also with Caps
/// Lock.
fn key_name(event: &ev::KeyboardEvent) -> String {
    let name = event.key();
    match (name.len() == 1 && event.get_modifier_state("CapsLock"), event.shift_key()) {
        (false, _) => name,
        (true, true) => name.to_ascii_uppercase(),
        (true, false) => name.to_ascii_lowercase(),
    }
}

fn is_text_input(event: &ev::KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| target.matches(TEXT_INPUTS).unwrap_or(false))
}
