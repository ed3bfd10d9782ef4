//! An active filter condition with a button that removes it, and one that edits it.

use leptos::prelude::*;

use super::{
    button::{ButtonSize, IconButton},
    icon::Glyph,
};
use crate::i18n;

/// Removable name-value pair.
#[component]
pub fn Chip(
    /// Name of the condition.
    #[prop(into)]
    name: Signal<String>,
    /// Required value.
    #[prop(into)]
    value: Signal<String>,
    /// Runs when the text is pressed, to edit the condition. Without it, the text is no button.
    #[prop(into, optional)]
    on_edit: Option<Callback<()>>,
    /// Runs when the remove button is pressed.
    #[prop(into)]
    on_remove: Callback<()>,
) -> impl IntoView {
    let label = Signal::derive(move || (i18n::ui().remove)(&name.get(), &value.get()));
    let title = move || (i18n::ui().edit)(&name.get(), &value.get());
    let text = view! {
        <span class="chip-name">{name}</span>
        <span class="chip-value">{value}</span>
    };
    let text = match on_edit {
        Some(on_edit) => view! {
            <button
                class="chip-edit"
                type="button"
                title=title
                on:click=move |_| on_edit.run(())
            >
                {text}
            </button>
        }
        .into_any(),
        None => text.into_any(),
    };
    view! {
        <span class="chip">
            {text}
            <IconButton
                icon=Glyph::Close
                label
                size=ButtonSize::Small
                on_click=move |_| on_remove.run(())
            />
        </span>
    }
}
