//! A condition in force, with a button that takes it away.

use leptos::prelude::*;

use super::{
    button::{ButtonSize, IconButton},
    icon::Glyph,
};
use crate::i18n;

/// A removable pair of a name and a value.
#[component]
pub fn Chip(
    /// What is conditioned.
    #[prop(into)]
    name: Signal<String>,
    /// The value it must have.
    #[prop(into)]
    value: Signal<String>,
    /// Runs when it is taken away.
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
