//! Fields of forms: label, hint, error and input, tied together for assistive technology.
//! Each is controlled: it shows `value` and reports what is typed, and keeps nothing itself.

use leptos::{ev, html, prelude::*};

use super::{
    button::IconButton,
    icon::{Glyph, Icon},
    unique_id,
};

/// What a text field takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// Anything.
    #[default]
    Text,
    /// An e-mail address.
    Email,
    /// A password, drawn as dots.
    Password,
    /// A calendar day, as `YYYY-MM-DD`.
    Date,
}

impl FieldKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Email => "email",
            Self::Password => "password",
            Self::Date => "date",
        }
    }
}

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

/// The ids by which an input refers to the texts around it.
#[derive(Clone)]
struct Ids {
    input: String,
    hint: String,
    error: String,
}

impl Ids {
    fn new() -> Self {
        let input = unique_id("field");
        Self { hint: format!("{input}-hint"), error: format!("{input}-error"), input }
    }

    /// Returns the value of `aria-describedby`, naming only what is there.
    fn described_by(&self, has_hint: bool, has_error: bool) -> Option<String> {
        let mut ids = Vec::new();
        ids.extend(has_error.then_some(self.error.as_str()));
        ids.extend(has_hint.then_some(self.hint.as_str()));
        (!ids.is_empty()).then(|| ids.join(" "))
    }
}

/// Hint and error of a field: the error comes first, since it is what must be read.
fn notes(ids: &Ids, hint: Signal<String>, error: Signal<Option<String>>) -> impl IntoView + use<> {
    let Ids { hint: hint_id, error: error_id, .. } = ids.clone();
    view! {
        <p class="field-error" id=error_id role="alert">
            {move || {
                error
                    .get()
                    .map(|text| view! { <Icon glyph=Glyph::Warning /> <span>{text}</span> })
            }}
        </p>
        <p class="field-hint" id=hint_id>
            {hint}
        </p>
    }
}

/// A labelled line of text.
#[component]
pub fn TextField(
    /// The label above it.
    #[prop(into)]
    label: Signal<String>,
    /// What it shows.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what was typed.
    #[prop(into)]
    on_input: Callback<String>,
    /// What it takes.
    #[prop(optional)]
    kind: FieldKind,
    /// A sentence that helps to fill it in; empty for none.
    #[prop(into, optional)]
    hint: Signal<String>,
    /// What is wrong with it and how to mend it.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
    /// The name by which password managers know it.
    #[prop(into, optional)]
    name: Option<String>,
    /// The value of `autocomplete`.
    #[prop(into, optional)]
    autocomplete: Option<String>,
    /// An example, shown while it is empty. Never a label.
    #[prop(into, optional)]
    placeholder: Option<String>,
    /// The most characters it takes.
    #[prop(into, optional)]
    length_max: Option<u32>,
    /// For days: the first one that may be chosen.
    #[prop(into, optional)]
    min: Signal<Option<String>>,
    /// For days: the last one that may be chosen.
    #[prop(into, optional)]
    max: Signal<Option<String>>,
    /// Whether it must be filled in.
    #[prop(optional)]
    required: bool,
    /// The input element, for those who move the focus there.
    #[prop(optional)]
    node_ref: NodeRef<html::Input>,
) -> impl IntoView {
    let ids = Ids::new();
    let described = {
        let ids = ids.clone();
        move || ids.described_by(hint.with(|h| !h.is_empty()), error.with(Option::is_some))
    };
    view! {
        <div class="field">
            <label class="field-label" for=ids.input.clone()>
                {label}
            </label>
            <input
                class="input"
                node_ref=node_ref
                id=ids.input.clone()
                type=kind.name()
                name=name
                autocomplete=autocomplete
                placeholder=placeholder
                maxlength=length_max.map(|length| length.to_string())
                min=move || min.get()
                max=move || max.get()
                required=required
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=described
                prop:value=value
                on:input:target=move |event| on_input.run(event.target().value())
            />
            {notes(&ids, hint, error)}
        </div>
    }
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
    let described = {
        let ids = ids.clone();
        move || ids.described_by(hint.with(|h| !h.is_empty()), error.with(Option::is_some))
    };
    let option = move |choice: Choice| {
        let own = choice.value.clone();
        view! {
            <option value=choice.value selected=move || value.with(|value| *value == own)>
                {choice.label}
            </option>
        }
    };
    view! {
        <div class="field">
            <label class="field-label" for=ids.input.clone()>
                {label}
            </label>
            <select
                class="input select"
                id=ids.input.clone()
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=described
                on:change:target=move |event| on_change.run(event.target().value())
            >
                {move || choices.get().into_iter().map(option).collect_view()}
            </select>
            {notes(&ids, hint, error)}
        </div>
    }
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
        view! {
            <label class="choice">
                <input
                    class="choice-input"
                    type="radio"
                    name=group.clone()
                    value=choice.value
                    prop:checked=move || value.with(|value| *value == own)
                    on:change=move |_| on_change.run(reported.clone())
                />
                <span class="choice-label">{choice.label}</span>
                <span class="choice-hint">{choice.hint}</span>
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
    view! {
        <label class="choice">
            <input
                class="choice-input"
                type="checkbox"
                prop:checked=checked
                on:change:target=move |event| on_change.run(event.target().checked())
            />
            <span class="choice-label">{label}</span>
            <span class="choice-hint">{hint}</span>
        </label>
    }
}

/// A search box: icon, text, a sign of work, and a button that clears it. Esc clears it too.
#[component]
pub fn SearchField(
    /// Its accessible name, and its placeholder.
    #[prop(into)]
    label: Signal<String>,
    /// What it shows.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what was typed; an empty text when cleared.
    #[prop(into)]
    on_input: Callback<String>,
    /// Whether a search is under way.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// The most characters it takes.
    #[prop(default = 200)]
    length_max: u32,
    /// The input element, for the key that moves the focus there.
    #[prop(optional)]
    node_ref: NodeRef<html::Input>,
) -> impl IntoView {
    let clear = move || {
        on_input.run(String::new());
        if let Some(input) = node_ref.get_untracked() {
            super::focus(&input);
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
                    label="Clear search"
                    size=super::button::ButtonSize::Small
                    on_click=move |_| clear()
                />
            </Show>
        </div>
    }
}
