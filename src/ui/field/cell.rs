//! Fields inside of tables. The column header and the row label them visually, so their names are
//! for assistive technology only.

use leptos::{html, prelude::*};

use super::{Choice, choice::option_views};

/// Single-line text field in a table cell.
#[component]
pub fn CellText(
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Current value.
    #[prop(into)]
    value: Signal<String>,
    /// Receives the typed text.
    #[prop(into)]
    on_input: Callback<String>,
    /// Whether the value is invalid.
    #[prop(into, optional)]
    invalid: Signal<bool>,
    /// Input element, for callers that move the focus.
    #[prop(optional)]
    node_ref: NodeRef<html::Input>,
) -> impl IntoView {
    view! {
        <input
            class="input"
            dir="auto"
            type="text"
            autocomplete="off"
            node_ref=node_ref
            aria-label=label
            aria-invalid=move || invalid.get().then_some("true")
            prop:value=value
            on:input:target=move |event| on_input.run(event.target().value())
        />
    }
}

/// Drop-down list in a table cell.
#[component]
pub fn CellSelect(
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Value of the selected choice.
    #[prop(into)]
    value: Signal<String>,
    /// Available choices.
    choices: Vec<Choice>,
    /// Receives the value of the selected choice.
    #[prop(into)]
    on_change: Callback<String>,
) -> impl IntoView {
    view! {
        <select
            class="input select"
            aria-label=label
            on:change:target=move |event| on_change.run(event.target().value())
        >
            {option_views(choices, value)}
        </select>
    }
}
