//! Selection fields: drop-down list, radio buttons, check box.

use leptos::prelude::*;

use super::{FieldIds, hint_and_error};
use crate::ui::unique_id;

/// Choice of a [`SelectField`] or [`RadioField`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Value reported when it is selected.
    pub value: String,
    /// Visible text.
    pub label: String,
    /// Sentence below the label; may be empty. Only radio buttons show it.
    pub hint: String,
    /// Whether it cannot be selected. Only drop-down lists support it.
    pub is_disabled: bool,
}

impl Choice {
    /// Returns a choice without a hint.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), hint: String::new(), is_disabled: false }
    }

    /// Returns the choice with `hint` below its label.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// Returns the choice, which cannot be selected if `is_disabled`.
    #[must_use]
    pub fn disabled(self, is_disabled: bool) -> Self {
        Self { is_disabled, ..self }
    }
}

/// Builds the options of a list and selects the one with `value`.
pub(super) fn option_views(choices: Vec<Choice>, value: Signal<String>) -> impl IntoView {
    let option = move |choice: Choice| {
        let choice_value = choice.value.clone();
        view! {
            <option
                value=choice.value
                disabled=choice.is_disabled
                prop:selected=move || value.with(|value| *value == choice_value)
            >
                {choice.label}
            </option>
        }
    };
    choices.into_iter().map(option).collect_view()
}

/// Drop-down list with a label.
#[component]
pub fn SelectField(
    /// Label above the list.
    #[prop(into)]
    label: Signal<String>,
    /// Value of the selected choice.
    #[prop(into)]
    value: Signal<String>,
    /// Available choices.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// Receives the value of the selected choice.
    #[prop(into)]
    on_change: Callback<String>,
    /// Hint in one sentence; empty to omit it.
    #[prop(into, optional)]
    hint: Signal<String>,
    /// Error in the selection.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
) -> impl IntoView {
    let ids = FieldIds::new();
    let described = ids.described_by(hint, error);
    view! {
        <div class="field">
            {ids.label_view(label)}
            <select
                class="input select"
                id=ids.input.clone()
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=described
                on:change:target=move |event| on_change.run(event.target().value())
            >
                {move || option_views(choices.get(), value)}
            </select>
            {hint_and_error(&ids, hint, error)}
        </div>
    }
}

/// Ids for the label and the hint of a choice. Both are inside its `<label>` and can be pressed,
/// but only the label is its accessible name.
fn label_and_hint_ids() -> (String, String) {
    (unique_id("choice"), unique_id("choice"))
}

/// Group of radio buttons.
#[component]
pub fn RadioField(
    /// Legend of the group.
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
    let group = unique_id("radio");
    let choice = move |choice: Choice| {
        let choice_value = choice.value.clone();
        let reported = choice.value.clone();
        let (label_id, hint_id) = label_and_hint_ids();
        view! {
            <label class="choice">
                <input
                    class="choice-input"
                    type="radio"
                    aria-labelledby=label_id.clone()
                    aria-describedby=hint_id.clone()
                    name=group.clone()
                    value=choice.value
                    prop:checked=move || value.with(|value| *value == choice_value)
                    on:change=move |_| on_change.run(reported.clone())
                />
                <span class="choice-label" id=label_id>
                    {choice.label}
                </span>
                <span class="choice-hint" id=hint_id>
                    {choice.hint}
                </span>
            </label>
        }
    };
    view! {
        <fieldset class="field">
            <legend class="field-label">{label}</legend>
            <div class="choices">{choices.into_iter().map(choice).collect_view()}</div>
        </fieldset>
    }
}

/// Check box with a label.
#[component]
pub fn CheckField(
    /// Label of the check box.
    #[prop(into)]
    label: Signal<String>,
    /// Whether it is checked.
    #[prop(into)]
    checked: Signal<bool>,
    /// Receives the new state.
    #[prop(into)]
    on_change: Callback<bool>,
    /// Explanation in one sentence; empty to omit it.
    #[prop(into, optional)]
    hint: Signal<String>,
) -> impl IntoView {
    let (label_id, hint_id) = label_and_hint_ids();
    view! {
        <label class="choice">
            <input
                class="choice-input"
                type="checkbox"
                aria-labelledby=label_id.clone()
                aria-describedby=hint_id.clone()
                prop:checked=checked
                on:change:target=move |event| on_change.run(event.target().checked())
            />
            <span class="choice-label" id=label_id>
                {label}
            </span>
            <span class="choice-hint" id=hint_id>
                {hint}
            </span>
        </label>
    }
}
