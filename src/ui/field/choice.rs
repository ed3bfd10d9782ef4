//! Fields that choose: one of a list, one of a few, on or off.

use leptos::prelude::*;

use super::{Ids, notes};
use crate::ui::unique_id;

/// A choice of a [`SelectField`] or [`RadioField`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is reported when it is chosen.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// A sentence below the label; empty for none. Only radio buttons show it.
    pub hint: String,
}

impl Choice {
    /// Returns a choice without a hint.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), hint: String::new() }
    }

    /// Returns the choice with `hint` below its label.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }
}

/// Builds the choices of a list, with the one that has the value selected.
pub(super) fn options(choices: Vec<Choice>, value: Signal<String>) -> impl IntoView {
    let option = move |choice: Choice| {
        let own = choice.value.clone();
        view! {
            <option value=choice.value prop:selected=move || value.with(|value| *value == own)>
                {choice.label}
            </option>
        }
    };
    choices.into_iter().map(option).collect_view()
}

/// A labelled list of which one is chosen.
#[component]
pub fn SelectField(
    /// The label above it.
    #[prop(into)]
    label: Signal<String>,
    /// The value of what is chosen.
    #[prop(into)]
    value: Signal<String>,
    /// What can be chosen.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// Takes the value of what was chosen.
    #[prop(into)]
    on_change: Callback<String>,
    /// A sentence that helps to choose; empty for none.
    #[prop(into, optional)]
    hint: Signal<String>,
    /// What is wrong with the choice.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
) -> impl IntoView {
    let ids = Ids::new();
    let described = ids.described_by(hint, error);
    view! {
        <div class="field">
            {ids.label(label)}
            <select
                class="input select"
                id=ids.input.clone()
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=described
                on:change:target=move |event| on_change.run(event.target().value())
            >
                {move || options(choices.get(), value)}
            </select>
            {notes(&ids, hint, error)}
        </div>
    }
}

/// Ids of a label and a hint that one presses as a whole, though only the label is the name.
fn said_by() -> (String, String) {
    (unique_id("choice"), unique_id("choice"))
}

/// A few choices, all in view, of which one is chosen.
#[component]
pub fn RadioField(
    /// What is chosen between.
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
    let group = unique_id("radio");
    let choice = move |choice: Choice| {
        let (own, reported) = (choice.value.clone(), choice.value.clone());
        let (label_id, hint_id) = said_by();
        view! {
            <label class="choice">
                <input
                    class="choice-input"
                    type="radio"
                    aria-labelledby=label_id.clone()
                    aria-describedby=hint_id.clone()
                    name=group.clone()
                    value=choice.value
                    prop:checked=move || value.with(|value| *value == own)
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

/// One thing that is on or off.
#[component]
pub fn CheckField(
    /// What is on or off.
    #[prop(into)]
    label: Signal<String>,
    /// Whether it is on.
    #[prop(into)]
    checked: Signal<bool>,
    /// Takes the new state.
    #[prop(into)]
    on_change: Callback<bool>,
    /// A sentence that explains it; empty for none.
    #[prop(into, optional)]
    hint: Signal<String>,
) -> impl IntoView {
    let (label_id, hint_id) = said_by();
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
