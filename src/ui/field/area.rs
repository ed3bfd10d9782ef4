//! A multi-line text field.

use leptos::{html, prelude::*};

use super::{Completion, FieldIds, hint_and_error};

/// Multi-line text field with a label.
#[component]
pub fn AreaField(
    /// Label above the input.
    #[prop(into)]
    label: Signal<String>,
    /// Current value.
    #[prop(into)]
    value: Signal<String>,
    /// Receives the typed text.
    #[prop(into)]
    on_input: Callback<String>,
    /// Hint in one sentence; empty to omit it.
    #[prop(into, optional)]
    hint: Signal<String>,
    /// Error and how to correct it.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
    /// Example shown while the field is empty. Never a replacement for the label.
    #[prop(into, optional)]
    placeholder: Option<String>,
    /// Number of visible lines.
    #[prop(default = 3)]
    rows: u8,
    /// Texts that complete the typed one. The caller shows their list and forwards the keys.
    #[prop(optional)]
    completion: Option<Completion>,
    /// Input element, for callers that read or move the caret.
    #[prop(optional)]
    node_ref: NodeRef<html::Textarea>,
) -> impl IntoView {
    let ids = FieldIds::new();
    let described = ids.described_by(hint, error);
    view! {
        <div class="field">
            {ids.label_view(label)}
            <textarea
                dir="auto"
                class="input area"
                node_ref=node_ref
                id=ids.input.clone()
                rows=rows.to_string()
                placeholder=placeholder
                spellcheck="false"
                aria-autocomplete=completion.map(|_| "list")
                aria-controls=completion.map(Completion::list_id)
                aria-activedescendant=move || completion.and_then(Completion::active_id)
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=described
                prop:value=value
                on:input:target=move |event| on_input.run(event.target().value())
            />
            {hint_and_error(&ids, hint, error)}
        </div>
    }
}
