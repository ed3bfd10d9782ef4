//! A field of several lines.

use leptos::prelude::*;

use super::{Ids, notes};

/// A labelled text of several lines.
#[component]
pub fn AreaField(
    /// The label above it.
    #[prop(into)]
    label: Signal<String>,
    /// What it shows.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what was typed.
    #[prop(into)]
    on_input: Callback<String>,
    /// A sentence that helps to fill it in; empty for none.
    #[prop(into, optional)]
    hint: Signal<String>,
    /// What is wrong with it and how to mend it.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
    /// An example, shown while it is empty. Never a label.
    #[prop(into, optional)]
    placeholder: Option<String>,
    /// How many lines are in view.
    #[prop(default = 3)]
    rows: u8,
) -> impl IntoView {
    let ids = Ids::new();
    let described = ids.described_by(hint, error);
    view! {
        <div class="field">
            {ids.label(label)}
            <textarea
                dir="auto"
                class="input area"
                id=ids.input.clone()
                rows=rows.to_string()
                placeholder=placeholder
                spellcheck="false"
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=described
                prop:value=value
                on:input:target=move |event| on_input.run(event.target().value())
            />
            {notes(&ids, hint, error)}
        </div>
    }
}
