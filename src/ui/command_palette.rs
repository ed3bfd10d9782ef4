//! A search dialog after the WAI-ARIA combobox pattern, with a list box that is always open. The
//! caller decides which items match.

use leptos::{ev, html, prelude::*};

use super::{
    focus,
    icon::{Glyph, Icon},
    keyboard::Kbd,
    run_effect, scroll_to_option, unique_id,
};

/// Item of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandItem {
    /// Text of the item.
    pub text: String,
    /// Secondary text; may be empty.
    pub note: String,
    /// Keyboard shortcut of the command; may be empty.
    pub keys: Vec<String>,
    /// Icon before the text.
    pub icon: Glyph,
}

#[derive(Clone, Copy)]
struct PaletteState {
    id_prefix: StoredValue<String>,
    dialog: NodeRef<html::Dialog>,
    items: Signal<Vec<CommandItem>>,
    active: RwSignal<usize>,
    on_choose: Callback<usize>,
}

impl PaletteState {
    fn option_id(self, index: usize) -> String {
        self.id_prefix.with_value(|prefix| format!("{prefix}-{index}"))
    }

    /// Closes the dialog, which restores the previous focus, and then runs the command: it may move
    /// the focus elsewhere.
    fn choose_item(self, index: usize) {
        if let Some(dialog) = self.dialog.get_untracked() {
            dialog.close();
        }
        self.on_choose.run(index);
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        let last = self.items.with_untracked(Vec::len).checked_sub(1);
        let active = self.active.get_untracked();
        match (event.key().as_str(), last) {
            ("ArrowDown", Some(last)) => {
                self.active.set(if active < last { active + 1 } else { 0 });
            }
            ("ArrowUp", Some(last)) => self.active.set(active.checked_sub(1).unwrap_or(last)),
            // During IME composition Enter only ends the composition.
            ("Enter", Some(_)) if !event.is_composing() => self.choose_item(active),
            _ => return,
        }
        event.prevent_default();
        scroll_to_option(&self.option_id(self.active.get_untracked()));
    }

    /// Input line.
    fn input_line(
        self,
        input: NodeRef<html::Input>,
        typed: RwSignal<String>,
        (label, placeholder): (&'static str, &'static str),
        list: String,
    ) -> impl IntoView {
        let descendant = move || {
            let has_items = self.items.with(|items| !items.is_empty());
            has_items.then(|| self.option_id(self.active.get()))
        };
        let write = move |text: String| {
            self.active.set(0);
            typed.set(text);
        };
        view! {
            <div class="command-line">
                <Icon glyph=Glyph::Search />
                <input
                    class="command-input"
                    dir="auto"
                    type="text"
                    role="combobox"
                    node_ref=input
                    aria-label=label
                    aria-expanded="true"
                    aria-controls=list
                    aria-autocomplete="list"
                    aria-activedescendant=descendant
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    maxlength="100"
                    placeholder=placeholder
                    prop:value=typed
                    on:input:target=move |event| write(event.target().value())
                    on:keydown=move |event| self.on_key(&event)
                />
            </div>
        }
    }

    fn option_view(self, (index, item): (usize, CommandItem)) -> impl IntoView + use<> {
        let CommandItem { text, note, keys, icon } = item;
        let keys = keys.into_iter().map(|key| view! { <Kbd key /> }).collect_view();
        view! {
            <li
                class="command-option"
                role="option"
                id=self.option_id(index)
                aria-selected=move || if self.active.get() == index { "true" } else { "false" }
                // Keep the focus in the input.
                on:mousedown=|event| event.prevent_default()
                on:click=move |_| self.choose_item(index)
            >
                <Icon glyph=icon />
                <span class="command-text">{text}</span>
                <span class="command-note">{note}</span>
                {keys}
            </li>
        }
    }
}

/// Opens and closes the dialog when `open` changes. Clears the input at each opening.
fn sync_open_state(
    command: PaletteState,
    input: NodeRef<html::Input>,
    open: RwSignal<bool>,
    typed: RwSignal<String>,
) {
    run_effect(move || {
        let (Some(dialog), Some(input)) = (command.dialog.get(), input.get()) else { return };
        if open.get() && !dialog.open() {
            typed.set(String::new());
            command.active.set(0);
            // The items may depend on the focused element, so evaluate them before it changes.
            command.items.with_untracked(|_| ());
            // Fails only for an element outside of the document; this one is inside.
            let _ = dialog.show_modal();
            focus(&input);
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
}

/// Command palette dialog.
#[component]
pub fn CommandDialog(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
    /// Accessible name of the dialog and of its list.
    label: &'static str,
    /// Placeholder of the input.
    placeholder: &'static str,
    /// Typed text; cleared at each opening.
    typed: RwSignal<String>,
    /// Matching items.
    #[prop(into)]
    items: Signal<Vec<CommandItem>>,
    /// Status text with the number of matches; visible if there are no matches.
    #[prop(into)]
    status: Signal<String>,
    /// Receives the index of the selected item, after the dialog has closed.
    #[prop(into)]
    on_choose: Callback<usize>,
) -> impl IntoView {
    let id_prefix = unique_id("command");
    let list = unique_id("commands");
    let dialog = NodeRef::<html::Dialog>::new();
    let input = NodeRef::<html::Input>::new();
    let active = RwSignal::new(0);
    let command =
        PaletteState { id_prefix: StoredValue::new(id_prefix), dialog, items, active, on_choose };
    sync_open_state(command, input, open, typed);
    let is_empty = Memo::new(move |_| items.with(Vec::is_empty));
    let on_press = move |event: ev::MouseEvent| {
        let target = event.target();
        let outside = dialog.get_untracked().is_some_and(|dialog| {
            target.as_ref() == Some(AsRef::<web_sys::EventTarget>::as_ref(&*dialog))
        });
        if outside {
            open.set(false);
        }
    };
    let options = move || {
        let options = items.get().into_iter().enumerate();
        options.map(|option| command.option_view(option)).collect_view()
    };
    let status_class = move || if is_empty.get() { "command-none" } else { "visually-hidden" };
    view! {
        <dialog
            class="dialog command"
            node_ref=dialog
            aria-label=label
            on:close=move |_| open.set(false)
            on:mousedown=on_press
        >
            {command.input_line(input, typed, (label, placeholder), list.clone())}
            <ul class="command-list" role="listbox" id=list aria-label=label>
                {options}
            </ul>
            <p class=status_class role="status">
                {status}
            </p>
        </dialog>
    }
}
