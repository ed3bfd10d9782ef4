//! Fields inside of tables, where the head of the column and the row say what they are: their names
//! are told to assistive technology alone.

use leptos::{html, prelude::*};

use super::{Choice, choice::options};

/// A line of text.
#[component]
pub fn CellText(
    /// Its name: what a label would say.
    #[prop(into)]
    label: Signal<String>,
    /// What it shows.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what was typed.
    #[prop(into)]
    on_input: Callback<String>,
    /// Whether what it shows cannot be.
    #[prop(into, optional)]
    invalid: Signal<bool>,
    /// The input element, for those who move the focus there.
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

/// A list of which one is chosen.
#[component]
pub fn CellSelect(
    /// Its name: what a label would say.
    #[prop(into)]
    label: Signal<String>,
    /// The value of what is chosen.
    #[prop(into)]
    value: Signal<String>,
    /// What can be chosen.
    choices: Vec<Choice>,
    /// Takes the value of what was chosen.
    #[prop(into)]
    on_change: Callback<String>,
) -> impl IntoView {
    view! {
        <select
            class="input select"
            aria-label=label
            on:change:target=move |event| on_change.run(event.target().value())
        >
            {options(choices, value)}
        </select>
    }
}
