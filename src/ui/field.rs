//! Form fields: label, hint, error and input, linked for assistive technology. They are controlled:
//! each shows `value`, reports input and has no state of its own.

pub mod area;
pub mod cell;
pub mod choice;
pub mod combobox;
pub mod completion;
pub mod search;

pub use area::AreaField;
pub use cell::{CellSelect, CellText};
pub use choice::{CheckField, Choice, RadioField, SelectField};
pub use combobox::{PickField, Suggestion, Suggestions};
pub use completion::Completion;
pub use search::SearchField;

use leptos::{html, prelude::*};

use super::{
    icon::{Glyph, Icon},
    unique_id,
};

/// Type of a text field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// Any text.
    #[default]
    Text,
    /// Number with decimals, as text in the viewer's format.
    Decimal,
    /// E-mail address.
    Email,
    /// Password, shown as dots.
    Password,
    /// Calendar day, as `YYYY-MM-DD`.
    Date,
    /// Day and local time, as `YYYY-MM-DDTHH:MM`.
    DateTime,
}

impl FieldKind {
    const fn type_name(self) -> &'static str {
        match self {
            Self::Text | Self::Decimal => "text",
            Self::Email => "email",
            Self::Password => "password",
            Self::Date => "date",
            Self::DateTime => "datetime-local",
        }
    }
}

/// Element ids that link an input with its hint and error.
#[derive(Clone)]
struct FieldIds {
    input: String,
    hint: String,
    error: String,
}

impl FieldIds {
    fn new() -> Self {
        let input = unique_id("field");
        Self { hint: format!("{input}-hint"), error: format!("{input}-error"), input }
    }

    /// Label of the input.
    fn label_view(&self, text: Signal<String>) -> impl IntoView + use<> {
        view! {
            <label class="field-label" for=self.input.clone()>
                {text}
            </label>
        }
    }

    /// Returns the value of `aria-describedby`: the ids of the texts that are not empty.
    fn described_by(
        &self,
        hint: Signal<String>,
        error: Signal<Option<String>>,
    ) -> impl Fn() -> Option<String> + Send + Clone + use<> {
        let Self { hint: hint_id, error: error_id, .. } = self.clone();
        move || match (error.with(Option::is_some), hint.with(|hint| !hint.is_empty())) {
            (true, true) => Some(format!("{error_id} {hint_id}")),
            (true, false) => Some(error_id.clone()),
            (false, true) => Some(hint_id.clone()),
            (false, false) => None,
        }
    }
}

/// Hint and error of a field. The error comes first, as the more important text.
fn hint_and_error(
    ids: &FieldIds,
    hint: Signal<String>,
    error: Signal<Option<String>>,
) -> impl IntoView + use<> {
    let hint_id = ids.hint.clone();
    view! {
        {error_view(ids, error)}
        <p class="field-hint" id=hint_id>
            {hint}
        </p>
    }
}

/// Error of a field.
fn error_view(ids: &FieldIds, error: Signal<Option<String>>) -> impl IntoView + use<> {
    let error_id = ids.error.clone();
    view! {
        <p class="field-error" id=error_id role="alert">
            {move || {
                error
                    .get()
                    .map(|text| view! { <Icon glyph=Glyph::Warning /> <span>{text}</span> })
            }}
        </p>
    }
}

/// Returns a handler that stores the typed text, and removes the error of the previous one.
pub fn store_input(value: RwSignal<String>, error: RwSignal<Option<String>>) -> Callback<String> {
    Callback::new(move |text| {
        error.set(None);
        value.set(text);
    })
}

/// Single-line text field with a label.
#[component]
pub fn TextField(
    /// Label above the input.
    #[prop(into)]
    label: Signal<String>,
    /// Current value.
    #[prop(into)]
    value: Signal<String>,
    /// Receives the typed text.
    #[prop(into)]
    on_input: Callback<String>,
    /// Input type.
    #[prop(optional)]
    kind: FieldKind,
    /// Hint in one sentence; empty to omit it.
    #[prop(into, optional)]
    hint: Signal<String>,
    /// Error and how to correct it.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
    /// Value of `name`, for password managers.
    #[prop(into, optional)]
    name: Option<String>,
    /// Value of `autocomplete`.
    #[prop(into, optional)]
    autocomplete: Option<String>,
    /// Example shown while the field is empty. Never a replacement for the label.
    #[prop(into, optional)]
    placeholder: Option<String>,
    /// Maximum number of characters.
    #[prop(into, optional)]
    length_max: Option<u32>,
    /// First selectable day, for date fields.
    #[prop(into, optional)]
    min: Signal<Option<String>>,
    /// Last selectable day, for date fields.
    #[prop(into, optional)]
    max: Signal<Option<String>>,
    /// Whether a value is required.
    #[prop(optional)]
    required: bool,
    /// Input element, for callers that move the focus.
    #[prop(optional)]
    node_ref: NodeRef<html::Input>,
) -> impl IntoView {
    let ids = FieldIds::new();
    let described = ids.described_by(hint, error);
    view! {
        <div class="field">
            {ids.label_view(label)}
            <input
                class="input" dir="auto"
                node_ref=node_ref
                id=ids.input.clone()
                type=kind.type_name()
                inputmode=(kind == FieldKind::Decimal).then_some("decimal")
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
            {hint_and_error(&ids, hint, error)}
        </div>
    }
}
