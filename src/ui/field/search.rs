//! The search box.

use leptos::{ev, html, prelude::*};

use crate::i18n;
use crate::ui::{
    button::{ButtonSize, IconButton},
    focus,
    icon::{Glyph, Icon},
};

/// Search box with an icon, a busy state and a clear button. Esc clears it too.
#[component]
pub fn SearchField(
    /// Accessible name and placeholder.
    #[prop(into)]
    label: Signal<String>,
    /// Current value.
    #[prop(into)]
    value: Signal<String>,
    /// Receives the typed text; an empty text when cleared.
    #[prop(into)]
    on_input: Callback<String>,
    /// Whether a search is running.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Maximum number of characters.
    #[prop(default = 200)]
    length_max: u32,
    /// Input element, for the shortcut that focuses it.
    #[prop(optional)]
    node_ref: NodeRef<html::Input>,
) -> impl IntoView {
    let clear = move || {
        on_input.run(String::new());
        if let Some(input) = node_ref.get_untracked() {
            focus(&input);
        }
    };
    let on_keydown = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" && value.with_untracked(|value| !value.is_empty()) {
            event.prevent_default();
            clear();
        }
    };
    view! {
        <div class="search" role="search" aria-busy=move || busy.get().then_some("true")>
            <Icon glyph=Glyph::Search />
            <input
                class="input search-input"
                dir="auto"
                node_ref=node_ref
                type="search"
                autocomplete="off"
                spellcheck="false"
                maxlength=length_max.to_string()
                placeholder=label
                aria-label=label
                prop:value=value
                on:input:target=move |event| on_input.run(event.target().value())
                on:keydown=on_keydown
            />
            <Show when=move || value.with(|value| !value.is_empty())>
                <IconButton
                    icon=Glyph::Close
                    label=i18n::ui().clear_search
                    size=ButtonSize::Small
                    on_click=move |_| clear()
                />
            </Show>
        </div>
    }
}
