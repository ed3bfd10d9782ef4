//! An active filter condition with a button that removes it.

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
    /// Runs when the button is pressed.
    #[prop(into)]
    on_remove: Callback<()>,
) -> impl IntoView {
    let label = Signal::derive(move || (i18n::ui().remove)(&name.get(), &value.get()));
    view! {
        <span class="chip">
            <span class="chip-name">{name}</span>
            <span class="chip-value">{value}</span>
            <IconButton
                icon=Glyph::Close
                label
                size=ButtonSize::Small
                on_click=move |_| on_remove.run(())
            />
        </span>
    }
}
